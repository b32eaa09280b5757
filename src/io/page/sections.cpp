#include "io/page/sections.h"

#include <zlib.h>

#include <bit>
#include <cstring>
#include <limits>

#include "cutis/core/error.h"
#include "cutis/io/files.h"

namespace cutis {
namespace {

static_assert(std::endian::native == std::endian::little, "a page holds little-endian numbers");

std::string base64(const std::vector<unsigned char>& bytes) {
    static constexpr char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (size_t i = 0; i < bytes.size(); i += 3) {
        const size_t left = std::min<size_t>(3, bytes.size() - i);
        unsigned triple = static_cast<unsigned>(bytes[i]) << 16U;
        triple |= left > 1 ? static_cast<unsigned>(bytes[i + 1]) << 8U : 0U;
        triple |= left > 2 ? static_cast<unsigned>(bytes[i + 2]) : 0U;
        text += letters[triple >> 18U];
        text += letters[(triple >> 12U) & 63U];
        text += left > 1 ? letters[(triple >> 6U) & 63U] : '=';
        text += left > 2 ? letters[triple & 63U] : '=';
    }
    return text;
}

}  // namespace

std::string PageSections::add(const std::string& name, const char* type, const void* values, std::size_t count,
                              std::size_t width) {
    // Typed arrays must begin at a multiple of their element.
    bytes_.resize((bytes_.size() + 3) / 4 * 4);
    table_[name] = {{"type", type}, {"offset", bytes_.size()}, {"count", count}};
    const size_t begin = bytes_.size();
    bytes_.resize(begin + count * width);
    if (count > 0) {
        std::memcpy(bytes_.data() + begin, values, count * width);
    }
    return name;
}

std::string PageSections::packed() const {
    // Browsers hold a page as one string of at most 2^29 characters.
    constexpr size_t most_bytes = size_t{1} << 29U;
    require(bytes_.size() <= most_bytes, "html: a page holds at most ", most_bytes, " bytes of numbers, found ",
            bytes_.size(), "; bake fewer frames or allow a larger tolerance");
    // Level 9 takes seven times as long for 1.7 % fewer bytes.
    constexpr int level = 6;
    uLongf size = compressBound(static_cast<uLong>(bytes_.size()));
    std::vector<unsigned char> deflated(size);
    const int code = compress2(deflated.data(), &size, bytes_.data(), static_cast<uLong>(bytes_.size()), level);
    if (code != Z_OK) {
        throw IoError(concat("html: zlib cannot pack ", bytes_.size(), " bytes (code ", code, ")"));
    }
    deflated.resize(size);
    return base64(deflated);
}

std::uintmax_t save_page(const std::filesystem::path& path, const Json& meta, const std::string& data) {
    constexpr std::string_view meta_mark = "<!--CUTIS_META-->";
    constexpr std::string_view data_mark = "<!--CUTIS_DATA-->";
    const size_t meta_at = page_template.find(meta_mark);
    const size_t data_at = page_template.find(data_mark);
    if (meta_at == std::string_view::npos || data_at == std::string_view::npos || data_at < meta_at) {
        throw IoError("html: the page built into this program is missing its placeholders");
    }
    std::string text = meta.dump(-1, true);
    // The text stands inside a script element; "<" only occurs inside JSON strings.
    for (size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at)) {
        text.replace(at, 1, "\\u003c");
    }
    AtomicFile file(path);
    file.write(page_template.substr(0, meta_at));
    file.write(text);
    const size_t between = meta_at + meta_mark.size();
    file.write(page_template.substr(between, data_at - between));
    file.write(data);
    file.write(page_template.substr(data_at + data_mark.size()));
    return file.commit();
}

}  // namespace cutis

// The outermost layer of a glTF file: GLB chunks, JSON, buffers from everywhere they may come from.
#include <cstring>

#include "cutis/core/error.h"
#include "io/gltf/file.h"

namespace cutis {

namespace {

constexpr std::uint32_t glb_magic = 0x46546C67;   // glTF
constexpr std::uint32_t json_chunk = 0x4E4F534A;  // JSON
constexpr std::uint32_t bin_chunk = 0x004E4942;   // BIN
// Real files stay far below: a vertex takes 12 bytes and becomes 3 numbers, even a hundred times.
constexpr std::size_t free_numbers = std::size_t{1} << 21;
constexpr std::size_t numbers_per_byte = 256;

std::uint32_t u32_at(std::span<const unsigned char> bytes, std::size_t offset) {
    return static_cast<std::uint32_t>(bytes[offset]) | static_cast<std::uint32_t>(bytes[offset + 1]) << 8 |
           static_cast<std::uint32_t>(bytes[offset + 2]) << 16 | static_cast<std::uint32_t>(bytes[offset + 3]) << 24;
}

int hex_digit(char c) {
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

std::string decode_percent(const std::string& text, const JsonAt& where) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            out += text[i];
            continue;
        }
        const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
        const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
        if (high < 0 || low < 0) {
            where.wrong("two hexadecimal digits after every %");
        }
        out += static_cast<char>(high * 16 + low);
        i += 2;
    }
    return out;
}

int base64_digit(char c) {
    if (c >= 'A' && c <= 'Z') {
        return c - 'A';
    }
    if (c >= 'a' && c <= 'z') {
        return c - 'a' + 26;
    }
    if (c >= '0' && c <= '9') {
        return c - '0' + 52;
    }
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/// EXT_meshopt_compression of a buffer or view, under either of its names.
std::optional<JsonAt> meshopt_in(const JsonAt& at) {
    if (const auto extensions = at.find("extensions")) {
        for (const char* name : {"EXT_meshopt_compression", "KHR_meshopt_compression"}) {
            if (const auto found = extensions->find(name)) {
                return found;
            }
        }
    }
    return std::nullopt;
}

}  // namespace

Bytes decode_base64(std::string_view text, const JsonAt& where) {
    while (!text.empty() && text.back() == '=') {
        text.remove_suffix(1);
    }
    if (text.size() % 4 == 1) {
        where.fail(concat("expected whole base64 groups, found ", text.size(), " digits"));
    }
    Bytes out;
    out.reserve(text.size() / 4 * 3 + 2);
    std::uint32_t group = 0;
    int bits = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const int digit = base64_digit(text[i]);
        if (digit < 0) {
            where.fail(concat("expected base64, found another character at ", i));
        }
        group = (group << 6 | static_cast<std::uint32_t>(digit)) & 0xFFFFFF;
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            out.push_back(static_cast<unsigned char>(group >> bits & 0xFF));
        }
    }
    return out;
}

GltfFile::GltfFile(std::span<const unsigned char> bytes, std::string source, const GltfLoader& loader)
    : source_(std::move(source)), loader_(loader), bytes_(bytes.size()) {
    read_container(bytes);
    if (!json_.is_object()) {
        root().wrong("an object");
    }
    const std::string version = root().at("asset").at("version").text();
    if (version.rfind("2.", 0) != 0) {
        root().at("asset").at("version").wrong("glTF version 2.x");
    }
    const std::string least = root().at("asset").text_or_empty("minVersion");
    if (!least.empty() && least != "2.0") {
        root().at("asset").at("minVersion").wrong("2.0");
    }
}

// Names in the code page of the machine they were typed on are no UTF-8; viewers show such letters as a question mark.
void GltfFile::read_json(std::span<const unsigned char> bytes) {
    std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    std::string mended;
    std::size_t whole = 0, broken = 0;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = utf8_length(text.substr(at));
        if (length == 0) {
            mended.append(text.substr(whole, at - whole)).push_back('?');
            whole = at + 1;
            ++broken;
        }
        at += std::max<std::size_t>(1, length);
    }
    if (broken > 0) {
        mended.append(text.substr(whole));
        text = mended;
        note(concat(broken, " bytes of its text are not UTF-8: they became question marks"));
    }
    json_ = Json::parse(text, source_);
}

void GltfFile::read_container(std::span<const unsigned char> bytes) {
    if (bytes.size() < 4 || u32_at(bytes, 0) != glb_magic) {
        read_json(bytes);
        return;
    }
    require(bytes.size() >= 20, source_, ": expected at least 20 bytes of GLB header, found ", bytes.size());
    require(u32_at(bytes, 4) == 2, source_, ": expected GLB version 2, found ", u32_at(bytes, 4));
    const std::size_t length = u32_at(bytes, 8);
    if (length > bytes.size() || length < 20) {
        throw InvalidInput(concat(source_, ": expected ", length, " bytes (GLB header), found ", bytes.size(),
                                  length > bytes.size() ? ": truncated" : ""));
    }
    if (length < bytes.size()) {
        note(concat(bytes.size() - length, " bytes after the end of the GLB are ignored"));
    }
    bool has_json = false;
    for (std::size_t offset = 12; offset < length;) {
        require(length - offset >= 8, source_, ": expected a chunk header at byte ", offset, ", found only ",
                length - offset, " bytes");
        const std::size_t size = u32_at(bytes, offset);
        const std::uint32_t type = u32_at(bytes, offset + 4);
        offset += 8;
        require(size <= length - offset, source_, ": chunk at byte ", offset - 8, ": expected ", size, " bytes, found ",
                length - offset);
        const std::span<const unsigned char> chunk = bytes.subspan(offset, size);
        if (!has_json) {
            require(type == json_chunk, source_, ": expected the first chunk to be JSON");
            read_json(chunk);
            has_json = true;
        } else if (type == bin_chunk && !has_binary_chunk_) {
            binary_chunk_ = chunk;
            has_binary_chunk_ = true;
        }
        offset += size;
    }
}

std::shared_ptr<const Bytes> GltfFile::load_uri(const JsonAt& uri) {
    const std::string text = uri.text();
    if (text.rfind("data:", 0) == 0) {
        const std::size_t comma = text.find(',');
        if (comma == std::string::npos || text.substr(0, comma).find(";base64") == std::string::npos) {
            uri.wrong("data:...;base64,...");
        }
        return std::make_shared<const Bytes>(decode_base64(std::string_view(text).substr(comma + 1), uri));
    }
    const std::size_t colon = text.find(':');
    if (colon != std::string::npos && text.find('/') > colon) {
        uri.wrong("a data URI or a relative path");
    }
    const std::string path = decode_percent(text, uri);
    // A file named by many buffers is read once.
    if (const auto found = loaded_.find(path); found != loaded_.end()) {
        return found->second;
    }
    if (!loader_) {
        throw IoError(
            concat(source_, ": ", uri.path(), ": '", path, "' is another file, which bytes in memory cannot refer to"));
    }
    std::shared_ptr<const Bytes> bytes;
    try {
        bytes = std::make_shared<const Bytes>(loader_(path));
    } catch (const IoError& error) {
        throw IoError(concat(source_, ": ", uri.path(), ": ", error.what()));
    } catch (const InvalidInput& error) {
        throw InvalidInput(concat(source_, ": ", uri.path(), ": ", error.what()));
    }
    bytes_ += bytes->size();
    loaded_.emplace(path, bytes);
    return bytes;
}

void GltfFile::load_buffers() {
    const int count = static_cast<int>(count_of("buffers"));
    for (int i = 0; i < count; ++i) {
        const JsonAt at = item("buffers", i);
        const auto length = static_cast<std::size_t>(at.at("byteLength").integer(1, furthest_byte));
        std::span<const unsigned char> bytes;
        if (const auto uri = at.find("uri")) {
            kept_.push_back(load_uri(*uri));
            bytes = *kept_.back();
        } else if (i == 0 && has_binary_chunk_) {
            bytes = binary_chunk_;
        } else if (meshopt_in(at)) {
            buffers_.emplace_back();  // what compressed views become, for those who cannot read them
            continue;
        } else {
            at.fail("expected a uri or the binary chunk of a GLB, found neither");
        }
        if (bytes.size() < length) {
            at.fail(concat("expected ", length, " bytes (byteLength), found ", bytes.size()));
        }
        buffers_.push_back(bytes.first(length));
    }
    decode_views();
    decode_primitives();
}

void GltfFile::decode_views() {
    constexpr std::int64_t far = furthest_byte;
    for (int i = 0; i < static_cast<int>(count_of("bufferViews")); ++i) {
        const JsonAt at = item("bufferViews", i);
        const auto packed_at = meshopt_in(at);
        if (!packed_at) {
            continue;
        }
        if (!knows_meshopt()) {
            packed_at->fail("expected uncompressed meshes (this program was built without meshoptimizer)");
        }
        const auto buffer = static_cast<std::size_t>(packed_at->at("buffer").index(buffers_.size(), "buffers"));
        const auto offset_at = packed_at->find("byteOffset");
        const auto offset = static_cast<std::size_t>(offset_at ? offset_at->integer(0, far) : 0);
        const auto size = static_cast<std::size_t>(packed_at->at("byteLength").integer(1, far));
        if (offset + size > buffers_[buffer].size()) {
            packed_at->fail(concat("expected bytes ", offset, " to ", offset + size, " inside buffers[", buffer,
                                   "], found ", buffers_[buffer].size(), " bytes there"));
        }
        const auto length = static_cast<std::size_t>(at.at("byteLength").integer(1, far));
        charge(length / 4, at.path());
        decoded_[i] = decode_meshopt(*packed_at, buffers_[buffer].subspan(offset, size), length);
    }
}

std::size_t GltfFile::count_of(const std::string& list) const {
    const auto found = root().find(list);
    return found ? found->size() : 0;
}

JsonAt GltfFile::item(const std::string& list, int i) const {
    return root().at(list)[i];
}

std::span<const unsigned char> GltfFile::view(const JsonAt& reference_at, std::size_t* stride) const {
    const int index = reference(reference_at, "bufferViews");
    const JsonAt at = item("bufferViews", index);
    const int buffer = at.at("buffer").index(buffers_.size(), "buffers");
    const auto offset_at = at.find("byteOffset");
    constexpr std::int64_t far = furthest_byte;
    const auto offset = static_cast<std::size_t>(offset_at ? offset_at->integer(0, far) : 0);
    const auto length = static_cast<std::size_t>(at.at("byteLength").integer(1, far));
    if (stride != nullptr) {
        const auto stride_at = at.find("byteStride");
        *stride = stride_at ? static_cast<std::size_t>(stride_at->integer(1, 252)) : 0;
    }
    if (const auto decoded = decoded_.find(index); decoded != decoded_.end()) {
        return decoded->second;
    }
    const auto& bytes = buffers_[buffer];
    if (offset + length > bytes.size()) {
        at.fail(concat("expected bytes ", offset, " to ", offset + length, " inside buffers[", buffer, "], found ",
                       bytes.size(), " bytes there"));
    }
    return bytes.subspan(offset, length);
}

void GltfFile::charge(std::size_t numbers, const std::string& where) {
    const std::uint64_t limit = free_numbers + numbers_per_byte * std::uint64_t{bytes_};
    require(numbers <= limit - charged_, source_, ": ", where, ": expected the file's ", bytes_,
            " bytes to unfold to at most ", limit, " numbers, found more: too many instances or declared elements");
    charged_ += numbers;
}

}  // namespace cutis

#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "cutis/io/json.h"

namespace cutis {

/// The page as web/build.mjs bundled it, with the two marks where a bake goes. Embedded when the
/// program is built.
extern const std::string_view page_template;

/// Arrays of a page, one after another, found again by name.
class PageSections {
public:
    /// Adds an array under a new name. \return the name
    std::string add(const std::string& name, const std::vector<float>& values) {
        return add(name, "f32", values.data(), values.size(), sizeof(float));
    }
    std::string add(const std::string& name, const std::vector<std::uint32_t>& values) {
        return add(name, "u32", values.data(), values.size(), sizeof(std::uint32_t));
    }
    std::string add(const std::string& name, const std::vector<std::int16_t>& values) {
        return add(name, "i16", values.data(), values.size(), sizeof(std::int16_t));
    }

    std::string add(const std::string& name, const std::vector<unsigned char>& values) {
        return add(name, "u8", values.data(), values.size(), 1);
    }

    /// {name: {type, offset, count}}
    const Json& table() const { return table_; }
    /// All arrays, deflated (zlib), as base64. \throw IoError  zlib refuses (no memory)
    std::string packed() const;

private:
    std::string add(const std::string& name, const char* type, const void* values, std::size_t count,
                    std::size_t width);

    Json table_ = Json::object();
    std::vector<unsigned char> bytes_;
};

/// Writes the page with its bake in it. \return bytes
std::uintmax_t save_page(const std::filesystem::path& path, const Json& meta, const std::string& data);

}  // namespace cutis

#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace cutis::farm {

/// This process among all of all machines: "node7-4711-9f3a0c21".
const std::string& own_token();

/// 16 digits, and back (false: not such a number).
std::string hex(std::uint64_t number);
bool from_hex(std::string_view text, std::uint64_t& number);

/// Folder of a hash below `folder`: 256 of them, so that none becomes large.
std::filesystem::path shard(const std::filesystem::path& folder, std::uint64_t hash);

/// "node7: PATH: cannot be written (no permission); what to do". \param reason  a number of errno
[[noreturn]] void throw_io(const std::filesystem::path& path, const std::string& what, int reason);

/// Names in a folder, none where it is not there. \throw IoError  it cannot be read
std::vector<std::string> names_in_folder(const std::filesystem::path& folder);
/// Names in all 256 shards.
void for_each_sharded(const std::filesystem::path& folder, const std::function<void(const std::string&)>& visit);

/// \throw IoError
void make_folder(const std::filesystem::path& folder);

/// Text of a small file; empty where it is not there.
std::string small_text(const std::filesystem::path& path);

/// What stands behind "name: " in a text of lines; empty: not there.
std::string line_of(const std::string& text, const std::string& name);

/// Words that may stand anywhere: tabs, line ends and backslashes are written as \t, \n, \\.
std::string escaped(const std::string& text);
std::vector<std::string> split_escaped(const std::string& line);

}  // namespace cutis::farm

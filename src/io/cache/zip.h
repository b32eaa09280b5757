#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cutis/io/files.h"

namespace cutis {

/// A zip archive of uncompressed entries, one after the other. Sizes are told in advance, so an
/// entry may be larger than memory; zip64 records are written where 32 bits are too few. Time
/// stamps are 1980-01-01.
class ZipWriter {
public:
    /// \param always_zip64  also where small numbers would do: for tests
    explicit ZipWriter(AtomicFile& file, bool always_zip64 = false) : file_(file), always_zip64_(always_zip64) {}

    void begin_entry(const std::string& name, std::uint64_t bytes);
    void write(const void* data, std::size_t bytes);
    void end_entry();
    /// The directory at the end.
    void close();

private:
    struct Entry {
        std::string name;
        std::uint64_t bytes = 0;
        std::uint64_t offset = 0;
        std::uint32_t crc = 0;
        bool is_zip64 = false;
    };

    AtomicFile& file_;
    bool always_zip64_;
    std::vector<Entry> entries_;
    std::uint64_t written_ = 0;
};

}  // namespace cutis

#include "io/cache/zip.h"

#include <zlib.h>

#include <cassert>

#include "cutis/core/error.h"

namespace cutis {
namespace {

/// Little-endian numbers of a zip record.
class Record {
public:
    Record& u16(std::uint64_t value) { return number(value, 2); }
    Record& u32(std::uint64_t value) { return number(value, 4); }
    Record& u64(std::uint64_t value) { return number(value, 8); }
    Record& text(const std::string& value) {
        bytes_ += value;
        return *this;
    }
    const std::string& bytes() const { return bytes_; }

private:
    Record& number(std::uint64_t value, int width) {
        for (int i = 0; i < width; ++i) {
            bytes_ += static_cast<char>(value >> (8 * i) & 255U);
        }
        return *this;
    }
    std::string bytes_;
};

constexpr std::uint64_t limit32 = 0xFFFFFFFFU;
constexpr std::uint64_t limit16 = 0xFFFFU;
constexpr int version_plain = 20;
constexpr int version_zip64 = 45;
constexpr int flag_utf8 = 1 << 11;
constexpr int date_1980 = 0x21;
constexpr std::uint64_t crc_offset = 14;  // of the checksum in a local header

}  // namespace

void ZipWriter::begin_entry(const std::string& name, std::uint64_t bytes) {
    Entry entry;
    entry.name = name;
    entry.bytes = bytes;
    entry.offset = file_.size();
    entry.is_zip64 = always_zip64_ || bytes >= limit32 || entry.offset >= limit32;
    Record record;
    record.u32(0x04034b50).u16(entry.is_zip64 ? version_zip64 : version_plain).u16(flag_utf8);
    record.u16(0).u16(0).u16(date_1980).u32(0);
    record.u32(entry.is_zip64 ? limit32 : bytes).u32(entry.is_zip64 ? limit32 : bytes);
    record.u16(name.size()).u16(entry.is_zip64 ? 20 : 0).text(name);
    if (entry.is_zip64) {
        record.u16(1).u16(16).u64(bytes).u64(bytes);
    }
    file_.write(record.bytes());
    entries_.push_back(entry);
    written_ = 0;
}

void ZipWriter::write(const void* data, std::size_t bytes) {
    if (bytes == 0) {
        return;  // no array may stand for an empty one, but zlib takes "no array" for "begin anew"
    }
    entries_.back().crc =
        static_cast<std::uint32_t>(crc32_z(entries_.back().crc, static_cast<const unsigned char*>(data), bytes));
    written_ += bytes;
    file_.write(data, bytes);
}

void ZipWriter::end_entry() {
    const Entry& entry = entries_.back();
    assert(written_ == entry.bytes);
    file_.rewrite(entry.offset + crc_offset, Record().u32(entry.crc).bytes().data(), 4);
}

void ZipWriter::close() {
    const std::uint64_t begin = file_.size();
    bool is_zip64 = always_zip64_ || begin >= limit32 || entries_.size() >= limit16;
    for (const Entry& entry : entries_) {
        const std::uint64_t size = entry.is_zip64 ? limit32 : entry.bytes;
        is_zip64 = is_zip64 || entry.is_zip64;
        Record record;
        record.u32(0x02014b50).u16(version_zip64).u16(entry.is_zip64 ? version_zip64 : version_plain);
        record.u16(flag_utf8).u16(0).u16(0).u16(date_1980).u32(entry.crc).u32(size).u32(size);
        record.u16(entry.name.size()).u16(entry.is_zip64 ? 28 : 0).u16(0).u16(0).u16(0).u32(0);
        record.u32(entry.is_zip64 ? limit32 : entry.offset).text(entry.name);
        if (entry.is_zip64) {
            record.u16(1).u16(24).u64(entry.bytes).u64(entry.bytes).u64(entry.offset);
        }
        file_.write(record.bytes());
    }
    const std::uint64_t end = file_.size();
    const std::uint64_t count = entries_.size();
    Record record;
    if (is_zip64) {
        record.u32(0x06064b50).u64(44).u16(version_zip64).u16(version_zip64).u32(0).u32(0);
        record.u64(count).u64(count).u64(end - begin).u64(begin);
        record.u32(0x07064b50).u32(0).u64(end).u32(1);
    }
    record.u32(0x06054b50).u16(0).u16(0);
    record.u16(is_zip64 ? limit16 : count).u16(is_zip64 ? limit16 : count);
    record.u32(is_zip64 ? limit32 : end - begin).u32(is_zip64 ? limit32 : begin).u16(0);
    file_.write(record.bytes());
}

}  // namespace cutis

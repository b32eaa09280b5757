#include "core/hash.h"

#include <algorithm>
#include <bit>

namespace cutis {
namespace {

// Constants and steps follow "xxHash fast digest algorithm", XXH64.
constexpr std::uint64_t prime1 = 0x9E3779B185EBCA87U;
constexpr std::uint64_t prime2 = 0xC2B2AE3D27D4EB4FU;
constexpr std::uint64_t prime3 = 0x165667B19E3779F9U;
constexpr std::uint64_t prime4 = 0x85EBCA77C2B2AE63U;
constexpr std::uint64_t prime5 = 0x27D4EB2F165667C5U;
constexpr size_t stripe = 32;

// Little-endian whatever the machine; compilers turn this into one load.
template <int Bytes>
std::uint64_t read(const std::byte* from) {
    std::uint64_t word = 0;
    for (int i = 0; i < Bytes; ++i) {
        word |= static_cast<std::uint64_t>(from[i]) << (8 * i);
    }
    return word;
}

std::uint64_t round(std::uint64_t lane, std::uint64_t input) {
    return std::rotl(lane + input * prime2, 31) * prime1;
}

void mix_stripe(std::array<std::uint64_t, 4>& lanes, const std::byte* from) {
    for (size_t i = 0; i < 4; ++i) {
        lanes[i] = round(lanes[i], read<8>(from + 8 * i));
    }
}

}  // namespace

Hash64::Hash64(std::uint64_t seed) : seed_(seed), lanes_{seed + prime1 + prime2, seed + prime2, seed, seed - prime1} {}

Hash64& Hash64::add_bytes(std::span<const std::byte> bytes) {
    const size_t held = length_ % stripe;
    length_ += bytes.size();
    if (held > 0) {
        const size_t taken = std::min(stripe - held, bytes.size());
        std::copy_n(bytes.begin(), taken, waiting_.begin() + held);
        bytes = bytes.subspan(taken);
        if (held + taken < stripe) {
            return *this;
        }
        mix_stripe(lanes_, waiting_.data());
    }
    for (; bytes.size() >= stripe; bytes = bytes.subspan(stripe)) {
        mix_stripe(lanes_, bytes.data());
    }
    std::copy(bytes.begin(), bytes.end(), waiting_.begin());
    return *this;
}

Hash64& Hash64::add_text(std::string_view text) {
    return add_bytes(std::as_bytes(std::span(text.data(), text.size())));
}

std::uint64_t Hash64::value() const {
    std::uint64_t hash = seed_ + prime5;
    if (length_ >= stripe) {
        hash = std::rotl(lanes_[0], 1) + std::rotl(lanes_[1], 7) + std::rotl(lanes_[2], 12) + std::rotl(lanes_[3], 18);
        for (const std::uint64_t lane : lanes_) {
            hash = (hash ^ round(0, lane)) * prime1 + prime4;
        }
    }
    hash += length_;

    const std::byte* at = waiting_.data();
    size_t left = length_ % stripe;
    for (; left >= 8; left -= 8, at += 8) {
        hash = std::rotl(hash ^ round(0, read<8>(at)), 27) * prime1 + prime4;
    }
    if (left >= 4) {
        hash = std::rotl(hash ^ (read<4>(at) * prime1), 23) * prime2 + prime3;
        left -= 4;
        at += 4;
    }
    for (; left > 0; --left, ++at) {
        hash = std::rotl(hash ^ (read<1>(at) * prime5), 11) * prime1;
    }
    hash = (hash ^ (hash >> 33)) * prime2;
    hash = (hash ^ (hash >> 29)) * prime3;
    return hash ^ (hash >> 32);
}

}  // namespace cutis

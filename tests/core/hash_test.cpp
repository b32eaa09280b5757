#include "core/hash.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace cutis {
namespace {

constexpr std::uint64_t prime32 = 2654435761U;

// The buffer over which the authors of XXH64 publish their test vectors.
std::vector<std::byte> published_buffer(size_t length) {
    std::vector<std::byte> buffer(length);
    std::uint64_t generator = prime32;
    for (std::byte& byte : buffer) {
        byte = static_cast<std::byte>(generator >> 56);
        generator *= 11400714785074694797U;
    }
    return buffer;
}

TEST(hash, equals_the_published_test_vectors_of_xxh64) {
    struct Vector {
        size_t length;
        std::uint64_t seed;
        std::uint64_t expected;
    };
    const std::vector<Vector> vectors = {
        {0, 0, 0xEF46DB3751D8E999U},
        {0, prime32, 0xAC75FDA2929B17EFU},
        {1, 0, 0xE934A84ADB052768U},
        {1, prime32, 0x5014607643A9B4C3U},
        {4, 0, 0x9136A0DCA57457EEU},
        {14, 0, 0x8282DCC4994E35C8U},
        {14, prime32, 0xC3BD6BF63DEB6DF0U},
        {222, 0, 0xB641AE8CB691C174U},
        {222, prime32, 0x20CB8AB7AE10C14AU},
        // One stripe less a byte, exactly one, one and a byte: from the xxh64sum program.
        {31, 0, 0x299B39A290E6D783U},
        {32, 0, 0x18B216492BB44B70U},
        {33, 0, 0x55C8DC3E578F5B59U},
    };
    for (const Vector& vector : vectors) {
        EXPECT_EQ(Hash64(vector.seed).add_bytes(published_buffer(vector.length)).value(), vector.expected)
            << vector.length << " bytes, seed " << vector.seed;
    }
    EXPECT_EQ(Hash64().add_text("abc").value(), 0x44BC2CF5AD770999U);
}

TEST(hash, does_not_depend_on_how_the_bytes_are_cut_into_pieces) {
    const std::vector<std::byte> buffer = published_buffer(222);
    const std::span<const std::byte> bytes(buffer);
    for (size_t first = 0; first <= 70; ++first) {
        for (const size_t second : {0, 1, 31, 32, 33, 64, 100}) {
            Hash64 hash(prime32);
            hash.add_bytes(bytes.first(first));
            EXPECT_NE(hash.value(), 0x20CB8AB7AE10C14AU);  // asking midway changes nothing
            hash.add_bytes(bytes.subspan(first, second)).add_bytes(bytes.subspan(first + second));
            ASSERT_EQ(hash.value(), 0x20CB8AB7AE10C14AU) << first << " + " << second;
        }
    }
}

TEST(hash, numbers_are_hashed_as_their_bytes_and_one_flipped_bit_shows) {
    const std::vector<double> numbers = {1.0, 2.0, -0.5};
    const std::uint64_t hash = Hash64().add_numbers(std::span<const double>(numbers)).value();
    EXPECT_EQ(Hash64().add_number(1.0).add_number(2.0).add_number(-0.5).value(), hash);
    EXPECT_EQ(Hash64().add_bytes(std::as_bytes(std::span(numbers))).value(), hash);
    std::vector<double> changed = numbers;
    changed[1] = std::nextafter(2.0, 3.0);
    EXPECT_NE(Hash64().add_numbers(std::span<const double>(changed)).value(), hash);
    EXPECT_NE(Hash64().add_number(0.0).value(), Hash64().add_number(-0.0).value());
}

}  // namespace
}  // namespace cutis

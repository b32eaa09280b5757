#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

namespace cutis {

/// 64-bit content hash (XXH64, from its public specification), fed piece by piece: the same bytes
/// give the same number however they are cut into pieces. For noticing change, not for secrets.
class Hash64 {
public:
    explicit Hash64(std::uint64_t seed = 0);

    /// Appends raw bytes.
    Hash64& add_bytes(std::span<const std::byte> bytes);

    /// Appends the bytes of a text, without its length.
    Hash64& add_text(std::string_view text);

    /// Appends numbers as they lie in memory (+0 and -0 differ). Only for types without padding.
    template <class Number>
    requires std::is_arithmetic_v<Number> Hash64& add_numbers(std::span<const Number> numbers) {
        return add_bytes(std::as_bytes(numbers));
    }

    /// Appends one number, for instance the length of what comes next.
    template <class Number>
    requires std::is_arithmetic_v<Number> Hash64& add_number(Number number) {
        return add_numbers(std::span<const Number>(&number, 1));
    }

    /// Hash of everything added so far; more may be added afterwards.
    std::uint64_t value() const;

private:
    std::uint64_t seed_;
    std::array<std::uint64_t, 4> lanes_;
    std::array<std::byte, 32> waiting_{};  // bytes that do not yet fill a stripe
    std::uint64_t length_ = 0;
};

}  // namespace cutis

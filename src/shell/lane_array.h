#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cutis::vibration {

/// Numbers of all vertices. Large arrays come from the system at the same place of a page; a dozen
/// of them read side by side would then fight for the eight places of one set of the nearest cache.
/// So each begins at a line of its own.
template <class Real>
class LaneArray {
public:
    /// \param place  0 .. 11: another one for each array that is read beside others
    void assign(std::size_t count, Real value, std::size_t place = 0) {
        constexpr std::size_t line = 64, apart = 5 * line;
        values_.assign(count + (line + place * apart) / sizeof(Real), value);
        const auto address = reinterpret_cast<std::uintptr_t>(values_.data());
        first_ = ((line - address % line) % line + place * apart) / sizeof(Real);
        count_ = count;
    }

    Real* data() { return values_.data() + first_; }
    const Real* data() const { return values_.data() + first_; }
    Real* begin() { return data(); }
    Real* end() { return data() + count_; }
    Real& operator[](std::size_t i) { return data()[i]; }
    Real operator[](std::size_t i) const { return data()[i]; }
    std::size_t capacity() const { return values_.capacity(); }

private:
    std::vector<Real> values_;
    std::size_t first_ = 0;
    std::size_t count_ = 0;
};

}  // namespace cutis::vibration

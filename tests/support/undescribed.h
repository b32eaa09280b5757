#pragma once

#include <cstddef>
#include <new>
#include <vector>

#include "cutis/core/options.h"

namespace cutis::test {

/// Fills memory where the compiler cannot see that nobody reads it.
void fill_bytes(void* memory, size_t count, unsigned char value);

/// Marks the bytes of an object that a description covers.
void mark_described(const Options& options, const void* object, std::vector<bool>& is_described);

/// Bytes of a struct's fields that no option describes. Padding does not count: a constructor
/// leaves it as the memory was before, whatever that held.
/// \param describe  the struct's own
template <class Struct, class Describe>
std::vector<size_t> undescribed_bytes(const Describe& describe) {
    alignas(Struct) static unsigned char memory[2][sizeof(Struct)];
    const unsigned char fills[2] = {0xA5, 0x5A};
    std::vector<bool> is_written(sizeof(Struct), false);
    std::vector<bool> is_described(sizeof(Struct), false);
    for (int i = 0; i < 2; ++i) {
        fill_bytes(memory[i], sizeof(Struct), fills[i]);
        auto* object = new (memory[i]) Struct;
        for (size_t b = 0; b < sizeof(Struct); ++b) {
            is_written[b] = is_written[b] || memory[i][b] != fills[i];
        }
        if (i == 0) {
            mark_described(describe(*object), object, is_described);
        }
        object->~Struct();
    }
    std::vector<size_t> missing;
    for (size_t b = 0; b < sizeof(Struct); ++b) {
        if (is_written[b] && !is_described[b]) {
            missing.push_back(b);
        }
    }
    return missing;
}

}  // namespace cutis::test

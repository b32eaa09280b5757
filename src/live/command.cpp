#include "live/command.h"

#include <cmath>
#include <span>

#include "core/hash.h"
#include "cutis/core/error.h"

namespace cutis {

double number_in(const Json& command, const char* key, double lowest, double highest) {
    const Json& value = command[key];
    require(value.is_number() && value.as_number() >= lowest && value.as_number() <= highest, key,
            ": expected a number from ", lowest, " to ", highest, ", found ", value.dump());
    return value.as_number();
}

int index_in(const Json& command, const char* key, size_t count) {
    const int index = command[key].as_index();
    require(index >= 0 && index < static_cast<int>(count), key, ": expected a number below ", count, ", found ",
            command[key].dump());
    return index;
}

Vector3d vector_in(const Json& command, const char* key) {
    constexpr double far = 1e6;
    const Json& value = command[key];
    require(value.is_array() && value.size() == 3, key, ": expected three numbers, found ", value.dump());
    Vector3d vector;
    for (int c = 0; c < 3; ++c) {
        require(value[c].is_number() && std::abs(value[c].as_number()) <= far, key, ": expected numbers of at most ",
                far, ", found ", value.dump());
        vector[c] = value[c].as_number();
    }
    return vector;
}

std::string hash_of(const Frame& frame) {
    Hash64 hash;
    for (const MeshFrame& mesh : frame.meshes) {
        hash.add_numbers(std::span<const double>(mesh.positions.data(), static_cast<size_t>(mesh.positions.size())));
        hash.add_numbers(std::span<const double>(mesh.uv.data(), static_cast<size_t>(mesh.uv.size())));
        for (const auto& channel : mesh.channels) {
            hash.add_numbers(std::span<const double>(channel));
        }
    }
    std::string digits;
    for (int shift = 60; shift >= 0; shift -= 4) {
        digits += "0123456789abcdef"[hash.value() >> shift & 15];
    }
    return digits;
}

}  // namespace cutis

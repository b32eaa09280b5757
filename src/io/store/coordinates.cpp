#include "io/store/coordinates.h"

namespace cutis {

void CoordinateStore::append(const double* numbers, std::size_t count) {
    spool_.append(numbers, count * sizeof(double));
}

void CoordinateStore::read_coordinates(int frame, int first, int count, double* out) {
    const std::uintmax_t position =
        static_cast<std::uintmax_t>(frame) * static_cast<std::uintmax_t>(numbers_per_frame_) +
        static_cast<std::uintmax_t>(first);
    spool_.read(position * sizeof(double), out, static_cast<std::size_t>(count) * sizeof(double));
}

}  // namespace cutis

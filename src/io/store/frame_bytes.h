#pragma once

#include <span>
#include <vector>

#include "cutis/stack/frame.h"

namespace cutis {

/// A frame as bytes, every number as it is.
void append_frame(const Frame& frame, std::vector<unsigned char>& bytes);

/// The frame of append_frame. \throw InvalidInput  the bytes are not one
void read_frame_bytes(std::span<const unsigned char> bytes, Frame& frame);

}  // namespace cutis

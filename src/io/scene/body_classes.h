#pragma once

#include "cutis/body/body.h"

namespace cutis {

/// Painted attributes of a body's mesh that tell the page what it found begin with this word: "class:skin" and so
/// on, 0 or 1, and "class:island", the number that regions have for it ("island:1" is the largest).
inline constexpr const char* class_word = "class:";
inline constexpr const char* class_names[] = {"skin", "cloth", "hair", "rigid"};

/// Gives the body's mesh those attributes.
/// \throw InvalidInput  as SimulationSurface::repaired
void paint_classes(Body& body, double weld_distance);

}  // namespace cutis

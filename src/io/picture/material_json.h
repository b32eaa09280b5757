#pragma once

#include "cutis/body/body.h"
#include "cutis/io/json.h"

namespace cutis {

/// Materials, textures, images and samplers of a body as glTF has them.
Json materials_of(const Body& body);
/// Index `object[key]`, checked against a list; -1: none.
int index_at(const Json& object, const char* key, const Json& list);
/// Place of a material's base colour among the images, -1: none.
int base_picture(const Json& all, const Json& material);

}  // namespace cutis

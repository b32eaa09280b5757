#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "cutis/core/progress.h"
#include "cutis/stack/scene.h"
#include "io/picture/picture.h"

namespace cutis {

/// Paints a scene's decals onto the base colours of a body's materials, and continues those
/// pictures over the borders of their charts where a layer slides UVs (Thin Skin Elastodynamics,
/// A.2). Materials without a picture get one.
/// \param warn  what shows elsewhere too, or cannot be continued
/// \throw IoError       a picture that is not there
/// \throw InvalidInput  not a picture; a place that is not on the skin or has no UVs
void paint_body(const Scene& scene, Body& body, const WarningCallback& warn);

/// Gives the mesh the painted attributes "texture:FILE" and "texture:FILE#g" (a channel: r, g, b or a; r where
/// none is named) that regions of a scene's layers name: the picture at each vertex's UV, 0 .. 1. "texture:base#a"
/// takes the base colour of each vertex's own material.
/// \throw IoError, InvalidInput  no such picture; a mesh without UVs
void paint_texture_masks(const Scene& scene, Body& body);

/// Gives the mesh the painted attributes picture.r, .g and .b: linear base colour of each vertex whose material has a
/// picture, -1 elsewhere. None where no material has one that can be read.
void paint_picture_colours(Body& body);

/// The picture files those regions name, as the scene writes them.
std::vector<std::string> texture_mask_files(const Scene& scene);

/// A material's picture.
struct MaterialPicture {
    const std::vector<unsigned char>* bytes = nullptr;  ///< of a file; held by the body's materials
    bool has_holes = false;                             ///< base colours: what is not opaque counts
    Vector3d factor = Vector3d::Ones();  ///< base colours: linear, times the picture's; normals: of x, y, z
    /// Where the picture is looked up: u, v, 1 times the two rows of this (v up; KHR_texture_transform); empty: at u,
    /// v.
    std::vector<double> place;
    std::array<bool, 2> repeats = {true, true};  ///< beyond its borders along u and v, else these go on
};

/// Base colours by name of the material.
std::map<std::string, MaterialPicture> base_colour_pictures(const Body& body);
/// Normal maps in tangent space by name of the material: x along u, y along v upwards.
std::map<std::string, MaterialPicture> normal_pictures(const Body& body);

}  // namespace cutis

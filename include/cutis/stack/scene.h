#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cutis/body/body.h"

namespace cutis {

/// A value of a scene file, with the place it stands at.
struct SceneValue {
    enum class Kind { boolean, integer, number, text, list } kind = Kind::text;
    bool boolean = false;
    double number = 0.0;
    std::string text;
    std::vector<SceneValue> list;
    int line = 0;
    int column = 0;
};

/// Keys of one table of a scene file.
using SceneValues = std::map<std::string, SceneValue>;

/// One [[layer]] table. Its values are read by the layer, which knows its own keys.
struct LayerScene {
    std::string kind;
    SceneValues values;
    int line = 0;
    int column = 0;
    /// Meshes its key `mesh` names, read with the scene file.
    std::map<std::string, std::shared_ptr<const ArtMesh>> meshes = {};
};

/// Where the body comes from: exactly one of file, actor, mesh_file.
struct BodyScene {
    std::string file;       ///< glTF or GLB
    std::string actor;      ///< built-in character
    std::string mesh_file;  ///< OBJ; moved by `cache`, or standing still
    std::string cache;      ///< PC2, MDD, or a sequence of OBJ files with one * in its name
    std::string motion;     ///< BVH clip put onto the skeleton of `file`
    std::string rest;       ///< OBJ with the static rest pose, same vertices
    double cache_rate =
        0.0;  ///< samples a second of PC2 and OBJ files; 0: fps (MDD: its own times)
    BodyOptions options;
    TimeSampling sampling = TimeSampling::exact;  ///< between keys, for frames and layers alike
    bool repair = true;          ///< weld and clean the surface layers work on; false: refuse
    double weld_distance = 0.0;  ///< fraction of the box diagonal; 0: exact matches only
    double cut_distance = 0.5;  ///< a vertex that moves further (of the box diagonal) from frame to
                                ///< frame makes a cut
};

/// What to write.
struct OutputScene {
    std::vector<std::string> formats = {"glb"};  ///< glb, usda, obj, pc2, mdd, npz, html
    double tolerance =
        1e-4;  ///< GLB: largest error of baked morph targets, fraction of the box diagonal
    double page_tolerance = 3e-4;  ///< HTML: the same for the page
    bool page_times = true;        ///< HTML: the page shows what each frame took
};

/// How a page of the shot begins, and what stands beside it.
struct PageScene {
    std::string about;              ///< one line
    std::string figure;             ///< a figure of a paper that the shot stands beside
    std::string paint = "checker";  ///< shown first: skin, checker, grid, tattoo, bumps or clay
    std::vector<double> camera;     ///< x y z from the body to the camera; empty: from the front
    std::vector<double> focus;  ///< x y z radius of what fills the picture; empty: the whole clip
    bool follow = false;        ///< the camera travels with the body
    std::vector<double> stills = {0.25, 0.5, 0.75};  ///< moments worth a picture, 0 .. 1
};

/// Values to try for one key; a scene with several of these stands for all combinations.
struct Wedge {
    std::string key;  ///< "body.KEY", "output.KEY", "layer.N.KEY" (N from 1) or "KIND.KEY" (every
                      ///< layer of that kind)
    std::vector<SceneValue> values;
    int line = 0;
    int column = 0;
};

/// One shot: a body, layers in order, outputs.
struct Scene {
    std::string file;    ///< the scene file, for messages; empty: made in code
    std::string folder;  ///< paths in the scene are relative to this
    BodyScene body;
    double fps = 30.0;
    int first_frame = 1;    ///< inclusive; frame 1 is body time 0
    int last_frame = 0;     ///< inclusive; 0: the last frame of the clip
    double pre_roll = 0.0;  ///< seconds the body holds its first pose before frame 1
    std::vector<LayerScene> layers;
    OutputScene output;
    PageScene page;
    std::vector<Wedge> wedges;  ///< empty: the scene as it is
};

}  // namespace cutis

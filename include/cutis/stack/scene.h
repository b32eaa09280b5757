#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cutis/body/body.h"
#include "cutis/core/options.h"

namespace cutis {

class LayerPlan;

/// One [[layer]] table. Its values are read by the layer, which knows its own keys.
struct LayerScene {
    std::string kind;
    Table values;
    int line = 0;
    int column = 0;
    /// Mesh files that its options name, by name; read with the scene file.
    std::map<std::string, std::shared_ptr<const ArtMesh>> meshes = {};
    /// Made from the values when the scene was read, null in scenes made in code.
    std::shared_ptr<LayerPlan> plan = {};
};

/// Where the body comes from: exactly one of file, actor, mesh_file.
struct BodyScene {
    std::string file;                ///< glTF or GLB
    std::string actor;               ///< built-in character
    std::string mesh_file;           ///< OBJ; moved by `cache`, or standing still
    std::string cache;               ///< PC2, MDD, or a sequence of OBJ files with one * in its name
    std::string motion;              ///< BVH file, or glTF file with a clip, put onto the skeleton of `file`
    std::vector<std::string> clips;  ///< several clips of `file`, baked one after the other; "*": all
    std::string rest;                ///< OBJ with the static rest pose, same vertices
    double cache_rate = 0.0;         ///< samples a second of PC2 and OBJ files; 0: fps (MDD: its own times)
    BodyOptions options;
    TimeSampling sampling = TimeSampling::exact;  ///< between keys, for frames and layers alike
    bool repair = true;                           ///< weld and clean the surface layers work on; false: refuse
    bool leave_out = false;                       ///< a layer that refuses the body is left out, with a note
    double weld_distance = 0.0;                   ///< fraction of the box diagonal; 0: exact matches only
    double cut_distance = 0.5;                    ///< a vertex that moves further (of the box diagonal) from frame to
                                                  ///< frame makes a cut
};

/// A picture on the skin: one [[decal]] table. Its place is one of `at`, `uv` and `joint`.
struct DecalScene {
    enum class Blend { over, multiply };
    std::string image;       ///< PNG or JPEG
    std::vector<double> at;  ///< x y z, rest pose; empty: not given
    std::vector<double> uv;  ///< u v; empty: not given
    std::string joint;
    Vector3d facing = Vector3d::Zero();  ///< from the joint; 0: wherever the skin is nearest
    double size = 0.1;                   ///< metres
    double turn = 0.0;                   ///< degrees
    double opacity = 1.0;
    Blend blend = Blend::over;
    int line = 0;
    int column = 0;
};

Options describe(DecalScene& decal);

/// The image of a decal that needs no file.
inline constexpr const char* compass = "compass";

/// What to write.
struct OutputScene {
    std::vector<std::string> formats = {"glb"};
    /// Tables [output.FORMAT] by format, as they were read; io, which knows the formats, reads on.
    Table format_options;
};

/// What hands and sliders did to a live scene, step by step: one [recording] table, which a bake replays.
struct RecordingScene {
    int steps = 0;                      ///< of 1 / fps seconds each, at speed 1; 0: nothing is recorded
    std::vector<std::string> commands;  ///< JSON as in docs/live.md, each with the `step` before which it came
};

Options describe(RecordingScene& recording);

/// Values to try for one key; a scene with several of these means all combinations.
struct Wedge {
    std::string key;  ///< "body.KEY", "output.KEY", "output.FORMAT.KEY", "layer.N.KEY" (N from 1)
                      ///< or "KIND.KEY" (every layer of that kind)
    std::vector<Value> values;
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
    std::vector<DecalScene> decals;
    OutputScene output;
    RecordingScene recording;
    std::vector<Wedge> wedges;  ///< empty: the scene as it is
};

/// Keys of [body], bound to a scene. `mesh` is bound to body.options.mesh; the reader moves it to
/// body.mesh_file where neither file nor actor is given.
Options describe_body(Scene& scene);

/// Keys of [output], but for the tables of the formats.
Options describe_output(Scene& scene);

/// What a scene must fulfil beyond its single values: one source, no key that has no meaning for
/// it, at least one format, frames in order.
/// \throw InvalidInput
void check_scene(const Scene& scene);

}  // namespace cutis

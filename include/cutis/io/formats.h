#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cutis/core/options.h"
#include "cutis/stack/scene.h"
#include "cutis/stack/sink.h"

namespace cutis {

/// How numbers of a GLB are stored.
enum class GlbCompression {
    automatic,  ///< meshopt where the program has it and a layer changed something
    meshopt,    ///< EXT_meshopt_compression
    none,       ///< for tools that do not know it
};

struct GlbOptions {
    double tolerance = 1e-4;     ///< of a baked vertex, fraction of the rest box's diagonal
    double uv_tolerance = 1e-4;  ///< of a baked UV, fraction of the picture
    bool keep_skin = true;       ///< write skeleton and skin where they still describe the shape
    GlbCompression compression = GlbCompression::automatic;
    int bones = 0;  ///< write the body as a skin of so many rigid bones; 0: its own skin, or morph targets
};

/// What moves the points of a USD stage.
enum class UsdaStyle {
    automatic,  ///< a skeleton where the character has one and rounding is allowed
    skeleton,   ///< UsdSkel: joints and blend shapes
    points,     ///< all points in every frame
};

struct UsdaOptions {
    double tolerance = 4e-5;    ///< largest error of a vertex, fraction of the rest box's diagonal; 0: float32 as it is
    bool use_channels = false;  ///< the layers' channels as primvars; they are most of a file
    bool use_normals = true;    ///< of the body's surface: in every frame, or at rest where a skeleton turns them
    UsdaStyle style = UsdaStyle::automatic;
};

struct NpzOptions {
    bool use_float32 = false;  ///< halves positions, UVs and channels; default: the exact doubles
};

struct PageOptions {
    std::string title;                ///< empty: the file's name
    std::string caption;              ///< one line beside the title
    double tolerance = 3e-4;          ///< largest error of a vertex, fraction of the rest box's
                                      ///< diagonal: a third of a pixel in a picture 1000 pixels high
    double uv_tolerance = 3e-4;       ///< largest error of a UV, fraction of the picture
    bool use_times = true;            ///< what each stage of each frame took; false: same bytes always
    std::string paint = "automatic";  ///< shown first: skin, checker, grid, tattoo, bumps or clay;
                                      ///< automatic: skin where the body has pictures, else checker
    std::string heat;                 ///< channel shown first as a heat map; empty: none
    bool use_channels = true;         ///< heat maps and strokes of layers; false: a smaller page
    bool use_classes = false;         ///< what is skin, cloth, hair and rigid, and islands, as paints
    bool follow = false;              ///< the camera travels with the body
    std::vector<double> camera;       ///< x y z from the body to the camera; empty: from the front, a
                                      ///< little from the left and above
    std::vector<double> focus;        ///< x y z radius of a ball that fills the picture, metres, where
                                      ///< the body is in the first frame; empty: the whole clip
    std::string figure;               ///< figure of a paper that the shot corresponds to, for the caption
    std::vector<double> stills = {0.25, 0.5, 0.75};  ///< moments worth a picture, 0 .. 1; for
                                                     ///< whoever takes pictures of the page
};

Options describe(GlbOptions& options);
Options describe(UsdaOptions& options);
Options describe(NpzOptions& options);
Options describe(PageOptions& options);

class FrameStore;
struct GlbClips;

/// One GLB for several clips of a character, each baked for itself: handed to the sinks of all of them. The last of
/// them writes the file.
std::shared_ptr<GlbClips> gather_glb_clips(const std::filesystem::path& path, int count);

/// Options of all formats; those without any are not here.
struct SinkOptions {
    GlbOptions glb = {};
    UsdaOptions usda = {};
    NpzOptions npz = {};
    PageOptions html = {};
    /// Where frames wait that an output needs again; the outputs of a bake share it. Null: each
    /// output has its own.
    std::shared_ptr<FrameStore> frames = nullptr;
    std::shared_ptr<GlbClips> glb_clips = nullptr;  ///< null: a file for this bake alone
};

/// A table for each format: [output.glb] and so on.
Options describe(SinkOptions& options);

/// What a scene sets in the tables of its formats.
/// \param defaults  for what it does not set
/// \throw InvalidInput  with the place in the scene file
SinkOptions sink_options(const Scene& scene, SinkOptions defaults = {});

/// A format that can be written. docs/formats.md lists what goes into its files.
struct Format {
    std::string name;   ///< its word in scenes and the ending of its files
    std::string about;  ///< in a few words
    /// \param path  the file; its folder must exist
    std::function<std::unique_ptr<FrameSink>(const std::filesystem::path& path, const SinkOptions& options)> make;
    bool needs_maps = false;  ///< it holds pictures that a layer paints, and no meshes
};

/// All of them.
const std::vector<Format>& formats();
/// Names of those that hold meshes.
const std::vector<std::string>& known_formats();
/// Names of all.
std::vector<std::string> output_formats();

/// The writer for a file, whose ending names the format (obj: NAME.obj gives NAME.0001.obj and so
/// on).
/// \throw InvalidInput  no such format (the message lists what there is), options out of range
std::unique_ptr<FrameSink> make_sink(const std::filesystem::path& path, const SinkOptions& options = {});

/// Writers of several formats, FOLDER/NAME.FORMAT each, that check and keep each frame once.
/// \throw InvalidInput  as make_sink()
std::vector<std::unique_ptr<FrameSink>> make_sinks(const std::vector<std::string>& formats,
                                                   const std::filesystem::path& folder, const std::string& name,
                                                   SinkOptions options);

/// The same for FOLDER/NAME.FORMAT.
/// \param folder  must exist
/// \param name    a plain file name without folders
/// \throw InvalidInput  also for a name that is empty or leads elsewhere
std::unique_ptr<FrameSink> make_sink(const std::string& format, const std::filesystem::path& folder,
                                     const std::string& name, const SinkOptions& options = {});

}  // namespace cutis

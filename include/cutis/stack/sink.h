#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cutis/body/body.h"
#include "cutis/stack/extras.h"
#include "cutis/stack/frame.h"

namespace cutis {

/// What a layer contributes to a bake; details and lines by their place in BakeInfo.
struct LayerFacts {
    std::string kind;
    bool changes_shape = false;
    bool changes_uv = false;
    size_t first_detail = 0;
    size_t detail_count = 0;
    size_t first_line = 0;
    size_t line_count = 0;
};

/// What a sink needs to know before the first frame.
struct BakeInfo {
    const Body* body = nullptr;
    const ArtMesh* mesh = nullptr;  ///< what the frames' positions, UVs and channels belong to;
                                    ///< null: body->mesh()
    double fps = 30.0;
    int first_frame = 1;
    int frame_count = 0;
    bool shape_changed =
        false;  ///< a layer moves vertices: the original skin no longer describes the shape
    bool uv_changed = false;                      ///< a layer moves UVs
    TimeSampling sampling = TimeSampling::exact;  ///< between keys, as the frames have it
    std::vector<DetailMesh> details;              ///< meshes that layers add
    std::vector<LineSet> lines;                   ///< lines and dots that layers show
    std::vector<LayerFacts> layers;               ///< in their order

    const ArtMesh& shown() const { return mesh == nullptr ? body->mesh() : *mesh; }
};

/// A file that was written.
struct OutputFile {
    std::string format;
    std::string path;
    std::uintmax_t bytes = 0;
    std::map<std::string, double>
        numbers;  ///< what the format has to say: morph targets, largest error in metres
};

/// Takes frames in order and writes one format. Nothing stands under its final name before
/// finish(); destroying an unfinished sink removes what it had begun.
class FrameSink {
public:
    virtual ~FrameSink() = default;
    /// Frames shall also bring the body as it was before layers, and the share of each layer.
    virtual bool wants_body_positions() const { return false; }
    virtual void begin(const BakeInfo& info) = 0;
    virtual void write(const Frame& frame) = 0;
    virtual std::vector<OutputFile> finish() = 0;
};

}  // namespace cutis

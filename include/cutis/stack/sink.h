#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "cutis/body/body.h"
#include "cutis/stack/frame.h"

namespace cutis {

/// What frames hold, known before the first of them.
struct BakeInfo {
    BakeInfo() = default;
    /// The body on its own mesh, no layers.
    explicit BakeInfo(const Body& body);

    const Body* body = nullptr;        ///< must outlive this
    const Workers* workers = nullptr;  ///< for sinks, while the bake lasts; null: one thread
    double fps = 30.0;
    int first_frame = 1;
    int frame_count = 0;
    TimeSampling sampling = TimeSampling::exact;  ///< between keys, as the frames have it
    std::vector<MeshInfo> meshes;                 ///< the body's first
    std::vector<LineSet> lines;                   ///< lines and dots that layers show
    std::vector<NumberInfo> numbers;
    std::vector<LayerInfo> layers;  ///< in their order

    /// Where the body is shown on a finer mesh than its own: skin weights of that mesh, and values per vertex of the
    /// body's own (`width` numbers each) carried to it. Both last as long as the bake.
    const SkinWeights* shown_weights = nullptr;
    std::function<void(std::vector<double>& values, int width)> carry_to_shown;

    /// Shows the body on another mesh than its own, which must outlive this.
    void show(const ArtMesh& mesh);
    const ArtMesh& shown() const { return *meshes.front().art; }

    /// Adds what a layer brings. Names of its channels and numbers stay as they are for the first
    /// layer of a kind; those of later ones get the layer's own name or its number among its kind:
    /// "slide distance", "slide distance 2".
    /// \throw InvalidInput  a name that is taken even so
    const LayerInfo& add_layer(const std::string& kind, const LayerFacts& facts);

    /// A frame with room for everything announced.
    Frame empty_frame() const;
    /// By name; null: not announced.
    const std::vector<double>* channel(const Frame& frame, const std::string& name, size_t mesh = 0) const;
    /// By label, "slide largest (m)"; null: not announced.
    const double* number(const Frame& frame, const std::string& label) const;
};

/// A file that was written.
struct OutputFile {
    std::string format;
    std::string path;
    std::uintmax_t bytes = 0;
    std::map<std::string, double> numbers;  ///< what the format reports: morph targets, largest error in metres
};

/// Takes frames in order and writes one format. Nothing has its final name before
/// finish(); destroying an unfinished sink removes what it had written.
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

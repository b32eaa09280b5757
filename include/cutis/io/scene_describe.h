#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cutis/io/formats.h"
#include "cutis/stack/layer.h"
#include "cutis/stack/scene.h"

namespace cutis {

/// All keys of a scene, with their defaults.
class SceneDescription {
public:
    struct Section {
        std::string name;    ///< body, slide, ..., output
        std::string header;  ///< as a scene writes it
        std::string path;    ///< before the names of its sub-tables
        std::string about;
        Options options;
        bool is_layer = false;
    };

    explicit SceneDescription(const std::vector<LayerKind>& kinds = layer_kinds());
    SceneDescription(const SceneDescription&) = delete;
    SceneDescription& operator=(const SceneDescription&) = delete;

    const std::vector<Section>& sections() const { return sections_; }
    /// \throw InvalidInput  no such section (lists what there is)
    const Section& section(const std::string& name) const;

    /// A scene with every key at its default; the layers as comments.
    std::string sample() const;
    /// A JSON Schema of scenes.
    std::string schema() const;

private:
    Scene scene_;
    DecalScene decal_;
    RecordingScene recording_;
    SinkOptions sinks_;
    std::vector<std::unique_ptr<LayerPlan>> plans_;
    std::vector<Section> sections_;
};

}  // namespace cutis

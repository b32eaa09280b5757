#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cutis/io/files.h"
#include "io/render_mesh.h"
#include "io/sink.h"
#include "io/store/spool.h"
#include "io/usd/materials.h"

namespace cutis {

/// An attribute whose samples wait on disk until what stands before it is complete.
struct SampledAttribute {
    SampledAttribute(const std::filesystem::path& beside, std::string declaration_text, std::string metadata_text)
        : declaration(std::move(declaration_text)), metadata(std::move(metadata_text)), samples(beside) {}

    std::string declaration;  ///< "float3[] extent"
    std::string metadata;     ///< in brackets, or empty
    std::string first;        ///< value of the first frame: the default
    SpoolFile samples;

    void take(int time_code, const std::string& value);
    void write_to(AtomicFile& file);
};

/// Of points, as `extent` has it.
std::string usda_extent(const MatrixX3d& positions);

/// How much of a mesh is written.
struct UsdaDetail {
    double step = 0.0;  ///< points are rounded to whole multiples of it, metres; 0: they are not
    bool has_channels = true;
    bool has_normals = false;  ///< computed where frames bring none
    bool is_skinned = false;   ///< the shape comes at the end, with finish_skinned() or, after take_shape(), finish()
};

/// One `def Mesh` of a USDA file, from its first line to its last.
class UsdaMesh {
public:
    /// \param stream      the file, for the mesh whose points go straight into it; null: they wait
    /// \param identifier  of the prim
    UsdaMesh(const std::filesystem::path& path, AtomicFile* stream, const MeshInfo& mesh, const std::string& identifier,
             UsdaMaterials& materials, const UsdaDetail& detail = {});

    /// Names of the prims below it.
    const std::vector<std::string>& part_names() const { return part_names_; }
    void take(int time_code, const MeshFrame& frame);
    /// \param normals  null: computed where they are wanted
    void take_shape(int time_code, const MatrixX3d& positions, const MatrixX3d* normals);
    /// All that was not streamed.
    void finish(AtomicFile& file);
    /// The same of a mesh that a skeleton moves.
    /// \param positions  at rest, its own space;  \param binding  properties;  \param write_children  further prims
    void finish_skinned(AtomicFile& file, const std::vector<float>& positions, const std::string& binding,
                        const std::function<void(AtomicFile&)>& write_children);

private:
    std::string head_text(const char* schemas = "") const;
    std::string uv_head_text();
    const ChannelInfo* sliding_pref() const;
    std::string pref_text() const;
    std::string uv_text(const MatrixX2d& uv) const;
    void announce_channels();
    void write_rest(AtomicFile& file);
    void take_points(int time_code, const MatrixX3d& positions);
    void take_extent(int time_code, const MatrixX3d& positions);
    const MatrixX3d& computed_normals(const MatrixX3d& positions);
    void write_normals(int time_code, const MatrixX3d& normals, double digits);
    void write_parts(AtomicFile& file);

    std::filesystem::path path_;
    std::string identifier_;
    AtomicFile* stream_;
    const MeshInfo* mesh_;
    UsdaMaterials* materials_;
    UsdaDetail detail_;
    MatrixX3d rounded_;
    std::optional<NormalField> field_;  ///< where normals are computed
    MatrixX3d field_normals_, normals_now_;
    std::vector<MeshPart> parts_;
    std::vector<std::string> part_names_;
    PolygonCorners corners_;
    bool has_uv_filler_ = false;
    bool has_begun_ = false;
    std::string uv_head_;
    std::unique_ptr<SampledAttribute> points_;  ///< where they wait
    SampledAttribute extent_;
    std::unique_ptr<SampledAttribute> normals_;
    std::unique_ptr<SampledAttribute> st_;
    std::vector<std::unique_ptr<SampledAttribute>> channels_;
};

}  // namespace cutis

#pragma once

#include "io/usd/mesh.h"

namespace cutis {

/// A detail of rigid copies as a `def PointInstancer` with one prototype.
class UsdaCopies {
public:
    /// \param root  path of the prim it stands in, "/body"
    UsdaCopies(const std::filesystem::path& path, const std::string& root, const MeshInfo& mesh,
               const std::string& identifier);

    void take(int time_code, const MeshFrame& frame);
    void finish(AtomicFile& file);

private:
    const DetailCopies* copies_;
    std::string root_;
    std::string identifier_;
    MeshInfo baked_;
    UsdaMesh piece_;
    bool has_piece_ = false;
    SampledAttribute positions_;
    SampledAttribute orientations_;   ///< half precision: what every reader knows
    SampledAttribute orientationsf_;  ///< single: newer readers prefer it
    SampledAttribute extent_;
};

}  // namespace cutis

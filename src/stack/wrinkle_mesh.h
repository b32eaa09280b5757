#pragma once

#include "cutis/stack/wrinkle_layer.h"
#include "mesh/fine_mesh.h"
#include "wrinkle/displacement.h"

namespace cutis {

/// The body in its clip, on the surface of a ground: what wrinkles are laid out from.
std::vector<MatrixX3d> wrinkle_poses(const LayerInput& ground, double per_second);
/// Wrinkles of a ground as the options ask for them.
WrinkleSolver plan_wrinkles(const LayerInput& ground, const WrinkleLayerOptions& settings,
                            std::vector<MatrixX3d> poses);

/// The finer mesh of a wrinkle layer that displaces.
class WrinkleGround {
public:
    /// \param ground  must outlive this
    /// \throw InvalidInput  a ground that is refined already, or that skin slides over
    WrinkleGround(const LayerInput& ground, const WrinkleLayerOptions& settings);
    WrinkleGround(const WrinkleGround&) = delete;
    WrinkleGround& operator=(const WrinkleGround&) = delete;

    const LayerInput& input() const { return input_; }  ///< what the layer stands on
    const RefinedMesh& refined() const { return refined_; }
    std::vector<MatrixX3d> poses;    ///< of the finer mesh
    std::vector<std::string> notes;  ///< for the report
    double edges = 0.0;              ///< a wavelength

    void bring(const MatrixX3d& below, const Workers& workers, MatrixX3d& finer) const {
        mesh_.refine(below, workers, scratch_, finer);
    }

private:
    FineMesh plan(const LayerInput& ground, const WrinkleLayerOptions& settings);

    FineMesh mesh_;
    mutable FineMesh::Scratch scratch_;
    MatrixX3d rest_;
    RefinedMesh refined_;
    LayerInput input_;
};

}  // namespace cutis

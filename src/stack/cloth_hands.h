#pragma once

#include <vector>

#include "cutis/core/types.h"

namespace cutis {

/// Hands that draw cloth: the patch around each follows it, never further than the cloth reaches, and springs back
/// when it is let go. The paper's folds know no hands; a patch is moved after them, and never into the body.
class ClothHands {
public:
    struct Grip {
        int vertex = 0;
        Vector3d by;           ///< how far it is drawn, metres
        double breadth = 0.0;  ///< of the patch: what is further away stays, metres
    };

    /// Those that hold it from the next advance on; patches of others swing back and are forgotten.
    /// \param rest     #V x 3; \param normals  #V x 3, of the rest shape
    /// \param weights  #V: 1 cloth, 0 what does not move
    /// \return which of them hold cloth
    std::vector<bool> hold(const std::vector<Grip>& grips, const MatrixX3d& rest, const MatrixX3d& normals,
                           const VectorXd& weights);
    /// \param from, to  body times between which move() will be asked; the clock goes on by `seconds`
    void advance(double from, double to, double seconds);
    /// Nothing swings any longer.
    void rest_at_once();
    bool are_idle() const { return patches_.empty(); }
    /// \param normals  #V x 3 of the surface, along which nothing is pushed in
    void move(double time, const MatrixX3d& normals, MatrixX3d& surface) const;

private:
    struct Patch {
        int vertex = 0;
        double breadth = 0.0;
        Vector3d goal = Vector3d::Zero();
        bool is_held = true;
        Vector3d before = Vector3d::Zero(), now = Vector3d::Zero(), speed = Vector3d::Zero();
        std::vector<int> vertices;
        std::vector<double> shares;
    };

    std::vector<Patch> patches_;
    double from_ = 0.0, to_ = 0.0;
};

}  // namespace cutis

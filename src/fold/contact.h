#pragma once

#include "fold/layout.h"

namespace cutis::fold_detail {

/// Lets folds press against sheets they face instead of passing through.
///
/// Points of the surface that ever come near each other are paired once. Of two with places p and q
/// and directions n and m the raised ones, p + h n and q + h m, come nearest each other at
/// h = d.(n - m) / |n - m|^2, d = q - p: of parallel sheets that is half the way between them. Per
/// pose each control gets the mean of the inverse fourth powers of what its pairs leave, by which
/// heights are held down.
class FoldContact {
public:
    /// How a sheet lies in one pose.
    struct Pose {
        MatrixX3d places;
        MatrixX3d normals;
    };

    /// \param layout     must outlive this
    /// \param points     vertices: those of the controls, then others that folds may meet
    /// \param rest       #N x 3
    /// \param normals    #N x 3, at rest
    /// \param width      #N: of folds
    /// \param poses      of the points
    /// \param thickness  of the cloth, metres
    FoldContact(const FoldLayout& layout, const std::vector<int>& points, const MatrixX3d& rest,
                const MatrixX3d& normals, const VectorXd& width, const std::vector<Pose>& poses, double thickness);

    /// Vertices of the controls, where each has most to say, and others half a width from them all.
    static std::vector<int> points(const FoldLayout& layout, const MatrixX3d& rest, const MatrixX3d& normals,
                                   const VectorXd& width);

    /// In a pose.
    /// \param directions  #N x 3: in which folds rise
    void press(const MatrixX3d& base, const MatrixX3d& directions, const Workers& workers);
    /// Per control: inverse fourth power of the height that is left to it; 0: nothing is near.
    const std::vector<float>& pressure() const { return pressure_; }

private:
    struct Pair {
        int other;    // vertex
        float width;  // of folds, metres
        bool rises;   // the other one, too
    };
    struct Meeting {
        double weight = 0.0;   // 0: they do not meet
        double inverse = 0.0;  // of the height it leaves both
    };
    static Meeting meeting(const Vector3d& way, const Vector3d& turn, double width, double thickness);

    double thickness_;
    std::vector<int> vertex_;  // of the controls
    std::vector<int> first_;   // pairs of control j: pairs_[first_[j]] ...
    std::vector<Pair> pairs_;
    std::vector<float> pressure_;
};

}  // namespace cutis::fold_detail

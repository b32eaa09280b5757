#pragma once

#include "fold/places.h"

namespace cutis::fold_detail {

/// Heights of all controls in one pose: a pure function of that pose.
class FoldHeights {
public:
    /// \param layout, places  must outlive this
    FoldHeights(const FoldLayout& layout, const FoldPlaces& places, const FoldOptions& options);

    /// \param base        #N x 3: the mesh before folding
    /// \param directions  #N x 3: unit, away from the body
    /// \param pressure    per control: inverse fourth power of what contact leaves it; empty: folds may meet
    void solve(const MatrixX3d& base, const MatrixX3d& directions, const std::vector<float>& pressure,
               const Workers& workers);

    /// Again, once it is known what each place may keep of its height.
    /// \param is_held  per control: is a place near it held back?
    void recover(const std::vector<float>& shares, const std::vector<unsigned char>& is_held, const Workers& workers);

    /// Per control: did recover() change it?
    const std::vector<unsigned char>& is_recovered() const { return recovered_; }
    float height(int field, int control) const { return height_[slot(field, control)]; }
    /// Inverse fourth power of what contact leaves a control's height.
    float pressure(int control) const { return pressure_[static_cast<size_t>(control)]; }
    double exact_height(int control) const { return exact_[static_cast<size_t>(control)]; }

    /// Of the lines around a vertex: 1 - length / rest length, the largest of each control.
    double compression(int v) const;
    FoldReport report() const;

private:
    /// A point of a line, between two vertices.
    struct LinePoint {
        int a;
        int b;
        float t;
    };
    struct Raised {
        float a;
        float b;
    };
    struct Batch;

    void measure(int begin, int end, const MatrixX3d& base, const MatrixX3d& directions);
    void measure_control(int control, const MatrixX3d& base, const MatrixX3d& directions, Batch& batch);
    void find_roots(Batch& batch);
    void compete(int begin, int end);
    void gather(int begin, int end, std::vector<float>& heights) const;
    void correct(int begin, int end, int round);
    void solve_exactly(const MatrixX3d& base, const MatrixX3d& directions);
    size_t slot(int field, int control) const { return static_cast<size_t>(field * stride_ + control); }

    const FoldLayout& layout_;
    const FoldPlaces& places_;
    double gate_;
    double cap_;
    int rounds_;
    double residual_ = 0.0;
    int controls_;
    int stride_;  // controls, filled up to whole registers

    // Per line: number k of a control in a field at k * fields * stride + slot(field, control). A
    // control has three in each, some of which may be absent: those have no points.
    size_t layer_ = 0;               // slots
    std::vector<int> first_point_;   // of points_; absent lines begin where they end
    std::vector<LinePoint> points_;  // each line filled up to whole registers
    std::vector<Raised> raises_;     // what a fold of height 1 moves each point along the normals of a and b
    std::vector<float> climb_;       // of the segment that begins at each of points_
    std::vector<float> enough_;      // length from which on it is idle
    std::vector<float> target_;
    std::vector<float> aim_;
    std::vector<float> early_;  // start - 1
    std::vector<float> fade_;
    std::vector<float> short_by_;  // of enough_, over target_; 0: idle
    std::vector<float> root_;      // height that gives it its length back
    std::vector<float> wanted_;    // the root behind its gate
    std::vector<float> tried_;     // what the rounds make of it
    std::vector<int> share_row_;   // whose heights it feels
    std::vector<int> share_of_;    // slots
    std::vector<float> share_;
    // Per slot
    std::vector<float> width_;
    std::vector<float> pressure_;  // per control
    std::vector<float> height_;
    std::vector<float> next_height_;
    std::vector<double> exact_;        // heights of the paper's layout
    std::vector<unsigned char> live_;  // per control
    std::vector<unsigned char> recovered_;
};

}  // namespace cutis::fold_detail

#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "verify/curve_cases.h"

namespace cutis::verify {

/// How steep a displacement is along edges, and how much it changes the angles of a surface at them: inside parts, and
/// where they end.
struct Seams {
    double swing = 0.0;  ///< largest displacement, of the body's size
    double slope_inside = 0.0, slope_across = 0.0;
    double crease_inside = 0.0, crease_across = 0.0;  ///< degrees, 98 of 100 are below
};

/// Looks for seams that parts leave in what moves them. An edge lies inside where all parts that move one end move the
/// other, too.
class SeamGauge {
public:
    explicit SeamGauge(const CurveBody& view);
    /// All vertices that a part moves by itself, without those it only carries along.
    void add_part(const std::vector<int>& vertices);

    void look(const MatrixX3d& plain, const MatrixX3d& shown, bool has_swung);
    Seams seams() const;

private:
    /// An edge with its two triangles.
    struct Hinge {
        int a = 0, b = 0;                    ///< ends
        std::array<int, 2> tips = {-1, -1};  ///< of the triangle that runs from a to b, and of the other
        bool has_both() const { return tips[0] >= 0 && tips[1] >= 0; }
        double angle(const MatrixX3d& surface) const;
    };

    const MatrixX3d& rest_;
    double size_;
    std::vector<Hinge> hinges_;
    std::vector<std::uint64_t> parts_;  // per vertex, a bit each
    int part_count_ = 0;
    Seams seams_;
    std::vector<double> inside_, across_;  // degrees
};

/// Slope across borders at most the largest inside, creases at most 1.5 times the inner ones. What no eye finds counts
/// as nothing: a quarter of a degree.
void add_seam_cases(const std::string& who, const std::string& why, const Seams& seams, std::vector<Case>& cases);

}  // namespace cutis::verify

#pragma once

#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "cutis/body/body.h"
#include "cutis/mesh/topology.h"
#include "slide/slide.h"
#include "verify/verify.h"

/// Surfaces and small helpers of the slide cases.
namespace cutis::verify {

struct SlideShape {
    MatrixX3d positions;
    MatrixX3i triangles;
};

SlideShape slide_torus(int around, int tube, double jitter = 0.0, double hole_radius = 0.35, double tube_radius = 0.14);
/// Rows stand half a cell apart (no diagonal is preferred), or above each other.
SlideShape slide_cylinder(int around, int along, double radius = 0.25, double length = 1.0, bool is_staggered = true);
SlideShape slide_sphere(int level);
SlideShape slide_disc(int rings);
/// Two holes, rounded by subdivision.
SlideShape slide_genus_two(int levels);

/// Numbers in [-1, 1), the same on every machine.
class Dice {
public:
    explicit Dice(unsigned seed) : state_(seed * 2654435769u + 88172645463325252ull) {}
    double roll();

private:
    unsigned long long state_;
};

/// Skin on a surface that stays in memory with it.
struct SlideSetup {
    SlideShape shape;
    std::unique_ptr<Topology> topology;
    Workers workers{1};
    std::unique_ptr<SlideSolver> solver;

    SlideSetup(SlideShape surface, const SlideOptions& options);
    int count() const { return static_cast<int>(shape.positions.rows()); }
    const MatrixX3d& rest() const { return shape.positions; }
};

/// Plain units: mu 50, k 100 N/m, 1 kg/m^2, nothing else.
SlideOptions plain_skin();

Case slide_case(std::string name, double value, double limit, std::string unit, std::string source);
/// The value must reach the limit instead of staying below it.
Case slide_case_at_least(std::string name, double value, double limit, std::string unit, std::string source);

// The groups; each gives its cases.
std::vector<Case> verify_slide_statics();
std::vector<Case> verify_slide_dynamics();
std::vector<Case> verify_slide_robustness();
std::vector<Case> verify_slide_bits();  ///< the same for any threads and after a restore
std::vector<Case> verify_slide_derivatives();
std::vector<Case> verify_slide_face();
/// \param all_materials  on every character, not only on those with hard edges: minutes
std::vector<Case> verify_slide_calm(bool all_materials);
std::vector<Case> verify_slide_characters(bool whole_clips);

}  // namespace cutis::verify

#pragma once

#include <string>
#include <vector>

namespace cutis {

struct Scene;

/// What frames of a bake are expected to cost.
struct Cost {
    double seconds = 0.0;  ///< of one processor
    double megabytes = 0.0;
    double bytes = 0.0;  ///< written
};

/// Per 1,000 vertices, of "body", a layer or a format. `cutis bench farm` measures them.
struct CostRate {
    std::string name;
    double prepare_ms = 0.0;
    double frame_ms = 0.0;
    double megabytes = 0.0;
    double frame_bytes = 0.0;
    bool is_of_shown = false;  ///< of the vertices shown, which folds refine; else of the body's own
};

const std::vector<CostRate>& cost_rates();

/// \param names     layers and formats, as scenes call them; one that is not known costs nothing
/// \param vertices  of the body
/// \param refined   of the mesh that folds refine; 0: not known, as many as they take on most bodies
Cost expected_cost(const std::vector<std::string>& names, double vertices, int frames, double refined = 0.0);

/// The same for the layers and formats of a scene.
Cost expected_scene_cost(const Scene& scene, double vertices, int frames, double refined = 0.0);

/// A time for people: "20 s", "3 min", "2 h".
std::string rough_time(double seconds);

}  // namespace cutis

#include "io/scene/body_classes.h"

#include "cutis/anatomy/anatomy.h"
#include "cutis/core/error.h"
#include "cutis/stack/simulation_surface.h"
#include "stack/regions.h"

namespace cutis {

void paint_classes(Body& body, double weld_distance) {
    const Anatomy anatomy = find_anatomy(body);
    for (size_t t = 0; t < std::size(class_names); ++t) {
        body.set_painted(concat(class_word, class_names[t]),
                         tissue_vertices(anatomy, body.mesh(), static_cast<Tissue>(t)));
    }
    RepairOptions options;
    options.weld_distance = weld_distance;
    const SimulationSurface surface = SimulationSurface::repaired(body, options);
    const std::vector<int> number = island_numbers(surface);
    VectorXd islands = VectorXd::Zero(body.mesh().positions.rows());
    const std::vector<int>& vertex_of_art = surface.mesh().vertex_of_art;
    for (size_t a = 0; a < vertex_of_art.size(); ++a) {
        islands[static_cast<Eigen::Index>(a)] =
            vertex_of_art[a] < 0 ? 0 : number[static_cast<size_t>(vertex_of_art[a])];
    }
    body.set_painted(concat(class_word, "island"), std::move(islands));
}

}  // namespace cutis

#include "cutis/stack/wrinkle_layer.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "cutis/core/error.h"
#include "stack/wrinkle_mesh.h"
#include "wrinkle/wrinkles.h"

namespace cutis {

namespace {

constexpr double coarse_map = 8.0;      // texels a wavelength
constexpr double much_overlap = 0.005;  // of the texels

/// Channels in the order in which the layer announces them.
enum Channel : size_t { height_channel, phase_channel, direction_channel, take_up_channel, place_channel };

/// Maps painted from a frame's channels.
class LayerMaps final : public SurfaceMaps {
public:
    LayerMaps(const LayerInput& ground, std::shared_ptr<const WrinkleSolver> solver,
              const WrinkleLayerOptions& settings, bool has_places)
        : surface_(*ground.surface), solver_(std::move(solver)), has_places_(has_places) {
        const RepairedMesh& mesh = surface_.mesh();
        WrinkleMaps::Art art;
        art.mesh = ground.art;
        art.triangle = mesh.art_triangle;
        for (int f = 0; f < mesh.topology.triangle_count(); ++f) {
            art.corner.push_back({mesh.art_corner(f, 0), mesh.art_corner(f, 1), mesh.art_corner(f, 2)});
        }
        maps_ = std::make_unique<WrinkleMaps>(*solver_, surface_.topology(), surface_.rest(), art, settings.map_size,
                                              settings.map_padding, ground.own_workers());
        // Of wrinkles that are as high as the cap lets them, with the factors of broken lines and fine ones.
        most_height_ = 2.0 * settings.solver.height_cap * solver_->wavelength().maxCoeff();
    }
    int size() const override { return maps_->size(); }
    double most_height() const override { return most_height_; }
    double texels_a_wavelength() const override { return maps_->texels_a_wavelength(); }
    double overlap() const { return maps_->overlap(); }
    int tiles() const { return maps_->tiles(); }

    void paint(const MeshFrame& body, size_t first_channel, const Workers& workers, std::vector<float>* heights,
               std::vector<float>* normals) override {
        const auto channel = [&](Channel which) -> const std::vector<double>& {
            return body.channels[first_channel + which];
        };
        const MeshMap& from_art = surface_.from_art();
        if (has_places_) {
            from_art.values(channel(place_channel), 3, workers, values_);
            posed_ = Eigen::Map<const MatrixX3d>(values_.data(), surface_.vertex_count(), 3);
        } else {
            from_art.values(body.positions, workers, posed_);
        }
        from_art.values(channel(height_channel), 1, workers, values_);
        wrinkles_.height = Eigen::Map<const VectorXd>(values_.data(), surface_.vertex_count());
        from_art.values(channel(take_up_channel), 1, workers, values_);
        wrinkles_.take_up = Eigen::Map<const VectorXd>(values_.data(), surface_.vertex_count());
        maps_->paint(posed_, wrinkles_, workers, heights, normals);
    }

private:
    const SimulationSurface& surface_;
    std::shared_ptr<const WrinkleSolver> solver_;
    std::unique_ptr<WrinkleMaps> maps_;
    bool has_places_;
    double most_height_ = 0.0;
    MatrixX3d posed_;
    WrinkleHeights wrinkles_;
    std::vector<double> values_;
};

class WrinkleLayer final : public Layer {
public:
    WrinkleLayer(const LayerInput& ground, const WrinkleLayerOptions& settings)
        : finer_(settings.displace ? std::make_unique<WrinkleGround>(ground, settings) : nullptr),
          surface_(*own_ground(ground).surface),
          rides_(ground.skin == SkinMotion::over_surface),
          solver_(std::make_shared<WrinkleSolver>(
              plan_wrinkles(own_ground(ground), settings,
                            finer_ ? std::move(finer_->poses) : wrinkle_poses(ground, settings.poses_per_second)))) {
        report_.kind = "wrinkle";
        report_.notes = finer_ ? finer_->notes : std::vector<std::string>();
        report_.notes.insert(report_.notes.end(), solver_->notes().begin(), solver_->notes().end());
        if (settings.solver.thickness && !settings.solver.stiffness_ratio && !settings.solver.wavelength) {
            report_.notes.emplace_back(
                "wrinkle: thickness alone gives no wavelength and was not used: set stiffness_ratio, too");
        }
        facts_.channels = {
            {"wrinkle height", "m"}, {"wrinkle phase"}, {"wrinkle direction", "1", 3}, {"wrinkle take-up"}};
        if (rides_) {
            facts_.channels.push_back({"wrinkle place", "m", 3, 0.0, true});
        }
        facts_.numbers = {{"highest wrinkle", "m"}, {"wrinkled area", ""}};
        facts_.has_memory = solver_->has_memory();
        facts_.rides_on_skin = rides_;
        if (finer_) {
            displacement_.emplace(*solver_, surface_.topology(), surface_.rest());
            facts_.changes_shape = true;
            facts_.refined = &finer_->refined();
        }
        if (!solver_->is_empty()) {
            if (!finer_) {
                make_maps(ground, settings);
            }
            const VectorXd phase = solver_->phase();
            phase_.assign(phase.data(), phase.data() + phase.size());
        } else {
            phase_.assign(static_cast<size_t>(surface_.vertex_count()), 0.0);
        }
        areas_ = VectorXd::Zero(surface_.vertex_count());
        const MatrixX3i& triangles = surface_.topology().triangles();
        for (Eigen::Index f = 0; f < triangles.rows(); ++f) {
            const auto at = [&](int k) { return Vector3d(surface_.rest().row(triangles(f, k))); };
            for (int k = 0; k < 3; ++k) {
                areas_[triangles(f, k)] += (at(1) - at(0)).cross(at(2) - at(0)).norm() / 6.0;
            }
        }
        write_report();
    }

    const LayerFacts& facts() const override { return facts_; }

    void advance(const LayerStep& step, MatrixX3d& surface, LayerFrame& frame) override {
        require(!rides_ || step.skin_place != nullptr, "wrinkle: the layer below did not say where the skin is");
        const Workers& workers = *step.workers;
        workers_ = &workers;
        bring(surface);
        if (frame.plain != nullptr) {
            *frame.plain = surface;
        }
        const MatrixX3d& posed = rides_ ? *step.skin_place : surface;
        solver_->advance(posed, step.reset ? -1.0 : step.clock_to - step.clock_from, workers, heights_);
        if (!is_on()) {  // on its finer mesh it is asked all the same
            heights_.height.setZero();
            heights_.take_up.setZero();
        }
        const MeshMap& to_art = surface_.to_art();
        const auto fill = [&](const double* values, int width, Channel channel) {
            numbers_.assign(values, values + static_cast<size_t>(width) * static_cast<size_t>(surface_.vertex_count()));
            to_art.values(numbers_, width, workers, frame.channel(channel));
        };
        fill(heights_.height.data(), 1, height_channel);
        to_art.values(phase_, 1, workers, frame.channel(phase_channel));
        solver_->crests(posed, workers, crests_);
        fill(crests_.data(), 3, direction_channel);
        fill(heights_.take_up.data(), 1, take_up_channel);
        if (rides_) {
            fill(posed.data(), 3, place_channel);
        }
        double wrinkled = 0.0;
        for (Eigen::Index v = 0; v < areas_.size(); ++v) {
            wrinkled += heights_.height[v] > 0.02 * solver_->wavelength()[v] ? areas_[v] : 0.0;
        }
        frame.number(0) = heights_.height.maxCoeff();
        frame.number(1) = wrinkled / areas_.sum();
        highest_ = std::max(highest_, frame.number(0));
        widest_ = std::max(widest_, frame.number(1));
        lift(surface);
        write_report();
    }

    /// Heights are those of the last frame.
    void shape_at(double /*time*/, TimeSampling /*sampling*/, MatrixX3d& surface) override {
        bring(surface);
        lift(surface);
    }

    std::vector<double> save() const override { return solver_->save(); }
    void restore(const std::vector<double>& state) override { solver_->restore(state); }

private:
    const LayerInput& own_ground(const LayerInput& ground) const { return finer_ ? finer_->input() : ground; }

    /// From the surface it stands on to the finer one, where it has one.
    void bring(MatrixX3d& surface) {
        if (finer_) {
            below_.swap(surface);
            finer_->bring(below_, *workers_, surface);
        }
    }
    void lift(MatrixX3d& surface) {
        if (displacement_) {
            displacement_->lift(heights_, *workers_, surface);
            most_held_ = std::max(most_held_, displacement_->held());
        }
    }

    void make_maps(const LayerInput& ground, const WrinkleLayerOptions& settings) {
        if (!has_uv_area(*ground.art)) {
            report_.notes.emplace_back(
                "wrinkle: the mesh has no UVs (or they cover nothing of a picture): no maps; channels work without "
                "them, and displace = true moves vertices "
                "instead");
            return;
        }
        auto maps = std::make_shared<LayerMaps>(ground, solver_, settings, rides_);
        if (maps->tiles() > 1) {
            report_.notes.push_back(concat("wrinkle: UVs lie in ", maps->tiles(),
                                           " tiles (UDIM): the maps are those of the one with most wrinkles; materials "
                                           "of the others must not use them"));
        }
        if (maps->overlap() > much_overlap) {
            report_.notes.push_back(
                concat("wrinkle: UVs overlap on ", std::lround(100.0 * maps->overlap()),
                       " % of the wrinkles' texels (halves that share a picture?): both places show "
                       "the same wrinkles; give each place its own UVs, or name one in where"));
        }
        if (maps->texels_a_wavelength() < coarse_map) {
            report_.notes.push_back(concat("wrinkle: a map of ", maps->size(), " pixels has ",
                                           std::floor(10.0 * maps->texels_a_wavelength()) / 10.0,
                                           " texels a wavelength, expected 8 or more: raise map_size or scale"));
        }
        texels_ = maps->texels_a_wavelength();
        facts_.maps = std::move(maps);
    }

    void write_report() {
        begin_report();
        report_number("pieces", solver_->piece_count());
        report_number("forks, part of the area", solver_->forks());
        report_number("texels a wavelength", texels_);
        if (finer_) {
            report_number("vertices of the finer mesh", surface_.vertex_count());
            report_number("its edges a wavelength", finer_->edges);
            report_number("most vertices held back", most_held_);
        }
        report_number("highest wrinkle (m)", highest_);
        report_number("largest wrinkled part", widest_);
    }

    std::unique_ptr<WrinkleGround> finer_;  // null: the mesh it stands on
    const SimulationSurface& surface_;
    bool rides_;
    std::shared_ptr<WrinkleSolver> solver_;
    std::optional<WrinkleDisplacement> displacement_;
    LayerFacts facts_;
    WrinkleHeights heights_;
    const Workers* workers_ = nullptr;  // of the frame being made
    MatrixX3d below_;
    MatrixX3d crests_;
    VectorXd areas_;
    int most_held_ = 0;
    std::vector<double> phase_, numbers_;
    double texels_ = 0.0;
    double highest_ = 0.0, widest_ = 0.0;
};

}  // namespace

// One entry is one option.
// clang-format off
Options describe(WrinkleLayerOptions& o) {
    return join(join({
        {.group = "place", .name = "where", .field = &o.where, .about = "regions with wrinkles"},
        {.name = "poses_per_second", .field = &o.poses_per_second,
         .about = "poses per second of the clip that wrinkles are laid out from", .unit = "1/s", .range = {0.1, 240},
         .advanced = true}},
        describe(o.solver)),
        {
        {.group = "maps", .name = "map_size", .field = &o.map_size, .about = "width and height of normal and height maps",
         .unit = "pixels", .range = {64, 8192}, .soft = {1024, 4096}},
        {.name = "map_padding", .field = &o.map_padding,
         .about = "how far maps extend beyond the borders of UV islands", .unit = "pixels", .range = {0, 64}},
        {.group = "mesh", .name = "displace", .field = &o.displace,
         .about = "move the vertices of a finer mesh instead of painting maps; not on a mesh that fold has refined, and over slide only with output = \"vertices\""},
        {.name = "mesh_edges", .field = &o.mesh_edges, .about = "edges per wavelength of the finer mesh",
         .range = {3, 16}},
        {.name = "mesh_vertices", .field = &o.mesh_vertices,
         .about = "most vertices of the finer mesh: beyond it there are fewer edges per wavelength",
         .range = {1000, 1000000}, .soft = {20000, 200000}}});
}
// clang-format on

std::unique_ptr<Layer> make_wrinkle_layer(WrinkleLayerOptions options, const LayerInput& ground) {
    return std::make_unique<WrinkleLayer>(ground, options);
}

}  // namespace cutis

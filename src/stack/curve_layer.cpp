#include "cutis/stack/curve_layer.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/math.h"
#include "curve_settings.h"
#include "cutis/core/error.h"

namespace cutis {

namespace {

class CurveLayer final : public Layer, public HeldByHands {
public:
    CurveLayer(const LayerInput& ground, const CurveLayerOptions& settings, const LayerMeshes& meshes)
        : surface_(*ground.surface),
          body_{ground.body, &ground.surface->rest(), &ground.surface->topology(),
                &ground.surface->mesh().art_of_vertex, &ground.surface->mesh().vertex_of_art} {
        require(ground.refined == nullptr,
                "curve: expected before layers that refine the mesh; put it first in the scene");
        group_ = make_flesh(ground, body_, settings, meshes, report_.notes);
        const auto count = static_cast<size_t>(surface_.vertex_count());
        offset_.assign(count, 0.0);
        speed_.assign(count, 0.0);
        facts_.channels = {{"curve displacement", "m"}, {"curve speed", "m/s"}};
        facts_.numbers = {{"curve displacement", "m"}};
        knows_future_ = ground.knows_future;
        report_.kind = "curve";
        int flipped = 0;
        for (const auto& flesh : parts()) {
            facts_.has_memory = facts_.has_memory || flesh->has_memory();
            facts_.look_ahead = std::max(facts_.look_ahead, flesh->solver().look_ahead());
            flipped += flesh->part().flipped;
        }
        if (!parts().empty()) {
            facts_.lines = {curve_lines()};
            facts_.changes_shape = true;
        }
        if (flipped > 0) {
            report_.notes.push_back(concat("curve: ", flipped, " triangles of the part are inverted in its map"));
        }
        write_report();
    }

    const LayerFacts& facts() const override { return facts_; }

    LineSet curve_lines() const {
        LineSet set;
        set.name = "curves";
        for (const auto& flesh : parts()) {
            const CurvePart& part = flesh->part();
            const bool is_ring = part.direction == CurveDirection::around;
            for (int c = 0; c < part.curve_count; ++c) {
                for (int n = 0; n + (is_ring ? 0 : 1) < part.node_count; ++n) {
                    const int next = (n + 1) % part.node_count;
                    set.segments.push_back(
                        {set.point_count + n * part.curve_count + c, set.point_count + next * part.curve_count + c});
                }
            }
            set.point_count += part.rows();
        }
        return set;
    }

    void advance(const LayerStep& step, MatrixX3d& surface, LayerFrame& frame) override {
        workers_ = step.workers;
        if (parted()) {
            std::fill(offset_.begin(), offset_.end(), 0.0);
            std::fill(speed_.begin(), speed_.end(), 0.0);
        }
        double largest = 0.0;
        Eigen::Index first_node = 0;
        if (!parts().empty()) {
            frame.line(0).resize(facts_.lines.front().point_count, 3);
        }
        if (!parts().empty()) {
            // Between keys the drive is smooth whatever the frames are: jumps of velocity at linear
            // keys would shake the flesh. Where the body's future is not known, it comes late by as much.
            group_->advance({.to = step.clock_to,
                             .body_to = step.to,
                             .pace = step.pace(),
                             .reset = step.reset,
                             .sampling = step.between,
                             .known = step.known,
                             .lag = knows_future_ ? 0.0 : parts().front()->solver().look_ahead()},
                            *step.workers);
            group_->displace(step.to, step.sampling, *step.workers, surface);
        }
        for (const auto& flesh : parts()) {
            largest_offset_ = std::max(largest_offset_, flesh->report().largest_offset);
            largest_limited_ = std::max(largest_limited_, flesh->report().largest_limited);
            const std::vector<int>& vertices = flesh->part().vertices;
            for (size_t i = 0; i < vertices.size(); ++i) {
                const auto row = static_cast<Eigen::Index>(i);
                const auto v = static_cast<size_t>(vertices[i]);
                offset_[v] = std::max(parted() ? offset_[v] : 0.0, flesh->vertex_displacement().row(row).norm());
                speed_[v] = std::max(parted() ? speed_[v] : 0.0, flesh->vertex_speed().row(row).norm());
                largest = std::max(largest, offset_[v]);
            }
            frame.line(0).middleRows(first_node, flesh->nodes().rows()) = flesh->nodes();
            first_node += flesh->nodes().rows();
        }
        surface_.to_art().values(offset_, 1, *step.workers, frame.channel(0));
        surface_.to_art().values(speed_, 1, *step.workers, frame.channel(1));
        largest_displacement_ = std::max(largest_displacement_, largest);
        frame.number(0) = largest;
        write_report();
    }

    std::vector<double> save() const override { return group_->save(); }
    void restore(const std::vector<double>& state) override { group_->restore(state); }

    std::vector<bool> hold(const std::vector<LayerGrip>& grips) override {
        std::vector<bool> feels(grips.size(), false);
        for (const auto& flesh : parts()) {
            const CurvePart& part = flesh->part();
            MatrixX3d push;
            const MatrixX3d& nodes = flesh->nodes();
            for (size_t g = 0; g < grips.size(); ++g) {
                const int v =
                    grips[g].is_detail ? -1 : surface_.mesh().vertex_of_art[static_cast<size_t>(grips[g].vertex)];
                const auto found = std::find(flesh->core_vertices().begin(), flesh->core_vertices().end(), v);
                if (v < 0 || found == flesh->core_vertices().end()) {
                    continue;
                }
                feels[g] = true;
                if (push.rows() == 0) {
                    push = MatrixX3d::Zero(nodes.rows(), 3);
                }
                // A spring of the flesh's own stiffness, over a hand's breadth along the part.
                MatrixX3d rest(nodes.rows(), 3);
                part.nodes.apply(surface_.rest(), Workers(1), rest);
                const double breadth = std::max(grips[g].radius, 0.15 * part.length);
                const double omega = 2.0 * std::numbers::pi * flesh->solver().options().frequency_hz;
                for (Eigen::Index n = 0; n < push.rows(); ++n) {
                    const double away = (rest.row(n) - surface_.rest().row(v)).norm() / breadth;
                    push.row(n) += omega * omega * math::exp(-away * away) * grips[g].by.transpose();
                }
            }
            flesh->set_push(std::move(push));
        }
        return feels;
    }

    void shape_at(double time, TimeSampling sampling, MatrixX3d& surface) override {
        group_->displace(time, sampling, *workers_, surface);
    }

private:
    const std::vector<std::unique_ptr<Flesh>>& parts() const { return group_->parts(); }
    bool parted() const { return parts().size() > 1; }

    /// Of several parts: all curves and vertices, and the extremes.
    void write_report() {
        double curves = 0.0, nodes = 0.0, vertices = 0.0, modes = 0.0, flipped = 0.0, made_up = 0.0, length = 0.0,
               girth = 0.0;
        double spacing = 1.0, limit = 0.0;
        for (const auto& flesh : parts()) {
            const CurvePart& part = flesh->part();
            curves += part.curve_count;
            nodes = std::max<double>(nodes, part.node_count);
            vertices += static_cast<double>(part.vertices.size());
            modes = std::max<double>(modes, flesh->solver().mode_count());
            flipped += part.flipped;
            made_up += part.virtual_nodes;
            length = std::max(length, part.length);
            girth = std::max(girth, part.girth);
            spacing = std::max(spacing, part.spacing_ratio);
            limit = std::max(limit, flesh->solver().limit());
        }
        begin_report();
        report_number("parts", static_cast<double>(parts().size()));
        report_number("curves", curves);
        report_number("nodes", nodes);
        report_number("vertices", vertices);
        report_number("modes", modes);
        report_number("flipped triangles", flipped);
        report_number("virtual nodes", made_up);
        report_number("length (m)", length);
        report_number("girth (m)", girth);
        report_number("node spacing, longest to shortest", spacing);
        report_number("largest displacement (m)", largest_displacement_);
        report_number("largest swing before the limit (m)", largest_offset_);
        report_number("largest swing (m)", largest_limited_);
        report_number("limit (m)", limit);
        report_number("contacts at once", group_->report().contacts);
        report_number("deepest contact (m)", group_->report().deepest);
        report_number("largest push when shown (m)", group_->report().pushed);
        if (!says_far_ && !parts().empty() && largest_offset_ > 2.0 * limit) {
            says_far_ = true;
            report_.notes.push_back(concat("curve: the flesh swings far beyond its limit; raise frequency or ",
                                           "damping, or lower inertia"));
        }
    }

    const SimulationSurface& surface_;
    CurveBody body_;
    std::unique_ptr<FleshGroup> group_;
    const Workers* workers_ = nullptr;
    LayerFacts facts_;
    bool knows_future_ = true;
    bool says_far_ = false;
    std::vector<double> offset_, speed_;
    double largest_offset_ = 0.0, largest_limited_ = 0.0, largest_displacement_ = 0.0;
};

}  // namespace

std::unique_ptr<Layer> make_curve_layer(CurveLayerOptions options, const LayerInput& ground,
                                        const LayerMeshes& meshes) {
    return std::make_unique<CurveLayer>(ground, options, meshes);
}

}  // namespace cutis

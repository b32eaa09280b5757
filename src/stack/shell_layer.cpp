#include "cutis/stack/shell_layer.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "cutis/core/error.h"
#include "cutis/mesh/geometry.h"
#include "shell/pieces.h"
#include "shell/shell.h"
#include "shell/skin_rider.h"
#include "shell_base.h"
#include "shell_copies.h"
#include "shell_handles.h"
#include "shell_maker.h"
#include "stack/regions.h"

namespace cutis {

namespace {

class ShellLayer final : public Layer, public HeldByHands {
public:
    ShellLayer(const LayerInput& ground, const ShellLayerOptions& settings, const std::shared_ptr<const ArtMesh>& mesh)
        : settings_(settings), surface_(ground.surface), base_(*ground.surface), may_be_grabbed_(!ground.knows_future) {
        tracks_ = handle_tracks(settings.handles);
        look_up_regions(ground, describe(settings_), "[[layer]] shell");
        if (settings_.leaves_rigid && settings_.place == ShellPlacing::scatter) {
            const std::vector<int> bare = rigid_vertices(ground);
            Painted& density = settings_.scatter.density;
            if (!bare.empty() && static_cast<int>(bare.size()) < ground.surface->vertex_count()) {
                if (!density.is_painted()) {
                    density = Painted(VectorXd(VectorXd::Constant(ground.surface->vertex_count(), density.value)));
                }
                for (const int v : bare) {
                    density.per_vertex[v] = 0.0;
                }
            }
        }
        ShellMaker maker(ground, settings_, base_, report_);
        maker.choose_base(changes_shape());
        PrismShell prisms = maker.prisms();
        std::optional<ArtMesh> piece;
        if (settings.place != ShellPlacing::around) {
            piece = mesh ? piece_from_mesh(*mesh, settings_.mesh_up.front()) : make_detail(settings_.detail);
        }
        PlacedDetail detail = maker.detail(prisms, mesh.get(), piece ? &*piece : nullptr);
        ShellOptions options = maker.options(prisms, detail);
        options.vibration.has_moving_points = follows_skin(ground);

        auto art = std::make_shared<ArtMesh>();
        art->name = settings.name.empty() ? detail_name(mesh.get()) : settings.name;
        art->triangles = detail.triangles;
        if (detail.uv.rows() > 0) {
            art->uv = detail.uv;
            art->uv_triangles = detail.triangles;
        }
        art->positions.resize(static_cast<Eigen::Index>(detail.points.size()), 3);
        for (size_t v = 0; v < detail.points.size(); ++v) {
            art->positions.row(static_cast<Eigen::Index>(v)) =
                position_at(prisms, prisms.base(), prisms.offset(), detail.points[v]).transpose();
        }
        art->parts.push_back(
            {art->name, "", 0, static_cast<int>(art->triangles.rows()), 0, static_cast<int>(art->positions.rows())});
        pick_vertices(art->positions, detail.points);
        detail_mesh_ = {art->name, art, {{"amplitude", "m"}, {"volume_ratio"}}, true};
        if (settings.rigid) {
            require(settings.place == ShellPlacing::scatter,
                    "shell rigid: expected place = \"scatter\" (copies of a piece)");
            detail_mesh_.copies = keep_shape(prisms, detail, *piece, *art).copies();
        } else if (settings.place == ShellPlacing::scatter && settings.bend < 1.0 &&
                   !(settings.detail == "hair" && settings.mesh.empty())) {
            keep_shape(prisms, detail, *piece, *art);
        }
        PlacedDetail at_rest;
        if (options.vibration.has_moving_points) {
            at_rest = detail;
        }
        report_.numbers["detail vertices"] = static_cast<double>(detail.points.size());
        report_.numbers["detail pieces"] = detail.piece_count;
        shell_ = std::make_unique<Shell>(std::move(prisms), std::move(detail), options);
        if (options.vibration.has_moving_points) {
            rider_.emplace(shell_->prisms(), at_rest, piece ? &*piece : nullptr, settings.lift, ground.own_workers());
            points_ = std::move(at_rest.points);
        }
        check_handles();
        facts_.name = settings_.name;
        facts_.numbers = {
            {"shell volume ratio", ""}, {"shell pieces retracted", ""}, {"shell smallest tetrahedron ratio", ""}};
        facts_.meshes = {detail_mesh_};
        facts_.has_memory = true;
        facts_.changes_shape = changes_shape();
        facts_.rides_on_skin = rider_.has_value();
    }

    const LayerFacts& facts() const override { return facts_; }

    void advance(const LayerStep& step, MatrixX3d& surface, LayerFrame& frame) override {
        const bool starts = !has_started_ || (step.reset && settings_.cut == ShellCut::rest);
        previous_move_ = move_;
        if (starts) {
            ride(step, 1.0);
            hold_handles(step.to);
            shell_->advance({&base_.positions(surface, *step.workers, own_), 0.0, true, false}, *step.workers);
            has_started_ = true;
        } else {
            const double length = step.clock_to - step.clock_from;
            const int count = step.reset ? 1 : settings_.substeps;
            for (int i = 1; i <= count; ++i) {
                const double time = step.from + (step.to - step.from) * i / count;
                ride(step, static_cast<double>(i) / count);
                hold_handles(time);
                const bool is_last = i == count;
                if (!is_last) {
                    step.ground->positions(time, step.sampling, between_);
                }
                // A cut has no length of its own: vibration goes on for one frame.
                const double seconds = length > 0.0 ? length / count : 1e-9;
                const MatrixX3d& now = base_.positions(is_last ? surface : between_, *step.workers, own_);
                shell_->advance({&now, seconds, false, step.reset}, *step.workers);
                note_step();
            }
        }
        if (rider_) {
            last_skin_ = *step.skin;
        }
        from_ = step.from;
        to_ = step.to;
        if (changes_shape()) {
            move_ = shell_->base() - surface;
            surface = shell_->base();
        }
        write(frame);
    }

    std::vector<double> save() const override {
        std::vector<double> state = shell_->save();
        if (rider_ && has_started_) {
            state.insert(state.end(), last_skin_.data(), last_skin_.data() + last_skin_.size());
        }
        state.push_back(has_started_ ? 1.0 : 0.0);
        return state;
    }

    void restore(const std::vector<double>& state) override {
        require(!state.empty(), "shell state: it is empty");
        const bool has_started = state.back() == 1.0;
        const auto skin = static_cast<size_t>(rider_ && has_started ? 3 * surface_->vertex_count() : 0);
        require(state.size() >= skin + 1, "shell state: expected more than ", skin, " numbers, found ", state.size());
        const size_t own = state.size() - 1 - skin;
        shell_->restore(std::span(state).first(own));
        last_skin_.resize(static_cast<Eigen::Index>(skin / 3), 3);
        std::copy_n(state.begin() + static_cast<std::ptrdiff_t>(own), skin, last_skin_.data());
        has_started_ = has_started;
    }

    std::vector<bool> hold(const std::vector<LayerGrip>& grips) override {
        std::vector<bool> feels(grips.size(), false);
        std::vector<int> vertices;
        MatrixX3d moves(static_cast<Eigen::Index>(grips.size()), 3);
        for (size_t g = 0; g < grips.size(); ++g) {
            if (grips[g].is_detail && grips[g].vertex >= 0 && grips[g].vertex < shell_->vertex_count()) {
                moves.row(static_cast<Eigen::Index>(vertices.size())) = grips[g].by.transpose();
                vertices.push_back(standing_out(grips[g].vertex));
                feels[g] = true;
            }
        }
        moves.conservativeResize(static_cast<Eigen::Index>(vertices.size()), 3);
        try {
            if (vertices != grip_vertices_) {
                std::vector<Handle> handles;
                for (const int vertex : vertices) {
                    handles.push_back(handle_at(vertex));
                }
                shell_->grab(handles, moves);
            } else if (!vertices.empty()) {
                shell_->drag(moves);
            }
            grip_vertices_ = std::move(vertices);
        } catch (const InvalidInput&) {  // nothing there can be pulled
            shell_->release();
            grip_vertices_.clear();
            feels.assign(grips.size(), false);
        }
        held_.clear();  // tracks take hold again
        return feels;
    }

    bool change(const ShellLayerOptions& settings, const std::string& key) {
        const bool is_plain = settings.frequency.is_uniform() && settings.damping.is_uniform() &&
                              settings_.frequency.is_uniform() && settings_.damping.is_uniform() &&
                              !settings.paper_omega && !settings_.paper_omega && settings.axes.empty();
        if (key == "frequency" || key == "damping" || key == "gain") {
            if (!is_plain) {
                return false;
            }
            shell_->change_vibration({settings.frequency.value, settings.damping.value}, settings.shell.vibration.gain);
        } else if (key == "base_stiffness" && (settings.base_stiffness > 0.0) != (settings_.base_stiffness > 0.0)) {
            return false;  // what stands above it is another ground
        } else if (key == "offset_stiffness" || key == "base_stiffness") {
            grip_vertices_.clear();  // hands take hold anew
            held_.clear();
        } else if (key != "substeps" && key != "cut") {
            return false;
        }
        settings_.offset_stiffness = settings.offset_stiffness;
        settings_.base_stiffness = settings.base_stiffness;
        settings_.frequency = settings.frequency;
        settings_.damping = settings.damping;
        settings_.shell.vibration.gain = settings.shell.vibration.gain;
        settings_.substeps = settings.substeps;
        settings_.cut = settings.cut;
        return true;
    }

    void shape_at(double time, TimeSampling /*sampling*/, MatrixX3d& surface) override {
        if (!changes_shape() || move_.rows() != surface.rows()) {
            return;
        }
        const double t = to_ > from_ ? std::clamp((time - from_) / (to_ - from_), 0.0, 1.0) : 1.0;
        if (previous_move_.rows() == move_.rows()) {
            surface += (1.0 - t) * previous_move_ + t * move_;
        } else {
            surface += move_;
        }
    }

private:
    static constexpr double graspable = 0.25;  // of the shell's height

    std::string detail_name(const ArtMesh* mesh) const { return mesh != nullptr ? mesh->name : settings_.detail; }

    /// Whether pieces have to follow skin that slides over the surface.
    bool follows_skin(const LayerInput& ground) {
        if (settings_.anchor == ShellAnchor::surface) {
            return false;
        }
        require(ground.skin != SkinMotion::none,
                "shell anchor: \"skin\" needs a slide layer below, and between the two no layer "
                "that "
                "refines the mesh (fold): put that one below slide");
        return ground.skin == SkinMotion::over_surface;  // else the surface carries it already
    }

    /// Detail goes where its skin is, at a share of the step.
    void ride(const LayerStep& step, double share) {
        if (!rider_) {
            return;
        }
        require(step.skin != nullptr, "shell anchor: the layer below did not say where the skin is");
        if (share < 1.0 && last_skin_.rows() == step.skin->rows() && !step.reset) {
            skin_ = (1.0 - share) * last_skin_ + share * *step.skin;
        } else {
            skin_ = *step.skin;
        }
        rider_->place(skin_, *step.workers, points_);
        shell_->move_points(points_);
    }

    std::vector<Handle> handles_at(double time) const {
        std::vector<Handle> handles;
        for (const HandleTrack& track : tracks_) {
            if (track.is_held(time)) {
                handles.push_back(handle_at(track.vertex));
            }
        }
        return handles;
    }

    Handle handle_at(int vertex) const {
        Handle handle;
        handle.point = shell_->place(vertex);
        handle.offset_stiffness = settings_.offset_stiffness;
        handle.base_stiffness = settings_.base_stiffness;
        handle.is_relative = true;
        return handle;
    }

    /// The vertex itself, or the nearest that stands out enough to be pulled.
    int standing_out(int vertex) const {
        if (shell_->place(vertex).height >= graspable) {
            return vertex;
        }
        const MatrixX3d& rest = detail_mesh_.art->positions;
        int nearest = vertex;
        double least = std::numeric_limits<double>::infinity();
        for (int v = 0; v < shell_->vertex_count(); ++v) {
            const double distance = (rest.row(v) - rest.row(vertex)).squaredNorm();
            if (distance < least && shell_->place(v).height >= graspable) {
                least = distance;
                nearest = v;
            }
        }
        return nearest;
    }

    /// The nearest vertex that stands out enough to be pulled; any where none does.
    void pick_vertices(const MatrixX3d& positions, const std::vector<ShellPoint>& points) {
        for (HandleTrack& track : tracks_) {
            double nearest = std::numeric_limits<double>::infinity();
            double nearest_any = nearest;
            int any = 0;
            track.vertex = -1;
            for (size_t v = 0; v < points.size(); ++v) {
                const double distance =
                    (positions.row(static_cast<Eigen::Index>(v)) - track.pick.transpose()).squaredNorm();
                if (distance < nearest_any) {
                    nearest_any = distance;
                    any = static_cast<int>(v);
                }
                if (points[v].height >= graspable && distance < nearest) {
                    nearest = distance;
                    track.vertex = static_cast<int>(v);
                }
            }
            track.vertex = track.vertex < 0 ? any : track.vertex;
        }
    }

    /// All of them once, so that one nothing can pull is refused before the first frame.
    void check_handles() {
        for (const HandleTrack& track : tracks_) {
            const std::vector<Handle> handles = handles_at(track.times.front());
            shell_->grab(handles, MatrixX3d::Zero(static_cast<Eigen::Index>(handles.size()), 3));
        }
        shell_->release();
    }

    void hold_handles(double time) {
        if (tracks_.empty() || !grip_vertices_.empty()) {
            return;
        }
        std::vector<unsigned char> held(tracks_.size());
        Eigen::Index count = 0;
        for (size_t i = 0; i < tracks_.size(); ++i) {
            held[i] = tracks_[i].is_held(time) ? 1 : 0;
            count += held[i];
        }
        MatrixX3d targets(count, 3);
        Eigen::Index row = 0;
        for (size_t i = 0; i < tracks_.size(); ++i) {
            if (held[i] != 0) {
                targets.row(row++) = tracks_[i].move_at(time).transpose();
            }
        }
        if (held == held_) {
            shell_->drag(targets);
        } else {
            shell_->grab(handles_at(time), targets);
            held_ = held;
        }
    }

    void note_step() {
        const ShellReport& own = shell_->report();
        const auto most = [&](const char* name, double value) {
            double& kept = report_.numbers[name];
            kept = std::max(kept, value);
        };
        most("most tetrahedra inverted in a step", own.inverted);
        most("most offset vertices corrected in a step", own.untangled);
        most("longest displacement before limiting (thicknesses)", own.largest_share);
        most("most pieces retracted in a step", own.limited_pieces);
        most("largest volume over that at rest", own.volume_ratio);
        double& least = report_.numbers.try_emplace("least volume over that at rest", 1.0).first->second;
        least = std::min(least, own.volume_ratio);
        report_.numbers["piece-steps retracted"] += own.limited_pieces;
        report_.numbers["steps"] += 1.0;
    }

    // Copies of a stiff piece take on only as much of the shell's bending as is asked for.
    const RigidCopies& keep_shape(const PrismShell& prisms, const PlacedDetail& detail, const ArtMesh& piece,
                                  ArtMesh& art) {
        copies_.emplace(prisms, detail, piece, settings_.lift);
        MeshFrame at_rest;
        at_rest.positions.swap(art.positions);
        straighten(at_rest);
        art.positions.swap(at_rest.positions);
        return *copies_;
    }

    void straighten(MeshFrame& detail) {
        if (settings_.rigid) {
            copies_->fit(detail);
        } else {
            copies_->straighten(settings_.bend, detail);
        }
    }

    void write(LayerFrame& frame) {
        MeshFrame& detail = frame.mesh(0);
        shell_->write_positions(detail.positions);
        if (copies_) {
            straighten(detail);
        }
        fill_detail_normals(detail.positions, detail_mesh_.art->triangles, detail.normals);
        shell_->write_amplitudes(values_);
        detail.channels[0].assign(values_.data(), values_.data() + values_.size());
        shell_->write_volume_ratios(values_);
        detail.channels[1].assign(values_.data(), values_.data() + values_.size());
        frame.number(0) = shell_->report().volume_ratio;
        frame.number(1) = shell_->report().limited_pieces;
        frame.number(2) = shell_->report().smallest_ratio;
    }

    bool changes_shape() const { return (may_be_grabbed_ || !tracks_.empty()) && settings_.base_stiffness > 0.0; }

    ShellLayerOptions settings_;
    LayerFacts facts_;
    const SimulationSurface* surface_;
    ShellBase base_;
    MatrixX3d own_;  // positions of the base
    std::vector<HandleTrack> tracks_;
    std::vector<unsigned char> held_;
    std::vector<int> grip_vertices_;  // that hands hold, beside the tracks
    bool may_be_grabbed_ = false;     // at any time: the future is not known
    MeshInfo detail_mesh_;
    std::unique_ptr<Shell> shell_;
    std::optional<SkinRider> rider_;
    std::optional<RigidCopies> copies_;
    std::vector<ShellPoint> points_;  // with a rider
    MatrixX3d skin_, last_skin_;
    bool has_started_ = false;
    double from_ = 0.0;
    double to_ = 0.0;
    MatrixX3d between_;
    MatrixX3d move_;
    MatrixX3d previous_move_;
    VectorXd values_;
};

}  // namespace

std::unique_ptr<Layer> make_shell_layer(ShellLayerOptions options, const LayerInput& ground,
                                        const LayerMeshes& meshes) {
    const std::shared_ptr<const ArtMesh> mesh =
        options.mesh.empty() ? nullptr : find_mesh(meshes, options.mesh, "[[layer]] shell: mesh");
    return std::make_unique<ShellLayer>(ground, options, mesh);
}

bool change_shell_layer(Layer& layer, const ShellLayerOptions& options, const std::string& key) {
    auto* shell = dynamic_cast<ShellLayer*>(&layer);
    return shell != nullptr && shell->change(options, key);
}

}  // namespace cutis

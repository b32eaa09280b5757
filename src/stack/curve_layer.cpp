#include "curve_layer.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

#include "cutis/core/error.h"
#include "cutis/curve/flesh.h"
#include "cutis/stack/regions.h"

namespace cutis {

namespace {

/// What a [[layer]] table of kind curve may say.
struct CurveSettings {
    PartNames part;
    std::string region;
    CurveLayout layout;
    std::vector<double> start_vertices;
    FleshOptions flesh;
    Paintable softness{1.0, {}, false, 0.0, 0.0};
    double a1 = 0.0;
    double a2 = 1.0;
    std::vector<std::string> examples;
    std::vector<std::string> forces;
    std::map<std::string, std::shared_ptr<const ArtMesh>> meshes;  // examples that are files
};

/// The finite number a text begins with, and what follows it.
bool read_number(const std::string& text, double& number, std::string& rest) {
    char* end = nullptr;
    number = std::strtod(text.c_str(), &end);
    rest = end;
    return end != text.c_str() && std::isfinite(number);
}

FleshExample parse_example(const std::string& text, const CurveSettings& settings) {
    const size_t at = text.rfind('@');
    FleshExample example;
    std::string rest;
    if (at == std::string::npos || !read_number(text.substr(at + 1), example.time, rest) ||
        !rest.empty()) {
        throw InvalidInput(
            say("curve: expected examples as \"MORPH@SECONDS\", \"FILE.obj@SECONDS\" or ",
                "\"body@SECONDS\", found \"", text, "\""));
    }
    example.morph = text.substr(0, at);
    const auto mesh = settings.meshes.find(example.morph);
    if (mesh != settings.meshes.end()) {
        example.sculpted = std::shared_ptr<const MatrixX3d>(mesh->second, &mesh->second->positions);
    }
    if (example.sculpted || example.morph == "body") {
        example.morph.clear();
    }
    return example;
}

/// "X,Y,Z@SECONDS" or "X,Y,Z@SECONDS in REGION".
FleshForce parse_force(const std::string& text, std::string& region) {
    FleshForce force;
    std::string rest = text;
    const char* ends[] = {",", ",", "@"};
    bool good = true;
    for (int k = 0; k < 3 && good; ++k) {
        std::string after;
        good = read_number(rest, force.push[k], after) && after.substr(0, 1) == ends[k];
        rest = good ? after.substr(1) : "";
    }
    std::string after;
    good = good && read_number(rest, force.time, after);
    const std::string in = " in ";
    if (good && after.substr(0, in.size()) == in) {
        region = after.substr(in.size());
    } else if (!good || !after.empty()) {
        throw InvalidInput(say("curve: expected forces as \"X,Y,Z@SECONDS\" or ",
                               "\"X,Y,Z@SECONDS in REGION\" (m/s^2), found \"", text, "\""));
    }
    return force;
}

class CurveLayer final : public Layer {
public:
    CurveLayer(const LayerGround& ground, const CurveSettings& settings)
        : surface_(*ground.surface),
          body_{ground.body, &ground.surface->rest(), &ground.surface->topology(),
                &ground.surface->mesh().art_of_vertex, &ground.surface->mesh().vertex_of_art} {
        if (ground.refined != nullptr) {
            throw InvalidInput(
                "curve: expected to stand before layers that refine the mesh; put it "
                "first in the scene");
        }
        CurveLayout layout = settings.layout;
        for (const double vertex : settings.start_vertices) {
            // Users count the vertices of their file.
            const auto& map = surface_.mesh().vertex_of_art;
            if (!(vertex >= 0.0 && vertex < static_cast<double>(map.size())) ||
                vertex != std::floor(vertex)) {
                throw InvalidInput(say("curve: expected start_vertices from 0 to ", map.size() - 1,
                                       ", found ", vertex));
            }
            layout.start_vertices.push_back(map[static_cast<size_t>(vertex)]);
        }
        PartNames names = settings.part;
        if (!settings.region.empty()) {
            names.field = region_values(ground, settings.region);
        }
        CurvePart part = find_part(body_, names, layout);
        FleshOptions options = settings.flesh;
        if (settings.a1 > 0.0) {
            const int intervals =
                part.direction == CurveDirection::around ? part.node_count : part.node_count - 1;
            options.curve.frequency_hz =
                frequency_for_stiffness(intervals, settings.a1 / settings.a2);
        }
        options.curve.highest_frequency_hz =
            std::max(options.curve.highest_frequency_hz, options.curve.frequency_hz);
        options.paper_frames = ground.fps;
        if (!settings.softness.region.empty() || settings.softness.value != 1.0) {
            const VectorXd soft = painted_values(ground, settings.softness, "softness", 0.0, 1.0);
            VectorXd on_nodes(part.rows());
            part.nodes.apply_to_scalars(soft, ground.own_workers(), on_nodes);
            options.curve.softness.assign(on_nodes.data(), on_nodes.data() + on_nodes.size());
        }
        for (const std::string& text : settings.examples) {
            options.examples.push_back(parse_example(text, settings));
        }
        std::vector<std::string> places;
        for (const std::string& text : settings.forces) {
            std::string region;
            FleshForce force = parse_force(text, region);
            if (!region.empty()) {
                VectorXd on_nodes(part.rows());
                part.nodes.apply_to_scalars(region_values(ground, region), ground.own_workers(),
                                            on_nodes);
                force.share.assign(on_nodes.data(), on_nodes.data() + on_nodes.size());
            }
            const auto known = std::find(places.begin(), places.end(), region);
            force.place = static_cast<int>(known - places.begin());
            if (known == places.end()) {
                places.push_back(region);
            }
            options.forces.push_back(force);
        }
        flesh_ = std::make_unique<Flesh>(body_, std::move(part), options);
        const auto count = static_cast<size_t>(surface_.vertex_count());
        offset_.assign(count, 0.0);
        speed_.assign(count, 0.0);
        // Where the body's future is not known, the drive comes late by as much.
        lag_ = ground.knows_future ? 0.0 : flesh_->solver().look_ahead();
        facts_.channels = {{"curve displacement", "m"}, {"curve speed", "m/s"}};
        facts_.numbers = {{"curve displacement", "m"}};
        facts_.lines = {curve_lines()};
        facts_.has_memory = flesh_->has_memory();
        facts_.changes_shape = true;
        facts_.look_ahead = flesh_->solver().look_ahead();
        report_.kind = "curve";
        if (flesh_->part().flipped > 0) {
            report_.notes.push_back(say("curve: ", flesh_->part().flipped,
                                        " triangles of the part are turned over in its map"));
        }
        write_report();
    }

    const LayerFacts& facts() const override { return facts_; }

    LineSet curve_lines() const {
        const CurvePart& part = flesh_->part();
        LineSet set;
        set.name = "curves";
        set.point_count = part.rows();
        const bool is_ring = part.direction == CurveDirection::around;
        for (int c = 0; c < part.curve_count; ++c) {
            for (int n = 0; n + (is_ring ? 0 : 1) < part.node_count; ++n) {
                const int next = (n + 1) % part.node_count;
                set.segments.push_back({n * part.curve_count + c, next * part.curve_count + c});
            }
        }
        return set;
    }

    void advance(const LayerStep& step, MatrixX3d& surface, LayerFrame& frame) override {
        workers_ = step.workers;
        // Between keys the drive is smooth whatever the frames are: jumps of velocity at linear
        // keys would shake the flesh.
        flesh_->advance({.to = step.clock_to,
                         .body_to = step.to,
                         .pace = step.pace(),
                         .reset = step.reset,
                         .sampling = step.between,
                         .known = step.known,
                         .lag = lag_},
                        *step.workers);
        flesh_->displace(step.to, step.sampling, *step.workers, surface);
        largest_offset_ = std::max(largest_offset_, flesh_->report().largest_offset);
        largest_limited_ = std::max(largest_limited_, flesh_->report().largest_limited);

        const std::vector<int>& vertices = flesh_->part().vertices;
        double largest = 0.0;
        for (size_t i = 0; i < vertices.size(); ++i) {
            const auto row = static_cast<Eigen::Index>(i);
            const auto v = static_cast<size_t>(vertices[i]);
            offset_[v] = flesh_->vertex_displacement().row(row).norm();
            speed_[v] = flesh_->vertex_speed().row(row).norm();
            largest = std::max(largest, offset_[v]);
        }
        surface_.to_art().values(offset_, 1, *step.workers, frame.channel(0));
        surface_.to_art().values(speed_, 1, *step.workers, frame.channel(1));
        largest_displacement_ = std::max(largest_displacement_, largest);
        frame.number(0) = largest;
        frame.line(0) = flesh_->nodes();
        write_report();
    }

    std::vector<double> save() const override {
        return facts_.has_memory ? flesh_->save() : Layer::save();
    }
    void restore(const std::vector<double>& state) override {
        if (facts_.has_memory) {
            flesh_->restore(state);
        } else {
            Layer::restore(state);
        }
    }

    void shape_at(double time, TimeSampling sampling, MatrixX3d& surface) override {
        flesh_->displace(time, sampling, *workers_, surface);
    }

private:
    void write_report() {
        const CurvePart& part = flesh_->part();
        const auto number = [this](const char* name, auto value) {
            report_number(name, static_cast<double>(value));
        };
        begin_report();
        number("curves", part.curve_count);
        number("nodes", part.node_count);
        number("vertices", part.vertices.size());
        number("modes", flesh_->solver().mode_count());
        number("flipped triangles", part.flipped);
        number("virtual nodes", part.virtual_nodes);
        number("length (m)", part.length);
        number("girth (m)", part.girth);
        number("node spacing, longest to shortest", part.spacing_ratio);
        number("largest displacement (m)", largest_displacement_);
        number("largest swing before the limit (m)", largest_offset_);
        number("largest swing (m)", largest_limited_);
        number("limit (m)", flesh_->solver().limit());
        if (!says_far_ && largest_offset_ > 2.0 * flesh_->solver().limit()) {
            says_far_ = true;
            report_.notes.push_back(
                say("curve: the flesh swings far beyond its limit; raise frequency or ",
                    "damping, or lower inertia"));
        }
    }

    const SimulationSurface& surface_;
    CurveBody body_;
    std::unique_ptr<Flesh> flesh_;
    const Workers* workers_ = nullptr;
    LayerFacts facts_;
    double lag_ = 0.0;
    bool says_far_ = false;
    std::vector<double> offset_, speed_;
    double largest_offset_ = 0.0, largest_limited_ = 0.0, largest_displacement_ = 0.0;
};

class CurvePlan final : public LayerPlan {
public:
    std::vector<Setting> settings() override {
        const auto choice = [](auto& field, auto... values) {
            using Field = std::remove_reference_t<decltype(field)>;
            const std::vector<Field> list = {values...};
            Field* target = &field;
            const auto current =
                static_cast<int>(std::find(list.begin(), list.end(), field) - list.begin());
            return ChoiceTarget{current, [=](int i) { *target = list[static_cast<size_t>(i)]; }};
        };
        CurveSettings& s = settings_;
        CurveOptions& c = s.flesh.curve;
        return {
            {"from", &s.part.from, "joint: the part is what hangs on it"},
            {"to", &s.part.to, "joints: what hangs on them is cut off; ends of the tube"},
            {"without", &s.part.without, "joints: what hangs on them leaves a hole"},
            {"extra_joints", &s.part.extra,
             "joints that belong to `from` though they hang elsewhere (feet)"},
            {"group", &s.part.group, "group of triangles, instead of joints"},
            {"attribute", &s.part.attribute, "painted attribute, instead of joints"},
            {"region", &s.region,
             "region (see scene.md), instead of joints: \"box:...\", \"part:...\""},
            {"level", &s.part.level, "of weight or paint where the part ends; 0: automatic", "",
             0.0, 1.0},
            {"curves", &s.layout.curves, "lines from end to end; 0: one per vertex round", "", 0,
             1024},
            {"nodes", &s.layout.nodes, "places along each; 0: one per vertex along", "", 0, 4096},
            {"direction",
             choice(s.layout.direction, CurveDirection::along, CurveDirection::around),
             "curves run from end to end, or as closed rings",
             "",
             0,
             0,
             {"along", "around"}},
            {"even_spacing", &s.layout.even_spacing, "nodes at equal mean arc length"},
            {"edge_loops", &s.layout.edge_loops,
             "curves follow the edge loops of a quad mesh (OBJ)"},
            {"start_vertices", &s.start_vertices,
             "vertices of the file through which curves go; empty: evenly round"},
            {"transfer",
             choice(s.layout.transfer, CurveTransfer::bicubic, CurveTransfer::bilinear,
                    CurveTransfer::centre),
             "how vertices between curves move; centre is the paper's rule",
             "",
             0,
             0,
             {"bicubic", "bilinear", "centre"}},
            {"baseline",
             choice(s.flesh.baseline, CurveBaseline::body, CurveBaseline::linear_blend,
                    CurveBaseline::dual_quaternion, CurveBaseline::rigid),
             "what deformation is measured against",
             "",
             0,
             0,
             {"body", "linear-blend", "dual-quaternion", "rigid"}},
            {"follow", &s.flesh.follow,
             "what the body has beyond the baseline is a target; false: examples replace it"},
            {"dynamics",
             choice(c.dynamics, CurveDynamics::exact, CurveDynamics::paper, CurveDynamics::still,
                    CurveDynamics::smoothstep, CurveDynamics::spline),
             "exact modes, the paper's scheme, none; the last two for examples in time",
             "",
             0,
             0,
             {"exact", "paper", "still", "smoothstep", "spline"}},
            {"frequency", &c.frequency_hz, "of the first mode; flesh 4 to 6", "Hz", 0.2, 60.0},
            {"damping", &c.damping, "ratio of every mode; flesh 0.2 to 0.4", "", 0.0, 1.0},
            {"a1", &s.a1, "bending stiffness of the paper, instead of frequency; 0: not used", "",
             0.0, 1e12},
            {"a2", &s.a2, "mass of the paper, used with a1", "", 1e-12, 1e12},
            {"inertia", &c.inertia_gain, "how much the body's acceleration drives the flesh", "",
             0.0, 10.0},
            {"limit", &c.limit,
             "largest swing; 0: a third of the part's radius, a sixth of a tail's length", "m", 0.0,
             1e6},
            {"joint_hold", &s.flesh.joint_hold,
             "how much less flesh swings at knees and elbows, where bone lies close", "", 0.0, 1.0},
            {"softness", &s.softness, "share of the swing, by place: 1 flesh, 0 bone", "", 0.0,
             1.0},
            {"free_tip", &c.free_tip, "a closed far end (tail, tip) swings freely"},
            {"highest_frequency", &c.highest_frequency_hz, "faster modes follow at once", "Hz", 1.0,
             1e6},
            {"rate", &c.rate_hz, "times a second at which the body drives the flesh", "Hz", 10.0,
             2000.0},
            {"examples", &s.examples,
             "shapes to reach: \"MORPH@SECONDS\", \"FILE.obj@SECONDS\" or \"body@SECONDS\""},
            {"forces", &s.forces,
             "m/s^2 by hand: \"X,Y,Z@SECONDS\", \"X,Y,Z@SECONDS in REGION\"; linear in between"},
            {"pose_joints", &s.flesh.pose_joints,
             "examples belong to the rotations these joints have then; empty: to the time"},
            {"extrapolate", &s.flesh.extrapolate,
             "two examples in time: past the second the force goes on rising"},
            {"fade", &s.flesh.fade, "share of the curve at each end over which examples fade in",
             "", 0.0, 0.5},
        };
    }

    void take_mesh(const std::string& name, std::shared_ptr<const ArtMesh> mesh) override {
        settings_.meshes[name] = std::move(mesh);
    }

    std::unique_ptr<Layer> prepare(const LayerGround& ground) override {
        return std::make_unique<CurveLayer>(ground, settings_);
    }

private:
    CurveSettings settings_;
};

}  // namespace

LayerKind curve_layer_kind() {
    return {"curve", "flesh that deforms between examples with its own dynamics",
            [] { return std::make_unique<CurvePlan>(); }};
}

}  // namespace cutis

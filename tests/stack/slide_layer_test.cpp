// The slide layer through the stack's own words: moved vertices, moved UVs, tangents.

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "cutis/core/error.h"
#include "cutis/io/scene_read.h"
#include "cutis/mesh/surface_point.h"
#include "cutis/stack/bake.h"
#include "cutis/stack/layer_stack.h"
#include "cutis/stack/slide_layer.h"
#include "slide/material.h"
#include "stack/slide_order.h"
#include "stack/slide_tangents.h"
#include "stack/slide_uv.h"
#include "support/allocations.h"
#include "support/shapes.h"

namespace cutis {
namespace {

// A body that is bent to and fro.
class Bending : public Motion {
public:
    explicit Bending(MatrixX3d rest) : rest_(std::move(rest)) {}
    int vertex_count() const override { return static_cast<int>(rest_.rows()); }
    double start() const override { return 0.0; }
    double end() const override { return 10.0; }
    double key_interval() const override { return 0.1; }
    void positions(double time, TimeSampling /*sampling*/, const Workers& /*workers*/, MatrixX3d& out) const override {
        out = rest_;
        out.col(0).array() += 0.04 * std::sin(9.0 * time) * (4.0 * rest_.col(1).array()).sin();
    }

private:
    MatrixX3d rest_;
};

// A square of 8 x 8 cells with UVs = (x, y), cut along its middle column: the right half's chart
// lies one unit further in u.
ArtMesh square_with_seam(double offset) {
    const test::Shape shape = test::planar_grid(8, 8);
    ArtMesh mesh;
    mesh.name = "square";
    mesh.positions = shape.positions;
    mesh.triangles = shape.triangles;
    mesh.parts = {{"square", "", 0, static_cast<int>(shape.triangles.rows()), 0, 81}};
    mesh.uv.resize(162, 2);
    for (int v = 0; v < 81; ++v) {
        mesh.uv.row(v) << shape.positions(v, 0), shape.positions(v, 1);
        mesh.uv.row(81 + v) << shape.positions(v, 0) + offset, shape.positions(v, 1);
    }
    mesh.uv_triangles = mesh.triangles;
    for (int f = 0; f < mesh.triangles.rows(); ++f) {
        double middle = 0.0;
        for (int k = 0; k < 3; ++k) {
            middle += shape.positions(mesh.triangles(f, k), 0) / 3.0;
        }
        if (middle > 0.5) {
            mesh.uv_triangles.row(f).array() += 81;
        }
    }
    return mesh;
}

struct Stage {
    Body body;
    SimulationSurface surface;
    LayerInput ground;

    explicit Stage(const ArtMesh& mesh)
        : body(make(mesh)),
          surface(SimulationSurface::repaired(body, {})),
          ground{&body, &surface, &body.mesh(), &body.source().rig.weights, 30.0} {}

    static Body make(const ArtMesh& mesh) {
        Body::Source source;
        source.mesh = mesh;
        source.motion = std::make_shared<Bending>(mesh.positions);
        return Body(std::move(source), ClockOptions());
    }
};

// The point of a planar square at (x, y).
SurfacePoint point_at(const Stage& stage, double x, double y) {
    const MatrixX3i& t = stage.surface.topology().triangles();
    const MatrixX3d& rest = stage.surface.rest();
    for (int f = 0; f < t.rows(); ++f) {
        Eigen::Matrix3d corners;
        for (int k = 0; k < 3; ++k) {
            corners.col(k) << rest(t(f, k), 0), rest(t(f, k), 1), 1.0;
        }
        const Vector3d weights = corners.inverse() * Vector3d(x, y, 1.0);
        if (weights.minCoeff() > -1e-12) {
            return {f, weights.cwiseMax(0.0)};
        }
    }
    return {};
}

TEST(slide_uv, the_uv_of_the_material_arrives_and_charts_go_on_beyond_their_seam) {
    constexpr double offset = 3.0;
    const Stage stage(square_with_seam(offset));
    const SlideUv slide_uv(stage.ground);
    ASSERT_TRUE(slide_uv.has_uv());
    // All skin slides to the right and up: material from the left and below lies at each vertex.
    const double dx = 0.17;
    const double dy = 0.06;
    std::vector<SurfacePoint> points;
    MatrixX3d material = stage.surface.rest();
    for (int v = 0; v < stage.surface.vertex_count(); ++v) {
        material(v, 0) = std::max(material(v, 0) - dx, 0.0);
        material(v, 1) = std::max(material(v, 1) - dy, 0.0);
        points.push_back(point_at(stage, material(v, 0), material(v, 1)));
    }
    MatrixX2d uv;
    slide_uv.update(points, material, Workers(1), uv);
    const ArtMesh& art = stage.body.mesh();
    int beyond = 0;
    for (int f = 0; f < art.triangles.rows(); ++f) {
        for (int k = 0; k < 3; ++k) {
            const int t = art.uv_triangles(f, k);
            const int v = art.triangles(f, k);
            // The same affine map of the corner's own chart, also where the material lies in the
            // other one.
            EXPECT_NEAR(uv(t, 0), material(v, 0) + (t >= 81 ? offset : 0.0), 1e-9) << f << ' ' << k;
            EXPECT_NEAR(uv(t, 1), material(v, 1), 1e-9) << f << ' ' << k;
            beyond += t >= 81 && material(v, 0) < 0.5 ? 1 : 0;
        }
    }
    EXPECT_GT(beyond, 20);
}

TEST(slide_uv, skin_that_has_not_slid_keeps_its_uvs) {
    const Stage stage(square_with_seam(1.0));
    const SlideUv slide_uv(stage.ground);
    std::vector<SurfacePoint> points;
    for (int v = 0; v < stage.surface.vertex_count(); ++v) {
        points.push_back(point_at_vertex(stage.surface.topology(), v));
    }
    MatrixX2d uv;
    slide_uv.update(points, stage.surface.rest(), Workers(1), uv);
    for (int f = 0; f < stage.body.mesh().triangles.rows(); ++f) {
        for (int k = 0; k < 3; ++k) {
            const int t = stage.body.mesh().uv_triangles(f, k);
            EXPECT_LT((uv.row(t) - stage.body.mesh().uv.row(t)).norm(), 1e-14);
        }
    }
}

TEST(slide_tangents, point_where_u_grows_on_the_moved_surface) {
    const Stage stage(square_with_seam(1.0));
    SlideTangents tangents(stage.ground);
    // Sheared and turned out of the plane: x goes to (1, 0, 1), so that is where u grows.
    MatrixX3d moved = stage.surface.rest();
    moved.col(2) = moved.col(0);
    moved.col(0) += 0.3 * moved.col(1);
    std::vector<double> out;
    tangents.fill(moved, tangents.rest_uv(), out);
    const Vector3d expected = Vector3d(1.0, 0.0, 1.0).normalized();
    for (int v = 0; v < 81; ++v) {
        EXPECT_LT((Vector3d(out.data() + 3 * v) - expected).norm(), 1e-12) << v;
    }
    // UVs turned by a right angle: u grows along the old v, mirrored or not.
    MatrixX2d turned = tangents.rest_uv();
    turned.col(0) = tangents.rest_uv().col(1);
    turned.col(1) = tangents.rest_uv().col(0);
    tangents.fill(stage.surface.rest(), turned, out);
    for (int v = 0; v < 81; ++v) {
        EXPECT_LT((Vector3d(out.data() + 3 * v) - Vector3d::UnitY()).norm(), 1e-12) << v;
    }
    tangents.fill(stage.surface.rest(), MatrixX2d::Zero(162, 2), out);
    EXPECT_EQ(std::accumulate(out.begin(), out.end(), 0.0), 0.0);
}

TEST(slide_order, brings_neighbours_together_and_back_again) {
    // A torus whose vertices were shuffled.
    test::Shape shape = test::torus_grid(40, 30);
    const int count = static_cast<int>(shape.positions.rows());
    MatrixX3d positions(count, 3);
    const auto shuffled = [&](int v) { return static_cast<int>(707L * v % count); };
    for (int v = 0; v < count; ++v) {
        positions.row(shuffled(v)) = shape.positions.row(v);
    }
    for (int i = 0; i < shape.triangles.size(); ++i) {
        shape.triangles.data()[i] = shuffled(shape.triangles.data()[i]);
    }
    const Topology topology(shape.triangles, count);
    const SlideOrder order(topology, positions, SlideOptions{});
    const auto furthest = [](const Topology& mesh) {
        int most = 0;
        for (const auto& edge : mesh.edges()) {
            most = std::max(most, edge[1] - edge[0]);
        }
        return most;
    };
    EXPECT_GT(furthest(topology), 1000);
    EXPECT_LT(furthest(order.topology()), 200);
    MatrixX3d there;
    MatrixX3d back;
    order.from_surface().values(positions, Workers(1), there);
    EXPECT_EQ(there, order.rest());
    order.to_surface().values(there, Workers(1), back);
    EXPECT_EQ(back, positions);
    for (int f = 0; f < topology.triangle_count(); ++f) {
        for (int k = 0; k < 3; ++k) {
            EXPECT_EQ(order.surface_vertex(order.topology().triangles()(f, k)),
                      topology.triangles()(order.surface_triangle(f), k));
        }
    }
    SlideOptions options;
    options.pins = {5, 77};
    options.stickiness = VectorXd(VectorXd::LinSpaced(count, 0.0, 1.0));
    options.drags.push_back({9, Vector3d::UnitX(), 0.1});
    const SlideOptions ours = order.reorder(options);
    EXPECT_EQ(order.surface_vertex(ours.pins[1]), 77);

    // Held vertices come last, those with a free neighbour before the others.
    options.region.per_vertex = VectorXd::Ones(count);
    for (int v = 0; v < count; ++v) {
        options.region.per_vertex[v] = positions(v, 0) > 0.0 ? 0.0 : 1.0;
    }
    const SlideOrder parted(topology, positions, options);
    const auto is_held = [&](int rank) {
        const int v = parted.surface_vertex(rank);
        return v == 5 || v == 77 || positions(v, 0) > 0.0;
    };
    int touched_before = 1;
    for (int rank = 1; rank < count; ++rank) {
        EXPECT_LE(is_held(rank - 1), is_held(rank));
        int is_touched = 0;
        for (const int f : parted.topology().triangles_around(rank)) {
            for (int k = 0; k < 3; ++k) {
                is_touched |= is_held(parted.topology().triangles()(f, k)) ? 0 : 1;
            }
        }
        EXPECT_GE(touched_before, is_touched);
        touched_before = is_touched;
    }
    EXPECT_EQ(order.surface_vertex(ours.drags[0].vertex), 9);
    EXPECT_EQ(ours.stickiness.at(order.rank_of(123)), options.stickiness.at(123));
}

struct SlideRun {
    Workers workers{1};
    LayerStack stack;
    Frame frame;

    SlideRun(const Stage& stage, const std::string& output) : stack(stage.body, {}, workers) {
        LayerScene scene;
        scene.kind = "slide";
        Value value;
        value.kind = Value::Kind::text;
        value.text = output;
        scene.values["output"] = value;
        stack.add("slide", plan_layer(scene, "test.toml")->prepare(stack.ground(), scene.meshes));
        frame = stack.info().empty_frame();
    }
    const std::vector<double>* channel(const std::string& name) const { return stack.info().channel(frame, name); }
};

TEST(slide_layer, moved_uvs_leave_the_body_and_moved_vertices_leave_the_uvs) {
    const Stage stage(square_with_seam(1.0));
    SlideRun by_uv(stage, "uv");
    SlideRun by_vertices(stage, "vertices");
    for (int f = 1; f <= 6; ++f) {
        by_uv.stack.advance(f, by_uv.frame);
        by_vertices.stack.advance(f, by_vertices.frame);
    }
    MatrixX3d body;
    stage.body.positions(5 / 30.0, TimeSampling::exact, by_uv.workers, body);
    EXPECT_EQ(by_uv.frame.body().positions, body);
    EXPECT_GT((by_uv.frame.body().uv - stage.body.mesh().uv).cwiseAbs().maxCoeff(), 1e-4);
    EXPECT_EQ(by_vertices.frame.body().uv.size(), 0);
    EXPECT_GT((by_vertices.frame.body().positions - body).cwiseAbs().maxCoeff(), 1e-4);
    for (const char* channel :
         {"Pref", "tangent", "slide distance", "major stretch", "minor stretch", "stress", "wrinkle amplitude"}) {
        EXPECT_NE(by_uv.channel(channel), nullptr) << channel;
        EXPECT_NE(by_vertices.channel(channel), nullptr) << channel;
    }
    // On the unmoved body Pref is the material that came; a vertex that went with its material
    // keeps its own, as it keeps its UV.
    const std::vector<double>& came = *by_uv.channel("Pref");
    const std::vector<double>& kept = *by_vertices.channel("Pref");
    const ArtMesh& art = stage.body.mesh();
    double most_slid = 0.0;
    for (int v = 0; v < art.positions.rows(); ++v) {
        most_slid = std::max(most_slid, (Vector3d(came.data() + 3 * v) - art.positions.row(v).transpose()).norm());
        EXPECT_LT((Vector3d(kept.data() + 3 * v) - art.positions.row(v).transpose()).norm(), 1e-12);
    }
    EXPECT_GT(most_slid, 1e-4);
    // The distance shown at a vertex that moved is how far it moved, but for the slope of the body.
    for (int v = 0; v < art.positions.rows(); ++v) {
        EXPECT_NEAR((*by_vertices.channel("slide distance"))[static_cast<size_t>(v)],
                    (by_vertices.frame.body().positions.row(v) - body.row(v)).norm(), 0.2 * most_slid);
    }
}

class LastFrame : public FrameSink {
public:
    struct Taken {
        BakeInfo info;
        Frame frame;
    };
    explicit LastFrame(Taken& taken) : taken_(taken) {}
    void begin(const BakeInfo& info) override { taken_.info = info; }
    void write(const Frame& frame) override { taken_.frame = frame; }
    std::vector<OutputFile> finish() override { return {}; }

private:
    Taken& taken_;
};

/// The last frame of a bake with a slide layer on each of these regions.
LastFrame::Taken slid_on(const Body& body, const std::vector<std::string>& regions, const std::string& output) {
    std::string text = "[body]\nactor = \"plane\"\n";
    for (const std::string& region : regions) {
        text += "[[layer]]\nkind = \"slide\"\nrim = \"free\"\nregion = [" + region + "]\noutput = \"" + output + "\"\n";
    }
    Scene scene = parse_scene(text, "test.toml");
    scene.last_frame = 6;
    LastFrame::Taken taken;
    std::vector<std::unique_ptr<FrameSink>> sinks;
    sinks.push_back(std::make_unique<LastFrame>(taken));
    const Workers workers(1);
    BakeControls controls;
    controls.workers = &workers;
    bake(body, scene, sinks, controls);
    return taken;
}

TEST(slide_layer, two_on_two_halves_keep_channels_numbers_and_uvs_of_their_own) {
    const Stage stage(square_with_seam(1.0));
    const std::string left = "{ box = [-1, -1, -1, 0.45, 2, 2] }";
    const std::string right = "{ box = [0.55, -1, -1, 2, 2, 2] }";
    for (const char* output : {"vertices", "uv"}) {
        const LastFrame::Taken alone = slid_on(stage.body, {left}, output);
        const LastFrame::Taken both = slid_on(stage.body, {left, right}, output);
        const auto most = [](const std::vector<double>* values) {
            return values == nullptr ? -1.0 : *std::max_element(values->begin(), values->end());
        };
        const std::vector<double>* first = both.info.channel(both.frame, "slide distance");
        const std::vector<double>* second = both.info.channel(both.frame, "slide distance 2");
        EXPECT_GT(most(first), 1e-5) << output;
        EXPECT_GT(most(second), 1e-5) << output;
        // The layer below does not know that there is another one above it.
        EXPECT_EQ(*first, *alone.info.channel(alone.frame, "slide distance")) << output;
        EXPECT_EQ(*both.info.number(both.frame, "slide largest (m)"),
                  *alone.info.number(alone.frame, "slide largest (m)"));
        EXPECT_GT(*both.info.number(both.frame, "slide largest 2 (m)"), 1e-5);
        const MatrixX3d& rest = stage.body.mesh().positions;
        for (Eigen::Index v = 0; v < rest.rows(); ++v) {
            EXPECT_EQ(rest(v, 0) > 0.5 ? (*first)[static_cast<size_t>(v)] : (*second)[static_cast<size_t>(v)], 0.0);
        }
        if (std::string(output) == "uv") {
            const MatrixX2d moved = both.frame.body().uv - stage.body.mesh().uv;
            EXPECT_GT((moved - (alone.frame.body().uv - stage.body.mesh().uv)).norm(), 1e-5);
            for (Eigen::Index t = 0; t < moved.rows(); ++t) {
                if (alone.frame.body().uv.row(t) != stage.body.mesh().uv.row(t)) {
                    EXPECT_EQ(both.frame.body().uv.row(t), alone.frame.body().uv.row(t)) << t;
                }
            }
        }
    }
}

// Still, but for one jump of many sizes between two keys; smooth curves draw it out.
class Jumping : public Motion {
public:
    explicit Jumping(MatrixX3d rest) : rest_(std::move(rest)) {}
    int vertex_count() const override { return static_cast<int>(rest_.rows()); }
    double start() const override { return 0.0; }
    double end() const override { return 2.0; }
    double key_interval() const override { return 1.0 / 30.0; }
    void positions(double time, TimeSampling sampling, const Workers& /*workers*/, MatrixX3d& out) const override {
        out = rest_;
        const double t = 30.0 * time - 9.0;  // in frames, the jump is from 0 to 1
        double share = std::clamp(t, 0.0, 1.0);
        if (sampling == TimeSampling::smooth) {  // Hermite with central differences
            const auto hermite = [](double x) { return 0.5 * x * (1.0 - x) * (1.0 - x); };
            share += t > -1.0 && t < 0.0 ? -hermite(-t) : t > 1.0 && t < 2.0 ? hermite(t - 1.0) : 0.0;
        }
        out.col(0).array() += 20.0 * share;
    }

private:
    MatrixX3d rest_;
};

TEST(slide_layer, a_jump_of_the_body_starts_anew_and_is_not_drawn_out) {
    const ArtMesh mesh = square_with_seam(1.0);
    Stage stage(mesh);
    Body::Source source;
    source.mesh = mesh;
    source.motion = std::make_shared<Jumping>(mesh.positions);
    stage.body = Body(std::move(source), ClockOptions());
    SlideRun run(stage, "uv");
    for (int f = 1; f <= 20; ++f) {
        run.stack.advance(f, run.frame);
        EXPECT_LT(*run.stack.info().number(run.frame, "slide largest (m)"), 1e-5) << "frame " << f;
    }
    EXPECT_EQ(run.stack.cuts(), (std::vector<int>{11}));
}

SlideOptions options_of(const Stage& stage, const std::string& keys) {
    const Scene scene = parse_scene("[body]\nactor = \"arm\"\n[[layer]]\nkind = \"slide\"\n" + keys, "test.toml");
    SlideLayerOptions settings;
    read_options(scene.layers.front().values, describe(settings), "[[layer]] slide", "test.toml");
    return fitted_options(settings.options_for(stage.ground), stage.ground.surface->topology(),
                          stage.ground.surface->rest());
}

TEST(slide_plan, a_speck_far_away_does_not_set_the_size) {
    const ArtMesh square = square_with_seam(1.0);
    const Stage plain(square);
    ArtMesh specked = square;
    const Eigen::Index v = square.positions.rows();
    const Eigen::Index f = square.triangles.rows();
    specked.positions.conservativeResize(v + 3, 3);
    specked.positions.bottomRows(3) << 20.0, 0.0, 0.0, 20.01, 0.0, 0.0, 20.0, 0.01, 0.0;
    specked.triangles.conservativeResize(f + 1, 3);
    specked.triangles.row(f) << static_cast<int>(v), static_cast<int>(v) + 1, static_cast<int>(v) + 2;
    specked.uv_triangles.conservativeResize(f + 1, 3);
    specked.uv_triangles.row(f) << 0, 1, 9;
    specked.parts.front().triangle_count = static_cast<int>(f) + 1;
    const Stage stage(specked);
    EXPECT_DOUBLE_EQ(options_of(stage, "").young_modulus->value, options_of(plain, "").young_modulus->value);
}

TEST(slide_plan, a_body_of_many_small_parts_has_the_size_of_them_all) {
    ArtMesh crowd;  // 150 triangles in a row, none with a hundredth of the area
    constexpr int count = 150;
    crowd.positions.resize(3 * count, 3);
    crowd.triangles.resize(count, 3);
    for (int i = 0; i < count; ++i) {
        crowd.positions.middleRows(3 * i, 3) << 0.02 * i, 0.0, 0.0, 0.02 * i + 0.01, 0.0, 0.0, 0.02 * i, 0.01, 0.0;
        crowd.triangles.row(i) << 3 * i, 3 * i + 1, 3 * i + 2;
    }
    crowd.parts = {{"crowd", "", 0, count, 0, 3 * count}};
    const Stage stage(crowd);
    const double size = 0.02 * (count - 1) + 0.01;
    EXPECT_NEAR(options_of(stage, "").young_modulus->value, 210.0 * std::pow(size / 1.7, 2), 1e-6);
}

TEST(slide_plan, lame_constants_give_the_same_moduli) {
    const Stage stage(square_with_seam(1.0));
    const SlideOptions o = options_of(stage, "lame_lambda = 50\nlame_mu = 50\n");
    const MembraneModuli got = moduli_from_young(o.young_modulus->value, o.poisson_ratio.value);
    EXPECT_NEAR(got.shear, 50.0, 1e-12);
    EXPECT_NEAR(got.bulk, 50.0 + 50.0, 1e-12);
    EXPECT_THROW(options_of(stage, "lame_mu = 50\nyoung_modulus = 3\n"), InvalidInput);
    EXPECT_THROW(options_of(stage, "lame_lambda = 50\n"), InvalidInput);
    EXPECT_THROW(options_of(stage, "lame_mu = 50\npoisson_ratio = 0.3\n"), InvalidInput);
    EXPECT_THROW(options_of(stage, "lame_mu = 1\nlame_lambda = 1000\n"), InvalidInput);
}

TEST(slide_plan, pulled_regions_are_prescribed_at_the_given_velocity_and_nothing_else_is) {
    const Stage stage(square_with_seam(1.0));
    const SlideOptions o = options_of(stage,
                                      "pull = [{ box = [0.3, 0.3, -1, 0.7, 0.7, 1] }]\n"
                                      "pull_velocity = [0.1, -0.2, 0]\n");
    const MatrixX3d& rest = stage.ground.surface->rest();
    std::vector<bool> is_pulled(static_cast<size_t>(rest.rows()), false);
    for (const PrescribedSlip& slip : o.prescribed) {
        EXPECT_EQ(slip.velocity, Vector3d(0.1, -0.2, 0.0));
        is_pulled[static_cast<size_t>(slip.vertex)] = true;
    }
    for (Eigen::Index v = 0; v < rest.rows(); ++v) {
        const bool is_inside = std::abs(rest(v, 0) - 0.5) < 0.2 && std::abs(rest(v, 1) - 0.5) < 0.2;
        EXPECT_EQ(is_pulled[static_cast<size_t>(v)], is_inside) << rest.row(v);
    }
}

TEST(slide_plan, settings_without_effect_are_refused) {
    const Stage stage(square_with_seam(1.0));
    for (const char* keys : {"wind = [1, 0, 0]\n", "pull = [{ box = [0, 0, -1, 1, 1, 1] }]\n",
                             "pull = [{ box = [8, 8, 8, 9, 9, 9] }]\npull_velocity = [1, 0, 0]\n",
                             "drag = [{ at = [50, 0, 0], force = [1, 0, 0] }]\n",
                             "initial_stretch = 5\ndirected_stretch = 5\n"
                             "stretch_direction = [1, 0, 0]\n"}) {
        EXPECT_THROW(options_of(stage, keys), InvalidInput) << keys;
    }
}

#if CUTIS_COUNTS_ALLOCATIONS
TEST(slide_layer, frames_allocate_nothing_after_the_second) {
    const Stage stage(square_with_seam(1.0));
    for (const char* output : {"uv", "vertices", "none"}) {
        SlideRun run(stage, output);
        for (int f = 1; f <= 3; ++f) {
            run.stack.advance(f, run.frame);
        }
        const long before = allocation_count();
        for (int f = 4; f <= 10; ++f) {
            run.stack.advance(f, run.frame);
        }
        EXPECT_EQ(allocation_count() - before, 0) << output;
    }
}
#endif

}  // namespace
}  // namespace cutis

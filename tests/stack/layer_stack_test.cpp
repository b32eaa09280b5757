#include "cutis/core/error.h"

#include <gtest/gtest.h>
#include "cutis/stack/bake.h"
#include "stack/regions.h"
#include "stack/test_body.h"

namespace cutis {
namespace {

// Lifts by a height that grows with time: at sub-step times it has another one than at frames.
class Rise : public Layer {
public:
    Rise() {
        facts_.channels = {{"rise", "m"}};
        facts_.numbers = {{"height", "m"}};
        facts_.changes_shape = true;
    }
    const LayerFacts& facts() const override { return facts_; }
    void advance(const LayerStep& step, MatrixX3d& surface, LayerFrame& frame) override {
        shape_at(step.to, step.sampling, surface);
        frame.channel(0).assign(6, step.to);
        frame.number(0) = step.to;
    }
    void shape_at(double time, TimeSampling /*sampling*/, MatrixX3d& surface) override {
        surface.col(2).array() += time;
    }

private:
    LayerFacts facts_;
};

// Gives its result on a mesh with the middle of the shared edge added.
class Finer : public Layer {
public:
    explicit Finer(const LayerInput& ground) {
        const MatrixX3d coarse = ground.surface->rest().topRows(4);
        refined_.art.name = "finer";
        refined_.art.positions.resize(5, 3);
        refined_.art.positions << coarse, 0.5 * (coarse.row(0) + coarse.row(2));
        refined_.art.triangles.resize(4, 3);
        refined_.art.triangles << 0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4;
        refined_.surface = std::make_shared<SimulationSurface>(SimulationSurface::of_mesh(refined_.art));
        Stencils rows;
        rows.base_count = 4;
        for (int v = 0; v < 4; ++v) {
            rows.indices.push_back(v);
            rows.weights.push_back(1.0);
            rows.offsets.push_back(v + 1);
        }
        rows.indices.insert(rows.indices.end(), {0, 2});
        rows.weights.insert(rows.weights.end(), {0.5, 0.5});
        rows.offsets.push_back(6);
        std::vector<SurfacePoint> corners;
        for (Eigen::Index c = 0; c < refined_.art.triangles.size(); ++c) {
            const int v = refined_.art.triangles.data()[c];
            corners.push_back(v < 4 ? point_at_vertex(ground.surface->topology(), v)
                                    : SurfacePoint{0, Vector3d(0.5, 0.0, 0.5)});
        }
        refined_.from_below =
            MeshMap::finer(rows, refined_.art.triangles, corners, [](const SurfacePoint& point) { return point; });
        auto mesh = std::make_shared<ArtMesh>();
        mesh->positions = refined_.art.positions;
        mesh->triangles = refined_.art.triangles;
        facts_.channels = {{"bump", "m"}};
        facts_.meshes = {{"copy", mesh}};
        facts_.lines = {{"edge", "curves", 2, {{0, 1}}}};
        facts_.changes_shape = true;
        facts_.refined = &refined_;
    }
    const LayerFacts& facts() const override { return facts_; }
    void advance(const LayerStep& step, MatrixX3d& surface, LayerFrame& frame) override {
        if (frame.plain != nullptr) {
            *frame.plain = refined(surface);
        }
        shape_at(step.to, step.sampling, surface);
        frame.channel(0) = {0, 0, 0, 0, 0.5};
        frame.mesh(0).positions = surface;
        frame.line(0) = surface.topRows(2);
    }
    void shape_at(double /*time*/, TimeSampling /*sampling*/, MatrixX3d& surface) override {
        surface = refined(surface);
        surface(4, 2) += 0.5;
    }

private:
    static MatrixX3d refined(const MatrixX3d& coarse) {
        MatrixX3d fine(5, 3);
        fine << coarse, 0.5 * (coarse.row(0) + coarse.row(2));
        return fine;
    }

    RefinedMesh refined_;
    LayerFacts facts_;
};

// Changes nothing, and writes down what it stands on half way through each step.
class Probe : public Layer {
public:
    Probe(int vertices, std::vector<double>& heights) : vertices_(vertices), heights_(heights) {
        facts_.has_memory = true;
    }
    const LayerFacts& facts() const override { return facts_; }
    void advance(const LayerStep& step, MatrixX3d& surface, LayerFrame& /*frame*/) override {
        EXPECT_EQ(surface.rows(), vertices_);
        MatrixX3d ground;
        step.ground->positions(step.to, step.sampling, ground);
        EXPECT_EQ(ground, surface);
        step.ground->positions(0.5 * (step.from + step.to), step.sampling, ground);
        heights_.push_back(ground(0, 2));
    }

private:
    int vertices_;
    std::vector<double>& heights_;
    LayerFacts facts_;
};

template <class Make>
class Plan : public LayerPlan {
public:
    explicit Plan(Make make) : make_(make) {}
    Options options() override { return {}; }
    std::unique_ptr<Layer> prepare(const LayerInput& ground, const LayerMeshes& /*meshes*/) const override {
        return make_(ground);
    }

private:
    Make make_;
};

template <class Make>
LayerKind kind(const char* name, Make make) {
    return {name, "", [make] { return std::make_unique<Plan<Make>>(make); }};
}

class BodyTape : public FrameSink {
public:
    explicit BodyTape(std::vector<Frame>& frames, ArtMesh& mesh, BakeInfo& info)
        : frames_(frames), mesh_(mesh), info_(info) {}
    bool wants_body_positions() const override { return true; }
    void begin(const BakeInfo& info) override {
        mesh_ = info.shown();
        info_ = info;
    }
    void write(const Frame& frame) override { frames_.push_back(frame); }
    std::vector<OutputFile> finish() override { return {}; }

private:
    std::vector<Frame>& frames_;
    ArtMesh& mesh_;
    BakeInfo& info_;
};

struct TestBake {
    std::vector<Frame> frames;
    ArtMesh mesh;
    BakeInfo info;
    std::vector<double> heights;

    explicit TestBake(const std::vector<std::string>& layers, int probe_vertices) {
        const std::vector<LayerKind> kinds = {
            kind("rise", [](const LayerInput&) { return std::make_unique<Rise>(); }),
            kind("finer", [](const LayerInput& g) { return std::make_unique<Finer>(g); }),
            kind("probe", [&](const LayerInput&) { return std::make_unique<Probe>(probe_vertices, heights); })};
        Scene scene;
        scene.fps = 10.0;
        for (const std::string& name : layers) {
            scene.layers.push_back({name, {}, 0, 0});
        }
        std::vector<std::unique_ptr<FrameSink>> sinks;
        sinks.push_back(std::make_unique<BodyTape>(frames, mesh, info));
        const Workers workers(1);
        bake(test::sliding_square(0.3), scene, sinks, {&workers, {}, &kinds});
    }
};

TEST(LayerStack, a_layer_sees_earlier_shapes_at_sub_step_times) {
    const TestBake run({"rise", "probe"}, 4);
    ASSERT_EQ(run.heights.size(), 4u);
    EXPECT_NEAR(run.heights[0], 0.3, 1e-15);  // the first step has no length
    EXPECT_NEAR(run.heights[2], 0.3 + 0.15, 1e-15);
}

TEST(LayerStack, a_refining_layer_changes_the_mesh_of_frames_channels_and_later_layers) {
    const TestBake run({"rise", "finer", "probe"}, 5);
    EXPECT_EQ(run.mesh.name, "finer");
    ASSERT_EQ(run.frames.size(), 4u);
    for (const Frame& frame : run.frames) {
        ASSERT_EQ(frame.body().positions.rows(), 5);
        ASSERT_EQ(frame.body().plain_positions.rows(), 5);
        EXPECT_NEAR(frame.body().positions(4, 2), 0.3 + frame.time + 0.5, 1e-15);
        EXPECT_NEAR(frame.body().plain_positions(4, 2), 0.3, 1e-15);
        EXPECT_EQ(*run.info.channel(frame, "rise"), std::vector<double>(5, frame.time));
        EXPECT_EQ(run.info.channel(frame, "bump")->size(), 5u);
    }
}

TEST(LayerStack, details_and_lines_of_a_layer_reach_the_frame) {
    const TestBake run({"finer"}, 0);
    ASSERT_EQ(run.info.meshes.size(), 2u);
    EXPECT_EQ(run.info.meshes[1].name, "copy");
    ASSERT_EQ(run.info.lines.size(), 1u);
    for (const Frame& frame : run.frames) {
        ASSERT_EQ(frame.meshes.size(), 2u);
        EXPECT_EQ(frame.meshes[1].positions, frame.body().positions);
        ASSERT_EQ(frame.lines.size(), 1u);
        EXPECT_EQ(frame.lines[0].rows(), 2);
    }
}

TEST(LayerStack, a_second_layer_of_a_kind_announces_its_own_channels_and_numbers) {
    const TestBake run({"rise", "finer", "rise", "probe"}, 5);
    ASSERT_EQ(run.info.layers.size(), 4u);
    EXPECT_EQ(run.info.layers[0].name, "rise");
    EXPECT_EQ(run.info.layers[2].name, "rise 2");
    for (const Frame& frame : run.frames) {
        // The first is carried to the finer mesh (5 vertices), the second, above it, is left alone.
        EXPECT_EQ(*run.info.channel(frame, "rise"), std::vector<double>(5, frame.time));
        EXPECT_EQ(*run.info.channel(frame, "rise 2"), std::vector<double>(6, frame.time));
        EXPECT_EQ(*run.info.number(frame, "height (m)"), frame.time);
        EXPECT_EQ(*run.info.number(frame, "height 2 (m)"), frame.time);
    }
}

TEST(LayerStack, a_layer_with_a_name_of_its_own_puts_it_behind_its_channels) {
    BakeInfo info;
    info.meshes.resize(1);
    LayerFacts facts;
    facts.name = "belly";
    facts.channels = {{"height", "m"}};
    facts.numbers = {{"height", "m"}};
    info.add_layer("shell", facts);
    EXPECT_EQ(info.add_layer("shell", facts).name, "shell belly");
    EXPECT_EQ(info.meshes[0].channels[1].name, "height belly");
    EXPECT_EQ(info.numbers[1].label(), "height belly (m)");
    EXPECT_THROW(info.add_layer("shell", facts), InvalidInput);  // a third of the same name
    EXPECT_THROW(info.add_layer("fold", facts), InvalidInput);   // another kind, the same channel
}

TEST(LayerStack, two_details_of_one_name_are_refused) {
    EXPECT_THROW(TestBake({"finer", "finer"}, 0), InvalidInput);
}

class Regions : public testing::Test {
protected:
    Regions() : body_(make()), surface_(SimulationSurface::repaired(body_, {})) {
        ground_ = {&body_, &surface_, &body_.mesh(), &body_.source().rig.weights, 30.0};
    }

    static Body make() {
        Body::Source source;
        source.mesh = test::split_square();
        source.mesh.parts = {{"lower", "skin", 0, 1, 0, 3}, {"shirt/upper", "", 1, 1, 3, 3}};
        source.mesh.painted["soft"] = VectorXd::LinSpaced(6, 0.0, 1.0);
        source.motion = std::make_shared<test::SlidingMotion>(source.mesh.positions, 1.0);
        auto character = std::make_shared<Character>();
        character->skeleton.nodes.resize(3);
        character->skeleton.nodes[0].name = "root";
        character->skeleton.nodes[1].name = "arm";
        character->skeleton.nodes[1].parent = 0;
        character->skeleton.nodes[2].name = "hand";
        character->skeleton.nodes[2].parent = 1;
        source.character = character;
        source.rig.node = {0, 1, 2};
        source.rig.inverse_bind.assign(3, Eigen::Affine3d::Identity());
        source.rig.weights.influences = 2;
        source.rig.weights.joints = {0, 1, 1, 2, 2, 0, 0, 1, 2, 0, 0, 2};
        source.rig.weights.weights = {0.75, 0.25, 0.5, 0.5, 1, 0, 0.75, 0.25, 1, 0, 1, 0};
        return Body(std::move(source), {});
    }

    VectorXd at(const Region& region) const { return region_values(ground_, region); }
    static Region box(const std::vector<double>& numbers) {
        Region region;
        region.box = numbers;
        return region;
    }
    static VectorXd four(double a, double b, double c, double d) { return Eigen::Vector4d(a, b, c, d); }

    Body body_;
    SimulationSurface surface_;
    LayerInput ground_;
};

TEST_F(Regions, name_places_by_joint_part_paint_box_and_boundary) {
    EXPECT_EQ(at("all"), four(1, 1, 1, 1));
    EXPECT_EQ(at("boundary"), four(1, 1, 1, 1));
    EXPECT_EQ(at("joint:arm"), four(0.25, 0.5, 0, 0));
    EXPECT_EQ(at("joints:arm"), four(0.25, 1, 1, 0));
    EXPECT_EQ(at("part:lower"), four(1, 1, 1, 0));
    EXPECT_EQ(at("part:skin"), four(1, 1, 1, 0));
    EXPECT_EQ(at("part:shirt/upper"), four(1, 0, 1, 1));
    EXPECT_EQ(at("not part:shirt"), four(0, 1, 0, 0));
    EXPECT_EQ(at("mesh:shirt"), four(1, 0, 1, 1));
    EXPECT_EQ(at("material:skin"), four(1, 1, 1, 0));
    EXPECT_EQ(at("island:1"), four(1, 1, 1, 1));
    EXPECT_EQ(at(box({-1, -1, -1, 0.5, 0.5, 1})), four(1, 0, 0, 0));
    EXPECT_LT((at("painted:soft") - four(0, 0.2, 0.4, 1)).norm(), 1e-15);
    EXPECT_EQ(region_vertices(ground_, std::vector<Region>{"joint:arm", box({0, 0.5, 0, 0.5, 1, 1})}),
              (std::vector<int>{1, 3}));
}

TEST_F(Regions, are_put_together_as_unions_intersections_and_differences) {
    Region ball;
    ball.sphere = {0.1, 0.0, 0.3, 1.05};  // all but the far corner, at a distance of sqrt(2)
    EXPECT_EQ(at(ball), four(1, 1, 0, 1));
    ball.is_outside = true;
    EXPECT_EQ(at(ball), four(0, 0, 1, 0));
    Region both;
    both.all = {"joints:arm", "part:lower"};
    EXPECT_EQ(at(both), four(0.25, 1, 1, 0));
    both.except = {"joint:arm"};
    EXPECT_EQ(at(both), four(0.25, 0.5, 1, 0));
    Region any;
    any.any = {"joint:arm", box({0, 0.5, 0, 0.5, 1, 1})};
    EXPECT_EQ(at(any), four(0.25, 0.5, 0, 1));
    any.is_outside = true;
    EXPECT_EQ(at(any), four(0.75, 0.5, 1, 0));
}

TEST_F(Regions, that_do_not_exist_are_refused_with_what_there_is) {
    for (const auto& [region, part] :
         std::vector<std::pair<std::string, std::string>>{{"joint:amr", "did you mean \"arm\""},
                                                          {"painted:x", "soft"},
                                                          {"part:middle", "lower"},
                                                          {"mesh:skin", "there is lower and shirt"},
                                                          {"material:lower", "skin"},
                                                          {"island:2", "island:1 (the largest) to island:1"},
                                                          {"island:x", "found \"x\""},
                                                          {"everywhere", "all, boundary"}}) {
        try {
            at(region);
            FAIL() << region << " accepted";
        } catch (const InvalidInput& error) {
            EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
        }
    }
}

TEST_F(Regions, a_painted_option_is_constant_painted_or_mixed_and_keeps_its_range) {
    Painted number = 3.0;
    Range range = {0.0, 5.0};
    const auto look_up = [&] { look_up_regions(ground_, {{.name = "x", .field = &number, .range = range}}, "test"); };
    look_up();
    EXPECT_FALSE(number.is_painted());
    number.mask = "joint:arm";
    look_up();
    EXPECT_EQ(number.per_vertex, four(0.25, 0.5, 0, 0));
    number.inside = 4.0;
    number.outside = 2.0;
    look_up();
    EXPECT_EQ(number.per_vertex, four(2.5, 3, 2, 2));
    range.highest = 2.9;
    EXPECT_THROW(look_up(), InvalidInput);
}

}  // namespace
}  // namespace cutis

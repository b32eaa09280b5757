#include <map>

#include "cutis/actors/actors.h"
#include "cutis/core/error.h"
#include "cutis/io/scene_read.h"
#include "cutis/stack/bake.h"
#include "cutis/stack/layer_stack.h"
#include "support/expect_error.h"

namespace cutis {
namespace {

using test::expect_error;

class FoldTape final : public FrameSink {
public:
    explicit FoldTape(std::vector<Frame>& frames) : frames_(frames) {}
    bool wants_body_positions() const override { return true; }
    void begin(const BakeInfo& info) override {
        triangles = info.shown().triangles;
        vertices = info.shown().positions.rows();
        has_uv = info.shown().uv.rows() > 0;
        shown = info.shown();
        announced = info;
    }
    void write(const Frame& frame) override { frames_.push_back(frame); }
    std::vector<OutputFile> finish() override { return {}; }

    static inline MatrixX3i triangles;
    static inline Eigen::Index vertices = 0;
    static inline bool has_uv = false;
    static inline BakeInfo announced;
    static inline ArtMesh shown;

private:
    std::vector<Frame>& frames_;
};

std::vector<Frame> baked(const std::string& keys, int first, int last, int threads = 1,
                         const Character& character = load_actor("arm")) {
    BodyOptions options;
    options.clip = "bend";
    const Body body = make_body(std::make_shared<Character>(character), options);
    Scene scene = parse_scene("[body]\nactor = \"arm\"\nclip = \"bend\"\n[[layer]]\nkind = \"fold\"\n" + keys, "test");
    scene.first_frame = first;
    scene.last_frame = last;
    std::vector<Frame> frames;
    std::vector<std::unique_ptr<FrameSink>> sinks;
    sinks.push_back(std::make_unique<FoldTape>(frames));
    const Workers workers(threads);
    BakeControls controls;
    controls.workers = &workers;
    bake(body, scene, sinks, controls);
    return frames;
}

/// Lines that the folds of the dancer's leotard are measured by, and vertices they are shown on.
std::map<std::string, double> numbers_of_leotard(const std::string& keys) {
    BodyOptions options;
    options.mesh = "leotard";
    options.clip = "arabesque";
    const Body body = make_body(std::make_shared<Character>(load_actor("dancer")), options);
    const Scene scene = parse_scene(
        "[body]\nactor = \"dancer\"\n[[layer]]\nkind = \"fold\"\nwidth = 0.05\nmost_vertices = 12000\n" + keys, "test");
    const Workers workers(1);
    LayerStack stack(body, {.sampling = TimeSampling::smooth, .look_ahead = 0}, workers);
    return plan_layer(scene.layers.front(), "test")->prepare(stack.ground(), {})->report().numbers;
}

TEST(FoldLayer, laid_out_for_the_clip_alone_it_measures_only_what_that_clip_squeezes) {
    const double all = numbers_of_leotard("").at("lines");
    const double clips = numbers_of_leotard("random_poses = 0\n").at("lines");
    const double clip = numbers_of_leotard("poses = \"clip\"\n").at("lines");
    EXPECT_GT(clip, 500.0);
    EXPECT_LT(clip, 0.9 * clips);  // her other clips
    EXPECT_LT(clips, 0.9 * all);   // random poses
}

TEST(FoldLayer, a_width_too_narrow_is_refused_before_layers_are_prepared) {
    expect_error<InvalidInput>([] { baked("width = 0.0011\nmost_levels = 2\n", 1, 1); },
                               {"test:5:1: [[layer]] fold: width: "});
}

TEST(FoldLayer, bakes_folds_on_a_refined_mesh_with_channels) {
    const std::vector<Frame> frames = baked("width = 0.02\n", 20, 21);
    ASSERT_EQ(frames.size(), 2u);
    const Frame& frame = frames.back();
    EXPECT_EQ(frame.body().positions.rows(), FoldTape::vertices);
    EXPECT_EQ(frame.body().plain_positions.rows(), FoldTape::vertices);
    EXPECT_TRUE(FoldTape::has_uv);
    EXPECT_LT(FoldTape::triangles.maxCoeff(), FoldTape::vertices);
    const std::vector<double>* height = FoldTape::announced.channel(frame, "fold height");
    ASSERT_NE(height, nullptr);
    EXPECT_EQ(height->size(), static_cast<size_t>(FoldTape::vertices));
    EXPECT_GT(*std::max_element(height->begin(), height->end()), 0.001);
    for (const char* name : {"fold compression", "fold share", "fold weight"}) {
        const std::vector<double>* values = FoldTape::announced.channel(frame, name);
        ASSERT_NE(values, nullptr) << name;
        EXPECT_LE(*std::max_element(values->begin(), values->end()), 1.0 + 1e-12) << name;
    }
    // Where nothing folds the surface is the plain one.
    int still = 0;
    for (Eigen::Index v = 0; v < FoldTape::vertices; ++v) {
        still += frame.body().positions.row(v) == frame.body().plain_positions.row(v) ? 1 : 0;
    }
    EXPECT_GT(still, FoldTape::vertices / 4);
}

TEST(FoldLayer, further_sets_of_uvs_lie_on_the_refined_mesh_and_keep_seams_of_their_own) {
    // A second set that is an affine map of the first, but jumps by 10 between two triangles that the first joins.
    Character character = load_actor("arm");
    ArtMesh& mesh = character.meshes.front().mesh;
    const Eigen::Index entries = mesh.uv.rows();
    const Eigen::Index half = mesh.triangles.rows() / 2;
    const MatrixX2d once = mesh.uv;
    mesh.uv.resize(2 * entries, 2);
    mesh.uv << once, once;
    mesh.uv_triangles.bottomRows(mesh.triangles.rows() - half).array() += static_cast<int>(entries);
    const auto second = [](const Eigen::RowVector2d& uv) {
        return Eigen::RowVector2d(0.5 * uv.y() + 0.1, 0.25 * uv.x());
    };
    mesh.more_uv.resize(1);
    mesh.more_uv[0].resize(2 * entries, 2);
    for (Eigen::Index i = 0; i < 2 * entries; ++i) {
        mesh.more_uv[0].row(i) = second(mesh.uv.row(i)).array() + (i < entries ? 0.0 : 10.0);
    }
    baked("width = 0.02\n", 20, 20, 1, character);
    const ArtMesh& shown = FoldTape::shown;
    ASSERT_EQ(shown.more_uv.size(), 1U);
    ASSERT_EQ(shown.more_uv[0].rows(), shown.uv.rows());
    int jumped = 0;
    for (Eigen::Index f = 0; f < shown.triangles.rows(); ++f) {
        const double jump = shown.more_uv[0](shown.uv_triangles(f, 0), 0) > 5.0 ? 10.0 : 0.0;
        jumped += jump > 0.0 ? 1 : 0;
        for (int k = 0; k < 3; ++k) {
            const int entry = shown.uv_triangles(f, k);
            const Eigen::RowVector2d expected = second(shown.uv.row(entry)).array() + jump;
            ASSERT_LT((shown.more_uv[0].row(entry) - expected).norm(), 1e-9) << f;
        }
    }
    EXPECT_GT(jumped, 0);
    EXPECT_LT(jumped, shown.triangles.rows());
}

TEST(FoldLayer, a_frame_alone_is_the_same_as_in_a_row) {
    const std::vector<Frame> row = baked("width = 0.03\n", 18, 20);
    const std::vector<Frame> alone = baked("width = 0.03\n", 20, 20, 2);
    EXPECT_EQ(alone[0].body().positions, row[2].body().positions);
}

TEST(FoldLayer, bad_keys_are_refused_with_what_is_wrong) {
    expect_error<InvalidInput>([] { baked("width = 0\n", 1, 1); }, {"width"});
    expect_error<InvalidInput>([] { baked("place = \"field\"\n", 1, 1); }, {"place", "layout"});
    expect_error<InvalidInput>([] { baked("layout = \"paper\"\nchain = [{ vertices = [1, \"x\"] }]\n", 1, 1); },
                               {"chain vertices", "whole number"});
    expect_error<InvalidInput>([] { baked("layout = \"paper\"\njoints = [\"tail\"]\n", 1, 1); }, {"tail"});
    expect_error<InvalidInput>([] { baked("profile = \"custom\"\nprofile_heights = [0, -1, 0]\n", 1, 1); },
                               {"profile_heights", "from 0", "-1"});
    expect_error<InvalidInput>([] { baked("layout = \"paper\"\nchain = [{ vertices = [0, 1, 200] }]\n", 1, 1); },
                               {"chain", "1 and 200"});
}

TEST(FoldLayer, settings_without_effect_are_refused) {
    expect_error<InvalidInput>([] { baked("curve = [{ profile = \"flat\" }]\n", 1, 1); }, {"curve", "paper"});
    expect_error<InvalidInput>([] { baked("joints = [\"elbow\"]\n", 1, 1); }, {"joints", "paper"});
    expect_error<InvalidInput>([] { baked("poses = \"clip\"\nrandom_poses = 5\n", 1, 1); }, {"random_poses", "all"});
    expect_error<InvalidInput>([] { baked("profile_heights = [0, 1, 0]\n", 1, 1); }, {"profile_heights", "custom"});
    expect_error<InvalidInput>([] { baked("layout = \"paper\"\nwhere = [\"boundary\"]\n", 1, 1); },
                               {"where", "stripes"});
}

TEST(FoldLayer, the_papers_curves_take_profiles_in_turn) {
    const std::string curve = "layout = \"paper\"\nwidth = 0.02\n";
    const std::vector<Frame> blob = baked(curve, 30, 30);
    const std::vector<Frame> own =
        baked(curve + "profile_heights = [0, 0.2, 1, 0.2, 0]\ncurve = [{ profile = \"custom\" }]\n", 30, 30);
    ASSERT_EQ(own.size(), 1u);
    EXPECT_NE(own[0].body().positions, blob[0].body().positions);
    expect_error<InvalidInput>([&] { baked(curve + "curve = [{ profile = \"blobb\" }]\n", 30, 30); },
                               {"blobb", "flat"});
}

}  // namespace
}  // namespace cutis

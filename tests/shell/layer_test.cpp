// The shell as a layer of a bake.

#include "cutis/body/actors.h"
#include "cutis/core/error.h"
#include "cutis/io/scene_read.h"
#include "cutis/mesh/geometry.h"
#include "cutis/stack/bake.h"
#include "support/expect_error.h"

namespace cutis {
namespace {

using test::expect_error;

/// Keeps what the layer writes.
class Keeper final : public FrameSink {
public:
    explicit Keeper(std::vector<Frame>& frames, BakeInfo& info) : frames_(frames), info_(info) {}
    void begin(const BakeInfo& info) override { info_ = info; }
    void write(const Frame& frame) override { frames_.push_back(frame); }
    std::vector<OutputFile> finish() override { return {}; }

private:
    std::vector<Frame>& frames_;
    BakeInfo& info_;
};

struct Baked {
    std::vector<Frame> frames;
    BakeInfo info;
    BakeReport report;
};

Baked baked(const std::string& body, const std::string& layer, int threads = 1) {
    Scene scene = parse_scene("[body]\n" + body + "\n[[layer]]\nkind = \"shell\"\n" + layer +
                                  "\n[output]\nlast_frame = 8\n",
                              "test");
    const Body moving = load_body(scene);
    const Workers workers(threads);
    Baked out;
    std::vector<std::unique_ptr<FrameSink>> sinks;
    sinks.push_back(std::make_unique<Keeper>(out.frames, out.info));
    BakeControls controls;
    controls.workers = &workers;
    out.report = bake(moving, scene, sinks, controls);
    return out;
}

const char* torus = "actor = \"torus\"\nclip = \"shake\"";

TEST(ShellLayer, brings_its_detail_as_a_mesh_with_channels) {
    const Baked bake = baked(torus, "detail = \"spike\"\nsize = 0.06\n");
    ASSERT_EQ(bake.info.details.size(), 1u);
    const ArtMesh& mesh = *bake.info.details[0].mesh;
    EXPECT_EQ(bake.info.details[0].name, "spike");
    ASSERT_EQ(bake.frames.size(), 8u);
    double largest = 0.0;
    for (const Frame& frame : bake.frames) {
        ASSERT_EQ(frame.details.size(), 1u);
        EXPECT_EQ(frame.details[0].positions.rows(), mesh.positions.rows());
        EXPECT_TRUE(frame.details[0].positions.allFinite());
        const ChannelData& amplitude = frame.details[0].channels.at("amplitude");
        EXPECT_EQ(static_cast<Eigen::Index>(amplitude.values.size()), mesh.positions.rows());
        EXPECT_EQ(frame.details[0].channels.count("volume_ratio"), 1u);
        for (const double value : amplitude.values) {
            largest = std::max(largest, value);
        }
    }
    EXPECT_GT(largest, 1e-4);
    EXPECT_FALSE(bake.info.shape_changed);
    // The first frame is the rest of the oscillators: detail stands where the mesh was made.
    EXPECT_LT((bake.frames[0].details[0].positions - mesh.positions).cwiseAbs().maxCoeff(), 1e-5);
}

TEST(ShellLayer, gives_the_same_bits_on_two_threads) {
    const std::string layer = "detail = \"scale\"\nsize = 0.08\nsubsteps = 3\n";
    const Baked one = baked(torus, layer, 1);
    const Baked two = baked(torus, layer, 2);
    ASSERT_EQ(one.frames.size(), two.frames.size());
    for (size_t i = 0; i < one.frames.size(); ++i) {
        EXPECT_EQ(one.frames[i].details[0].positions, two.frames[i].details[0].positions);
    }
}

TEST(ShellLayer, handles_drag_detail_and_body) {
    const std::string keys =
        "detail = \"spike\"\nsize = 0.08\n"
        "handles = [\"tip 0.05 grab 0.35 0.0 0.2\", \"tip 0.15 by 0 0 0.1\", \"tip 5 release\"]\n";
    const Baked shell_only = baked(torus, keys);
    EXPECT_FALSE(shell_only.info.shape_changed);
    const Baked both = baked(torus, keys + "base_stiffness = 20\nreach = 0.2\n");
    EXPECT_TRUE(both.info.shape_changed);
    const Baked none = baked(torus, "detail = \"spike\"\nsize = 0.08\n");
    const auto moved = [&](const Baked& a) {
        return (a.frames.back().positions - none.frames.back().positions)
            .rowwise()
            .norm()
            .maxCoeff();
    };
    EXPECT_EQ(moved(shell_only), 0.0);
    EXPECT_GT(moved(both), 0.03);
    EXPECT_GT(
        (shell_only.frames.back().details[0].positions - none.frames.back().details[0].positions)
            .rowwise()
            .norm()
            .maxCoeff(),
        0.003);
}

TEST(ShellLayer, painted_material_and_tiles_work_on_an_actor) {
    const Baked bake = baked("actor = \"cylinder\"\nclip = \"twist\"",
                             "detail = \"straps\"\nplace = \"tiles\"\ntiles_u = 6\ntiles_v = 6\n"
                             "frequency = [\"box:-1,-1,-1,0,1,1\", 3, 9]\n"
                             "damping = [\"box:-1,-1,-1,0,1,1\", 0.05, 0.5]\nlimiter = \"soft\"\n");
    EXPECT_TRUE(bake.frames.back().details[0].positions.allFinite());
}

TEST(ShellLayer, what_does_not_fit_is_refused_by_name) {
    expect_error<InvalidInput>([] { baked(torus, "handles = [\"tip 0.5 pull 1 2 3\"]\n"); },
                               {"NAME SECONDS grab", "tip 0.5 pull"});
    expect_error<InvalidInput>([] { baked(torus, "handles = [\"tip 0.5 grab 1 2 3\"]\n"); },
                               {"'tip'", "release"});
    expect_error<InvalidInput>([] { baked(torus, "place = \"around\"\n"); }, {"mesh"});
    expect_error<InvalidInput>([] { baked(torus, "axes = [1, 2]\n"); }, {"six numbers"});
    expect_error<InvalidInput>([] { baked(torus, "poisson = 0.7\n"); }, {"poisson"});
    expect_error<InvalidInput>([] { baked(torus, "detail = \"scalez\"\n"); }, {"scale"});
}

}  // namespace
}  // namespace cutis

// The shell as a layer of a bake.

#include <Eigen/Geometry>
#include <algorithm>
#include <fstream>
#include <iterator>

#include "cutis/actors/actors.h"
#include "cutis/core/error.h"
#include "cutis/io/formats.h"
#include "cutis/io/gltf_read.h"
#include "cutis/io/scene_read.h"
#include "cutis/mesh/geometry.h"
#include "cutis/stack/bake.h"
#include "mesh/ray_triangle.h"
#include "support/data.h"
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
    Scene scene = parse_scene(
        "[body]\n" + body + "\n[[layer]]\nkind = \"shell\"\n" + layer + "\n[output]\nlast_frame = 8\n", "test");
    const Body moving = load_body(scene, {}, load_actor);
    const Workers workers(threads);
    Baked out;
    std::vector<std::unique_ptr<FrameSink>> sinks;
    sinks.push_back(std::make_unique<Keeper>(out.frames, out.info));
    BakeControls controls;
    controls.workers = &workers;
    out.report = bake(moving, scene, sinks, controls);
    return out;
}

const char* shaken_torus = "actor = \"torus\"\nclip = \"shake\"";

TEST(ShellLayer, brings_its_detail_as_a_mesh_with_channels) {
    const Baked bake = baked(shaken_torus, "detail = \"spike\"\nsize = 0.06\n");
    ASSERT_EQ(bake.info.meshes.size(), 2u);
    const ArtMesh& mesh = *bake.info.meshes[1].art;
    EXPECT_EQ(bake.info.meshes[1].name, "spike");
    ASSERT_EQ(bake.frames.size(), 8u);
    double largest = 0.0;
    for (const Frame& frame : bake.frames) {
        ASSERT_EQ(frame.meshes.size(), 2u);
        EXPECT_EQ(frame.meshes[1].positions.rows(), mesh.positions.rows());
        EXPECT_TRUE(frame.meshes[1].positions.allFinite());
        const std::vector<double>& amplitude = *bake.info.channel(frame, "amplitude", 1);
        EXPECT_EQ(static_cast<Eigen::Index>(amplitude.size()), mesh.positions.rows());
        EXPECT_NE(bake.info.channel(frame, "volume_ratio", 1), nullptr);
        for (const double value : amplitude) {
            largest = std::max(largest, value);
        }
    }
    EXPECT_GT(largest, 1e-4);
    EXPECT_FALSE(bake.info.meshes.front().shape_changed);
    // The first frame is the rest of the oscillators: detail stands where the mesh was made.
    EXPECT_LT((bake.frames[0].meshes[1].positions - mesh.positions).cwiseAbs().maxCoeff(), 1e-5);
}

/// Copies of the detail in which an edge goes through a triangle without touching its corners.
int cut_pieces(const MatrixX3d& positions, const MatrixX3i& triangles, int piece_triangles) {
    int cut = 0;
    struct Box {
        double low[3], high[3];
    };
    std::vector<Box> boxes(static_cast<size_t>(triangles.rows()));
    for (Eigen::Index f = 0; f < triangles.rows(); ++f) {
        for (int c = 0; c < 3; ++c) {
            const auto [low, high] = std::minmax(
                {positions(triangles(f, 0), c), positions(triangles(f, 1), c), positions(triangles(f, 2), c)});
            boxes[static_cast<size_t>(f)].low[c] = low;
            boxes[static_cast<size_t>(f)].high[c] = high;
        }
    }
    const auto are_apart = [](const Box& a, const Box& b) {
        return a.low[0] > b.high[0] || b.low[0] > a.high[0] || a.low[1] > b.high[1] || b.low[1] > a.high[1] ||
               a.low[2] > b.high[2] || b.low[2] > a.high[2];
    };
    for (Eigen::Index first = 0; first < triangles.rows(); first += piece_triangles) {
        bool is_cut = false;
        for (int a = 0; a < piece_triangles && !is_cut; ++a) {
            for (int b = 0; b < piece_triangles && !is_cut; ++b) {
                if (are_apart(boxes[static_cast<size_t>(first + a)], boxes[static_cast<size_t>(first + b)])) {
                    continue;
                }
                const auto t = triangles.row(first + a);
                const auto u = triangles.row(first + b);
                if ((t.array() == u[0]).any() || (t.array() == u[1]).any() || (t.array() == u[2]).any()) {
                    continue;
                }
                for (int k = 0; k < 3; ++k) {
                    const Vector3d from = positions.row(t[k]);
                    const Vector3d along = positions.row(t[(k + 1) % 3]).transpose() - from;
                    const auto hit =
                        hit_triangle(from, along, positions.row(u[0]), positions.row(u[1]), positions.row(u[2]));
                    // Triangles may touch, and an edge may lie in the plane of one.
                    constexpr double margin = 1e-4;
                    const Vector3d corner = positions.row(u[0]);
                    const Vector3d normal = (positions.row(u[1]).transpose() - corner)
                                                .cross(positions.row(u[2]).transpose() - corner)
                                                .normalized();
                    if (std::abs(normal.dot(along)) < 1e-9 * along.norm()) {
                        continue;
                    }
                    is_cut = is_cut || (hit && hit->distance > margin && hit->distance < 1.0 - margin &&
                                        hit->u > margin && hit->v > margin && hit->u + hit->v < 1.0 - margin);
                }
            }
        }
        cut += is_cut ? 1 : 0;
    }
    return cut;
}

TEST(ShellLayer, no_scale_cuts_through_itself_at_defaults_on_a_coarse_or_a_moving_body) {
    std::vector<std::string> bodies = {"actor = \"cylinder\"\nclip = \"twist\""};
    if (const auto trex = test::data_folder() / "quaternius/Trex.glb"; std::filesystem::exists(trex)) {
        bodies.push_back("file = \"" + trex.string() + "\"");
    }
    int bent_cuts = 0;
    for (const std::string& body : bodies) {
        const Baked bake = baked(body, "detail = \"scale\"\n");
        const ArtMesh& detail = *bake.info.meshes[1].art;
        const int pieces = static_cast<int>(bake.report.layers[0].numbers.at("detail pieces"));
        const int triangles = static_cast<int>(detail.triangles.rows()) / pieces;
        EXPECT_EQ(cut_pieces(detail.positions, detail.triangles, triangles), 0) << body;
        EXPECT_EQ(cut_pieces(bake.frames.back().meshes[1].positions, detail.triangles, triangles), 0) << body;
        const Baked bent = baked(body, "detail = \"scale\"\nbend = 1\n");
        bent_cuts += cut_pieces(bent.frames[0].meshes[1].positions, detail.triangles, triangles);
    }
    EXPECT_GT(bent_cuts, 0);  // the count can fail: what bends with a coarse body does cut itself
}

TEST(ShellLayer, gives_the_same_bits_on_two_threads) {
    const std::string layer = "detail = \"scale\"\nsize = 0.08\nsubsteps = 3\n";
    const Baked one = baked(shaken_torus, layer, 1);
    const Baked two = baked(shaken_torus, layer, 2);
    ASSERT_EQ(one.frames.size(), two.frames.size());
    for (size_t i = 0; i < one.frames.size(); ++i) {
        EXPECT_EQ(one.frames[i].meshes[1].positions, two.frames[i].meshes[1].positions);
    }
}

TEST(ShellLayer, handles_drag_detail_and_body) {
    const std::string keys =
        "detail = \"spike\"\nsize = 0.08\n"
        "handle = [{ at = [0.35, 0.0, 0.2], grab = 0.05, release = 5, "
        "moves = [{ time = 0.15, by = [0, 0, 0.1] }] }]\n";
    const Baked shell_only = baked(shaken_torus, keys);
    EXPECT_FALSE(shell_only.info.meshes.front().shape_changed);
    const Baked both = baked(shaken_torus, keys + "base_stiffness = 20\nreach = 0.2\n");
    EXPECT_TRUE(both.info.meshes.front().shape_changed);
    const Baked none = baked(shaken_torus, "detail = \"spike\"\nsize = 0.08\n");
    const auto moved = [&](const Baked& a) {
        return (a.frames.back().body().positions - none.frames.back().body().positions).rowwise().norm().maxCoeff();
    };
    EXPECT_EQ(moved(shell_only), 0.0);
    EXPECT_GT(moved(both), 0.03);
    EXPECT_GT((shell_only.frames.back().meshes[1].positions - none.frames.back().meshes[1].positions)
                  .rowwise()
                  .norm()
                  .maxCoeff(),
              0.003);
}

TEST(ShellLayer, painted_material_and_tiles_work_on_an_actor) {
    const Baked bake = baked("actor = \"cylinder\"\nclip = \"twist\"",
                             "detail = \"straps\"\nplace = \"tiles\"\ntiles_u = 6\ntiles_v = 6\n"
                             "frequency = [{ box = [-1, -1, -1, 0, 1, 1] }, 3, 9]\n"
                             "damping = [{ box = [-1, -1, -1, 0, 1, 1] }, 0.05, 0.5]\nlimiter = \"soft\"\n");
    EXPECT_TRUE(bake.frames.back().meshes[1].positions.allFinite());
}

TEST(ShellLayer, normals_of_the_detail_come_with_every_frame) {
    const Baked bake = baked(shaken_torus, "detail = \"spike\"\nsize = 0.06\n");
    const MeshFrame& detail = bake.frames.back().meshes[1];
    ASSERT_EQ(detail.normals.rows(), detail.positions.rows());
    EXPECT_LT((detail.normals.rowwise().norm().array() - 1.0).abs().maxCoeff(), 1e-12);
}

TEST(ShellLayer, rigid_copies_are_the_piece_sized_turned_and_moved) {
    const std::string layer = "detail = \"spike\"\nsize = 0.06\n";
    const Baked rigid = baked(shaken_torus, layer + "rigid = true\n");
    const Baked soft = baked(shaken_torus, layer);
    const DetailCopies& copies = *rigid.info.meshes[1].copies;
    const MatrixX3d& piece = copies.piece.positions;
    ASSERT_GT(copies.sizes.rows(), 10);
    EXPECT_EQ(soft.info.meshes[1].copies, nullptr);
    for (const Frame& frame : rigid.frames) {
        const MeshFrame& detail = frame.meshes[1];
        for (Eigen::Index p = 0; p < copies.sizes.rows(); ++p) {
            const auto q = detail.copy_rotations.row(p);
            EXPECT_NEAR(q.norm(), 1.0, 1e-12);
            const Eigen::Matrix3d turn = Eigen::Quaterniond(q[0], q[1], q[2], q[3]).toRotationMatrix();
            for (Eigen::Index i = 0; i < piece.rows(); ++i) {
                const Vector3d sized = piece.row(i).cwiseProduct(copies.sizes.row(p)).transpose();
                const Vector3d at = turn * sized + detail.copy_positions.row(p).transpose();
                EXPECT_LT((at.transpose() - detail.positions.row(p * piece.rows() + i)).norm(), 1e-12);
            }
        }
    }
    // A copy stands where the soft piece does, but for what bending it would have done.
    const double far =
        (rigid.frames.back().meshes[1].positions - soft.frames.back().meshes[1].positions).rowwise().norm().maxCoeff();
    EXPECT_LT(far, 0.5 * copies.sizes.maxCoeff());
    expect_error<InvalidInput>([] { baked(shaken_torus, "detail = \"straps\"\nplace = \"tiles\"\nrigid = true\n"); },
                               {"rigid", "scatter"});
}

TEST(ShellLayer, a_glb_of_rigid_copies_holds_one_piece_and_plays_every_copy) {
    const Baked kept = baked(shaken_torus, "detail = \"spike\"\nsize = 0.1\nrigid = true\n");
    const test::ScratchFolder folder;
    const std::vector<std::unique_ptr<FrameSink>> sinks = [&] {
        std::vector<std::unique_ptr<FrameSink>> list;
        list.push_back(make_sink("glb", folder.path(), "a"));
        list.push_back(make_sink("usda", folder.path(), "a"));
        return list;
    }();
    const Scene scene = parse_scene("[body]\n" + std::string(shaken_torus) +
                                        "\n[[layer]]\nkind = \"shell\"\ndetail = \"spike\"\nsize = 0.1\nrigid = true\n"
                                        "[output]\nlast_frame = 8\n",
                                    "test");
    const Workers workers(1);
    BakeControls controls;
    controls.workers = &workers;
    bake(load_body(scene, {}, load_actor), scene, sinks, controls);
    const auto back = std::make_shared<Character>(read_gltf(folder / "a.glb"));
    const DetailCopies& copies = *kept.info.meshes[1].copies;
    const Eigen::Index count = copies.piece.positions.rows();
    for (const Eigen::Index copy : {Eigen::Index{0}, copies.sizes.rows() - 1}) {
        BodyOptions options;
        options.mesh = "spike." + std::to_string(copy + 1);
        const Body played = make_body(back, options);
        for (const Frame& frame : kept.frames) {
            const MatrixX3d truth = frame.meshes[1].positions.middleRows(copy * count, count);
            MatrixX3d found;
            played.positions(frame.time, TimeSampling::exact, workers, found);
            EXPECT_LT((found.colwise().minCoeff() - truth.colwise().minCoeff()).norm(), 1e-5);
            EXPECT_LT((found.colwise().maxCoeff() - truth.colwise().maxCoeff()).norm(), 1e-5);
        }
    }
    std::ifstream text(folder / "a.usda");
    const std::string usda((std::istreambuf_iterator<char>(text)), std::istreambuf_iterator<char>());
    EXPECT_NE(usda.find("def PointInstancer \"spike\""), std::string::npos);
    EXPECT_NE(usda.find("rel prototypes = </a/spike/piece>"), std::string::npos);
    EXPECT_EQ(std::count(usda.begin(), usda.end(), '{'), std::count(usda.begin(), usda.end(), '}'));
}

/// Detail of a torus whose skin is drawn over it by a slide layer.
Baked on_skin(const std::string& output, const std::string& anchor, int threads = 1) {
    Scene scene =
        parse_scene("[body]\n" + std::string(shaken_torus) + "\n[[layer]]\nkind = \"slide\"\noutput = \"" + output +
                        "\"\ngravity = [0, -9.81, 0]\ntether = 200\nstickiness = 0.1\n"
                        "[[layer]]\nkind = \"shell\"\ndetail = \"spike\"\n"
                        "size = 0.06\nsubsteps = 2\nanchor = \"" +
                        anchor + "\"\n[output]\nlast_frame = 12\n",
                    "test");
    const Body moving = load_body(scene, {}, load_actor);
    const Workers workers(threads);
    Baked out;
    std::vector<std::unique_ptr<FrameSink>> sinks;
    sinks.push_back(std::make_unique<Keeper>(out.frames, out.info));
    BakeControls controls;
    controls.workers = &workers;
    out.report = bake(moving, scene, sinks, controls);
    return out;
}

TEST(ShellLayer, anchored_to_the_skin_detail_goes_where_the_material_went) {
    const Baked stays = on_skin("none", "surface");
    const Baked rides = on_skin("none", "skin");
    const Baked carried = on_skin("vertices", "skin");
    const auto slid = [&](const Baked& a) {
        const MatrixX3d move = a.frames.back().meshes[1].positions - stays.frames.back().meshes[1].positions;
        return move.rowwise().norm().mean();
    };
    ASSERT_GT(slid(carried), 1e-4);  // the skin does slide
    // Walking over the surface, or standing on vertices that moved: the same way, to what the
    // pieces' own swinging and the bend of the surface make of it.
    const double apart =
        (rides.frames.back().meshes[1].positions - carried.frames.back().meshes[1].positions).rowwise().norm().mean();
    EXPECT_LT(apart, 0.35 * slid(carried));
    EXPECT_NEAR(slid(rides), slid(carried), 0.35 * slid(carried));
}

TEST(ShellLayer, riding_on_skin_gives_the_same_bits_on_two_threads) {
    const Baked one = on_skin("none", "skin", 1);
    const Baked two = on_skin("none", "skin", 2);
    EXPECT_EQ(one.frames.back().meshes[1].positions, two.frames.back().meshes[1].positions);
}

TEST(ShellLayer, what_does_not_fit_is_refused_by_name) {
    expect_error<InvalidInput>([] { baked(shaken_torus, "handle = [\"tip 0.5 pull 1 2 3\"]\n"); },
                               {"at = ..., grab = ...", "tip 0.5 pull"});
    expect_error<InvalidInput>(
        [] { baked(shaken_torus, "handle = [{ name = \"tip\", grab = 0.5, release = 0.2 }]\n"); },
        {"\"tip\"", "release", "0.2 s after 0.5 s"});
    expect_error<InvalidInput>([] { baked(shaken_torus, "place = \"around\"\n"); }, {"mesh"});
    expect_error<InvalidInput>([] { baked(shaken_torus, "anchor = \"skin\"\n"); }, {"slide layer"});
    expect_error<InvalidInput>([] { baked(shaken_torus, "axes = [1, 2]\n"); }, {"six numbers"});
    expect_error<InvalidInput>([] { baked(shaken_torus, "poisson = 0.7\n"); }, {"poisson"});
    expect_error<InvalidInput>([] { baked(shaken_torus, "detail = \"scalez\"\n"); }, {"scale"});
}

}  // namespace
}  // namespace cutis

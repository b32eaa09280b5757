// A good file, damaged in twenty ways that real files are: each still bakes and says what was done.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "cutis/io/gltf_read.h"
#include "cutis/io/scene_read.h"
#include "cutis/stack/bake.h"
#include "support/glb_builder.h"

namespace cutis {
namespace {

using test::GlbBuilder;

constexpr int rings = 9;
constexpr int around = 8;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// A closed-sided tube of two joints that bends in the middle, as numbers that can be damaged.
struct Tube {
    std::vector<double> positions, colours, weights, joints, binds, indices;
    std::function<void(GlbBuilder&)> bend = [](GlbBuilder&) {};
    std::function<void(test::Bytes&)> spoil = [](test::Bytes&) {};

    Tube() {
        for (int r = 0; r < rings; ++r) {
            for (int a = 0; a < around; ++a) {
                const double angle = 6.283185307179586 * a / around;
                positions.insert(positions.end(), {0.2 * std::cos(angle), 0.25 * r, 0.2 * std::sin(angle)});
                const double upper = std::clamp((r - 3.0) / 2.0, 0.0, 1.0);
                weights.insert(weights.end(), {1.0 - upper, upper, 0, 0});
                joints.insert(joints.end(), {0, 1, 0, 0});
                colours.insert(colours.end(), {1, 0.5, 0.25});
            }
        }
        for (int r = 0; r + 1 < rings; ++r) {
            for (int a = 0; a < around; ++a) {
                const double p = at(r, a);
                const double q = at(r, a + 1);
                const double s = at(r + 1, a);
                const double t = at(r + 1, a + 1);
                indices.insert(indices.end(), {p, s, q, q, s, t});
            }
        }
        binds = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -1, 0, 1};
    }
    static int at(int ring, int a) { return around * ring + a % around; }
    int vertices() const { return static_cast<int>(positions.size()) / 3; }
    void add_triangle(double a, double b, double c) { indices.insert(indices.end(), {a, b, c}); }
    int add_vertex(double x, double y, double z) {
        positions.insert(positions.end(), {x, y, z});
        weights.insert(weights.end(), {0, 1, 0, 0});
        joints.insert(joints.end(), {0, 1, 0, 0});
        colours.insert(colours.end(), {1, 1, 1});
        return vertices() - 1;
    }

    test::Bytes glb() const {
        GlbBuilder b = GlbBuilder::skinned_triangle();
        auto& primitive = b.json["meshes"][0]["primitives"][0];
        primitive["attributes"]["POSITION"] = b.add_accessor(GlbBuilder::f32, "VEC3", positions);
        primitive["attributes"]["COLOR_0"] = b.add_accessor(GlbBuilder::f32, "VEC3", colours);
        primitive["attributes"]["WEIGHTS_0"] = b.add_accessor(GlbBuilder::f32, "VEC4", weights);
        primitive["attributes"]["JOINTS_0"] = b.add_accessor(GlbBuilder::u8, "VEC4", joints);
        primitive["indices"] = b.add_accessor(GlbBuilder::u16, "SCALAR", indices);
        b.json["skins"][0]["inverseBindMatrices"] = b.add_accessor(GlbBuilder::f32, "MAT4", binds);
        b.json["animations"][0]["samplers"][0]["output"] =
            b.add_accessor(GlbBuilder::f32, "VEC4", {0, 0, 0, 1, 0, 0, 0.5, 0.8660254037844386});
        bend(b);
        test::Bytes bytes = b.glb();
        spoil(bytes);
        return bytes;
    }
};

struct Damage {
    const char* name;
    const char* note;  ///< part of the line that tells it
    void (*apply)(Tube&);
};

const Damage damages[] = {
    {"repeated_triangle", "left out as repetitions",
     [](Tube& t) { t.add_triangle(t.indices[3], t.indices[4], t.indices[5]); }},
    {"triangle_without_area", "without area", [](Tube& t) { t.add_triangle(0, 0, 1); }},
    {"fin_at_an_edge", "three and more triangles",
     [](Tube& t) { t.add_triangle(Tube::at(4, 0), Tube::at(5, 0), t.add_vertex(0.5, 1.1, 0)); }},
    {"four_at_an_edge", "three and more triangles",
     [](Tube& t) {
         t.add_triangle(Tube::at(4, 0), Tube::at(5, 0), t.add_vertex(0.5, 1.1, 0));
         t.add_triangle(Tube::at(5, 0), Tube::at(4, 0), t.add_vertex(0.1, 1.1, 0));
     }},
    {"turned_triangle", "turned round", [](Tube& t) { std::swap(t.indices[40], t.indices[41]); }},
    {"bow_tie", "only touch",
     [](Tube& t) { t.add_triangle(Tube::at(8, 0), t.add_vertex(0.3, 2.3, 0), t.add_vertex(0.2, 2.3, 0.1)); }},
    {"back_to_back", "three and more triangles",
     [](Tube& t) { t.add_triangle(t.indices[0], t.indices[2], t.indices[1]); }},
    {"unused_vertex", "used by no triangle", [](Tube& t) { t.add_vertex(9, 9, 9); }},
    {"position_nan", "not finite or too far away", [](Tube& t) { t.positions[3 * 30 + 1] = nan; }},
    {"position_far_away", "not finite or too far away", [](Tube& t) { t.positions[3 * 30] = 1e30; }},
    {"colour_nan", "not finite", [](Tube& t) { t.colours[5] = nan; }},
    {"weight_nan", "neighbours'", [](Tube& t) { t.weights[4 * 20] = nan; }},
    {"weight_negative", "did not sum to 1", [](Tube& t) { t.weights[4 * 2 + 1] = -0.5, t.weights[4 * 2] = 0.5; }},
    {"weights_of_176_percent", "did not sum to 1", [](Tube& t) { t.weights[4 * 2] = 1.76; }},
    {"vertex_without_weight", "neighbours'", [](Tube& t) { t.weights[4 * 2] = 0.0; }},
    {"joint_that_does_not_exist", "neighbours'", [](Tube& t) { t.joints[4 * 2] = 7; }},
    {"bind_matrix_nan", "bound where they rest", [](Tube& t) { t.binds[20] = nan; }},
    {"index_beyond_the_vertices", "name no vertex", [](Tube& t) { t.indices[7] = 60000; }},
    {"no_clip", "motion test", [](Tube& t) { t.bend = [](GlbBuilder& b) { b.json.erase("animations"); }; }},
    {"broken_channel", "the channel is left out",
     [](Tube& t) { t.bend = [](GlbBuilder& b) { b.json["animations"][0]["samplers"][0]["interpolation"] = "EASE"; }; }},
    {"idle_joint", "joints move no vertex",
     [](Tube& t) {
         t.bend = [](GlbBuilder& b) {
             b.json["nodes"].push_back({{"name", "idle"}});
             b.json["skins"][0]["joints"] = {1, 2, 3};
         };
     }},
    {"uv_of_another_length", "left out",
     [](Tube& t) {
         t.bend = [](GlbBuilder& b) {
             b.json["meshes"][0]["primitives"][0]["attributes"]["TEXCOORD_0"] =
                 b.add_accessor(GlbBuilder::f32, "VEC2", {0, 0});
         };
     }},
    {"second_mesh_in_ruins", "the mesh is left out",
     [](Tube& t) {
         t.bend = [](GlbBuilder& b) {
             const int broken = b.add_accessor(GlbBuilder::f32, "VEC3", {nan, nan, nan, nan, nan, nan, nan, nan, nan});
             b.json["meshes"].push_back({{"primitives", {{{"attributes", {{"POSITION", broken}}}}}}});
             b.json["nodes"].push_back({{"mesh", 1}});
             b.json["scenes"][0]["nodes"] = {0, 1, 3};
         };
     }},
};

// Kinds below are of whole files; those above of single numbers.
const Damage damaged_files[] = {
    {"name_in_another_code_page", "not UTF-8",
     [](Tube& t) {
         t.bend = [](GlbBuilder& b) { b.json["nodes"][0]["name"] = "Hals-Uebergang"; };
         t.spoil = [](test::Bytes& bytes) {
             const std::string name = "Hals-Uebergang";
             *(std::search(bytes.begin(), bytes.end(), name.begin(), name.end()) + 5) = 0xDC;
         };
     }},
    {"primitive_without_vertices", "the primitive is left out",
     [](Tube& t) {
         t.bend = [](GlbBuilder& b) {
             const int none = b.add_accessor(GlbBuilder::f32, "VEC3", {0, 0, 0});
             b.json["accessors"][none]["count"] = 0;
             b.json["meshes"][0]["primitives"].push_back({{"attributes", {{"POSITION", none}}}});
         };
     }},
    {"scene_of_nothing", "meshes of the whole file",
     [](Tube& t) {
         t.bend = [](GlbBuilder& b) {
             b.json["scenes"].push_back({{"name", "empty"}});
             b.json["scene"] = 1;
         };
     }},
};

class Damaged : public testing::TestWithParam<Damage> {};

/// The last of three frames with skin that slides, and every note.
MatrixX3d baked(const Tube& tube, std::vector<std::string>& notes) {
    class Last final : public FrameSink {
    public:
        explicit Last(MatrixX3d& positions) : positions_(positions) {}
        void begin(const BakeInfo& /*info*/) override {}
        void write(const Frame& frame) override { positions_ = frame.body().positions; }
        std::vector<OutputFile> finish() override { return {}; }

    private:
        MatrixX3d& positions_;
    };
    const Body body = make_body(std::make_shared<const Character>(read_gltf(tube.glb(), "tube.glb")), {});
    const Scene scene =
        parse_scene("[body]\nfile = \"tube.glb\"\n[[layer]]\nkind = \"slide\"\n[output]\nlast_frame = 3\n", "test");
    MatrixX3d last;
    std::vector<std::unique_ptr<FrameSink>> sinks;
    sinks.push_back(std::make_unique<Last>(last));
    const Workers workers(1);
    BakeControls controls;
    controls.workers = &workers;
    const BakeReport report = bake(body, scene, sinks, controls);
    notes = body.source().notes;
    notes.insert(notes.end(), report.notes.begin(), report.notes.end());
    return last;
}

TEST_P(Damaged, file_bakes_and_tells_what_was_done) {
    std::vector<std::string> notes;
    const MatrixX3d good = baked(Tube(), notes);
    const auto told = [&] {
        return std::any_of(notes.begin(), notes.end(),
                           [](const std::string& note) { return note.find(GetParam().note) != std::string::npos; });
    };
    EXPECT_FALSE(told()) << "the good file must not say it";
    Tube tube;
    GetParam().apply(tube);
    const MatrixX3d last = baked(tube, notes);
    EXPECT_TRUE(told()) << GetParam().note << " is in none of " << notes.size() << " notes"
                        << (notes.empty() ? "" : ", the last: " + notes.back());
    ASSERT_TRUE(last.allFinite());
    // The damage stays where it was: the foot of the tube stands where the good one's does.
    EXPECT_LT((last.topRows(2) - good.topRows(2)).norm(), 0.05);
}

INSTANTIATE_TEST_SUITE_P(Files, Damaged, testing::ValuesIn(damaged_files),
                         [](const testing::TestParamInfo<Damage>& which) { return std::string(which.param.name); });
INSTANTIATE_TEST_SUITE_P(Ways, Damaged, testing::ValuesIn(damages),
                         [](const testing::TestParamInfo<Damage>& which) { return std::string(which.param.name); });

}  // namespace
}  // namespace cutis

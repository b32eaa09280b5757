// A character as UsdSkel, evaluated here from the text by the formulas of UsdSkel's documentation:
//     p = sum_j w_j (point + sum_k weight_k offset_k) geomBindTransform inverse(bind_j) joint_j   (row vectors)
#include <cstdlib>

#include "cutis/io/formats.h"
#include "io/two_meshes.h"

namespace cutis {
namespace {

using test::Bake;
using test::body_of;
using test::GlbBuilder;
using test::moved_shirt;
using test::ScratchFolder;
using test::text_of;
using test::two_meshes;

/// A prim: from its braces on.
std::string prim(const std::string& text, const std::string& head) {
    const size_t at = text.find(head);
    if (at == std::string::npos) {
        ADD_FAILURE() << "no " << head;
        return {};
    }
    const std::string indent(at - text.rfind('\n', at) - 1, ' ');
    const size_t begin = text.find("\n" + indent + "{\n", at);
    int depth = 0;
    for (size_t i = begin; i < text.size(); ++i) {
        depth += text[i] == '{' ? 1 : text[i] == '}' ? -1 : 0;
        if (depth == 0 && text[i] == '}') {
            return text.substr(begin, i - begin);
        }
    }
    return {};
}

/// Numbers on the line after `key`.
std::vector<double> numbers(const std::string& text, const std::string& key) {
    std::vector<double> found;
    const size_t at = text.find(key);
    if (at == std::string::npos) {
        return found;
    }
    const size_t end = text.find('\n', at);
    for (size_t i = at + key.size(); i < end; ++i) {
        if (text[i] == '-' || (text[i] >= '0' && text[i] <= '9')) {
            char* after = nullptr;
            found.push_back(std::strtod(&text[i], &after));
            i = static_cast<size_t>(after - text.data()) - 1;
        }
    }
    return found;
}

/// An attribute at a time code: its sample, else its default.
std::vector<double> at_time(const std::string& text, const std::string& key, int time) {
    const size_t samples = text.find(key + ".timeSamples = {");
    return samples == std::string::npos ? numbers(text, key + " = ")
                                        : numbers(text.substr(samples), concat(" ", time, ": "));
}

std::vector<std::string> words(const std::string& text, const std::string& key) {
    std::vector<std::string> found;
    const size_t at = text.find(key);
    const size_t end = at == std::string::npos ? 0 : text.find(']', at + key.size());
    for (size_t i = text.find('"', at); i < end; i = text.find('"', i + 1)) {
        const size_t close = text.find('"', i + 1);
        found.push_back(text.substr(i + 1, close - i - 1));
        i = close;
    }
    return found;
}

Eigen::Matrix4d matrix_at(const std::vector<double>& values, size_t index) {
    return Eigen::Map<const Eigen::Matrix<double, 4, 4, Eigen::RowMajor>>(values.data() + 16 * index);
}

/// Joint frames times inverse bind matrices, for row vectors.
std::vector<Eigen::Matrix4d> skinning_of(const std::string& skeleton, const std::string& clip, int time) {
    const std::vector<std::string> joints = words(skeleton, "token[] joints = ");
    const std::vector<double> bind = numbers(skeleton, "bindTransforms = ");
    const std::vector<double> t = at_time(clip, "float3[] translations", time);
    const std::vector<double> r = at_time(clip, "quatf[] rotations", time);
    const std::vector<double> s = at_time(clip, "half3[] scales", time);
    for (const double text : s) {  // between 1/2 and 2 half precision has these steps
        const auto scale = static_cast<float>(text);
        EXPECT_EQ(2048.0F * scale, std::nearbyint(2048.0F * scale));
    }
    std::vector<Eigen::Matrix4d> world, skinning;
    for (size_t j = 0; j < joints.size(); ++j) {
        Eigen::Affine3d local = Eigen::Translation3d(t[3 * j], t[3 * j + 1], t[3 * j + 2]) *
                                Eigen::Quaterniond(r[4 * j], r[4 * j + 1], r[4 * j + 2], r[4 * j + 3]) *
                                Eigen::Scaling(s[3 * j], s[3 * j + 1], s[3 * j + 2]);
        const size_t slash = joints[j].rfind('/');
        Eigen::Matrix4d own = local.matrix().transpose();
        if (slash != std::string::npos) {
            const auto parent = std::find(joints.begin(), joints.end(), joints[j].substr(0, slash));
            own = own * world[static_cast<size_t>(parent - joints.begin())];
        }
        world.push_back(own);
        skinning.push_back(matrix_at(bind, j).inverse() * own);
    }
    return skinning;
}

MatrixX3d skinned(const std::string& stage, const std::string& mesh_name, const std::string& clip_name, int time) {
    const std::string mesh = prim(stage, "def Mesh \"" + mesh_name + "\"");
    const std::string skeleton = prim(stage, "def Skeleton \"skeleton\"");
    const std::string clip = prim(skeleton, "def SkelAnimation \"" + clip_name + "\"");
    std::vector<double> points = numbers(mesh, "point3f[] points = ");
    const std::vector<std::string> known = words(clip, "token[] blendShapes = ");
    const std::vector<double> weights = at_time(clip, "float[] blendShapeWeights", time);
    for (const std::string& name : words(mesh, "token[] skel:blendShapes = ")) {
        const std::string shape = prim(mesh, "def BlendShape \"" + name + "\"");
        const auto place = static_cast<size_t>(std::find(known.begin(), known.end(), name) - known.begin());
        const std::vector<double> offsets = numbers(shape, "offsets = ");
        const std::vector<double> rows = numbers(shape, "pointIndices = ");
        for (size_t i = 0; i < offsets.size(); ++i) {
            const size_t row = rows.empty() ? i / 3 : static_cast<size_t>(rows[i / 3]);
            points[3 * row + i % 3] += weights.at(place) * offsets[i];
        }
    }
    const std::vector<double> bind = numbers(mesh, "geomBindTransform = ");
    const Eigen::Matrix4d geometry = bind.empty() ? Eigen::Matrix4d::Identity() : matrix_at(bind, 0);
    const std::vector<Eigen::Matrix4d> skinning = skinning_of(skeleton, clip, time);
    const std::vector<double> joints = numbers(mesh, "jointIndices = ");
    const std::vector<double> shares = numbers(mesh, "jointWeights = ");
    const size_t count = points.size() / 3;
    const size_t influences = joints.size() / count;  // 0: one for all of them
    MatrixX3d out = MatrixX3d::Zero(static_cast<Eigen::Index>(count), 3);
    for (size_t v = 0; v < count; ++v) {
        const Eigen::RowVector4d point =
            Eigen::RowVector4d(points[3 * v], points[3 * v + 1], points[3 * v + 2], 1.0) * geometry;
        for (size_t k = 0; k < std::max<size_t>(1, influences); ++k) {
            const size_t i = v * influences + k;
            out.row(static_cast<Eigen::Index>(v)) +=
                shares.at(i) * (point * skinning.at(static_cast<size_t>(joints.at(i)))).head<3>();
        }
    }
    return out;
}

void expect_frames(const Bake& bake, const std::filesystem::path& folder, double max_scale) {
    const OutputFile file = bake.run(*make_sink(folder / "a.usda")).at(0);
    const std::string text = text_of(folder / "a.usda");
    EXPECT_EQ(text.find("points.timeSamples"), std::string::npos);
    const double allowed = file.numbers.at("max_error_m") + 1e-6 * max_scale;
    EXPECT_LT(file.numbers.at("max_error_m"), 1e-4 * max_scale);
    for (int f = 0; f < bake.frame_count; ++f) {
        const MatrixX3d truth = bake.frame(f).body().positions;
        int first = 0;
        for (const char* name : {"triangle", "hat"}) {
            const MatrixX3d found = skinned(text, name, "bend", bake.first_frame + f);
            ASSERT_EQ(found.rows(), 3);
            EXPECT_LT((found - truth.middleRows(first, 3)).rowwise().norm().maxCoeff(), allowed) << name << " " << f;
            first += 3;
        }
    }
}

TEST(UsdSkeleton, joints_and_blend_shapes_give_the_frames_back) {
    const Body body = body_of(two_meshes());
    ScratchFolder folder;
    expect_frames(moved_shirt(body, 11), folder.path(), 1.0);
}

TEST(UsdSkeleton, other_units_axes_and_scaled_joints_do_too) {
    GlbBuilder builder = two_meshes();
    builder.json["nodes"][1]["scale"] = {0.01, 0.01, 0.01};  // no number of half precision
    builder.json["nodes"][2]["translation"] = {0, 100, 0};
    nlohmann::json& bend = builder.json["animations"][0];
    bend["samplers"].push_back({{"input", bend["samplers"][0]["input"]},
                                {"output", builder.add_accessor(GlbBuilder::f32, "VEC3", {1, 1, 1, 1.3, 1.3, 1.3})}});
    bend["channels"].push_back({{"sampler", 1}, {"target", {{"node", 2}, {"path", "scale"}}}});
    BodyOptions options;
    options.scale = 30.0;
    options.up_axis = 'z';
    const Body body = make_body(std::make_shared<Character>(read_gltf(builder.glb(), "two.glb")), options);
    ScratchFolder folder;
    expect_frames(moved_shirt(body, 11), folder.path(), 30.0);
}

TEST(UsdSkeleton, what_the_file_brought_stays) {
    const Body body = body_of(two_meshes());
    ScratchFolder folder;
    const Bake bake = moved_shirt(body, 11);
    const OutputFile file = bake.run(*make_sink(folder / "a.usda")).at(0);
    const std::string text = text_of(folder / "a.usda");
    EXPECT_EQ(file.numbers.at("joints"), 2.0);
    EXPECT_EQ(words(text, "jointNames = "), (std::vector<std::string>{"hip", "knee"}));
    EXPECT_EQ(words(text, "token[] joints = "), (std::vector<std::string>{"hip", "hip/knee"}));
    EXPECT_EQ(words(prim(text, "def Mesh \"triangle\""), "token[] skel:blendShapes = ").front(), "smile");
    // The clip that was not baked: half a smile at its end, ten frames later.
    const std::string smile = prim(text, "def SkelAnimation \"smile\"");
    EXPECT_EQ(words(smile, "token[] blendShapes = "), (std::vector<std::string>{"smile"}));
    EXPECT_EQ(at_time(smile, "float[] blendShapeWeights", 11), (std::vector<double>{0.5}));
    const std::string eye = prim(text, "def Camera \"eye\"");
    const double height = numbers(eye, "verticalAperture = ").at(0);
    EXPECT_NEAR(2.0 * std::atan(0.5 * height / numbers(eye, "focalLength = ").at(0)), 0.7, 1e-6);
}

TEST(UsdSkeleton, without_a_layer_there_are_no_blend_shapes_but_those_of_the_file) {
    const Body body = body_of(two_meshes());
    ScratchFolder folder;
    Bake bake{&body, 11};
    bake.fps = 10.0;
    EXPECT_EQ(bake.run(*make_sink(folder / "a.usda")).at(0).numbers.at("blend_shapes"), 1.0);
    expect_frames(bake, folder.path(), 1.0);
}

TEST(UsdSkeleton, uvs_that_slide_are_samples_and_further_sets_stay) {
    GlbBuilder builder = two_meshes();
    auto& attributes = builder.primitive()["attributes"];
    attributes["TEXCOORD_0"] = builder.add_accessor(GlbBuilder::f32, "VEC2", {0, 1, 1, 1, 0, 0});
    attributes["TEXCOORD_1"] = builder.add_accessor(GlbBuilder::f32, "VEC2", {0, 0.5, 0.25, 1, 0, 0});
    const Body body = body_of(builder);
    Bake bake{&body, 5};
    bake.fps = 10.0;
    bake.uv_changed = true;
    bake.change = [](Frame& frame) {
        frame.body().uv = frame.body().uv.rows() > 0 ? frame.body().uv : MatrixX2d(MatrixX2d::Zero(4, 2));
        frame.body().uv(0, 0) = 0.125 * frame.number;
    };
    ScratchFolder folder;
    bake.run(*make_sink(folder / "a.usda"));
    const std::string mesh = prim(text_of(folder / "a.usda"), "def Mesh \"triangle\"");
    EXPECT_EQ(at_time(mesh, "texCoord2f[] primvars:st", 4).at(0), 0.5);
    EXPECT_EQ(numbers(mesh, "texCoord2f[] primvars:st1 = "), (std::vector<double>{0, 0.5, 0.25, 0, 0, 1}));
    expect_frames(bake, folder.path(), 1.0);
}

// Mixamo writes namespaces into names of joints; Ready Player Me the same names of targets on head, teeth and beard.
TEST(UsdSkeleton, names_that_usd_cannot_have_and_those_that_come_twice_stay_apart) {
    GlbBuilder builder = two_meshes();
    builder.json["nodes"][1]["name"] = "mixamorig:Hips";
    builder.json["nodes"][2]["name"] = "mixamorig:Spine";
    builder.json["meshes"][1] = builder.json["meshes"][0];
    const Body body = body_of(builder);
    ScratchFolder folder;
    const Bake bake = moved_shirt(body, 4);
    bake.run(*make_sink(folder / "a.usda"));
    const std::string text = text_of(folder / "a.usda");
    EXPECT_EQ(words(text, "jointNames = "), (std::vector<std::string>{"mixamorig:Hips", "mixamorig:Spine"}));
    EXPECT_EQ(words(text, "token[] joints = ").back(), "mixamorig_Hips/mixamorig_Spine");
    EXPECT_EQ(words(prim(text, "def Mesh \"triangle\""), "token[] skel:blendShapes = ").front(), "smile");
    EXPECT_EQ(words(prim(text, "def Mesh \"hat\""), "token[] skel:blendShapes = ").front(), "smile_2");
    EXPECT_EQ(words(prim(text, "def SkelAnimation \"smile\""), "token[] blendShapes = "),
              (std::vector<std::string>{"smile", "smile_2"}));
    expect_frames(bake, folder.path(), 1.0);
}

TEST(UsdSkeleton, points_in_every_frame_are_an_option_and_those_of_exact_numbers) {
    const Body body = body_of(two_meshes());
    ScratchFolder folder;
    SinkOptions options;
    options.usda.style = UsdaStyle::points;
    moved_shirt(body, 4).run(*make_sink(folder / "a.usda", options));
    EXPECT_EQ(text_of(folder / "a.usda").find("Skel"), std::string::npos);
    options.usda = {.tolerance = 0.0};
    moved_shirt(body, 4).run(*make_sink(folder / "b.usda", options));
    EXPECT_EQ(text_of(folder / "b.usda").find("Skel"), std::string::npos);
}

TEST(UsdSkeleton, is_refused_where_there_is_none) {
    ScratchFolder folder;
    SinkOptions options;
    options.usda.style = UsdaStyle::skeleton;
    const Body plain =
        test::formula_body(test::seamed_square(2), [](double) { return test::seamed_square(2).positions; });
    const Body body = body_of(two_meshes());
    EXPECT_THROW(Bake{&plain}.run(*make_sink(folder / "a.usda", options)), InvalidInput);
    options.usda.tolerance = 0.0;
    EXPECT_THROW(Bake{&body}.run(*make_sink(folder / "a.usda", options)), InvalidInput);
}

}  // namespace
}  // namespace cutis

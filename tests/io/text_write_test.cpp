#include <sstream>

#include "cutis/io/formats.h"
#include "io/write_support.h"

namespace cutis {
namespace {

using test::Bake;
using test::files_in;
using test::formula_body;
using test::ScratchFolder;
using test::seamed_square;
using test::text_of;

Body stretching_square(int n) {
    const ArtMesh mesh = seamed_square(n);
    const MatrixX3d rest = mesh.positions;
    return formula_body(mesh, [rest](double time) {
        MatrixX3d positions = rest;
        positions.col(2) = 1e-7 * (rest.col(0).array() * 5.0 + time).sin();
        positions.col(0) *= 3.0 + time;
        return positions;
    });
}

TEST(ObjWrite, every_frame_holds_its_own_vertices_uvs_and_the_polygons_of_the_source) {
    const Body body = stretching_square(4);
    ScratchFolder folder;
    Bake bake{&body, 3, 9};
    bake.uv_changed = true;
    bake.change = [&](Frame& frame) { frame.body().uv = body.mesh().uv * (0.1 * frame.number); };
    const auto sink = make_sink(folder / "a.obj");
    const auto files = bake.run(*sink);
    EXPECT_EQ(files_in(folder.path()), (std::set<std::string>{"a.0009.obj", "a.0010.obj", "a.0011.obj"}));
    for (int f = 0; f < 3; ++f) {
        EXPECT_EQ(files[size_t(f)].bytes, std::filesystem::file_size(files[size_t(f)].path));
        const Frame frame = bake.frame(f);
        std::istringstream lines(text_of(files[size_t(f)].path));
        int v = 0, t = 0, quad = 0;
        std::vector<std::string> groups;
        for (std::string line; std::getline(lines, line);) {
            std::istringstream words(line);
            std::string kind;
            words >> kind;
            if (kind == "v" || kind == "vt") {
                for (int k = 0; k < (kind == "v" ? 3 : 2); ++k) {
                    std::string word;
                    words >> word;
                    const double expected = kind == "v" ? frame.body().positions(v, k) : frame.body().uv(t, k);
                    EXPECT_EQ(std::stof(word), float(expected)) << line;
                }
                ++(kind == "v" ? v : t);
            } else if (kind == "g") {
                groups.push_back(line.substr(2));
            } else if (kind == "f") {
                const std::array<std::array<int, 2>, 4> corner = {{{0, 0}, {0, 1}, {0, 2}, {1, 2}}};
                std::string expected = "f";
                for (const auto& [triangle, k] : corner) {
                    expected += " ";
                    expected += std::to_string(body.mesh().triangles(2 * quad + triangle, k) + 1);
                    expected += "/";
                    expected += std::to_string(body.mesh().uv_triangles(2 * quad + triangle, k) + 1);
                }
                EXPECT_EQ(line, expected);
                ++quad;
            }
        }
        EXPECT_EQ(v, 25);
        EXPECT_EQ(t, 30);
        EXPECT_EQ(quad, 16);
        EXPECT_EQ(groups, (std::vector<std::string>{"left_half", "right"}));
    }
}

/// Numbers between the brackets after `key`, in order.
std::vector<float> numbers_after(const std::string& text, const std::string& key) {
    const size_t begin = text.find(key);
    EXPECT_NE(begin, std::string::npos) << key;
    std::vector<float> numbers;
    if (begin == std::string::npos) {
        return numbers;
    }
    std::string list = text.substr(begin + key.size(), text.find(']', begin + key.size()) - begin - key.size());
    for (char& c : list) {
        c = std::strchr("[](),", c) != nullptr ? ' ' : c;
    }
    std::istringstream words(list);
    for (std::string word; words >> word;) {
        numbers.push_back(std::stof(word));
    }
    return numbers;
}

template <class Matrix>
std::vector<float> floats_of(const Matrix& matrix) {
    std::vector<float> values;
    for (Eigen::Index i = 0; i < matrix.size(); ++i) {
        values.push_back(float(matrix.data()[i]));
    }
    return values;
}

/// Everything, in float32.
SinkOptions exact_usda() {
    SinkOptions options;
    options.usda.tolerance = 0.0;
    options.usda.use_channels = true;
    return options;
}

TEST(UsdaWrite, points_are_rounded_to_decimals_within_the_tolerance_and_channels_are_asked_for) {
    const Body body = stretching_square(4);
    ScratchFolder folder;
    Bake bake{&body, 3};
    bake.channels = {{"distance", "m"}};
    bake.change = [](Frame& frame) {
        frame.body().positions.array() += 0.123456789;
        frame.body().channels = {std::vector<double>(25, 1.0)};
    };
    const OutputFile file = bake.run(*make_sink(folder / "a.usda")).at(0);
    const std::string text = text_of(folder / "a.usda");
    EXPECT_EQ(text.find("primvars:distance"), std::string::npos);
    // The square's diagonal is sqrt(2) m: 2 * 4e-5 * 1.41 / 1.73 = 6.5e-5, so steps of 1e-5.
    EXPECT_NEAR(file.numbers.at("max_error_m"), 1e-5 * std::sqrt(3.0) / 2.0, 1e-12);
    const std::vector<float> found = numbers_after(text, "point3f[] points = ");
    const std::vector<float> exact = floats_of(bake.frame(0).body().positions);
    ASSERT_EQ(found.size(), exact.size());
    double largest = 0.0;
    for (size_t i = 0; i < found.size(); ++i) {
        largest = std::max(largest, std::abs(double(found[i]) - double(exact[i])));
    }
    EXPECT_LE(largest, 0.5e-5 + 1e-7);
    EXPECT_GT(largest, 1e-7);
}

// Blender leaves polygons that name a vertex twice out by itself and gives those behind them the wrong materials.
TEST(UsdaWrite, polygons_that_repeat_a_vertex_are_left_out_and_parts_keep_theirs) {
    ArtMesh mesh;
    mesh.positions.resize(6, 3);
    mesh.positions << 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 2, 0, 0, 2, 1, 0;
    mesh.triangles.resize(5, 3);
    mesh.triangles << 0, 1, 1, /* a line */ 0, 1, 2, /* */ 0, 2, 3, /* */ 1, 4, 4, /* a line */ 1, 4, 5;
    mesh.parts = {{"first", "", 0, 3, 0, 6}, {"second", "", 3, 2, 0, 6}};
    const Body body = make_body(mesh, {}, {});
    ScratchFolder folder;
    Bake bake{&body, 1};
    bake.run(*make_sink(folder / "a.usda", exact_usda()));
    const std::string text = text_of(folder / "a.usda");
    EXPECT_NE(text.find("faceVertexCounts = [3,3,3]"), std::string::npos);
    EXPECT_NE(text.find("faceVertexIndices = [0,1,2,0,2,3,1,4,5]"), std::string::npos);
    EXPECT_NE(text.find("int[] indices = [0,1]"), std::string::npos);
    EXPECT_NE(text.find("int[] indices = [2]"), std::string::npos);
}

TEST(UsdaWrite, samples_defaults_units_and_axis_are_all_there) {
    const Body body = stretching_square(4);
    ScratchFolder folder;
    Bake bake{&body, 4, 101};
    bake.uv_changed = true;
    bake.channels = {{"slide.distance", "m"}, {"stretch \"dir", "1", 3}};
    bake.change = [&](Frame& frame) {
        frame.body().uv = body.mesh().uv * (0.01 * frame.number);
        frame.body().channels = {std::vector<double>(25, frame.number), std::vector<double>(75, 0.5)};
    };
    const auto sink = make_sink(folder / "my-shot 1.usda", exact_usda());
    bake.run(*sink);
    EXPECT_EQ(files_in(folder.path()), std::set<std::string>{"my-shot 1.usda"});
    const std::string text = text_of(folder / "my-shot 1.usda");
    EXPECT_EQ(text.rfind("#usda 1.0\n", 0), 0U);
    for (const char* line :
         {"defaultPrim = \"my_shot_1\"", "def Xform \"my_shot_1\"", "metersPerUnit = 1\n", "upAxis = \"Y\"",
          "startTimeCode = 101\n", "endTimeCode = 104\n", "timeCodesPerSecond = 24\n", "framesPerSecond = 24\n",
          "uniform token subdivisionScheme = \"none\"", "interpolation = \"faceVarying\"",
          "def GeomSubset \"left_half\"", "def GeomSubset \"right\"", "string unit = \"m\"",
          "vector3f[] primvars:stretch__dir.timeSamples"}) {
        EXPECT_NE(text.find(line), std::string::npos) << line;
    }
    EXPECT_EQ(numbers_after(text, "point3f[] primvars:Pref = "), floats_of(body.mesh().positions));
    EXPECT_EQ(numbers_after(text, "point3f[] points = "), floats_of(bake.frame(0).body().positions));
    EXPECT_EQ(numbers_after(text, "texCoord2f[] primvars:st = "), floats_of(bake.frame(0).body().uv));
    EXPECT_EQ(numbers_after(text, "int[] faceVertexCounts = "), std::vector<float>(16, 4.0F));
    const std::vector<float> st_indices = numbers_after(text, "int[] primvars:st:indices = ");
    ASSERT_EQ(st_indices.size(), 64U);
    EXPECT_EQ(st_indices[3], float(body.mesh().uv_triangles(1, 2)));
    const size_t points = text.find("points.timeSamples = {");
    const size_t extent = text.find("extent.timeSamples = {");
    const size_t st = text.find("primvars:st.timeSamples = {");
    const size_t slide = text.find("float[] primvars:slide_distance.timeSamples = {");
    ASSERT_NE(std::max({points, extent, st, slide}), std::string::npos);
    for (int f = 0; f < 4; ++f) {
        const Frame frame = bake.frame(f);
        const std::string key = std::to_string(frame.number) + ": ";
        EXPECT_EQ(numbers_after(text.substr(points), key), floats_of(frame.body().positions));
        EXPECT_EQ(numbers_after(text.substr(st), key), floats_of(frame.body().uv));
        EXPECT_EQ(numbers_after(text.substr(slide), key), std::vector<float>(25, float(frame.number)));
        MatrixX3d box(2, 3);
        box << frame.body().positions.colwise().minCoeff(), frame.body().positions.colwise().maxCoeff();
        EXPECT_EQ(numbers_after(text.substr(extent), key), floats_of(box));
    }
    EXPECT_EQ(std::count(text.begin(), text.end(), '{'), std::count(text.begin(), text.end(), '}'));
    EXPECT_EQ(std::count(text.begin(), text.end(), '('), std::count(text.begin(), text.end(), ')'));
}

TEST(UsdaWrite, normals_are_those_of_the_surface_in_every_frame_where_they_are_wanted) {
    const ArtMesh mesh = seamed_square(4);
    const MatrixX3d rest = mesh.positions;
    const Body body = formula_body(mesh, [rest](double time) {
        MatrixX3d positions = rest;
        positions.col(2) += time * rest.col(0);  // normal: (-time, 0, 1)
        return positions;
    });
    ScratchFolder folder;
    const Bake bake{&body, 4};
    bake.run(*make_sink(folder / "a.usda"));
    const std::string text = text_of(folder / "a.usda");
    const size_t samples = text.find("normals.timeSamples = {");
    ASSERT_NE(samples, std::string::npos);
    for (int f = 0; f < 4; ++f) {
        const Frame frame = bake.frame(f);
        const std::vector<float> found = numbers_after(text.substr(samples), concat(frame.number, ": "));
        ASSERT_EQ(found.size(), 75U);
        const Vector3d expected = Vector3d(-frame.time, 0.0, 1.0).normalized();
        for (int i = 0; i < 75; ++i) {
            EXPECT_NEAR(found[size_t(i)], expected[i % 3], 0.5e-3 + 1e-7) << i;
        }
    }
    SinkOptions without;
    without.usda.use_normals = false;
    bake.run(*make_sink(folder / "b.usda", without));
    EXPECT_EQ(text_of(folder / "b.usda").find("normals"), std::string::npos);
}

TEST(UsdaWrite, pref_is_the_material_at_each_vertex_where_a_layer_says_it) {
    const Body body = stretching_square(4);
    ScratchFolder folder;
    Bake bake{&body, 4, 101};
    bake.channels = {{"Pref", "m"}, {"material", "m", 3, 0.0, true}};
    bake.change = [&](Frame& frame) {
        frame.body().channels = {std::vector<double>(25, 0.0), std::vector<double>(75, frame.number)};
    };
    const auto sliding = make_sink(folder / "sliding.usda", exact_usda());
    bake.run(*sliding);
    const std::string slid = text_of(folder / "sliding.usda");
    EXPECT_NE(slid.find("point3f[] primvars:Pref.timeSamples = {"), std::string::npos);
    // A channel that only shares the name stands aside.
    EXPECT_NE(slid.find("float[] primvars:Pref_2.timeSamples = {"), std::string::npos);
    EXPECT_EQ(slid.find("primvars:material"), std::string::npos);
    EXPECT_EQ(slid.find("primvars:Pref = "), slid.rfind("primvars:Pref = "));
}

TEST(UsdaWrite, one_uv_per_vertex_is_written_as_vertex_and_still_uvs_without_samples) {
    ArtMesh mesh = seamed_square(2);
    mesh.uv = mesh.positions.leftCols<2>();
    mesh.uv_triangles = mesh.triangles;
    mesh.polygon_sizes.clear();
    const MatrixX3d rest = mesh.positions;
    const Body body = formula_body(mesh, [rest](double) { return rest; });
    ScratchFolder folder;
    const auto sink = make_sink(folder / "a.usda", exact_usda());
    Bake{&body, 2}.run(*sink);
    const std::string text = text_of(folder / "a.usda");
    EXPECT_EQ(text.find("st:indices"), std::string::npos);
    EXPECT_EQ(text.find("primvars:st.timeSamples"), std::string::npos);
    EXPECT_EQ(text.find("faceVarying"), std::string::npos);
    EXPECT_EQ(numbers_after(text, "int[] faceVertexCounts = "), std::vector<float>(8, 3.0F));
    EXPECT_EQ(numbers_after(text, "texCoord2f[] primvars:st = "), floats_of(mesh.uv));
}

}  // namespace
}  // namespace cutis

#include "cutis/io/obj_read.h"

#include <fstream>
#include <random>

#include "cutis/core/error.h"
#include "support/data.h"
#include "support/expect_error.h"

namespace cutis {
namespace {

using test::expect_error;

ArtMesh read_text(const std::string& text, const WarningCallback& warn = {}) {
    // A copy of exact size, so that a sanitizer sees any read past the end.
    const std::vector<unsigned char> bytes(text.begin(), text.end());
    return read_obj(bytes, "a.obj", warn);
}

void refuse_text(const std::string& text, std::vector<std::string> pieces) {
    pieces.insert(pieces.begin(), "a.obj: ");
    expect_error<InvalidInput>([&] { read_text(text); }, pieces);
}

const std::string corners = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

TEST(ObjRead, a_polygon_becomes_a_fan_from_its_first_corner) {
    const ArtMesh mesh = read_text("v 0 0 0\nv 1 0 0\nv 2 1 0\nv 1 2 0\nv 0 1 0\nf 1 2 3 4 5\nf 1 3 5\n");
    EXPECT_EQ(mesh.name, "a");
    EXPECT_EQ(mesh.triangles, (MatrixX3i(4, 3) << 0, 1, 2, 0, 2, 3, 0, 3, 4, 0, 2, 4).finished());
    EXPECT_EQ(mesh.polygon_sizes, (std::vector<int>{5, 3}));
    EXPECT_EQ(mesh.uv.rows(), 0);
    EXPECT_EQ(mesh.uv_triangles.rows(), 0);
}

TEST(ObjRead, triangles_alone_need_no_polygon_sizes) {
    EXPECT_TRUE(read_text(corners + "f 1 2 3\nf 1 3 4\n").polygon_sizes.empty());
}

TEST(ObjRead, negative_indices_count_back_from_where_they_stand) {
    const ArtMesh mesh = read_text(corners + "f -4 -3 -2\nv 9 9 9\nf -1 -2 -3\n");
    EXPECT_EQ(mesh.triangles, (MatrixX3i(2, 3) << 0, 1, 2, 4, 3, 2).finished());
}

TEST(ObjRead, a_face_may_stand_before_its_vertices) {
    EXPECT_EQ(read_text("f 1 2 3\n" + corners).triangles, (MatrixX3i(1, 3) << 0, 1, 2).finished());
}

TEST(ObjRead, texture_vertices_have_their_own_indices) {
    const ArtMesh mesh =
        read_text(corners + "vt 0.25 0.5\nvt 1 0 0\nvt 0.75\nvn 0 0 1\n" + "f 1/3/1 2/1/1 3/2/-1\nf 1/-1 3/-2 4/-3\n");
    EXPECT_EQ(mesh.uv, (MatrixX2d(3, 2) << 0.25, 0.5, 1, 0, 0.75, 0).finished());
    EXPECT_EQ(mesh.uv_triangles, (MatrixX3i(2, 3) << 2, 0, 1, 2, 1, 0).finished());
}

TEST(ObjRead, corners_without_texture_vertex_get_the_origin_and_a_warning) {
    std::vector<std::string> warnings;
    const ArtMesh mesh = read_text(corners + "vt 0.5 0.5\nf 1/1 2/1 3/1\nf 1//1 3 4\nvn 0 0 1\n",
                                   [&](std::string_view text) { warnings.emplace_back(text); });
    EXPECT_EQ(mesh.uv_triangles, (MatrixX3i(2, 3) << 0, 0, 0, 1, 1, 1).finished());
    EXPECT_EQ(mesh.uv.row(1), Eigen::RowVector2d(0, 0));
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_NE(warnings[0].find("3 corners"), std::string::npos);
}

TEST(ObjRead, groups_objects_and_materials_make_parts_that_cover_all_triangles) {
    const ArtMesh mesh = read_text("o thing\n" + corners + "f 1 2 3\nusemtl red\nf 1 3 4\ng left arm\nf 1 2 4\n" +
                                   "g empty\ng left arm\nf 2 3 4\no other\nf 1 2 3\n");
    ASSERT_EQ(mesh.parts.size(), 5u);
    const std::vector<std::pair<std::string, std::string>> expected = {
        {"thing", ""}, {"thing", "red"}, {"left arm", "red"}, {"left arm", "red"}, {"other", "red"}};
    int next = 0;
    for (std::size_t p = 0; p < mesh.parts.size(); ++p) {
        EXPECT_EQ(mesh.parts[p].name, expected[p].first);
        EXPECT_EQ(mesh.parts[p].material, expected[p].second);
        EXPECT_EQ(mesh.parts[p].first_triangle, next);
        EXPECT_EQ(mesh.parts[p].vertex_count, 4);
        next += mesh.parts[p].triangle_count;
    }
    EXPECT_EQ(next, mesh.triangles.rows());
}

TEST(ObjRead, line_ends_comments_and_continuations_do_not_matter) {
    const ArtMesh unix_lines = read_text(corners + "f 1 2 3 4\n");
    for (const std::string text :
         {"# made by hand\r\nv 0 0 0 # first\r\nv 1 0 0\r\n\r\n  v\t1 1 0  \r\nv 0 1 0\r\nf 1 2 3 "
          "4",
          "v 0 0 0\rv 1 0 0\rv 1 1 0\rv 0 1 0\rf 1 2 3 4\r",
          "v 0 \\\n0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 \\\r\n 3\\\n 4\n# end \\\n",
          "v +0.0e+1 -0 0\nv 1E0 0. .0\nv 10e-1 1 1e-999\nv 0 1 0 1\nf 1 2 3 4\n"}) {
        const ArtMesh mesh = read_text(text);
        EXPECT_EQ(mesh.positions, unix_lines.positions) << text;
        EXPECT_EQ(mesh.triangles, unix_lines.triangles) << text;
    }
}

TEST(ObjRead, errors_count_lines_across_continuations) {
    refuse_text("v 0 \\\n0 0\n\nv 1 0 x\n", {"line 4: expected a finite number, found 'x'"});
}

TEST(ObjRead, vertex_colours_are_painted) {
    const ArtMesh mesh = read_text("v 0 0 0 1 0.5 0\nv 1 0 0\nv 0 1 0 0 0 0.25\nf 1 2 3\n");
    EXPECT_EQ(mesh.painted.at("COLOR_0.g"), Vector3d(0.5, 1, 0));
    EXPECT_EQ(mesh.painted.at("COLOR_0.b"), Vector3d(0, 1, 0.25));
    EXPECT_EQ(mesh.positions.row(2), Eigen::RowVector3d(0, 1, 0));
}

TEST(ObjRead, unknown_keywords_are_warned_about_once) {
    int warnings = 0;
    read_text(corners + "curv 1 2\ncurv 3\nl 1 2\nf 1 2 3\n", [&](std::string_view) { ++warnings; });
    EXPECT_EQ(warnings, 2);
}

TEST(ObjRead, wrong_files_are_refused_with_their_line) {
    refuse_text("v 0 0\n", {"line 1: expected at least 3 numbers, found 2"});
    refuse_text("v 0 0 nan\n", {"line 1: expected a finite number, found 'nan'"});
    refuse_text("v 0 inf 0\n", {"line 1", "'inf'"});
    refuse_text("v 0 1e39 0\n", {"line 1", "'1e39'"});
    refuse_text("v 0 1e999 0\n", {"line 1", "'1e999'"});
    refuse_text("v 0 1,5 0\n", {"line 1", "'1,5'"});
    refuse_text(corners + "f 1 2\n", {"line 5: expected a face of at least 3 corners, found 2"});
    refuse_text(corners + "f 0 1 2\n", {"line 5: expected an index of a vertex", "found '0'"});
    refuse_text(corners + "f 1 2 5\n", {"line 5: expected an index of at most 4 (vertices), found 5"});
    refuse_text(corners + "f 1 2 -5\n", {"line 5: expected at most 4 steps back to a vertex, found -5"});
    refuse_text(corners + "f 1/1 2/1 3/1\n", {"line 5", "at most 0 (texture vertices), found 1"});
    refuse_text(corners + "f 1//1 2//1 3//1\n", {"line 5", "at most 0 (normals), found 1"});
    refuse_text(corners + "f 1 2 3.5\n", {"line 5", "'3.5'"});
    refuse_text(corners + "f 1 2 99999999999\n", {"line 5", "'99999999999'"});
    refuse_text(corners + "f 1 2 -2147483648\n", {"line 5"});
    refuse_text(corners, {"expected vertices and faces, found 4 vertices and 0 faces"});
    refuse_text("", {"found 0 vertices and 0 faces"});
    refuse_text(corners + std::string("f 1 2 3\n\0", 9), {"expected text, found binary content"});
    expect_error<IoError>([] { read_obj(std::filesystem::path("no/such.obj")); }, {"no such file"});
}

// A text format can end anywhere and still be whole; what is read must then be sound.
TEST(ObjRead, every_truncation_is_refused_or_read_as_the_shorter_file_it_is) {
    const std::string good = corners + "vt 0.5 0.5\ng a\nusemtl b\nf 1/1 2/1 3/1 4/1\nf -1 -2 -3\n";
    int refused = 0;
    for (std::size_t size = 0; size < good.size(); ++size) {
        try {
            const ArtMesh mesh = read_text(good.substr(0, size));
            EXPECT_LT(mesh.triangles.maxCoeff(), mesh.positions.rows());
            EXPECT_GE(mesh.triangles.minCoeff(), 0);
        } catch (const InvalidInput&) {
            ++refused;
        }
    }
    EXPECT_GE(refused, static_cast<int>(corners.size()));
}

TEST(ObjRead, random_bytes_never_crash) {
    std::mt19937 random(3);
    const std::string alphabet = "vft gon/-+0123456789.e\n\r\\# \t";
    for (int round = 0; round < 3000; ++round) {
        std::string text = round % 2 == 0 ? corners : "";
        for (unsigned i = 0; i < random() % 120; ++i) {
            text += round % 3 == 0 ? static_cast<char>(random()) : alphabet[random() % alphabet.size()];
        }
        try {
            const ArtMesh mesh = read_text(text);
            EXPECT_TRUE(mesh.positions.allFinite());
        } catch (const InvalidInput&) {
        }
    }
}

class ObjSequenceRead : public ::testing::Test {
protected:
    void write(const std::string& name, const std::string& text) { std::ofstream(folder / name) << text; }
    static std::string frame(double x, const std::string& face = "f 1 2 3\n") {
        return concat("v ", x, " 0 0\nv 1 0 0\nv 0 1 0\n", face);
    }
    test::ScratchFolder folder;
};

TEST_F(ObjSequenceRead, files_come_in_the_order_of_their_numbers_whatever_their_digits) {
    write("f10.obj", frame(10));
    write("f9.obj", frame(9));
    write("f002.obj", frame(2));
    write("f100.obj", frame(100));
    write("freference.obj", frame(-1));
    write("g3.obj", frame(-1));
    const ObjSequence sequence = read_obj_sequence(folder / "f*.obj", 24.0);
    EXPECT_EQ(sequence.cache.vertex_count, 3);
    EXPECT_EQ(sequence.cache.rate, 24.0);
    ASSERT_EQ(sequence.cache.frame_count(), 4);
    const float expected[] = {2, 9, 10, 100};
    for (std::size_t f = 0; f < 4; ++f) {
        EXPECT_EQ(sequence.cache.samples[9 * f], expected[f]);
    }
    EXPECT_EQ(sequence.files[0].filename(), "f002.obj");
    EXPECT_EQ(sequence.mesh.positions(0, 0), 2.0);
}

TEST_F(ObjSequenceRead, frames_that_do_not_fit_together_are_refused) {
    write("f1.obj", frame(1));
    write("f2.obj", frame(2) + "v 0 0 1\n");
    expect_error<InvalidInput>([&] { read_obj_sequence(folder / "f*.obj"); },
                               {"f2.obj: expected 3 vertices as in f1.obj, found 4"});
    write("f2.obj", frame(2, "f 1 3 2\n"));
    expect_error<InvalidInput>([&] { read_obj_sequence(folder / "f*.obj"); }, {"f2.obj: expected the faces of f1.obj"});
    write("f2.obj", "v x\n");
    expect_error<InvalidInput>([&] { read_obj_sequence(folder / "f*.obj"); }, {"f2.obj: line 1"});
}

TEST_F(ObjSequenceRead, patterns_that_name_nothing_are_refused) {
    write("f1.obj", frame(1));
    expect_error<InvalidInput>([&] { read_obj_sequence(folder / "f1.obj"); }, {"expected one *"});
    expect_error<InvalidInput>([&] { read_obj_sequence(folder / "f*.*"); }, {"expected one *"});
    expect_error<InvalidInput>([&] { read_obj_sequence(folder / "g*.obj"); }, {"found none"});
    expect_error<IoError>([&] { read_obj_sequence(folder / "none/f*.obj"); }, {"cannot be listed"});
    expect_error<InvalidInput>([&] { read_obj_sequence(folder / "f*.obj", 0.0); }, {"rate"});
}

struct KnownObj {
    const char* file;
    int vertices;
    int polygons;
    int uvs;
};

class KnownObjs : public ::testing::TestWithParam<KnownObj> {};

// Counts of the data folder's README.
TEST_P(KnownObjs, hold_what_their_readme_says) {
    CUTIS_NEED_DATA(GetParam().file);
    const ArtMesh mesh = read_obj(data_path);
    EXPECT_EQ(mesh.positions.rows(), GetParam().vertices);
    const auto polygons =
        mesh.polygon_sizes.empty() ? static_cast<std::size_t>(mesh.triangles.rows()) : mesh.polygon_sizes.size();
    EXPECT_EQ(polygons, static_cast<std::size_t>(GetParam().polygons));
    if (GetParam().uvs >= 0) {
        EXPECT_EQ(mesh.uv.rows(), GetParam().uvs);
    }
    int covered = 0;
    for (const MeshPart& part : mesh.parts) {
        EXPECT_EQ(part.first_triangle, covered);
        covered += part.triangle_count;
    }
    EXPECT_EQ(covered, mesh.triangles.rows());
}

INSTANTIATE_TEST_SUITE_P(Data, KnownObjs,
                         ::testing::Values(KnownObj{"classic/torus.obj", 2304, 4608, -1},
                                           KnownObj{"classic/teapot.obj", 3644, 6320, -1},
                                           KnownObj{"classic/vase.obj", 1602, 3200, -1},
                                           KnownObj{"classic/spot.obj", 11533, 23062, -1},
                                           KnownObj{"classic/spot_low_resolution.obj", 829, 1654, -1},
                                           KnownObj{"classic/spot_control_mesh.obj", 188, 180, -1},
                                           KnownObj{"classic/fish_low_resolution.obj", 945, 1886, -1},
                                           KnownObj{"classic/fish_control_mesh.obj", 112, 112, -1},
                                           KnownObj{"classic/penguin.obj", 3362, 6720, -1},
                                           KnownObj{"classic/koala_low_resolution.obj", 3560, 7116, -1},
                                           KnownObj{"classic/human_woman.obj", 6890, 13776, -1},
                                           KnownObj{"classic/hand_lowres.obj", 810, 1602, -1},
                                           KnownObj{"classic/hand_closed.obj", 7993, 15982, -1},
                                           KnownObj{"ict-face/generic_neutral_mesh.obj", 26719, 26384, 28911},
                                           KnownObj{"ict-face/jawOpen.obj", 26719, 26384, 28911},
                                           KnownObj{"ict-face/cheekPuff_L.obj", 26719, 26384, 28911},
                                           KnownObj{"makehuman/base.obj", 19158, 18486, 21334},
                                           KnownObj{"makehuman/female_sportsuit01.obj", 1797, 1718, -1}));

TEST(ObjData, the_base_mesh_has_139_groups_with_the_body_among_them) {
    CUTIS_NEED_DATA("makehuman/base.obj");
    std::map<std::string, int> groups;
    for (const MeshPart& part : read_obj(data_path).parts) {
        ++groups[part.name];
    }
    EXPECT_EQ(groups.size(), 139u);
    EXPECT_EQ(groups.count("body"), 1u);
    EXPECT_EQ(groups.count("helper-tights"), 1u);
}

TEST(ObjData, the_gallop_is_49_frames_without_its_reference_pose) {
    CUTIS_NEED_DATA("horse-gallop");
    const ObjSequence sequence = read_obj_sequence(data_path / "horse-gallop-*.obj");
    EXPECT_EQ(sequence.cache.frame_count(), 49);
    EXPECT_EQ(sequence.cache.vertex_count, 1093);
    EXPECT_EQ(sequence.mesh.triangles.rows(), 2182);
    EXPECT_EQ(sequence.files.back().filename(), "horse-gallop-49.obj");
}

}  // namespace
}  // namespace cutis

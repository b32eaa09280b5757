// The real meshes of the data folder, through a reader of twenty lines that knows v and f only.

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "cutis/core/error.h"
#include "cutis/mesh/geometry.h"
#include "cutis/mesh/repair.h"
#include "support/data.h"
#include "support/shapes.h"

namespace cutis {
namespace {

test::Shape read_obj(const std::filesystem::path& path) {
    std::vector<Vector3d> points;
    std::vector<Eigen::Vector3i> triangles;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        std::string word;
        words >> word;
        if (word == "v") {
            Vector3d p;
            words >> p[0] >> p[1] >> p[2];
            points.push_back(p);
        } else if (word == "f") {
            std::vector<int> corners;
            while (words >> word) {
                corners.push_back(std::stoi(word) - 1);  // stops at the slash
            }
            for (size_t i = 2; i < corners.size(); ++i) {
                triangles.emplace_back(corners[0], corners[i - 1], corners[i]);
            }
        }
    }
    test::Shape shape;
    shape.positions.resize(static_cast<Eigen::Index>(points.size()), 3);
    shape.triangles.resize(static_cast<Eigen::Index>(triangles.size()), 3);
    for (size_t i = 0; i < points.size(); ++i) {
        shape.positions.row(static_cast<Eigen::Index>(i)) = points[i].transpose();
    }
    for (size_t i = 0; i < triangles.size(); ++i) {
        shape.triangles.row(static_cast<Eigen::Index>(i)) = triangles[i].transpose();
    }
    return shape;
}

struct Expected {
    const char* file;
    bool is_closed;      // after welding, as the data folder's README says
    int boundary_edges;  // -1: the README does not say
};

class DataMesh : public testing::TestWithParam<Expected> {};

TEST_P(DataMesh, is_repaired_as_its_readme_says_and_gives_its_positions_back) {
    CUTIS_NEED_DATA(GetParam().file);
    const test::Shape art = read_obj(data_path);
    const RepairedMesh mesh = repair_mesh(art.positions, art.triangles, {});
    EXPECT_NO_THROW(check_mesh(mesh.positions, mesh.topology.triangles()));
    EXPECT_EQ(mesh.topology.is_closed(), GetParam().is_closed);
    if (GetParam().boundary_edges >= 0) {
        size_t boundary = 0;
        for (const std::vector<int>& loop : mesh.topology.boundary_loops()) {
            boundary += loop.size();
        }
        EXPECT_EQ(static_cast<int>(boundary), GetParam().boundary_edges);
    }
    // Identity in, identity out: every corner that has a simulation vertex gets its own place back.
    for (Eigen::Index c = 0; c < art.triangles.size(); ++c) {
        const int v = mesh.vertex_of_corner[c];
        if (v >= 0) {
            ASSERT_EQ(mesh.positions.row(v), art.positions.row(art.triangles(c / 3, c % 3))) << c;
        }
    }
    const MatrixX3d normals = vertex_normals(mesh.positions, mesh.topology);
    EXPECT_TRUE((normals.rowwise().norm().array() - 1.0).abs().maxCoeff() < 1e-12);
}

INSTANTIATE_TEST_SUITE_P(
    Files, DataMesh,
    testing::Values(Expected{"classic/torus.obj", true, 0}, Expected{"classic/vase.obj", true, 0},
                    Expected{"classic/teapot.obj", false, -1}, Expected{"classic/spot.obj", true, 0},
                    Expected{"classic/spot_low_resolution.obj", true, 0},
                    Expected{"classic/spot_control_mesh.obj", true, 0},
                    Expected{"classic/fish_low_resolution.obj", true, 0},
                    Expected{"classic/fish_control_mesh.obj", true, 0}, Expected{"classic/penguin.obj", true, 0},
                    Expected{"classic/koala_low_resolution.obj", true, 0}, Expected{"classic/human_woman.obj", true, 0},
                    Expected{"classic/hand_lowres.obj", false, 16}, Expected{"classic/hand_closed.obj", true, 0},
                    Expected{"horse-gallop/horse-gallop-01.obj", true, 0},
                    Expected{"horse-gallop/horse-gallop-reference.obj", true, 0},
                    Expected{"dem-bones/frames/bone_000.obj", true, 0}, Expected{"makehuman/base.obj", false, -1},
                    Expected{"makehuman/female_sportsuit01.obj", false, -1}),
    [](const testing::TestParamInfo<Expected>& which) {
        std::string name = std::filesystem::path(which.param.file).stem().string();
        std::replace(name.begin(), name.end(), '-', '_');
        return name;
    });

// Lashes, tear fluid and the shadow round the eye lie exactly on the lids: welded together, edges
// have up to six triangles. The file's own vertices tell which belong together.
TEST(DataFace, parts_of_a_face_that_touch_stay_parts) {
    CUTIS_NEED_DATA("ict-face/generic_neutral_mesh.obj");
    const test::Shape art = read_obj(data_path);
    const RepairedMesh mesh = repair_mesh(art.positions, art.triangles, {});
    EXPECT_GT(mesh.crowded_edges, 100);
    // 56 parts as the README says; rims of a few that lie on one other rim become a seam.
    EXPECT_LE(mesh.topology.part_count(), 56);
    EXPECT_GE(mesh.topology.part_count(), 45);
    EXPECT_LE(mesh.positions.rows(), art.positions.rows());
    EXPECT_GE(mesh.positions.rows(), art.positions.rows() - mesh.welded_vertices);
}

}  // namespace
}  // namespace cutis

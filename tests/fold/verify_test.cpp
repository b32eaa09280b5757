// Groups of `verify fold` as tests: the same checks, written once.
#include "support/proofs.h"
#include "verify/fold_cases.h"
#include "verify/fold_crossings.h"

namespace cutis {
namespace {

// A level triangle, an upright one that stands through it, one beside, and a neighbour that shares a corner.
TEST(FoldVerify, crossings_are_pairs_that_pass_through_each_other) {
    MatrixX3d positions(11, 3);
    positions << 0, 0, 0, 1, 0, 0, 0, 1, 0,              // level
        0.2, 0.2, -0.5, 0.3, 0.2, -0.5, 0.25, 0.2, 0.5,  // through it
        2.0, 0.2, -0.5, 2.1, 0.2, -0.5, 2.05, 0.2, 0.5,  // beside it
        -0.4, 0.4, -0.5, 0.4, 0.9, 0.5;                  // with corner 0 of the first, through its plane
    MatrixX3i triangles(4, 3);
    triangles << 0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 9, 10;
    const verify::Crossings found = verify::find_crossings(triangles, positions);
    EXPECT_EQ(found.pairs, 1);
    EXPECT_EQ(found.is_crossing, (std::vector<unsigned char>{1, 1, 0, 0}));
    verify::Crossings none = found;
    none.is_crossing = {0, 0, 1, 0};  // 1.7 away from the first, 1.8 from the second
    EXPECT_EQ(verify::far_crossings(none, found, triangles, positions, 3.0), 0);
    EXPECT_EQ(verify::far_crossings(none, found, triangles, positions, 1.0), 2);
}

TEST(FoldVerify, lines_in_the_plane_hold_their_length) {
    test::expect_cases(verify::verify_fold_lines);
}

TEST(FoldVerify, lines_on_a_bending_tube_are_exact) {
    test::expect_cases(verify::verify_fold_tube);
}

TEST(FoldVerify, slow_garments_hold_their_length_and_do_not_pop) {
    test::expect_cases(verify::verify_fold_character);
}

}  // namespace
}  // namespace cutis

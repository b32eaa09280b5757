// Shells that meet without being one surface: no layer may open a crack between them.
#include <gtest/gtest.h>

#include "cutis/stack/layer_stack.h"
#include "test_body.h"

namespace cutis {
namespace {

/// Moves every vertex another way.
class Scatter : public Layer {
public:
    explicit Scatter(double size) : size_(size) { facts_.changes_shape = true; }
    const LayerFacts& facts() const override { return facts_; }
    void advance(const LayerStep& step, MatrixX3d& surface, LayerFrame& /*frame*/) override {
        shape_at(step.to, step.sampling, surface);
    }
    void shape_at(double /*time*/, TimeSampling /*sampling*/, MatrixX3d& surface) override {
        for (int v = 0; v < static_cast<int>(surface.rows()); ++v) {
            surface.row(v) += size_ * Eigen::RowVector3d(std::sin(v), std::cos(2.0 * v), 0.1 * v);
        }
    }

private:
    double size_;
    LayerFacts facts_;
};

/// Square and a twin above its upper edge, which shares two places but not the weld group; a third
/// one lies on the lower edge at rest and leaves it as the body moves.
Body three_shells() {
    class Leaving : public test::SlidingMotion {
    public:
        using SlidingMotion::SlidingMotion;
        void positions(double time, TimeSampling sampling, const Workers& workers, MatrixX3d& out) const override {
            SlidingMotion::positions(time, sampling, workers, out);
            out.bottomRows(6).col(1).array() -= time;
        }
    };
    Body::Source source;
    const ArtMesh square = test::split_square();
    source.mesh.positions.resize(18, 3);
    source.mesh.triangles.resize(6, 3);
    for (int shell = 0; shell < 3; ++shell) {
        source.mesh.positions.middleRows(6 * shell, 6) = square.positions;
        source.mesh.positions.middleRows(6 * shell, 6).col(1).array() += shell == 2 ? -1.0 : shell;
        source.mesh.triangles.middleRows(2 * shell, 2) = square.triangles.array() + 6 * shell;
        source.weld_group.insert(source.weld_group.end(), 6, shell);
    }
    source.motion = std::make_shared<Leaving>(source.mesh.positions, 1.0);
    return Body(std::move(source), {});
}

TEST(Together, vertices_that_lie_on_each_other_move_as_one_and_others_as_they_please) {
    const Body body = three_shells();
    const Workers workers(1);
    LayerStack stack(body, {}, workers);
    stack.ground();
    stack.add("scatter", std::make_unique<Scatter>(0.05));
    Frame frame = stack.info().empty_frame();
    stack.advance(4, frame);
    MatrixX3d plain;
    body.positions(3.0 / 30.0, TimeSampling::exact, workers, plain);
    int met = 0;
    int apart = 0;
    for (int a = 0; a < 18; ++a) {
        for (int b = 0; b < a; ++b) {
            const double now = (frame.body().positions.row(a) - frame.body().positions.row(b)).norm();
            if ((plain.row(a) - plain.row(b)).norm() < 1e-9) {
                ++met;
                EXPECT_LT(now, 1e-12) << a << ' ' << b;
            } else if (a / 6 == 2 && b / 6 == 0 && (body.mesh().positions.row(a) == body.mesh().positions.row(b))) {
                apart += now > 1e-3 ? 1 : 0;
            }
        }
    }
    EXPECT_EQ(met, 3 * 2 + 4);  // a seam of two pairs in each square, two pairs at both ends of the common rim
    EXPECT_GT(apart, 0);        // closed at rest only: lips, not a seam
    EXPECT_TRUE(stack.note_if_unseen(0).empty());
}

TEST(Together, a_layer_that_moves_nothing_leaves_every_bit_and_says_why) {
    const Body body = three_shells();
    const Workers workers(1);
    for (const double size : {0.0, 1e-6}) {
        LayerStack stack(body, {}, workers);
        stack.ground();
        stack.add("scatter", std::make_unique<Scatter>(size));
        Frame frame = stack.info().empty_frame();
        stack.advance(1, frame);
        const std::string still = stack.note_if_unseen(0);
        EXPECT_NE(still.find("body hardly moves"), std::string::npos) << still;
        stack.advance(31, frame);
        MatrixX3d plain;
        body.positions(1.0, TimeSampling::exact, workers, plain);
        if (size == 0.0) {
            EXPECT_EQ(frame.body().positions, plain);
        }
        const std::string note = stack.note_if_unseen(0);
        EXPECT_NE(note.find(size == 0.0 ? "moved nothing" : "less than can be seen"), std::string::npos) << note;
        EXPECT_NE(note.find("masks or pins"), std::string::npos) << note;
    }
}

}  // namespace
}  // namespace cutis

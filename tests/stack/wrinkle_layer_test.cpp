#include "cutis/stack/wrinkle_layer.h"

#include <gtest/gtest.h>

#include "cutis/stack/layer_stack.h"
#include "cutis/stack/slide_layer.h"
#include "support/expect_error.h"

namespace cutis {
namespace {

/// A strip of 0.2 x 0.1 m that is pressed along x to 0.7 of its length within half a second.
Body pressed_strip(bool has_uv = true, double uv_size = 1.0) {
    constexpr int columns = 16;
    constexpr int rows = 8;
    ArtMesh mesh;
    mesh.name = "strip";
    mesh.positions.resize((columns + 1) * (rows + 1), 3);
    mesh.uv.resize(mesh.positions.rows(), 2);
    for (int j = 0; j <= rows; ++j) {
        for (int i = 0; i <= columns; ++i) {
            mesh.positions.row(j * (columns + 1) + i) << 0.2 * i / columns, 0.1 * j / rows, 0.0;
            mesh.uv.row(j * (columns + 1) + i) << 0.02 + uv_size * 0.96 * i / columns, 0.02 + uv_size * 0.48 * j / rows;
        }
    }
    mesh.triangles.resize(2 * columns * rows, 3);
    int f = 0;
    for (int j = 0; j < rows; ++j) {
        for (int i = 0; i < columns; ++i) {
            const int a = j * (columns + 1) + i;
            mesh.triangles.row(f++) << a, a + 1, a + columns + 2;
            mesh.triangles.row(f++) << a, a + columns + 2, a + columns + 1;
        }
    }
    mesh.parts = {{"strip", "", 0, f, 0, static_cast<int>(mesh.positions.rows())}};
    if (has_uv) {
        mesh.uv_triangles = mesh.triangles;
    } else {
        mesh.uv.resize(0, 2);
    }
    PointCache cache;
    cache.rate = 24.0;
    cache.vertex_count = static_cast<int>(mesh.positions.rows());
    for (int frame = 0; frame <= 12; ++frame) {
        for (Eigen::Index v = 0; v < mesh.positions.rows(); ++v) {
            cache.samples.push_back(static_cast<float>(mesh.positions(v, 0) * (1.0 - 0.3 * frame / 12.0)));
            cache.samples.push_back(static_cast<float>(mesh.positions(v, 1)));
            cache.samples.push_back(0.0F);
        }
    }
    return make_body(mesh, std::move(cache), {});
}

WrinkleLayerOptions options_of() {
    WrinkleLayerOptions options;
    options.where = "all";
    options.solver.wavelength = Painted(0.01);
    options.map_size = 256;
    return options;
}

/// Heights of the map in frame 10, over slid skin or (none) the body alone.
std::vector<float> heights_over(const Body& body, const SlideOutput* output) {
    const Workers one(1);
    StackOptions how;
    how.fps = 24.0;
    LayerStack stack(body, how, one);
    if (output != nullptr) {
        SlideLayerOptions slide;
        slide.output = *output;
        stack.add("slide", make_slide_layer(slide, stack.ground()));
    }
    stack.add("wrinkle", make_wrinkle_layer(options_of(), stack.ground()));
    Frame frame = stack.info().empty_frame();
    for (int number = 1; number <= 10; ++number) {
        stack.advance(number, frame);
    }
    const LayerInfo& layer = stack.info().layers.back();
    std::vector<float> heights;
    layer.maps->paint(frame.body(), layer.first_channel, one, &heights, nullptr);
    return heights;
}

TEST(WrinkleLayer, maps_are_of_the_material_whatever_slide_moves) {
    const Body body = pressed_strip();
    const SlideOutput outputs[] = {SlideOutput::vertices, SlideOutput::uv, SlideOutput::none};
    const std::vector<float> with_vertices = heights_over(body, &outputs[0]);
    const float highest = *std::max_element(with_vertices.begin(), with_vertices.end());
    EXPECT_GT(highest, 1e-4F);
    for (const SlideOutput& output : {outputs[1], outputs[2]}) {
        const std::vector<float> other = heights_over(body, &output);
        float largest = 0.0F;
        for (size_t i = 0; i < other.size(); ++i) {
            largest = std::max(largest, std::abs(other[i] - with_vertices[i]));
        }
        EXPECT_LT(largest, 1e-5F * highest);
    }
    const std::vector<float> alone = heights_over(body, nullptr);
    EXPECT_GT(*std::max_element(alone.begin(), alone.end()), 1e-4F);
}

TEST(WrinkleLayer, goes_on_after_a_resume_bit_for_bit) {
    const Body body = pressed_strip();
    const Workers one(1);
    const auto run = [&](int resume_at) {
        StackOptions how;
        how.fps = 24.0;
        WrinkleLayerOptions options = options_of();
        options.solver.calm = 0.05;
        const auto make = [&] {
            auto stack = std::make_unique<LayerStack>(body, how, one);
            stack->add("wrinkle", make_wrinkle_layer(options, stack->ground()));
            return stack;
        };
        auto stack = make();
        Frame frame = stack->info().empty_frame();
        for (int number = 1; number <= 10; ++number) {
            if (number == resume_at) {
                const auto states = stack->save();
                stack = make();
                stack->restore(states, number - 1);
            }
            stack->advance(number, frame);
        }
        return *stack->info().channel(frame, "wrinkle height");
    };
    const std::vector<double> straight = run(0);
    EXPECT_EQ(run(6), straight);
    EXPECT_GT(*std::max_element(straight.begin(), straight.end()), 0.0);
}

TEST(WrinkleLayer, takes_uvs_in_one_point_for_none) {
    const Body body = pressed_strip(true, 0.0);
    const Workers one(1);
    LayerStack stack(body, {}, one);
    stack.add("wrinkle", make_wrinkle_layer(options_of(), stack.ground()));
    EXPECT_EQ(stack.info().layers.front().maps, nullptr);
    EXPECT_NE(stack.layer(0).report().notes.front().find("no UVs"), std::string::npos);
}

TEST(WrinkleLayer, says_that_thickness_alone_gives_no_wavelength) {
    const Body body = pressed_strip(true);
    const Workers one(1);
    const auto notes_with = [&](std::optional<double> ratio) {
        WrinkleLayerOptions options = options_of();
        options.solver.wavelength.reset();
        options.solver.thickness = 0.001;
        options.solver.stiffness_ratio = ratio;
        LayerStack stack(body, {}, one);
        stack.add("wrinkle", make_wrinkle_layer(options, stack.ground()));
        const std::vector<std::string> notes = stack.layer(0).report().notes;
        return std::count_if(notes.begin(), notes.end(),
                             [](const std::string& note) { return note.find("thickness alone") != std::string::npos; });
    };
    EXPECT_EQ(notes_with(std::nullopt), 1);
    EXPECT_EQ(notes_with(5.0), 0);
}

TEST(WrinkleLayer, says_what_still_works_without_uvs) {
    const Body body = pressed_strip(false);
    const Workers one(1);
    LayerStack stack(body, {}, one);
    stack.add("wrinkle", make_wrinkle_layer(options_of(), stack.ground()));
    EXPECT_EQ(stack.info().layers.front().maps, nullptr);
    ASSERT_FALSE(stack.layer(0).report().notes.empty());
    EXPECT_NE(stack.layer(0).report().notes.front().find("no UVs"), std::string::npos);
    Frame frame = stack.info().empty_frame();
    stack.advance(1, frame);
    stack.advance(12, frame);
    const std::vector<double>& height = *stack.info().channel(frame, "wrinkle height");
    EXPECT_GT(*std::max_element(height.begin(), height.end()), 1e-4);
    WrinkleLayerOptions wrong = options_of();
    wrong.where = "painted:brow";
    test::expect_error<InvalidInput>(
        [&] {
            LayerStack other(body, {}, one);
            make_wrinkle_layer(wrong, other.ground());
        },
        {"painted vertex attribute", "brow"});
}

TEST(WrinkleLayer, displaces_a_finer_mesh_whose_channels_and_uvs_are_those_of_the_art) {
    const Body body = pressed_strip();
    const Workers one(1);
    StackOptions how;
    how.fps = 24.0;
    const auto run = [&](const WrinkleLayerOptions& options, int threads) {
        const Workers workers(threads);
        LayerStack stack(body, how, workers);
        stack.add("wrinkle", make_wrinkle_layer(options, stack.ground()));
        Frame frame = stack.info().empty_frame();
        stack.advance(1, frame);
        stack.advance(11, frame);
        return frame.body().positions;
    };
    WrinkleLayerOptions options = options_of();
    options.displace = true;
    options.solver.wavelength = Painted(0.025);
    LayerStack stack(body, how, one);
    stack.add("wrinkle", make_wrinkle_layer(options, stack.ground()));
    EXPECT_EQ(stack.info().layers.front().maps, nullptr);
    Frame frame = stack.info().empty_frame();
    stack.advance(1, frame);
    EXPECT_LT(frame.body().positions.col(2).cwiseAbs().maxCoeff(), 1e-9);  // at rest, in the strip's plane
    stack.advance(11, frame);
    const MatrixX3d& positions = frame.body().positions;
    EXPECT_GT(positions.rows(), 10 * body.mesh().positions.rows());
    const double highest = positions.col(2).maxCoeff() - positions.col(2).minCoeff();
    const std::vector<double>& height = *stack.info().channel(frame, "wrinkle height");
    EXPECT_EQ(static_cast<Eigen::Index>(height.size()), positions.rows());
    // H from valley to crest, of lines that are as high as `irregularity` makes them.
    EXPECT_GT(highest, 0.6 * *std::max_element(height.begin(), height.end()));
    EXPECT_LT(highest, 2.0 * *std::max_element(height.begin(), height.end()));
    const ArtMesh& art = *stack.info().meshes.front().art;
    ASSERT_EQ(art.uv_triangles.rows(), art.triangles.rows());
    // UVs of the strip are its place at rest.
    for (Eigen::Index f = 0; f < art.triangles.rows(); ++f) {
        const double x = (art.uv(art.uv_triangles(f, 0), 0) - 0.02) / 0.96 * 0.2;
        ASSERT_NEAR(x, art.positions(art.triangles(f, 0), 0), 2e-3);  // subdivision draws rims in
    }
    EXPECT_EQ(run(options, 3), positions);
}

TEST(WrinkleLayer, displaces_no_mesh_over_which_the_skin_slides) {
    const Body body = pressed_strip();
    const Workers one(1);
    StackOptions how;
    how.fps = 24.0;
    WrinkleLayerOptions options = options_of();
    options.displace = true;
    LayerStack stack(body, how, one);
    SlideLayerOptions slide;
    slide.output = SlideOutput::none;
    stack.add("slide", make_slide_layer(slide, stack.ground()));
    test::expect_error<InvalidInput>([&] { make_wrinkle_layer(options, stack.ground()); },
                                     {"displace", "output = \"vertices\""});
}

}  // namespace
}  // namespace cutis

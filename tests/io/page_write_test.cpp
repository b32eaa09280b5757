#include "cutis/io/formats.h"

#include "io/details_support.h"
#include "io/picture/picture.h"

namespace cutis::test {
namespace {

/// What a page says about its bake.
nlohmann::json meta_of(const std::filesystem::path& path) {
    const std::string text = text_of(path);
    const std::string open = "<script type=\"application/json\" id=\"cutis-meta\">";
    const size_t begin = text.find(open) + open.size();
    return nlohmann::json::parse(text.substr(begin, text.find("</script>", begin) - begin));
}

/// A square whose vertices move along two fixed shapes by two weights over time: rank two.
Body two_mode_square(int n) {
    ArtMesh mesh = seamed_square(n);
    const MatrixX3d rest = mesh.positions;
    return formula_body(mesh, [rest](double time) {
        MatrixX3d positions = rest;
        positions.col(2) += 0.2 * std::sin(3.0 * time) * rest.col(0).array().square().matrix();
        positions.col(1) += 0.1 * std::cos(5.0 * time) * rest.col(0);
        return positions;
    });
}

OutputFile bake_page(const Bake& bake, const std::filesystem::path& path, const PageOptions& options = {}) {
    return bake.run(*make_sink(path, {.html = options})).at(0);
}

std::vector<double> ramp(Eigen::Index count, double low, double high) {
    std::vector<double> values;
    for (Eigen::Index i = 0; i < count; ++i) {
        values.push_back(low + (high - low) * static_cast<double>(i) / static_cast<double>(count - 1));
    }
    return values;
}

TEST(PageWrite, motion_of_rank_two_takes_two_modes_and_meets_the_tolerance) {
    const Body body = two_mode_square(10);
    const ScratchFolder folder;
    const OutputFile file = bake_page({&body, 40}, folder / "a.html");
    EXPECT_EQ(file.numbers.at("modes"), 2.0);
    // Diagonal of the unit square.
    EXPECT_NEAR(file.numbers.at("tolerance_m"), 3e-4 * std::sqrt(2.0), 1e-12);
    EXPECT_LT(file.numbers.at("max_error_m"), file.numbers.at("tolerance_m"));
    EXPECT_GT(file.numbers.at("max_error_m"), 0.0);
    EXPECT_EQ(file.bytes, std::filesystem::file_size(folder / "a.html"));
    const auto meta = meta_of(folder / "a.html");
    EXPECT_EQ(meta.at("frames"), 40);
    EXPECT_EQ(meta.at("motions").at("positions").at("rank"), 2);
    EXPECT_EQ(meta.at("views").size(), 1U);
    EXPECT_EQ(meta.at("surfaces").at(0).at("views"), nlohmann::json({{"body", "positions"}}));
}

TEST(PageWrite, a_body_that_stands_still_takes_no_modes) {
    ArtMesh mesh = seamed_square(4);
    const MatrixX3d rest = mesh.positions;
    const Body body = formula_body(mesh, [rest](double) { return rest; });
    const ScratchFolder folder;
    const OutputFile file = bake_page({&body, 7}, folder / "a.html");
    EXPECT_EQ(file.numbers.at("modes"), 0.0);
    // Only the rounding of rest positions to float remains.
    EXPECT_LT(file.numbers.at("max_error_m"), 1e-7);
}

TEST(PageWrite, a_tolerance_beyond_sixteen_bits_is_answered_with_the_error_reached) {
    const Body body = two_mode_square(6);
    const ScratchFolder folder;
    PageOptions options;
    options.tolerance = 1e-7;
    const OutputFile file = bake_page({&body, 12}, folder / "a.html", options);
    // Half a step of the larger mode is 0.2 / 32767 / 2 at most in one coordinate.
    EXPECT_LT(file.numbers.at("max_error_m"), 2.0 * 0.2 / 32767.0);
    EXPECT_GT(file.numbers.at("max_error_m"), file.numbers.at("tolerance_m"));
}

TEST(PageWrite, layers_that_change_shape_or_uv_give_two_views) {
    const Body body = two_mode_square(6);
    const ScratchFolder folder;
    Bake shape{&body, 12};
    shape.shape_changed = true;
    shape.has_plain = true;
    shape.change = [](Frame& frame) {
        frame.body().plain_positions = frame.body().positions;
        frame.body().positions.col(0).array() += 0.01 * frame.number;
    };
    // The plain view has the body's two modes; the drift adds one of its own to the other view.
    const OutputFile file = bake_page(shape, folder / "shape.html");
    EXPECT_EQ(file.numbers.at("modes"), 5.0);
    auto meta = meta_of(folder / "shape.html");
    EXPECT_EQ(meta.at("views").size(), 2U);
    EXPECT_EQ(meta.at("motions").at("body positions").at("rank"), 2);
    EXPECT_EQ(meta.at("surfaces").at(0).at("views").at("plain"), "body positions");
    EXPECT_EQ(meta.at("surfaces").at(0).at("views").at("cutis"), "positions");

    Bake uv{&body, 12};
    uv.uv_changed = true;
    const MatrixX2d rest = body.mesh().uv;
    uv.change = [rest](Frame& frame) {
        frame.body().uv = rest;
        frame.body().uv.col(0).array() += 0.02 * frame.number;
    };
    const OutputFile slid = bake_page(uv, folder / "uv.html");
    EXPECT_LT(slid.numbers.at("max_uv_error"), 3e-4);
    meta = meta_of(folder / "uv.html");
    EXPECT_EQ(meta.at("motions").at("uv").at("rank"), 1);
    EXPECT_EQ(meta.at("surfaces").at(0).at("views").at("plain"), "positions");
    EXPECT_EQ(meta.at("surfaces").at(0).at("uvViews"), nlohmann::json({{"cutis", "uv"}}));
}

TEST(PageWrite, channels_come_with_range_unit_and_a_neutral_middle_where_they_have_one) {
    const Body body = two_mode_square(4);
    const Eigen::Index count = body.mesh().positions.rows();
    const ScratchFolder folder;
    Bake bake{&body, 5};
    // Not in a page: a second direction, and what is for renderers alone.
    bake.channels = {{"where it came from", "m", 3, 0.0, true}, {"slide distance", "m"}, {"error", "m"},
                     {"largest stretch", "1", 1, 1.0},          {"direction", "1", 3},   {"other direction", "1", 3}};
    bake.change = [count](Frame& frame) {
        const double t = frame.number;
        frame.body().channels = {ramp(count * 3, 0.0, 1.0), ramp(count, 0.0, 0.01 * t), ramp(count, -0.02 * t, 0.01),
                                 ramp(count, 0.9, 1.5),     ramp(count * 3, 0.0, 1.0),  ramp(count * 3, 0.0, 1.0)};
    };
    bake_page(bake, folder / "a.html");
    const auto meta = meta_of(folder / "a.html");
    std::map<std::string, nlohmann::json> channels;
    for (const auto& channel : meta.at("surfaces").at(0).at("channels").at("body")) {
        channels[channel.at("name")] = channel;
    }
    ASSERT_EQ(channels.size(), 4U);
    EXPECT_DOUBLE_EQ(channels["slide distance"].at("low").get<double>(), 0.0);
    EXPECT_DOUBLE_EQ(channels["slide distance"].at("high").get<double>(), 0.05);
    EXPECT_EQ(channels["slide distance"].at("isSigned"), false);
    EXPECT_DOUBLE_EQ(channels["error"].at("low").get<double>(), -0.1);
    EXPECT_DOUBLE_EQ(channels["error"].at("high").get<double>(), 0.1);
    EXPECT_DOUBLE_EQ(channels["largest stretch"].at("low").get<double>(), 0.5);
    EXPECT_DOUBLE_EQ(channels["largest stretch"].at("high").get<double>(), 1.5);
    EXPECT_EQ(channels["direction"].at("width"), 3);
    EXPECT_LT(meta.at("motions").at("channel slide distance").at("error").get<double>(), 0.05 / 100);
}

TEST(PageWrite, numbers_of_frames_become_plots_and_times_can_be_left_out) {
    const Body body = two_mode_square(4);
    const ScratchFolder folder;
    Bake bake{&body, 4};
    bake.numbers = {{"residual", ""}, {"energy", "J"}};
    bake.layers.resize(1);
    bake.layers[0].kind = bake.layers[0].name = "slide";
    bake.change = [](Frame& frame) {
        frame.numbers = {frame.number == 3 ? 1e-9 : std::nan(""), 2.0 * frame.number};
        frame.stage_seconds = {0.001, 0.003 * frame.number};
    };
    bake_page(bake, folder / "a.html");
    const auto plots = meta_of(folder / "a.html").at("plots");
    ASSERT_EQ(plots.size(), 3U);
    EXPECT_EQ(plots[0].at("name"), "energy");
    EXPECT_EQ(plots[0].at("unit"), "J");
    EXPECT_EQ(plots[0].at("values"), nlohmann::json({2.0, 4.0, 6.0, 8.0}));
    EXPECT_EQ(plots[1].at("values"), nlohmann::json({nullptr, nullptr, 1e-9, nullptr}));
    EXPECT_EQ(plots[2].at("unit"), "ms");
    EXPECT_NEAR(plots[2].at("values").at(3).get<double>(), 13.0, 1e-9);

    PageOptions options;
    options.use_times = false;
    bake_page(bake, folder / "b.html", options);
    EXPECT_EQ(meta_of(folder / "b.html").at("plots").size(), 2U);
}

TEST(PageWrite, a_title_cannot_end_the_element_it_stands_in) {
    const Body body = two_mode_square(4);
    const ScratchFolder folder;
    PageOptions options;
    options.title = "</script><script>alert(1)</script>";
    options.caption = "<!--CUTIS_DATA--> \xff";
    bake_page({&body, 2}, folder / "a.html", options);
    EXPECT_EQ(text_of(folder / "a.html").find("<script>alert"), std::string::npos);
    EXPECT_EQ(meta_of(folder / "a.html").at("title"), options.title);
}

TEST(PageWrite, options_out_of_range_are_refused) {
    const auto refused = [](const std::function<void(PageOptions&)>& change) {
        PageOptions options;
        change(options);
        EXPECT_THROW(make_sink("a.html", {.html = options}), InvalidInput);
    };
    refused([](PageOptions& o) { o.tolerance = 0.0; });
    refused([](PageOptions& o) { o.uv_tolerance = std::nan(""); });
    refused([](PageOptions& o) { o.paint = "mud"; });
    refused([](PageOptions& o) { o.camera = {0.0, 0.0, 0.0}; });
    refused([](PageOptions& o) { o.camera = {0.0, 1.0}; });
    refused([](PageOptions& o) { o.focus = {0.0, 0.0, 0.0, 0.0}; });
    refused([](PageOptions& o) { o.focus = {0.0, 0.0, 1.0}; });
}

TEST(PageWrite, body_positions_of_the_wrong_count_and_odd_channels_are_refused) {
    const Body body = two_mode_square(4);
    const ScratchFolder folder;
    Bake bake{&body, 2};
    bake.shape_changed = true;
    bake.has_plain = true;
    bake.change = [](Frame& frame) { frame.body().plain_positions.setZero(3, 3); };
    EXPECT_THROW(bake_page(bake, folder / "a.html"), InvalidInput);
    bake.has_plain = false;
    bake.channels = {{"c", "1", 2}};
    bake.change = [](Frame& frame) { frame.body().channels[0].assign(frame.body().positions.rows() * 2U, 0.0); };
    EXPECT_THROW(bake_page(bake, folder / "a.html"), InvalidInput);
}

TEST(PageWrite, details_lines_and_pins_stand_in_the_view_of_the_result) {
    const Body body = two_mode_square(6);
    const ScratchFolder folder;
    const Bake bake = with_details(body, 20);
    const OutputFile file = bake_page(bake, folder / "a.html");
    EXPECT_LT(file.numbers.at("max_error_m"), file.numbers.at("tolerance_m"));
    const auto meta = meta_of(folder / "a.html");
    // Nothing but the detail differs between the two views.
    ASSERT_EQ(meta.at("views").size(), 2U);
    ASSERT_EQ(meta.at("surfaces").size(), 2U);
    const auto& skin = meta.at("surfaces")[0];
    EXPECT_EQ(skin.at("views"), nlohmann::json({{"plain", "positions"}, {"cutis", "positions"}}));
    const auto& detail = meta.at("surfaces")[1];
    EXPECT_EQ(detail.at("name"), "scales");
    EXPECT_EQ(detail.at("kind"), "detail");
    ASSERT_EQ(detail.at("views").size(), 1U);
    const auto& motion = meta.at("motions").at(detail.at("views").at("cutis").get<std::string>());
    EXPECT_EQ(motion.at("count"), 30);
    EXPECT_EQ(motion.at("rank"), 2);
    EXPECT_LT(motion.at("error").get<double>(), file.numbers.at("tolerance_m"));
    EXPECT_TRUE(detail.contains("colour"));
    EXPECT_FALSE(detail.contains("colours"));
    for (const char* section : {"source", "triangles", "rest", "uv", "uvSource"}) {
        EXPECT_TRUE(meta.at("sections").contains(detail.at(section))) << section;
        EXPECT_NE(detail.at(section), skin.at(section));
    }
    const auto& channel = detail.at("channels").at("cutis").at(0);
    EXPECT_EQ(channel.at("name"), "height");
    EXPECT_TRUE(meta.at("motions").contains(channel.at("motion")));

    ASSERT_EQ(meta.at("lines").size(), 1U);
    const auto& ridge = meta.at("lines")[0];
    EXPECT_EQ(ridge.at("show"), "curves");
    EXPECT_EQ(ridge.at("views"), nlohmann::json({"cutis"}));
    EXPECT_EQ(meta.at("sections").at(ridge.at("segments")).at("count"), 10);
    EXPECT_EQ(meta.at("motions").at(ridge.at("motion").get<std::string>()).at("count"), 6);
    ASSERT_EQ(meta.at("points").size(), 1U);
    EXPECT_EQ(meta.at("points")[0].at("show"), "pins");
    EXPECT_EQ(meta.at("points")[0].at("name"), "corners");
}

TEST(PageWrite, channels_of_one_name_share_the_legend_of_body_and_detail) {
    const Body body = two_mode_square(4);
    const ScratchFolder folder;
    Bake bake = with_details(body, 4);
    const auto detail = bake.change;
    bake.channels = {{"height", "m"}};
    bake.change = [&](Frame& frame) {
        detail(frame);
        frame.body().channels[0] = ramp(frame.body().positions.rows(), 0.0, 2.0);
    };
    bake_page(bake, folder / "a.html");
    const auto meta = meta_of(folder / "a.html");
    for (const auto& surface : meta.at("surfaces")) {
        EXPECT_DOUBLE_EQ(surface.at("channels").at("cutis").at(0).at("high").get<double>(), 2.0);
    }
}

TEST(PageWrite, a_finer_mesh_than_the_body_is_shown_as_it_is) {
    const Body body = two_mode_square(4);
    const ArtMesh finer = seamed_square(8);
    const ScratchFolder folder;
    Bake bake{&body, 5};
    bake.mesh = &finer;
    bake.shape_changed = true;
    bake.has_plain = true;
    bake.change = [&finer](Frame& frame) {
        frame.body().plain_positions = finer.positions;
        frame.body().positions = finer.positions * (1.0 + 0.1 * frame.number);
    };
    bake_page(bake, folder / "a.html");
    const auto meta = meta_of(folder / "a.html");
    EXPECT_EQ(meta.at("motions").at("positions").at("count"), 81);
    EXPECT_EQ(meta.at("motions").at("body positions").at("count"), 81);
    EXPECT_EQ(meta.at("sections").at("rest").at("count"), 81 * 3);
}

TEST(PageWrite, lines_without_points_are_left_out) {
    const Body body = two_mode_square(4);
    const ScratchFolder folder;
    Bake bake{&body, 3};
    bake.lines = {{"none", "curves", 0, {}}};
    bake.change = [](Frame& frame) { frame.lines = {MatrixX3d(0, 3)}; };
    bake_page(bake, folder / "a.html");
    const auto meta = meta_of(folder / "a.html");
    EXPECT_TRUE(meta.at("points").empty());
    EXPECT_TRUE(meta.at("lines").empty());
}

TEST(PageWrite, normal_maps_tints_and_places_of_pictures_are_those_of_the_materials) {
    Picture picture;
    picture.width = picture.height = 8;
    picture.rgba.assign(8 * 8 * 4, 200);
    auto library = std::make_shared<MaterialLibrary>();
    library->gltf_json = R"({"materials": [
        {"name": "red", "pbrMetallicRoughness": {"baseColorFactor": [1, 0.5, 0.25, 1], "baseColorTexture": {"index": 0,
            "extensions": {"KHR_texture_transform": {"offset": [0.25, 0.125], "scale": [2, 4],
                                                     "rotation": 1.5707963267948966}}}},
         "normalTexture": {"index": 1, "scale": 0.5}}],
        "textures": [{"source": 0}, {"source": 1, "sampler": 0}], "samplers": [{"wrapS": 33071}],
        "images": [{"mimeType": "image/png"}, {"mimeType": "image/png"}]})";
    library->images = {write_png(picture), write_png(picture)};
    Body::Source source;
    source.mesh = seamed_square(2);
    source.mesh.parts[0].material = "red";
    source.materials = library;
    const MatrixX3d rest = source.mesh.positions;
    source.motion = std::make_shared<FormulaMotion>(int(rest.rows()), 1.0, [rest](double) { return rest; });
    const Body body(std::move(source), ClockOptions{});
    const ScratchFolder folder;
    const Bake bake{&body, 2};
    bake_page(bake, folder / "a.html");
    const auto meta = meta_of(folder / "a.html");
    const auto& part = meta.at("surfaces").at(0).at("parts").at(0);
    const auto& base = meta.at("pictures").at(part.at("picture").get<size_t>());
    const auto& normals = meta.at("pictures").at(part.at("normals").get<size_t>());
    EXPECT_EQ(base.at("factor"), nlohmann::json({1.0, 0.5, 0.25}));
    // With v down: offset + turn (2 u, 4 v), counter-clockwise as one sees it: u' = 0.25 + 4 v, v' = 0.125 - 2 u.
    const std::vector<double> place = base.at("place").get<std::vector<double>>();
    ASSERT_EQ(place.size(), 6U);
    for (const double u : {0.0, 0.7}) {
        for (const double v : {0.0, 0.4}) {
            EXPECT_NEAR(place[0] * u + place[1] * v + place[2], 0.25 + 4.0 * (1.0 - v), 1e-12);
            EXPECT_NEAR(place[3] * u + place[4] * v + place[5], 1.0 - (0.125 - 2.0 * u), 1e-12);
        }
    }
    EXPECT_FALSE(base.contains("repeats"));
    EXPECT_EQ(normals.at("factor"), nlohmann::json({0.5, 0.5, 1.0}));
    EXPECT_EQ(normals.at("repeats"), nlohmann::json({false, true}));
    EXPECT_FALSE(normals.contains("place"));
}

}  // namespace
}  // namespace cutis::test

// Pictures, decals on a body's texture, and textures that go on over seams.

#include "io/picture/picture.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "cutis/actors/actors.h"
#include "cutis/core/error.h"
#include "cutis/io/scene_read.h"
#include "io/picture/body_pictures.h"
#include "io/picture/canvas.h"
#include "mesh/log_map.h"
#include "support/data.h"
#include "support/expect_error.h"
#include "support/shapes.h"

namespace cutis {
namespace {

Picture gradient(int width, int height) {
    Picture picture{width, height, {}};
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            for (const int value : {x * 255 / (width - 1), y * 255 / (height - 1), 40, 255}) {
                picture.rgba.push_back(static_cast<unsigned char>(value));
            }
        }
    }
    return picture;
}

void save(const std::filesystem::path& path, const std::vector<unsigned char>& bytes) {
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

void expect_words(const std::string& text, const std::vector<std::string>& words) {
    for (const std::string& word : words) {
        EXPECT_NE(text.find(word), std::string::npos) << "expected \"" << word << "\" in: " << text;
    }
}

TEST(Picture, png_comes_back_bit_for_bit_and_jpeg_nearly) {
    const Picture picture = gradient(64, 48);
    EXPECT_EQ(read_picture(write_png(picture), "").rgba, picture.rgba);
    const Picture again = read_picture(write_jpeg(picture, 95), "");
    ASSERT_EQ(again.rgba.size(), picture.rgba.size());
    for (size_t i = 0; i < picture.rgba.size(); ++i) {
        EXPECT_NEAR(again.rgba[i], picture.rgba[i], 12);
    }
}

TEST(Picture, what_is_none_or_broken_is_refused_by_name) {
    std::vector<unsigned char> png = write_png(gradient(64, 48));
    png.resize(png.size() / 2);
    std::vector<unsigned char> jpeg = write_jpeg(gradient(64, 48), 90);
    jpeg.resize(20);
    const std::vector<unsigned char> words = {'h', 'e', 'l', 'l', 'o'};
    expect_words(test::message_of<Error>([&] { read_picture(png, "a.png"); }), {"a.png", "PNG", "broken"});
    expect_words(test::message_of<Error>([&] { read_picture(jpeg, "a.jpg"); }), {"a.jpg", "JPEG", "broken"});
    expect_words(test::message_of<Error>([&] { read_picture(words, "a.txt"); }), {"a.txt", "expected a PNG or JPEG"});
    expect_words(test::message_of<Error>([&] { read_picture({}, "none"); }), {"none", "expected a PNG or JPEG"});
}

TEST(LogMap, of_a_plane_is_the_plane_and_of_a_tube_its_unrolled_sheet) {
    const test::Shape flat = test::planar_grid(8, 8);
    const Topology plane(flat.triangles, static_cast<int>(flat.positions.rows()));
    const SurfacePoint centre = {40, Vector3d(0.2, 0.3, 0.5)};
    const Vector3d from = interpolate(flat.positions, flat.triangles, centre);
    const LogMap map = log_map(plane, flat.positions, centre, Vector3d::UnitX(), 2.0);
    for (int v = 0; v < plane.vertex_count(); ++v) {
        ASSERT_EQ(map.is_reached[static_cast<size_t>(v)], 1);
        EXPECT_NEAR(map.places(v, 0), flat.positions(v, 0) - from[0], 1e-12);
        EXPECT_NEAR(map.places(v, 1), flat.positions(v, 1) - from[1], 1e-12);
    }
    // The same sheet bent round an axis of radius 0.5: x is now an angle times the radius.
    MatrixX3d bent = flat.positions;
    for (Eigen::Index v = 0; v < bent.rows(); ++v) {
        const double angle = (flat.positions(v, 0) - 0.5) / 0.5;
        bent.row(v) << 0.5 * std::sin(angle), flat.positions(v, 1), 0.5 * std::cos(angle);
    }
    const LogMap rolled = log_map(plane, bent, centre, Vector3d::UnitX(), 2.0);
    for (int v = 0; v < plane.vertex_count(); ++v) {
        EXPECT_NEAR(rolled.places(v, 0), flat.positions(v, 0) - from[0], 0.02) << v;
        EXPECT_NEAR(rolled.places(v, 1), flat.positions(v, 1) - from[1], 0.02) << v;
    }
}

// A square of 8 x 8 cells whose texture is cut along its middle: the left half lies at u = 0.4 x,
// the right half at 0.4 x + 0.5; v = 0.1 + 0.8 y.
Body cut_square() {
    const test::Shape shape = test::planar_grid(8, 8);
    ArtMesh mesh;
    mesh.positions = shape.positions;
    mesh.triangles = mesh.uv_triangles = shape.triangles;
    mesh.uv.resize(162, 2);
    for (int v = 0; v < 162; ++v) {
        mesh.uv.row(v) << 0.4 * shape.positions(v % 81, 0) + (v < 81 ? 0.05 : 0.5),
            0.1 + 0.8 * shape.positions(v % 81, 1);
    }
    for (int f = 0; f < mesh.triangles.rows(); ++f) {
        double middle = 0.0;
        for (int k = 0; k < 3; ++k) {
            middle += shape.positions(mesh.triangles(f, k), 0) / 3.0;
        }
        mesh.uv_triangles.row(f).array() += middle > 0.5 ? 81 : 0;
    }
    return make_body(mesh, PointCache(), BodyOptions());
}

TEST(Seams, a_chart_goes_on_over_its_border_with_what_lies_there_on_the_surface) {
    const Body body = cut_square();
    const UvSurface uv(body);
    Picture picture{320, 320, std::vector<unsigned char>(size_t{4} * 320 * 320, 255)};
    std::vector<int> all;
    // Colours tell the place: red is x, green y.
    for (int f = 0; f < uv.corners.rows(); ++f) {
        all.push_back(f);
        for_pixels(pixel_corners(uv, f, picture), picture, [&](int x, int y, const Vector3d& weights) {
            const Vector3d at = interpolate(uv.surface.rest(), uv.surface.topology().triangles(), {f, weights});
            picture.at(x, y)[0] = static_cast<unsigned char>(std::lround(255.0 * at[0]));
            picture.at(x, y)[1] = static_cast<unsigned char>(std::lround(255.0 * at[1]));
        });
    }
    continue_over_seams(uv, all, picture);
    int beyond = 0;
    for (int y = 40; y < 280; ++y) {
        for (int x = 0; x < 320; ++x) {
            const double u = (x + 0.5) / 320.0;
            const bool is_left = u > 0.25 && u < 0.31;   // beyond the left half's cut at x = 0.5
            const bool is_right = u < 0.70 && u > 0.64;  // beyond the right half's
            if (is_left || is_right) {
                const double place = (u - (is_left ? 0.05 : 0.5)) / 0.4;
                const double height = (1.0 - (y + 0.5) / 320.0 - 0.1) / 0.8;
                EXPECT_NEAR(picture.at(x, y)[0] / 255.0, place, 0.012) << x << ' ' << y;
                EXPECT_NEAR(picture.at(x, y)[1] / 255.0, height, 0.012) << x << ' ' << y;
                ++beyond;
            }
        }
    }
    EXPECT_GT(beyond, 240 * 30);
}

// A plane of 1 m with UVs (x, y), as an OBJ file, and a decal of four colours.
struct Plane {
    test::ScratchFolder folder;

    Plane() {
        std::ofstream(folder / "plane.obj") << "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n"
                                               "f 1/1 2/2 3/3\nf 1/1 3/3 4/4\n";
        std::ofstream(folder / "bare.obj") << "v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\n";
        std::ofstream(folder / "palette.obj") << "v 0 0 0\nv 1 0 0\nv 1 1 0\nvt 0.5 0.5\nvt 0.501 0.5\nvt 0.501 0.501\n"
                                                 "f 1/1 2/2 3/3\n";
        std::ofstream(folder / "words.png") << "no picture";
        Picture four{128, 64, {}};
        for (int y = 0; y < 64; ++y) {
            for (int x = 0; x < 128; ++x) {
                for (const int value : {x < 64 ? 250 : 10, y < 32 ? 250 : 10, 0, 255}) {
                    four.rgba.push_back(static_cast<unsigned char>(value));
                }
            }
        }
        save(folder / "four.png", write_png(four));
    }

    Body load(const std::string& decal, const std::string& mesh = "plane.obj") const {
        std::ofstream(folder / "shot.toml") << "[body]\nmesh = \"" << mesh << "\"\n[[decal]]\n" << decal;
        return load_body(read_scene(folder / "shot.toml"), {}, load_actor);
    }
    std::string refusal(const std::string& decal, const std::string& mesh = "plane.obj") const {
        return test::message_of<Error>([&] { load(decal, mesh); });
    }
};

TEST(Decal, lies_where_it_was_put_with_its_size_and_turn) {
    const Plane plane;
    for (const double turn : {0.0, 90.0}) {
        const Body body =
            plane.load("image = \"four.png\"\nat = [0.5, 0.5, 0.1]\nsize = 0.4\nturn = " + std::to_string(turn) + "\n");
        ASSERT_EQ(body.mesh().parts.size(), 1U);
        const auto pictures = base_colour_pictures(body);
        const Picture picture = read_picture(*pictures.at(body.mesh().parts[0].material).bytes, "");
        const auto at = [&](double x, double y) {
            return picture.at(static_cast<int>(x * picture.width), static_cast<int>((1.0 - y) * picture.height));
        };
        // 0.4 m wide, 0.2 m high: in its own axes the corners of quadrants, 0.1 and 0.05 away.
        for (const int right : {-1, 1}) {
            for (const int up : {-1, 1}) {
                const double x = 0.1 * right;
                const double y = 0.05 * up;
                const unsigned char* pixel = turn == 0.0 ? at(0.5 + x, 0.5 + y) : at(0.5 - y, 0.5 + x);
                EXPECT_NEAR(pixel[0], right < 0 ? 250 : 10, 1);
                EXPECT_NEAR(pixel[1], up > 0 ? 250 : 10, 1);
                EXPECT_EQ(pixel[2], 0);
            }
        }
        EXPECT_EQ((turn == 0.0 ? at(0.31, 0.5) : at(0.5, 0.31))[2], 0);
        EXPECT_NE((turn == 0.0 ? at(0.29, 0.5) : at(0.5, 0.29))[2], 0);
    }
}

TEST(Decal, bad_ones_are_refused_with_what_and_where) {
    const Plane plane;
    const std::string good = "image = \"four.png\"\n";
    expect_words(plane.refusal("image = \"none.png\"\nat = [0, 0, 0]\n"),
                 {"shot.toml:3:1", "[[decal]] image", "none.png", "not found"});
    expect_words(plane.refusal("image = \"words.png\"\nat = [0, 0, 0]\n"), {"words.png", "expected a PNG or JPEG"});
    expect_words(plane.refusal(good + "uv = [1.5, 0.5]\n"),
                 {"shot.toml:3:1", "[[decal]] uv", "1.5 0.5", "span 0 0 to 1 1"});
    expect_words(plane.refusal(good + "at = [9, 0, 0]\n"),
                 {"[[decal]] at", "expected a place on the skin", "8 m away"});
    expect_words(plane.refusal(good + "joint = \"hand\"\n"), {"[[decal]] joint", "\"hand\""});
    expect_words(plane.refusal(good + "at = [0, 0, 0]\nsize = 0\n"), {"size", "above 0"});
    expect_words(plane.refusal(good + "at = [0, 0, 0]\nuv = [0, 0]\n"),
                 {"expected one of at, uv and joint, found several"});
    expect_words(plane.refusal(good + "at = [0.5, 0.3, 0]\nsize = 0.2\n", "palette.obj"),
                 {"[[decal]]", "room for a picture", "pixels across"});
    expect_words(plane.refusal(good), {"expected one of at, uv and joint, found none"});
    expect_words(plane.refusal("at = [0, 0, 0]\n"), {"[[decal]] image", "expected the name of a picture"});
    expect_words(plane.refusal(good + "at = [0, 0, 0]\n", "bare.obj"), {"[[decal]]", "expected a mesh with UVs"});
}

}  // namespace
}  // namespace cutis

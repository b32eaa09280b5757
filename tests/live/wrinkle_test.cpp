#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "cutis/actors/actors.h"
#include "cutis/live/session.h"
#include "cutis/stack/frame.h"
#include "cutis/stack/layer_stack.h"

namespace cutis {
namespace {

constexpr const char* wrinkled_head = R"(
[body]
actor = "head"

[[layer]]
kind = "wrinkle"
map_size = 1024
)";

/// A section's bytes; empty where the frame has none of that kind.
std::vector<unsigned char> section(const Session& session, const std::string& kind, Json& about) {
    const std::vector<unsigned char>& frame = session.frame();
    std::uint32_t length = 0;
    std::memcpy(&length, frame.data() + 4, 4);
    const Json head = Json::parse(std::string(frame.begin() + 8, frame.begin() + 8 + length), "frame");
    for (const Json& one : head["sections"]) {
        if (one["kind"].as_text() == kind) {
            about = one;
            const auto begin = frame.begin() + 8 + length + one["offset"].as_index();
            const size_t size = static_cast<size_t>(one["count"].as_index()) * (one["type"].as_text() == "u8" ? 1 : 4);
            return {begin, begin + static_cast<std::ptrdiff_t>(size)};
        }
    }
    return {};
}

/// What a shader makes of the map and a height at a vertex, beside what a bake paints there.
TEST(LiveWrinkles, what_a_page_shades_is_close_to_the_maps_of_a_bake) {
    const Workers workers(2);
    SessionOptions options;
    options.workers = &workers;
    options.actors = load_actor;
    Session session(options);
    ASSERT_TRUE(session.apply({{"do", "open"}, {"scene", wrinkled_head}})["ok"].as_boolean());
    ASSERT_TRUE(session.step());
    Json about;
    const std::vector<unsigned char> map = section(session, "wrinkles", about);
    const int side = about["size"].as_index();
    ASSERT_EQ(map.size(), 2 * static_cast<size_t>(side) * static_cast<size_t>(side));

    double error = 0.0;
    double tilt = 0.0;
    for (int i = 0; i < 40; ++i) {
        ASSERT_TRUE(session.step());
        EXPECT_TRUE(section(session, "wrinkles", about).empty()) << "the map comes once";
        const std::vector<unsigned char> bytes = section(session, "wrinkleHeights", about);
        std::vector<float> heights(bytes.size() / 4);
        std::memcpy(heights.data(), bytes.data(), bytes.size());
        const BakeInfo& info = session.layers()->info();
        const MeshInfo& mesh = info.meshes.front();
        ASSERT_EQ(heights.size(), static_cast<size_t>(mesh.vertex_count()));
        if (i % 8 != 0) {
            continue;
        }
        const SurfaceMaps& painter = *info.layers.front().maps;
        std::vector<float> exact;
        const_cast<SurfaceMaps&>(painter).paint(session.state()->body(), info.layers.front().first_channel, workers,
                                                nullptr, &exact);
        const MatrixX3i& triangles = mesh.art->uv_triangles;
        for (Eigen::Index f = 0; f < triangles.rows(); ++f) {
            const int corner = triangles(f, 0);
            const double u = mesh.art->uv(corner, 0);
            const double v = mesh.art->uv(corner, 1);
            const int x = static_cast<int>(u * side);
            const int y = static_cast<int>(v * side);
            if (x < 0 || y < 0 || x >= side || y >= side) {
                continue;
            }
            const size_t at = 2 * (static_cast<size_t>(y) * static_cast<size_t>(side) + static_cast<size_t>(x));
            const Eigen::Vector2d n(map[at] / 127.5 - 1.0, map[at + 1] / 127.5 - 1.0);
            const Eigen::Vector2d slope = heights[static_cast<size_t>(mesh.art->triangles(f, 0))] * n /
                                          std::sqrt(std::max(1.0 - n.squaredNorm(), 0.0025));
            const int size = painter.size();
            const size_t pixel =
                static_cast<size_t>((1.0 - v) * size) * static_cast<size_t>(size) + static_cast<size_t>(u * size);
            const Vector3d wanted(exact[3 * pixel], exact[3 * pixel + 1], exact[3 * pixel + 2]);
            const Vector3d shaded = Vector3d(slope.x(), slope.y(), 1.0).normalized();
            error += (shaded - wanted).squaredNorm();
            tilt += (Vector3d::UnitZ() - wanted).squaredNorm();
        }
    }
    EXPECT_GT(tilt, 1.0) << "nothing wrinkles";
    EXPECT_LT(std::sqrt(error / tilt), 0.5);
}

}  // namespace
}  // namespace cutis

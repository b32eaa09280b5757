// A sheet whose UVs slide over it, once while it waves and once while it stands still, written in
// every format: layers that move UVs are yet to come, but what they will hand to the writers can be
// shown to other programs today.
//
// Usage: peer_moving_uv FOLDER FRAMES    (FOLDER/waving.glb, .usda, .pc2, .uv.pc2, .npz, and
// still.*)
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "cutis/body/body.h"
#include "cutis/io/formats.h"

namespace {

constexpr int columns = 21;
constexpr int rows = 16;
constexpr double fps = 24.0;

cutis::ArtMesh sheet() {
    cutis::ArtMesh mesh;
    mesh.name = "sheet";
    mesh.positions.resize(columns * rows, 3);
    mesh.uv.resize(columns * rows, 2);
    mesh.triangles.resize((columns - 1) * (rows - 1) * 2, 3);
    int triangle = 0;
    for (int r = 0; r < rows; ++r) {
        for (int c = 0; c < columns; ++c) {
            const int v = r * columns + c;
            const double x = c / (columns - 1.0);
            const double y = r / (rows - 1.0);
            mesh.positions.row(v) << x, y, 0.0;
            mesh.uv.row(v) << x, y;
            if (r + 1 < rows && c + 1 < columns) {
                mesh.triangles.row(triangle++) << v, v + 1, v + columns;
                mesh.triangles.row(triangle++) << v + 1, v + columns + 1, v + columns;
            }
        }
    }
    mesh.uv_triangles = mesh.triangles;
    cutis::MeshPart part;
    part.name = "sheet";
    part.triangle_count = triangle;
    part.vertex_count = columns * rows;
    mesh.parts = {part};
    return mesh;
}

/// A travelling wave of some height, and UVs that slide and turn at another pace.
cutis::Frame frame_at(const cutis::Body& body, int number, double height) {
    cutis::Frame frame = cutis::BakeInfo(body).empty_frame();
    frame.number = number;
    frame.time = (number - 1) / fps;
    const cutis::ArtMesh& rest = body.mesh();
    frame.body().positions = rest.positions;
    frame.body().uv = rest.uv;
    cutis::MeshFrame& now = frame.body();
    const double wave = 3.0 * frame.time;
    const double slide = 5.0 * frame.time;
    for (int v = 0; v < columns * rows; ++v) {
        const double x = rest.positions(v, 0);
        const double y = rest.positions(v, 1);
        now.positions(v, 2) = height * std::sin(6.0 * x + wave);
        now.uv(v, 0) += 0.05 * std::sin(slide) * (1.0 - y);
        now.uv(v, 1) += 0.05 * (1.0 - std::cos(slide)) * x * y;
    }
    return frame;
}

void write(const std::filesystem::path& folder, const std::string& name, int frames, double height) {
    const cutis::ArtMesh mesh = sheet();
    const cutis::Body body = cutis::make_body(mesh, cutis::PointCache{}, cutis::BodyOptions{});
    cutis::BakeInfo info(body);
    info.fps = fps;
    info.frame_count = frames;
    info.meshes.front().shape_changed = height != 0.0;
    info.meshes.front().uv_changed = true;
    for (const char* format : {"glb", "usda", "pc2", "npz"}) {
        // As other programs read it without help.
        const auto sink = cutis::make_sink(
            format, folder, name,
            {.glb = {.compression = cutis::GlbCompression::none}, .usda = {.tolerance = 0.0, .use_channels = true}});
        sink->begin(info);
        for (int number = 1; number <= frames; ++number) {
            sink->write(frame_at(body, number, height));
        }
        for (const cutis::OutputFile& file : sink->finish()) {
            std::cout << file.path << "\n";
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::cerr << "usage: peer_moving_uv FOLDER FRAMES\n";
        return 2;
    }
    try {
        std::filesystem::create_directories(argv[1]);
        write(argv[1], "waving", std::atoi(argv[2]), 0.1);
        write(argv[1], "still", std::atoi(argv[2]), 0.0);
    } catch (const std::exception& error) {
        std::cerr << error.what() << "\n";
        return 1;
    }
    return 0;
}

// What layers may add to a bake, written in every format for other programs to read: a sheet shown
// on a finer mesh than the body's own, with studs that rise on it as a detail mesh; and a skinned
// cylinder with the same studs beside it.
//
// Usage: peer_details FOLDER FRAMES    (FOLDER/sheet.*, FOLDER/skinned.glb, FOLDER/skinned.npz)
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iostream>

#include "cutis/actors/actors.h"
#include "cutis/body/body.h"
#include "cutis/io/formats.h"

namespace {

constexpr double fps = 24.0;

cutis::ArtMesh sheet(int cells) {
    const int side = cells + 1;
    cutis::ArtMesh mesh;
    mesh.name = "sheet";
    mesh.positions.resize(side * side, 3);
    mesh.triangles.resize(cells * cells * 2, 3);
    int triangle = 0;
    for (int r = 0; r < side; ++r) {
        for (int c = 0; c < side; ++c) {
            const int v = r * side + c;
            mesh.positions.row(v) << c / double(cells), r / double(cells), 0.0;
            if (r < cells && c < cells) {
                mesh.triangles.row(triangle++) << v, v + 1, v + side;
                mesh.triangles.row(triangle++) << v + 1, v + side + 1, v + side;
            }
        }
    }
    mesh.uv = mesh.positions.leftCols<2>();
    mesh.uv_triangles = mesh.triangles;
    return mesh;
}

/// Four-sided studs in a row.
cutis::ArtMesh studs(int count) {
    cutis::ArtMesh mesh;
    mesh.positions.resize(5 * count, 3);
    mesh.uv.resize(5 * count, 2);
    mesh.triangles.resize(4 * count, 3);
    for (int i = 0; i < count; ++i) {
        const double x = 0.1 * i;
        mesh.positions.middleRows(5 * i, 5) << x, 0.4, 0.2, x + 0.08, 0.4, 0.2, x + 0.08, 0.48, 0.2, x, 0.48, 0.2,
            x + 0.04, 0.44, 0.26;
        mesh.uv.middleRows(5 * i, 5) << 0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 0.5, 0.5;
        for (int k = 0; k < 4; ++k) {
            mesh.triangles.row(4 * i + k) << 5 * i + k, 5 * i + (k + 1) % 4, 5 * i + 4;
        }
    }
    mesh.uv_triangles = mesh.triangles;
    return mesh;
}

/// The studs ride on a wave, and their tops lean.
void move_studs(const cutis::ArtMesh& rest, cutis::Frame& frame) {
    cutis::MeshFrame& detail = frame.meshes[1];
    detail.positions = rest.positions;
    std::vector<double>& height = detail.channels[0];
    height.clear();
    for (Eigen::Index v = 0; v < rest.positions.rows(); ++v) {
        detail.positions(v, 2) += 0.1 * std::sin(6.0 * rest.positions(v, 0) + 3.0 * frame.time);
        if (v % 5 == 4) {
            detail.positions(v, 0) += 0.03 * std::sin(9.0 * frame.time);
        }
        height.push_back(detail.positions(v, 2));
    }
    frame.lines = {detail.positions.topRows(5)};
}

cutis::BakeInfo info_of(const cutis::Body& body, const cutis::ArtMesh& detail, int frames) {
    cutis::BakeInfo info(body);
    info.fps = fps;
    info.frame_count = frames;
    info.meshes.push_back({"studs", std::make_shared<cutis::ArtMesh>(detail), {{"height", "m"}}});
    info.lines = {{"first stud", "curves", 5, {{0, 4}, {1, 4}, {2, 4}, {3, 4}}}};
    return info;
}

void write(const std::filesystem::path& folder, const std::string& name, const std::vector<std::string>& formats,
           const cutis::BakeInfo& info, const std::function<void(cutis::Frame&)>& fill) {
    for (const std::string& format : formats) {
        // As other programs read it without help.
        const auto sink = cutis::make_sink(
            format, folder, name,
            {.glb = {.compression = cutis::GlbCompression::none}, .usda = {.tolerance = 0.0, .use_channels = true}});
        sink->begin(info);
        for (int number = 1; number <= info.frame_count; ++number) {
            cutis::Frame frame = info.empty_frame();
            frame.number = number;
            frame.time = (number - 1) / fps;
            fill(frame);
            sink->write(frame);
        }
        for (const cutis::OutputFile& file : sink->finish()) {
            std::cout << file.path << "\n";
        }
    }
}

void write_sheet(const std::filesystem::path& folder, int frames) {
    const cutis::Body body = cutis::make_body(sheet(4), cutis::PointCache{}, cutis::BodyOptions{});
    const cutis::ArtMesh finer = sheet(16);
    const cutis::ArtMesh detail = studs(8);
    cutis::BakeInfo info = info_of(body, detail, frames);
    info.show(finer);
    info.meshes.front().shape_changed = true;
    write(folder, "sheet", {"glb", "usda", "obj", "pc2", "mdd", "npz", "html"}, info, [&](cutis::Frame& frame) {
        frame.body().positions = finer.positions;
        frame.body().positions.col(2) = 0.1 * (6.0 * finer.positions.col(0).array() + 3.0 * frame.time).sin();
        move_studs(detail, frame);
    });
}

void write_skinned(const std::filesystem::path& folder, int frames) {
    cutis::BodyOptions options;
    options.clip = "twist";
    const cutis::Body body =
        cutis::make_body(std::make_shared<cutis::Character>(cutis::load_actor("cylinder")), options);
    const cutis::ArtMesh detail = studs(8);
    write(folder, "skinned", {"glb", "npz"}, info_of(body, detail, frames), [&](cutis::Frame& frame) {
        body.positions(frame.time, cutis::TimeSampling::exact, cutis::Workers(1), frame.body().positions);
        move_studs(detail, frame);
    });
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::cerr << "usage: peer_details FOLDER FRAMES\n";
        return 2;
    }
    try {
        std::filesystem::create_directories(argv[1]);
        write_sheet(argv[1], std::atoi(argv[2]));
        write_skinned(argv[1], std::atoi(argv[2]));
    } catch (const std::exception& error) {
        std::cerr << error.what() << "\n";
        return 1;
    }
    return 0;
}

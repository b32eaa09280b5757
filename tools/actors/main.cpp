// Makes the characters that are kept as files.
//   make_actors FOLDER [NAME...]           writes FOLDER/NAME.glb
//   make_actors --check FOLDER [NAME...]   makes them again and compares with what stands there
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "actors/files.h"
#include "cast.h"
#include "cutis/body/body.h"
#include "cutis/core/error.h"
#include "cutis/io/files.h"
#include "mesh/triangle_grid.h"
#include "slide/locate.h"
#include "write_glb.h"

namespace cutis::actor {

namespace {

const std::map<std::string, Character (*)()>& makers() {
    static const std::map<std::string, Character (*)()> all = {
        {"arm", make_arm},       {"hand", make_hand},         {"head", make_head},         {"torso", make_torso},
        {"dancer", make_dancer}, {"dinosaur", make_dinosaur}, {"creature", make_creature}, {"horse", make_horse},
        {"rabbit", make_rabbit}, {"teapot", make_teapot},     {"vase", make_vase},         {"tower", make_tower},
    };
    return all;
}

/// Largest distance of the vertices of one surface from the other, where it is at most `reach`; else infinity.
double farthest_from(const MatrixX3d& points, const MatrixX3d& surface, const MatrixX3i& triangles, double reach) {
    MatrixX3d low(triangles.rows(), 3);
    MatrixX3d high(triangles.rows(), 3);
    for (Eigen::Index f = 0; f < triangles.rows(); ++f) {
        const auto a = surface.row(triangles(f, 0));
        const auto b = surface.row(triangles(f, 1));
        const auto c = surface.row(triangles(f, 2));
        low.row(f) = a.cwiseMin(b).cwiseMin(c).array() - reach;
        high.row(f) = a.cwiseMax(b).cwiseMax(c).array() + reach;
    }
    const BoxGrid grid(low, high);
    double farthest = 0.0;
    for (Eigen::Index v = 0; v < points.rows(); ++v) {
        const Vector3d point = points.row(v);
        const Eigen::Vector3i cell = grid.cell_of(point);
        double nearest = std::numeric_limits<double>::infinity();
        for (const int* f = grid.begin(cell); f != grid.end(cell); ++f) {
            double square = 0.0;
            nearest_in_triangle(point, surface.row(triangles(*f, 0)), surface.row(triangles(*f, 1)),
                                surface.row(triangles(*f, 2)), square);
            nearest = std::min(nearest, square);
        }
        farthest = std::max(farthest, nearest);
    }
    return std::sqrt(farthest);
}

struct Apart {
    double distance = 0.0;       ///< metres, at moments of all clips
    bool has_same_edges = true;  ///< then of vertices, else of the surfaces from each other
};

Apart compare(const std::shared_ptr<const Character>& a, const std::shared_ptr<const Character>& b) {
    Apart apart;
    for (const Clip& clip : a->clips) {
        BodyOptions options;
        options.clip = clip.name;
        const Body first = make_body(a, options);
        const Body second = make_body(b, options);
        const MatrixX3i& here_triangles = first.mesh().triangles;
        const MatrixX3i& there_triangles = second.mesh().triangles;
        const bool is_same = here_triangles.rows() == there_triangles.rows() && here_triangles == there_triangles;
        apart.has_same_edges = apart.has_same_edges && is_same;
        const int moments = is_same ? 40 : 4;
        for (int i = 0; i <= moments; ++i) {
            MatrixX3d here, there;
            const double time = first.duration() * i / moments;
            first.positions(time, TimeSampling::exact, Workers(1), here);
            second.positions(time, TimeSampling::exact, Workers(1), there);
            const double reach = 0.01 * (there.colwise().maxCoeff() - there.colwise().minCoeff()).norm();
            const double distance = is_same ? (here - there).rowwise().norm().maxCoeff()
                                            : std::max(farthest_from(here, there, there_triangles, reach),
                                                       farthest_from(there, here, here_triangles, reach));
            apart.distance = std::max(apart.distance, distance);
        }
    }
    return apart;
}

void check(const std::string& name, const Character& made, const std::string& bytes,
           const std::filesystem::path& path) {
    const std::vector<unsigned char> file = read_file(path);
    const std::string_view stored(reinterpret_cast<const char*>(file.data()), file.size());
    const auto read = std::make_shared<const Character>(read_actor_file(stored, name));
    const Apart apart = compare(std::make_shared<const Character>(made), read);
    std::printf("%s: %zu bytes, %s, %.2g mm from its maker%s\n", name.c_str(), file.size(),
                stored == bytes ? "same bytes" : "other bytes", 1e3 * apart.distance,
                apart.has_same_edges ? "" : ", other edges");
    // Files made when products were fused with sums have some edges elsewhere: there the surfaces are compared.
    if (!(apart.has_same_edges ? apart.distance < 1e-4 : std::isfinite(apart.distance))) {
        throw InvalidInput(
            concat(path.string(), ": expected at most ", apart.has_same_edges ? "0.1 mm" : "a hundredth of its size",
                   " from what tools/actors makes, found ", 1e3 * apart.distance, " mm; `make actors` makes it anew"));
    }
}

int run(std::vector<std::string> words) {
    const bool is_check = !words.empty() && words.front() == "--check";
    if (is_check) {
        words.erase(words.begin());
    }
    if (words.empty()) {
        throw InvalidInput("expected: make_actors [--check] FOLDER [NAME...]");
    }
    const std::filesystem::path folder = words.front();
    words.erase(words.begin());
    std::size_t total = 0;
    for (const auto& [name, make] : makers()) {
        if (!words.empty() && std::find(words.begin(), words.end(), name) == words.end()) {
            continue;
        }
        const Character character = make();
        const std::string bytes = glb_of(character);
        const std::filesystem::path path = folder / (name + ".glb");
        if (is_check) {
            check(name, character, bytes, path);
        } else {
            AtomicFile file(path);
            file.write(bytes);
            file.commit();
            std::printf("%s: %zu bytes\n", path.string().c_str(), bytes.size());
        }
        total += bytes.size();
    }
    std::printf("%zu bytes in all\n", total);
    return 0;
}

}  // namespace

}  // namespace cutis::actor

int main(int count, char** words) {
    try {
        return cutis::actor::run({words + 1, words + count});
    } catch (const std::exception& error) {
        std::fprintf(stderr, "make_actors: %s\n", error.what());
        return 1;
    }
}

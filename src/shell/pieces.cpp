#include "shell/pieces.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "core/math.h"
#include "cutis/core/error.h"

namespace cutis {

namespace {

/// Collects triangles of a tile; (u, v) double as texture coordinates.
struct TileMaker {
    std::vector<Vector3d> points;
    std::vector<Eigen::Vector3i> triangles;

    int add(const Vector3d& p) {
        points.push_back(p);
        return static_cast<int>(points.size()) - 1;
    }

    /// Grid of (nu + 1) x (nv + 1) points; `wraps` closes it in the first direction.
    void grid(int nu, int nv, bool wraps, const std::function<Vector3d(double, double)>& point) {
        const int first = static_cast<int>(points.size());
        const int columns = wraps ? nu : nu + 1;
        for (int j = 0; j <= nv; ++j) {
            for (int i = 0; i < columns; ++i) {
                points.push_back(point(static_cast<double>(i) / nu, static_cast<double>(j) / nv));
            }
        }
        for (int j = 0; j < nv; ++j) {
            for (int i = 0; i < nu; ++i) {
                const int a = first + j * columns + i;
                const int b = first + j * columns + (i + 1) % columns;
                triangles.emplace_back(a, b, b + columns);
                triangles.emplace_back(a, b + columns, a + columns);
            }
        }
    }

    /// Closes a ring of points with a fan around its centre.
    void cap(int first, int count, bool reversed) {
        Vector3d sum = Vector3d::Zero();
        for (int i = 0; i < count; ++i) {
            sum += points[static_cast<size_t>(first) + static_cast<size_t>(i)];
        }
        const int centre = add(sum / count);
        for (int i = 0; i < count; ++i) {
            const int a = first + i;
            const int b = first + (i + 1) % count;
            triangles.push_back(reversed ? Eigen::Vector3i(centre, b, a) : Eigen::Vector3i(centre, a, b));
        }
    }
};

double smooth(double t) {
    t = std::clamp(t, 0.0, 1.0);
    return t * t * (3.0 - 2.0 * t);
}

/// Two straps each way, woven over and under; every strap runs on into the next tile.
void make_straps(TileMaker& tile) {
    constexpr int along = 16;
    constexpr int around = 12;
    for (int strap = 0; strap < 4; ++strap) {
        const bool lengthwise = strap < 2;
        const double middle = strap % 2 == 0 ? 0.25 : 0.75;
        const double sign = (strap % 2 == 0) == lengthwise ? 1.0 : -1.0;
        tile.grid(around, along, true, [&](double s, double t) {
            // Rounded flat section, counter-clockwise seen along the strap.
            const double a = 2.0 * M_PI * s;
            const double wide = 0.17 * std::copysign(math::pow(std::abs(math::cos(a)), 0.6), math::cos(a));
            const double high = 0.13 * std::copysign(math::pow(std::abs(math::sin(a)), 0.8), math::sin(a));
            const double wave = 0.5 + sign * 0.28 * math::sin(2.0 * M_PI * t);
            return lengthwise ? Vector3d(t, middle + wide, wave + high) : Vector3d(middle - wide, t, wave + high);
        });
    }
}

/// Running bond: one whole brick and two halves that meet their neighbours' halves at the border.
void make_bricks(TileMaker& tile) {
    constexpr double joint = 0.025;
    constexpr double round = 0.05;
    const auto brick = [&](double u0, double u1, double v0, double v1, bool open_left, bool open_right) {
        // Five rings from the foot to the rounded top; open ends lie on the tile's border.
        const std::array<std::array<double, 2>, 5> rings = {
            {{0.0, 0.0}, {0.0, 0.5}, {0.0, 0.92}, {0.3, 0.98}, {1.0, 1.0}}};
        constexpr int pieces = 6;
        const int first = static_cast<int>(tile.points.size());
        int ring_size = 0;
        for (const auto& ring : rings) {
            const double inset = ring[0];
            const double height = ring[1];
            const double in = round * inset;
            const double a = u0 + (open_left ? 0.0 : in);
            const double b = u1 - (open_right ? 0.0 : in);
            const double c = v0 + in;
            const double d = v1 - in;
            ring_size = 0;
            const auto walk = [&](double x0, double y0, double x1, double y1) {
                for (int i = 0; i < pieces; ++i) {
                    const double t = static_cast<double>(i) / pieces;
                    tile.add({x0 + t * (x1 - x0), y0 + t * (y1 - y0), height});
                    ++ring_size;
                }
            };
            walk(a, c, b, c);
            walk(b, c, b, d);
            walk(b, d, a, d);
            walk(a, d, a, c);
        }
        for (int r = 0; r + 1 < static_cast<int>(rings.size()); ++r) {
            for (int i = 0; i < ring_size; ++i) {
                const int side = i / pieces;  // 1: right wall, 3: left wall
                if ((side == 1 && open_right) || (side == 3 && open_left)) {
                    continue;
                }
                const int a = first + r * ring_size + i;
                const int b = first + r * ring_size + (i + 1) % ring_size;
                tile.triangles.emplace_back(a, b, b + ring_size);
                tile.triangles.emplace_back(a, b + ring_size, a + ring_size);
            }
        }
        tile.cap(first + (static_cast<int>(rings.size()) - 1) * ring_size, ring_size, false);
    };
    brick(joint, 1.0 - joint, joint, 0.5 - joint, false, false);
    brick(0.0, 0.5 - joint, 0.5 + joint, 1.0 - joint, true, false);
    brick(0.5 + joint, 1.0, 0.5 + joint, 1.0 - joint, false, true);
}

/// Scales in two staggered rows, each closed; their raised tips overhang the roots of the next row.
void make_scales(TileMaker& tile) {
    constexpr int along = 10;
    // s runs across the scale within [from, to]: a half scale ends in a wall on the tile's border.
    const auto scale = [&](double u0, double from, double to, double v0) {
        const int columns = from == 0.0 && to == 1.0 ? 12 : 6;
        const int ring = 2 * (columns + 1);
        const int first = static_cast<int>(tile.points.size());
        tile.grid(ring, along, true, [&](double position, double t) {
            const int i = static_cast<int>(std::lround(position * ring));
            const bool top = i <= columns;
            const double share = static_cast<double>(top ? i : ring - 1 - i) / columns;
            const double x = 2.0 * (from + (to - from) * share) - 1.0;  // -1 .. 1 across
            const double round = std::max(t - 0.55, 0.0) / 0.45;
            const double outline = std::sqrt(std::max(1.0 - round * round, 0.05));
            const double dome = 0.18 * (1.0 - x * x) * outline;
            const double thick = top ? (0.05 + 0.07 * (1.0 - x * x)) * (1.0 - 0.5 * t) : 0.0;
            return Vector3d(u0 + 0.5 * x * outline, v0 + 0.5 * t, 0.04 + 0.66 * t + dome + thick);
        });
        // Root and tip are closed by strips between upper and lower side.
        for (const bool root : {true, false}) {
            const int start = root ? first : first + along * ring;
            for (int i = 0; i < columns; ++i) {
                const int a = start + i, b = start + i + 1, c = start + ring - 2 - i, d = start + ring - 1 - i;
                tile.triangles.push_back(root ? Eigen::Vector3i(a, c, b) : Eigen::Vector3i(a, b, c));
                tile.triangles.push_back(root ? Eigen::Vector3i(a, d, c) : Eigen::Vector3i(a, c, d));
            }
        }
    };
    scale(0.5, 0.0, 1.0, 0.0);
    scale(0.0, 0.5, 1.0, 0.5);
    scale(1.0, 0.0, 0.5, 0.5);
}

/// One large spike and four small ones, closed below.
void make_spikes(TileMaker& tile) {
    constexpr int around = 14;
    const auto spike = [&](double u, double v, double radius, double height, double lean) {
        constexpr int rings = 9;
        const int first = static_cast<int>(tile.points.size());
        tile.grid(around, rings - 1, true, [&](double s, double t) {
            const double r = radius * math::pow(1.0 - t, 1.6) + 0.02 * radius;
            const double a = 2.0 * M_PI * s;
            return Vector3d(u + r * math::cos(a) + lean * t * t, v + r * math::sin(a), height * t * 0.985);
        });
        const int tip = tile.add({u + lean, v, height});
        const int last = first + (rings - 1) * around;
        for (int i = 0; i < around; ++i) {
            tile.triangles.emplace_back(last + i, last + (i + 1) % around, tip);
        }
        tile.cap(first, around, true);
    };
    spike(0.5, 0.5, 0.30, 1.0, 0.10);
    for (const auto& [u, v] : {std::pair{0.15, 0.15}, {0.85, 0.15}, {0.15, 0.85}, {0.85, 0.85}}) {
        spike(u, v, 0.14, 0.45, 0.03);
    }
}

/// Seven curved cards, two-sided strips that taper to the tip.
void make_hair(TileMaker& tile) {
    constexpr int pieces = 10;
    for (int card = 0; card < 7; ++card) {
        // A fixed spread without repeats: steps of the golden angle.
        const double u = 0.14 + 0.72 * std::fmod(0.5 + 0.6180339887 * card, 1.0);
        const double v = 0.14 + 0.50 * (card + 0.5) / 7.0;
        const double turn = 2.3999632 * card;
        const double height = 0.78 + 0.22 * std::fmod(0.38 * card, 1.0);
        tile.grid(2, pieces, false, [&](double s, double t) {
            const double half = 0.075 * (1.0 - smooth((t - 0.35) / 0.65) * 0.9);
            const double across = (2.0 * s - 1.0) * half;
            const double bow = 0.018 * (1.0 - (2.0 * s - 1.0) * (2.0 * s - 1.0));
            const double c = math::cos(turn * 0.25);
            const double w = math::sin(turn * 0.25);
            const double droop = 0.22 * t * t;
            return Vector3d(u + across * c - bow * w + 0.05 * math::sin(turn) * t * t, v + across * w + bow * c + droop,
                            height * (t - 0.25 * t * t * t) / 0.75);
        });
    }
}

/// One closed scale, raised towards its rounded tip at v = 1, for scattering.
void make_scale(TileMaker& tile) {
    constexpr int columns = 6;
    constexpr int along = 5;
    constexpr int ring = 2 * (columns + 1);
    const int first = static_cast<int>(tile.points.size());
    tile.grid(ring, along, true, [&](double position, double t) {
        const int i = static_cast<int>(std::lround(position * ring));
        const bool top = i <= columns;
        const double x = 2.0 * static_cast<double>(top ? i : ring - 1 - i) / columns - 1.0;
        const double tip = std::max(t - 0.5, 0.0) / 0.5;
        const double root = std::max(0.3 - t, 0.0) / 0.3;
        const double outline = std::sqrt(std::max(1.0 - tip * tip, 0.01)) * (1.0 - 0.35 * root * root);
        const double dome = 0.22 * (1.0 - x * x) * outline;
        const double thick = top ? (0.06 + 0.08 * (1.0 - x * x)) * (1.0 - 0.6 * t) : 0.0;
        return Vector3d(0.5 + 0.46 * x * outline, t, 0.02 + 0.62 * t + dome + thick);
    });
    for (const bool root : {true, false}) {
        const int start = root ? first : first + along * ring;
        for (int i = 0; i < columns; ++i) {
            const int a = start + i, b = start + i + 1, c = start + ring - 2 - i, d = start + ring - 1 - i;
            tile.triangles.push_back(root ? Eigen::Vector3i(a, c, b) : Eigen::Vector3i(a, b, c));
            tile.triangles.push_back(root ? Eigen::Vector3i(a, d, c) : Eigen::Vector3i(a, c, d));
        }
    }
}

/// One spike that leans towards v = 1, closed below, for scattering.
void make_spike(TileMaker& tile) {
    constexpr int around = 10;
    constexpr int rings = 8;
    const int first = static_cast<int>(tile.points.size());
    tile.grid(around, rings - 1, true, [&](double s, double t) {
        const double r = 0.3 * math::pow(1.0 - t, 1.3) + 0.006;
        const double a = 2.0 * M_PI * s;
        return Vector3d(0.5 + r * math::cos(a), 0.4 + r * math::sin(a) + 0.3 * t * t, 0.985 * t);
    });
    const int tip = tile.add({0.5, 0.71, 1.0});
    const int last = first + (rings - 1) * around;
    for (int i = 0; i < around; ++i) {
        tile.triangles.emplace_back(last + i, last + (i + 1) % around, tip);
    }
    tile.cap(first, around, true);
}

struct Detail {
    const char* name;
    const char* line;
    void (*make)(TileMaker&);
};

const std::array<Detail, 7>& details() {
    static const std::array<Detail, 7> all = {{
        {"straps", "four woven straps that run on into the next tile", make_straps},
        {"bricks", "running bond with rounded edges", make_bricks},
        {"scales", "overlapping scales in staggered rows", make_scales},
        {"spikes", "one large leaning spike and four small ones", make_spikes},
        {"hair", "seven curved hair cards", make_hair},
        {"scale", "one scale, to scatter", make_scale},
        {"spike", "one leaning spike, to scatter", make_spike},
    }};
    return all;
}

}  // namespace

std::vector<DetailInfo> list_details() {
    std::vector<DetailInfo> out;
    for (const Detail& detail : details()) {
        out.push_back({detail.name, detail.line});
    }
    return out;
}

ArtMesh make_detail(const std::string& name) {
    std::string known;
    for (const Detail& detail : details()) {
        known += (known.empty() ? "" : ", ") + std::string(detail.name);
        if (name != detail.name) {
            continue;
        }
        TileMaker tile;
        detail.make(tile);
        ArtMesh mesh;
        mesh.name = name;
        const auto vertices = static_cast<Eigen::Index>(tile.points.size());
        const auto triangles = static_cast<Eigen::Index>(tile.triangles.size());
        mesh.positions.resize(vertices, 3);
        mesh.uv.resize(vertices, 2);
        mesh.triangles.resize(triangles, 3);
        for (Eigen::Index v = 0; v < vertices; ++v) {
            mesh.positions.row(v) = tile.points[v].transpose();
            mesh.uv.row(v) = mesh.positions.row(v).head<2>();
        }
        for (Eigen::Index f = 0; f < triangles; ++f) {
            mesh.triangles.row(f) = tile.triangles[f].transpose();
        }
        mesh.uv_triangles = mesh.triangles;
        mesh.parts.push_back({name, "", 0, static_cast<int>(triangles), 0, static_cast<int>(vertices)});
        return mesh;
    }
    throw InvalidInput(concat("detail: no piece named '", name, "'; there are ", known));
}

}  // namespace cutis

#include "curve/part.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "curve/layout_limits.h"
#include "curve/tube_map.h"
#include "cutis/core/error.h"
#include "cutis/mesh/geometry.h"
#include "edge_loops.h"

namespace cutis {

namespace {

/// A tube with its map.
struct Tube {
    SurfacePiece piece;
    TubeMap map;
    int tip = -1;
    bool has_closed_end = false;
};

Tube make_tube(const SurfacePiece& piece, int first_cut, int second_cut) {
    Tube tube;
    tube.piece = piece;
    const auto loop_with = [&](int cut, int except) {
        const auto& loops = tube.piece.topology.boundary_loops();
        for (size_t i = 0; i < loops.size(); ++i) {
            if (static_cast<int>(i) != except && tube.piece.cut_of_loop(loops[i]) == cut) {
                return static_cast<int>(i);
            }
        }
        return -1;
    };
    int first = loop_with(first_cut, -1);
    int second = loop_with(second_cut, first);
    if (first < 0) {
        std::swap(first, second);
        std::swap(first_cut, second_cut);
    }
    if (first < 0) {
        throw InvalidInput(concat("part: expected a tube with one or two open ends, found ",
                                  piece.topology.boundary_loops().size(), " border loops, none of them an end"));
    }
    const int loop_count = static_cast<int>(tube.piece.topology.boundary_loops().size());
    std::vector<int> holes;
    for (int i = 0; i < loop_count; ++i) {
        if (i != first && i != second) {
            holes.push_back(i);
        }
    }
    const int first_vertex = tube.piece.topology.boundary_loops()[first].front();
    const Stencils first_point = selected(tube.piece.points, {first_vertex});
    if (!holes.empty()) {
        tube.piece = filled_holes(tube.piece, holes);
    }
    if (second < 0) {
        OpenedTip opened = opened_tip(tube.piece);
        tube.piece = std::move(opened.piece);
        tube.tip = opened.surface_vertex;
        tube.has_closed_end = true;
    }
    const auto& loops = tube.piece.topology.boundary_loops();
    require(loops.size() == 2, "part: expected a tube (two border loops), found ", loops.size(), " loops");
    // The loop that holds the first end's vertex comes first.
    int first_now = 1;
    for (const int v : loops[0]) {
        const Stencils point = selected(tube.piece.points, {v});
        if (point.indices == first_point.indices && point.weights == first_point.weights) {
            first_now = 0;
        }
    }
    tube.map = map_tube(tube.piece.positions, tube.piece.topology, first_now, 1 - first_now);
    return tube;
}

/// Where each line goes and which s each place has.
struct Grid {
    std::vector<double> s;                   // per place, ascending 0 .. 1
    std::vector<std::vector<double>> theta;  // per place, then per line: ascending within one turn

    /// Angles of the lines at a place between places.
    std::vector<double> angles_at(int index, double fraction) const {
        const auto i = static_cast<size_t>(index);
        std::vector<double> angles = theta[i];
        for (size_t line = 0; line < angles.size(); ++line) {
            angles[line] += fraction * (theta[i + 1][line] - theta[i][line]);
        }
        return angles;
    }
};

/// Angle of a line given by (s, theta) points at s; straight on past its ends.
double angle_of(const std::vector<std::pair<double, double>>& line, double s) {
    if (s <= line.front().first) {
        return line.front().second;
    }
    for (size_t i = 1; i < line.size(); ++i) {
        if (s <= line[i].first) {
            const double x = (s - line[i - 1].first) / (line[i].first - line[i - 1].first);
            return line[i - 1].second + x * (line[i].second - line[i - 1].second);
        }
    }
    return line.back().second;
}

/// Lines along edge loops at every place; refuses lines that change their order.
void follow_edge_loops(const std::vector<std::vector<std::pair<double, double>>>& loops, Grid& grid) {
    // Loops end where the quads do; from the first end on all keep their angle.
    double low = 0.0;
    double high = 1.0;
    for (const auto& loop : loops) {
        low = std::max(low, loop.front().first);
        high = std::min(high, loop.back().first);
    }
    require(low < high, "edge loops: expected them to run side by side for a stretch");
    for (const double s : grid.s) {
        std::vector<double> row;
        for (const auto& loop : loops) {
            double angle = angle_of(loop, std::clamp(s, low, high));
            if (row.empty()) {
                angle -= std::floor(angle);
            } else {
                angle -= std::floor(angle - row.front());
            }
            require(row.empty() || angle > row.back(), "edge loops: expected them to run side by side, they cross ",
                    "at s ", s);
            row.push_back(angle);
        }
        // Whole turns between neighbouring places are of no meaning: keep each line steady.
        if (!grid.theta.empty()) {
            const double shift = std::round(grid.theta.back().front() - row.front());
            for (double& angle : row) {
                angle += shift;
            }
        }
        grid.theta.push_back(std::move(row));
    }
}

double mean_edge_of(const SurfacePiece& piece) {
    return mean_edge_length(piece.positions, piece.topology);
}

/// Mean length of lines up to each of `steps` + 1 equal levels of s.
std::vector<double> mean_arc(const Tube& tube, const TubeLocator& locator, int lines, int steps) {
    std::vector<double> length(static_cast<size_t>(steps) + 1, 0.0);
    for (int c = 0; c < lines; ++c) {
        Vector3d before = Vector3d::Zero();
        for (int i = 0; i <= steps; ++i) {
            const SurfacePoint point = locator.find(static_cast<double>(i) / steps, static_cast<double>(c) / lines);
            const Vector3d here = position_at(tube.piece.positions, tube.piece.topology.triangles(), point);
            if (i > 0) {
                length[i] += (here - before).norm() / lines;
            }
            before = here;
        }
    }
    for (size_t i = 1; i < length.size(); ++i) {
        length[i] += length[i - 1];
    }
    return length;
}

std::vector<double> even_levels(const std::vector<double>& arc, int nodes) {
    std::vector<double> levels;
    const size_t steps = arc.size() - 1;
    size_t i = 0;
    for (int n = 0; n < nodes; ++n) {
        const double wanted = arc.back() * n / (nodes - 1);
        while (i + 1 < steps && arc[i + 1] < wanted) {
            ++i;
        }
        const double step = arc[i + 1] - arc[i];
        const double x = step > 0.0 ? std::clamp((wanted - arc[i]) / step, 0.0, 1.0) : 0.0;
        levels.push_back((static_cast<double>(i) + x) / static_cast<double>(steps));
    }
    levels.front() = 0.0;
    levels.back() = 1.0;
    return levels;
}

std::vector<double> line_angles(const Tube& tube, const CurveLayout& layout, int curves) {
    std::vector<double> angles;
    if (layout.start_vertices.empty()) {
        for (int c = 0; c < curves; ++c) {
            angles.push_back(static_cast<double>(c) / curves);
        }
        return angles;
    }
    for (const int vertex : layout.start_vertices) {
        const auto& list = tube.piece.surface_vertex;
        const auto found = std::find(list.begin(), list.end(), vertex);
        require(vertex >= 0 && found != list.end(), "start vertices: expected vertices of the part, found ", vertex,
                ", which is not");
        double angle = tube.map.theta[found - list.begin()];
        angle -= std::floor(angle);
        angles.push_back(angle);
    }
    std::sort(angles.begin(), angles.end());
    for (size_t i = 1; i < angles.size(); ++i) {
        require(angles[i] - angles[i - 1] >= 1e-9, "start vertices: expected one a line, found two on the same line");
    }
    return angles;
}

/// Where a value lies in an ascending list: index of the interval and fraction of it.
struct Place {
    int index = 0;
    double fraction = 0.0;
};

Place place_in(const std::vector<double>& list, double value) {
    const auto last = static_cast<int>(list.size()) - 2;
    const auto next = std::upper_bound(list.begin(), list.end(), value);
    const int index = std::clamp(static_cast<int>(next - list.begin()) - 1, 0, last);
    const auto i = static_cast<size_t>(index);
    return {index, std::clamp((value - list[i]) / (list[i + 1] - list[i]), 0.0, 1.0)};
}

Place place_round(const std::vector<double>& angles, double theta) {
    theta -= std::floor(theta - angles.front());
    const auto next = std::upper_bound(angles.begin(), angles.end(), theta);
    const auto i = static_cast<size_t>(next - angles.begin()) - 1;
    const double end = i + 1 < angles.size() ? angles[i + 1] : angles.front() + 1.0;
    return {static_cast<int>(i), (theta - angles[i]) / (end - angles[i])};
}

/// Catmull-Rom weights of the places -1, 0, 1, 2.
std::array<double, 4> cubic_weights(double x) {
    return {x * (-0.5 + x * (1.0 - 0.5 * x)), 1.0 + x * x * (-2.5 + 1.5 * x), x * (0.5 + x * (2.0 - 1.5 * x)),
            x * x * (-0.5 + 0.5 * x)};
}

/// Weights on the nodes along a line; past its ends the line goes on straight.
void along_weights(const Place& at, int nodes, CurveTransfer rule, std::map<int, double>& out) {
    if (rule != CurveTransfer::bicubic) {
        out[at.index] += 1.0 - at.fraction;
        out[at.index + 1] += at.fraction;
        return;
    }
    const auto w = cubic_weights(at.fraction);
    for (int i = 0; i < 4; ++i) {
        const int n = at.index - 1 + i;
        const double weight = w[i];
        if (n < 0) {
            out[0] += 2.0 * weight;
            out[1] -= weight;
        } else if (n >= nodes) {
            out[nodes - 1] += 2.0 * weight;
            out[nodes - 2] -= weight;
        } else {
            out[n] += weight;
        }
    }
}

void round_weights(const Place& at, int curves, CurveTransfer rule, std::map<int, double>& out) {
    if (rule != CurveTransfer::bicubic) {
        out[at.index] += 1.0 - at.fraction;
        out[(at.index + 1) % curves] += at.fraction;
        return;
    }
    const auto w = cubic_weights(at.fraction);
    for (int i = 0; i < 4; ++i) {
        out[(at.index - 1 + i + 2 * curves) % curves] += w[i];
    }
}

void append_row(Stencils& stencils, const std::map<int, double>& row) {
    for (const auto& [index, weight] : row) {
        if (weight != 0.0) {
            stencils.indices.push_back(index);
            stencils.weights.push_back(weight);
        }
    }
    stencils.offsets.push_back(static_cast<int>(stencils.indices.size()));
}

}  // namespace

void check_layout(const CurveLayout& layout) {
    check_struct(layout, "curve");
    require(
        (layout.curves == 0 || layout.curves >= fewest_curves) && (layout.nodes == 0 || layout.nodes >= fewest_nodes),
        "curves: expected ", fewest_curves, " to ", most_curves, " curves and ", fewest_nodes, " to ", most_nodes,
        " nodes (0: automatic), found ", layout.curves, " and ", layout.nodes);
    require(layout.start_vertices.empty() || layout.start_vertices.size() >= 3,
            "start vertices: expected at least 3, found ", layout.start_vertices.size());
}

CurvePart lay_curves(const SurfacePiece& piece, int first_cut, int second_cut, const CurveLayout& layout) {
    check_layout(layout);
    const Tube tube = make_tube(piece, first_cut, second_cut);
    const TubeLocator locator(tube.piece.topology, tube.map);
    const std::vector<double> coarse = mean_arc(tube, locator, 12, 48);

    CurvePart part;
    part.direction = layout.direction;
    part.flipped = tube.map.flipped;
    part.twist = tube.map.twist;
    part.length = coarse.back();
    part.girth = triangle_areas(tube.piece.positions, tube.piece.topology).sum() / part.length;
    part.tip = tube.tip;
    part.has_closed_end = tube.has_closed_end;
    const double edge = mean_edge_of(tube.piece);
    int lines = layout.curves;
    std::vector<std::vector<std::pair<double, double>>> loops;
    if (layout.edge_loops) {
        loops = edge_loops_along(tube.piece, tube.map, layout.polygon_edges);
        lines = static_cast<int>(loops.size());
    } else if (!layout.start_vertices.empty()) {
        lines = static_cast<int>(layout.start_vertices.size());
    } else if (lines == 0) {
        lines = std::clamp(static_cast<int>(std::lround(part.girth / edge)), 12, 64);
    }
    int places = layout.nodes;
    if (places == 0) {
        places = std::clamp(static_cast<int>(std::lround(part.length / edge)) + 1, 13, 96);
    }
    Grid grid;
    if (layout.even_spacing) {
        const int steps = std::clamp(6 * places, 48, 6000);
        grid.s = even_levels(mean_arc(tube, locator, std::min(lines, 24), steps), places);
    } else {
        for (int n = 0; n < places; ++n) {
            grid.s.push_back(static_cast<double>(n) / (places - 1));
        }
    }

    if (layout.edge_loops) {
        follow_edge_loops(loops, grid);
    } else {
        grid.theta.assign(static_cast<size_t>(places), line_angles(tube, layout, lines));
    }

    const bool is_ring = layout.direction == CurveDirection::around;
    part.curve_count = is_ring ? places : lines;
    part.node_count = is_ring ? lines : places;
    const auto row_of = [&](int place, int line) { return is_ring ? line * places + place : place * lines + line; };

    // Nodes: where (s, theta) lies in the piece, as weights on surface vertices.
    Stencils in_piece;
    in_piece.base_count = tube.piece.points.count();
    part.along.resize(part.rows());
    double shortest = 1e300;
    double longest = 0.0;
    std::vector<SurfacePoint> found(static_cast<size_t>(part.rows()));
    for (int line = 0; line < lines; ++line) {
        Vector3d before = Vector3d::Zero();
        for (int place = 0; place < places; ++place) {
            const int row = row_of(place, line);
            const SurfacePoint point = locator.find(grid.s[place], grid.theta[place][line]);
            found[row] = point;
            part.along[row] = grid.s[place];
            part.virtual_nodes += point.triangle >= tube.piece.real_triangles ? 1 : 0;
            const Vector3d here = position_at(tube.piece.positions, tube.piece.topology.triangles(), point);
            if (place > 0) {
                shortest = std::min(shortest, (here - before).norm());
                longest = std::max(longest, (here - before).norm());
            }
            before = here;
        }
    }
    part.spacing_ratio = longest / std::max(shortest, 1e-300);
    for (const SurfacePoint& point : found) {
        std::map<int, double> row;
        for (int k = 0; k < 3; ++k) {
            row[tube.piece.topology.triangles()(point.triangle, k)] += point.barycentric[k];
        }
        append_row(in_piece, row);
    }
    part.nodes = composed(tube.piece.points, in_piece);

    // Transfer: every surface vertex of the piece from the nodes around it.
    std::map<int, std::map<int, double>> rows;
    for (int v = 0; v < tube.piece.topology.vertex_count(); ++v) {
        const int vertex = tube.piece.surface_vertex[v];
        if (vertex < 0) {
            continue;
        }
        const Place along = place_in(grid.s, tube.map.s[v]);
        const Place round = place_round(grid.angles_at(along.index, along.fraction), tube.map.theta[v]);
        CurveTransfer rule = layout.transfer;
        std::map<int, double> on_places;
        std::map<int, double> on_lines;
        constexpr double on_line = 1e-6;
        if (rule == CurveTransfer::centre && round.fraction > on_line && round.fraction < 1.0 - on_line) {
            on_places = {{along.index, 0.5}, {along.index + 1, 0.5}};
            on_lines = {{round.index, 0.5}, {(round.index + 1) % lines, 0.5}};
        } else {
            along_weights(along, places, rule, on_places);
            round_weights(round, lines, rule, on_lines);
        }
        for (const auto& [place, a] : on_places) {
            for (const auto& [line, b] : on_lines) {
                rows[vertex][row_of(place, line)] += a * b;
            }
        }
    }
    if (tube.tip >= 0) {
        for (int line = 0; line < lines; ++line) {
            rows[tube.tip][row_of(places - 1, line)] += 1.0 / lines;
        }
    }
    part.transfer.base_count = part.rows();
    for (const auto& [vertex, row] : rows) {
        part.vertices.push_back(vertex);
        append_row(part.transfer, row);
    }
    return part;
}

}  // namespace cutis

#include "wrinkle/cut_mesh.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>

namespace cutis::wrinkle_detail {

namespace {

struct Vertex {
    Vector3d place;
    Vector3d normal;
    double width;
};

struct Piece {
    std::array<int, 3> vertex;
    std::array<Vector3d, 3> corner;
    int base;
};

std::uint64_t key_of(int a, int b) {
    const auto [low, high] = std::minmax(a, b);
    return static_cast<std::uint64_t>(low) << 32U | static_cast<std::uint32_t>(high);
}

/// Every edge that is too long gets a middle; triangles follow from which of their sides did.
class Cutter {
public:
    std::vector<Vertex> vertices;
    std::vector<Piece> pieces;

    /// \return false: none was too long, or there would be too many vertices
    bool cut(double part, size_t most_vertices, bool& is_coarse) {
        middles_.clear();
        std::vector<Vertex> added;
        for (const Piece& piece : pieces) {
            for (int k = 0; k < 3; ++k) {
                const int a = piece.vertex[k];
                const int b = piece.vertex[(k + 1) % 3];
                const Vertex& from = vertices[static_cast<size_t>(a)];
                const Vertex& to = vertices[static_cast<size_t>(b)];
                if ((to.place - from.place).norm() <= part * 0.5 * (from.width + to.width)) {
                    continue;
                }
                const auto number = static_cast<int>(vertices.size() + added.size());
                if (middles_.emplace(key_of(a, b), number).second) {
                    Vector3d normal = from.normal + to.normal;
                    normal = normal.norm() > 0.0 ? Vector3d(normal.normalized()) : from.normal;
                    added.push_back({0.5 * (from.place + to.place), normal, 0.5 * (from.width + to.width)});
                }
            }
        }
        if (added.empty()) {
            return false;
        }
        if (vertices.size() + added.size() > most_vertices) {
            is_coarse = true;
            return false;
        }
        vertices.insert(vertices.end(), added.begin(), added.end());
        std::vector<Piece> finer;
        finer.reserve(3 * pieces.size());
        for (const Piece& piece : pieces) {
            split(piece, finer);
        }
        pieces.swap(finer);
        return true;
    }

private:
    int middle(const Piece& piece, int k) const {
        const auto found = middles_.find(key_of(piece.vertex[k], piece.vertex[(k + 1) % 3]));
        return found == middles_.end() ? -1 : found->second;
    }

    void split(const Piece& piece, std::vector<Piece>& out) const {
        int m[3];
        int count = 0;
        for (int k = 0; k < 3; ++k) {
            m[k] = middle(piece, k);
            count += m[k] >= 0 ? 1 : 0;
        }
        // Points 0, 1, 2: corners; 3, 4, 5: middles of the sides that begin there.
        const auto add = [&](int a, int b, int c, int turn) {
            Piece part;
            part.base = piece.base;
            const int points[3] = {a, b, c};
            for (int i = 0; i < 3; ++i) {
                const int k = (points[i] % 3 + turn) % 3;
                const bool is_middle = points[i] >= 3;
                part.vertex[i] = is_middle ? m[k] : piece.vertex[k];
                part.corner[i] =
                    is_middle ? Vector3d(0.5 * (piece.corner[k] + piece.corner[(k + 1) % 3])) : piece.corner[k];
            }
            out.push_back(part);
        };
        if (count == 0) {
            out.push_back(piece);
        } else if (count == 3) {
            add(0, 3, 5, 0);
            add(1, 4, 3, 0);
            add(2, 5, 4, 0);
            add(3, 4, 5, 0);
        } else if (count == 1) {
            const int turn = m[0] >= 0 ? 0 : m[1] >= 0 ? 1 : 2;
            add(0, 3, 2, turn);
            add(3, 1, 2, turn);
        } else {
            const int turn = m[2] < 0 ? 0 : m[0] < 0 ? 1 : 2;  // sides turn and turn + 1 are cut
            add(3, 1, 4, turn);
            const auto place = [&](int v) { return vertices[static_cast<size_t>(v)].place; };
            const double one = (place(piece.vertex[turn]) - place(m[(turn + 1) % 3])).norm();
            const double other = (place(m[turn]) - place(piece.vertex[(turn + 2) % 3])).norm();
            if (one < other) {
                add(0, 3, 4, turn);
                add(0, 4, 2, turn);
            } else {
                add(0, 3, 2, turn);
                add(3, 4, 2, turn);
            }
        }
    }

    std::unordered_map<std::uint64_t, int> middles_;
};

}  // namespace

CutMesh cut_up(const Topology& base, const MatrixX3d& rest, const MatrixX3d& normals,
               const std::vector<unsigned char>& is_active, const VectorXd& widths, double part, int most_vertices) {
    CutMesh cut;
    cut.vertex_of_base.assign(static_cast<size_t>(base.vertex_count()), -1);
    Cutter cutter;
    for (int f = 0; f < base.triangle_count(); ++f) {
        if (is_active[static_cast<size_t>(f)] == 0) {
            continue;
        }
        Piece piece;
        piece.base = f;
        for (int k = 0; k < 3; ++k) {
            const int v = base.triangles()(f, k);
            int& own = cut.vertex_of_base[static_cast<size_t>(v)];
            if (own < 0) {
                own = static_cast<int>(cutter.vertices.size());
                cutter.vertices.push_back({rest.row(v), normals.row(v), widths[v]});
            }
            piece.vertex[k] = own;
            piece.corner[k] = Vector3d::Unit(k);
        }
        cutter.pieces.push_back(piece);
    }
    constexpr int most_rounds = 10;
    for (int round = 0; round < most_rounds; ++round) {
        if (!cutter.cut(part, static_cast<size_t>(most_vertices), cut.is_coarse)) {
            break;
        }
    }
    const auto count = static_cast<Eigen::Index>(cutter.vertices.size());
    cut.mesh.rest.resize(count, 3);
    cut.mesh.normals.resize(count, 3);
    cut.widths.resize(count);
    for (Eigen::Index v = 0; v < count; ++v) {
        const Vertex& vertex = cutter.vertices[static_cast<size_t>(v)];
        cut.mesh.rest.row(v) = vertex.place;
        cut.mesh.normals.row(v) = vertex.normal;
        cut.widths[v] = vertex.width;
    }
    struct Side {
        std::uint64_t edge;
        int piece;
        int k;
    };
    std::vector<Side> sides;
    sides.reserve(3 * cutter.pieces.size());
    cut.mesh.triangles.resize(static_cast<Eigen::Index>(cutter.pieces.size()), 3);
    for (size_t p = 0; p < cutter.pieces.size(); ++p) {
        const Piece& piece = cutter.pieces[p];
        cut.base_triangle.push_back(piece.base);
        cut.corner.push_back(piece.corner);
        for (int k = 0; k < 3; ++k) {
            cut.mesh.triangles(static_cast<Eigen::Index>(p), k) = piece.vertex[k];
            sides.push_back({key_of(piece.vertex[k], piece.vertex[(k + 1) % 3]), static_cast<int>(p), k});
        }
    }
    std::sort(sides.begin(), sides.end(), [](const Side& a, const Side& b) {
        return a.edge != b.edge ? a.edge < b.edge : a.piece != b.piece ? a.piece < b.piece : a.k < b.k;
    });
    MatrixX3i edge_of_side(cut.mesh.triangles.rows(), 3);
    cut.is_rim.assign(static_cast<size_t>(count), 0);
    for (size_t i = 0; i < sides.size();) {
        const int a = static_cast<int>(sides[i].edge >> 32U);
        const int b = static_cast<int>(sides[i].edge & 0xffffffffU);
        size_t end = i;
        for (; end < sides.size() && sides[end].edge == sides[i].edge; ++end) {
            edge_of_side(sides[end].piece, sides[end].k) = static_cast<int>(cut.mesh.edges.size());
        }
        if (end == i + 1) {
            // A side of one piece alone: on a rim of the surface where its base triangle has no neighbour there.
            const Piece& piece = cutter.pieces[static_cast<size_t>(sides[i].piece)];
            const Vector3d middle = piece.corner[sides[i].k] + piece.corner[(sides[i].k + 1) % 3];
            int opposite = 0;
            middle.minCoeff(&opposite);
            if (base.neighbour(piece.base, (opposite + 1) % 3) >= 0) {
                cut.is_rim[static_cast<size_t>(a)] = cut.is_rim[static_cast<size_t>(b)] = 1;
            }
        }
        cut.mesh.edges.push_back({a, b});
        i = end;
    }
    cut.mesh.measure(edge_of_side);
    return cut;
}

}  // namespace cutis::wrinkle_detail

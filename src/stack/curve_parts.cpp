#include <algorithm>
#include <array>
#include <limits>
#include <map>

#include "curve_settings.h"
#include "cutis/core/error.h"
#include "mesh/edge_paths.h"

namespace cutis {

namespace {

constexpr std::array<double, 4> cap_shares = {0.07, 0.12, 0.2,
                                              0.3};  // of a closed tube's length that is left out at each tip
constexpr double shortest = 0.1;                     // length of a part to its girth
constexpr double rider_distance = 0.25;              // of the girth: what lies further off is something else

/// What the anatomy says, cut out of the surface.
class PartCutter {
public:
    PartCutter(const LayerInput& ground, const CurveBody& body, const CurveLayout& layout)
        : ground_(ground), body_(body), layout_(layout), anatomy_(ground.anatomy()) {}

    const Anatomy& anatomy() const { return *anatomy_; }

    /// The first way of cutting that gives a tube, best one whose map turns no triangle over; why not,
    /// in `refusal`.
    bool cut(const SoftPart& part, CurvePart& found, std::string& refusal) const {
        bool has_found = false;
        const size_t starts = std::max<size_t>(1, part.from.size());
        const size_t ends = std::max<size_t>(1, part.to.size());
        for (const int island : part.islands) {
            for (size_t shift = 0; shift < starts + ends - 1 && !(has_found && found.flipped == 0); ++shift) {
                const size_t start = std::min(shift, starts - 1);
                const size_t end = shift - start;
                try {
                    CurvePart tube =
                        part.kind == PartKind::tube ? closed_tube(island) : between(part, island, start, end);
                    require(tube.length > shortest * tube.girth,
                            "part: expected a length of more than a tenth of its girth");
                    if (!has_found || tube.flipped < found.flipped) {
                        add_riders(part, island, start, end, tube);
                        found = std::move(tube);
                        has_found = true;
                    }
                } catch (const InvalidInput& error) {
                    refusal = refusal.empty() ? error.what() : refusal;
                }
            }
            if (has_found) {
                break;
            }
        }
        return has_found;
    }

private:
    int island_of(int surface_triangle) const {
        const int art = ground_.surface->mesh().art_triangle[static_cast<size_t>(surface_triangle)];
        return anatomy_->patches[static_cast<size_t>(anatomy_->patch_of_triangle[static_cast<size_t>(art)])].island;
    }

    SurfacePiece piece_of(int island) const {
        std::vector<bool> chosen(static_cast<size_t>(body_.topology->triangle_count()));
        for (size_t f = 0; f < chosen.size(); ++f) {
            chosen[f] = island_of(static_cast<int>(f)) == island;
        }
        require(std::find(chosen.begin(), chosen.end(), true) != chosen.end(), "part: expected triangles, found none");
        return chosen_piece(*body_.rest, *body_.topology, chosen);
    }

    VectorXd weight(const std::vector<int>& joints) const {
        const Rig* rig = body_.body->rig();
        const SkinWeights& weights = rig != nullptr ? rig->weights : anatomy_->motion_weights;
        std::vector<char> chosen(size_t{1} << 16, 0);
        for (const int j : joints) {
            chosen[static_cast<size_t>(j)] = 1;
        }
        return weight_of_joints(weights, chosen, *body_.art_of_vertex);
    }

    /// Does the field pass the level on the piece?
    static bool cuts(const SurfacePiece& piece, const VectorXd& field) {
        bool has_low = false;
        bool has_high = false;
        for (const int v : piece.surface_vertex) {
            has_low = has_low || (v >= 0 && field[v] < 0.4);
            has_high = has_high || (v >= 0 && field[v] > 0.6);
        }
        return has_low && has_high;
    }

    CurvePart between(const SoftPart& part, int island, size_t start, size_t end) const {
        const SurfacePiece whole = piece_of(island);
        PartCuts wanted;
        wanted.may_miss = true;
        // Pieces of their own, such as sleeves, begin or end where they end.
        const VectorXd from = weight(part.from[start]);
        if (cuts(whole, from)) {
            wanted.from = from;
        }
        if (end < part.to.size()) {
            const VectorXd to = weight(part.to[end]);
            if (cuts(whole, to)) {
                wanted.to.push_back(to);
            }
        }
        for (const std::vector<int>& limb : part.without) {
            const VectorXd field = weight(limb);
            if (cuts(whole, field)) {
                wanted.without.push_back(field);
            }
        }
        if (wanted.from.size() == 0 && wanted.to.empty() && wanted.without.empty()) {
            return lay_curves(whole, -1, -1, layout_);
        }
        const CutPart cut = cut_part(whole, wanted);
        return lay_curves(cut.piece, cut.first_cut, cut.second_cut, layout_);
    }

    /// From tip to tip, found by two sweeps; a tube with open ends is taken as it is.
    CurvePart closed_tube(int island) const {
        const SurfacePiece piece = piece_of(island);
        if (!piece.topology.is_closed()) {
            return lay_curves(piece, -1, -1, layout_);
        }
        const auto sweep = [&](int from) { return edge_paths(piece.positions, piece.topology, {from}).distance; };
        const auto furthest = [](const std::vector<double>& distance) {
            return static_cast<int>(std::max_element(distance.begin(), distance.end()) - distance.begin());
        };
        const int first = furthest(sweep(0));
        const std::vector<double> from_first = sweep(first);
        const std::vector<double> from_second = sweep(furthest(from_first));
        const double length = *std::max_element(from_first.begin(), from_first.end());
        std::string refusals;
        for (const double cap : cap_shares) {
            PartCuts wanted;
            for (const std::vector<double>* distance : {&from_first, &from_second}) {
                VectorXd field = VectorXd::Zero(body_.rest->rows());
                for (size_t v = 0; v < distance->size(); ++v) {
                    const int vertex = piece.surface_vertex[v];
                    if (vertex >= 0) {
                        field[vertex] = 0.5 + cap - (*distance)[v] / length;
                    }
                }
                wanted.to.push_back(field);
            }
            wanted.level = 0.5;
            try {
                const CutPart cut = cut_part(piece, wanted);
                return lay_curves(cut.piece, cut.first_cut, cut.second_cut, layout_);
            } catch (const InvalidInput& refusal) {
                refusals = refusal.what();
            }
        }
        throw InvalidInput(refusals);
    }

    void add_riders(const SoftPart& part, int island, size_t start, size_t end, CurvePart& tube) const {
        VectorXd inside = part.from.empty() ? VectorXd(VectorXd::Ones(body_.rest->rows())) : weight(part.from[start]);
        if (end < part.to.size()) {
            inside -= weight(part.to[end]);
        }
        for (const std::vector<int>& limb : part.without) {
            inside -= weight(limb);
        }
        std::vector<char> is_own(static_cast<size_t>(body_.rest->rows()), 0);
        for (int f = 0; f < body_.topology->triangle_count(); ++f) {
            for (int k = 0; k < 3; ++k) {
                if (island_of(f) == island) {
                    is_own[static_cast<size_t>(body_.topology->triangles()(f, k))] = 1;
                }
            }
        }
        std::map<int, int> row_of;  // surface vertex to the row it moves by
        for (size_t i = 0; i < tube.vertices.size(); ++i) {
            row_of[tube.vertices[i]] = static_cast<int>(i);
        }
        const std::map<int, int> own = row_of;
        const double reach = rider_distance * tube.girth;
        for (int v = 0; v < body_.rest->rows(); ++v) {
            if (is_own[static_cast<size_t>(v)] != 0 || inside[v] < 0.5) {
                continue;
            }
            double nearest = reach * reach;
            int row = -1;
            for (const auto& [vertex, candidate] : own) {
                const double away = (body_.rest->row(v) - body_.rest->row(vertex)).squaredNorm();
                if (away < nearest) {
                    nearest = away;
                    row = candidate;
                }
            }
            if (row >= 0) {
                row_of[v] = row;
            }
        }
        std::vector<int> rows;
        tube.vertices.clear();
        for (const auto& [vertex, row] : row_of) {
            tube.vertices.push_back(vertex);
            rows.push_back(row);
        }
        tube.transfer = selected(tube.transfer, rows);
    }

    const LayerInput& ground_;
    const CurveBody& body_;
    const CurveLayout& layout_;
    std::shared_ptr<const Anatomy> anatomy_;
};

}  // namespace

std::vector<FoundPart> find_soft_parts(const LayerInput& ground, const CurveBody& body,
                                       const CurveLayerOptions& options, std::vector<std::string>& notes) {
    check_layout(options.layout);  // a bad one is refused, not taken for a part that cannot be cut
    const PartCutter cutter(ground, body, options.layout);
    std::vector<FoundPart> parts;
    std::map<std::string, int> found;
    std::vector<std::string> refused;
    const auto is_wanted = [&](const char* kind) {
        return options.parts.empty() ||
               std::find(options.parts.begin(), options.parts.end(), kind) != options.parts.end();
    };
    for (const SoftPart& part : cutter.anatomy().parts) {
        if (!is_wanted(name_of(part.kind))) {
            continue;
        }
        CurvePart tube;
        std::string refusal;
        if (cutter.cut(part, tube, refusal)) {
            ++found[name_of(part.kind)];
            parts.push_back({part.kind, std::move(tube)});
        } else {
            refused.push_back(
                concat(name_of(part.kind), part.name.empty() ? "" : " of joint " + part.name, " (", refusal, ")"));
        }
    }
    if (parts.empty() && is_wanted("tube")) {
        try {  // no joints to go by: the whole surface as one tube
            parts.push_back({PartKind::tube, find_part(body, {}, options.layout)});
            ++found["tube"];
        } catch (const InvalidInput& refusal) {
            refused.emplace_back(concat("the whole surface (", refusal.what(), ")"));
        }
    }
    std::vector<std::string> words;
    for (const auto& [kind, count] : found) {
        words.push_back(concat(count, " ", kind, count > 1 ? "s" : ""));
    }
    notes.push_back(
        parts.empty()
            ? std::string("curve: no soft part was found, nothing swings; name one with from and to, or a region")
            : concat("curve: flesh on ", word_list(words)));
    if (!refused.empty()) {
        notes.push_back(concat("curve: left plain: ", word_list(refused)));
    }
    return parts;
}

}  // namespace cutis

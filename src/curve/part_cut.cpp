#include <algorithm>
#include <set>

#include "curve/part.h"
#include "cutis/core/error.h"

namespace cutis {

namespace {

CutPart cut_at(const SurfacePiece& whole, const PartCuts& cuts, double level) {
    CutPart part;
    part.level = level;
    part.piece = whole;
    int label = 0;
    std::vector<int> ends;
    std::set<int> labels;
    if (cuts.from.size() > 0) {
        part.piece = cut_piece(part.piece, cuts.from, level, true, label);
        ends.push_back(label);
        labels.insert(label++);
    }
    for (const VectorXd& field : cuts.to) {
        part.piece = cut_piece(part.piece, field, level, false, label);
        ends.push_back(label);
        labels.insert(label++);
    }
    for (const VectorXd& field : cuts.without) {
        try {
            part.piece = cut_piece(part.piece, field, level, false, label);
        } catch (const InvalidInput&) {
            if (!cuts.may_miss) {
                throw;
            }
            continue;
        }
        if (!cuts.may_miss) {
            labels.insert(label);
        }
        ++label;
    }
    std::multiset<int> found;
    for (const auto& loop : part.piece.topology.boundary_loops()) {
        const int cut = part.piece.cut_of_loop(loop);
        if (cut >= 0) {
            found.insert(cut);
        }
    }
    for (const int wanted : labels) {
        require(found.count(wanted) == 1, found.count(wanted), " loops at cut ", wanted + 1, " where 1 was expected");
    }
    part.first_cut = ends.empty() ? -1 : ends[0];
    part.second_cut = ends.size() < 2 ? -1 : ends[1];
    return part;
}

}  // namespace

CutPart cut_part(const SurfacePiece& whole, const PartCuts& cuts) {
    const size_t ends = (cuts.from.size() > 0 ? 1 : 0) + cuts.to.size();
    require(ends <= 2, "part: expected at most two ends, found ", ends);
    const std::vector<double> levels =
        cuts.level > 0.0 ? std::vector<double>{cuts.level} : std::vector<double>{0.5, 0.6, 0.7, 0.4};
    std::string tried;
    for (const double level : levels) {
        try {
            return cut_at(whole, cuts, level);
        } catch (const InvalidInput& error) {
            tried += concat(tried.empty() ? "" : "; ", "level ", level, ": ", error.what());
        }
    }
    throw InvalidInput(concat("part: expected one simple loop for each cut, found ", tried));
}

}  // namespace cutis

#pragma once

#include <algorithm>

#include "fold/folds.h"

namespace cutis::fold_detail {

/// Cloth folds where it is shorter than this in some pose: where it is pre-stretched further, only beyond that.
/// \param longer  length of the cloth to the body's
inline double folding_stretch(double longer) {
    constexpr double plain = 0.94;
    return longer < plain ? longer : plain * std::max(1.0, longer);
}
/// Edges may be this much longer than a fold's width over edges_per_fold.
inline constexpr double edge_slack = 1.3;

/// How many edges a fold needs, and what widths cost then.
class WidthFit {
public:
    /// \param width   #V, metres;  \param longer  #V: length of the cloth to the body's
    /// \param room    #V: widths grow by this factor at most
    WidthFit(const Topology& base, const MatrixX3d& rest, const FoldSource& source, const VectorXd& width,
             const VectorXd& longer, const VectorXd& room, const FoldOptions& options);

    /// Least factor of the widths, at least 1, with which folds have `edges` edges within budget and levels.
    double factor(double edges) const;
    /// Vertices of the refined mesh, about.
    double vertices(double edges, double factor) const;

private:
    struct Folding {
        double edge;   // longest, metres
        double width;  // metres
        double room;
    };
    bool fits(double edges, double factor) const;
    int level(const Folding& triangle, double edges, double factor) const;

    std::vector<Folding> folding_;
    double base_vertices_ = 0.0;
    int levels_ = 0;
    double most_vertices_ = 0.0;
};

/// Widths that the mesh can show: as they are, wider with a note, or refused.
/// \return  vertices of the refined mesh, about
/// \throw InvalidInput  a width that is given and too narrow (says how wide it must be)
double fit_widths(const Topology& base, const MatrixX3d& rest, const FoldSource& source, const FoldStyle& look,
                  const FoldOptions& options, VectorXd& width, std::vector<std::string>& notes);

/// The levels of subdivision that options and the mesh's size allow.
int possible_levels(const Topology& base, const FoldOptions& options);

}  // namespace cutis::fold_detail

#include "cutis/fold/look.h"

#include <cmath>

#include "cutis/core/error.h"

namespace cutis {

FoldLook FoldLook::strict() const {
    FoldLook look = *this;
    look.taper = 0.0;
    look.irregularity = 0.0;
    return look;
}

void check_look(const FoldLook& look, int vertex_count) {
    const auto within = [](const char* name, double value, double low, double high) {
        if (!(value >= low && value <= high)) {
            throw InvalidInput(
                say("folds: ", name, ": expected ", low, " to ", high, ", found ", value));
        }
    };
    within("width", look.width, 0.001, 10.0);
    within("pre-stretch", look.pre_stretch, 0.0, 1.0);
    within("taper", look.taper, 0.0, 10.0);
    within("irregularity", look.irregularity, 0.0, 1.0);
    within("sharpness", look.sharpness, 0.0, 1.0);
    within("lean", look.lean, -0.5, 0.5);
    within("rail spacing", look.rail_spacing, 0.1, 2.0);
    within("rail segments", look.rail_segments, 4, 64);
    const auto painted = [&](const char* name, const VectorXd& values, double low) {
        if (values.size() == 0) {
            return;
        }
        if (values.size() != vertex_count) {
            throw InvalidInput(say("folds: painted ", name, ": expected ", vertex_count,
                                   " values, found ", values.size()));
        }
        for (Eigen::Index v = 0; v < values.size(); ++v) {
            if (!(values[v] >= low && values[v] <= 1e3)) {
                throw InvalidInput(say("folds: painted ", name, ": vertex ", v, ": expected ", low,
                                       " to 1000, found ", values[v]));
            }
        }
    };
    painted("width", look.width_scale, 1e-3);
    painted("pre-stretch", look.stretch_scale, 0.0);
}

}  // namespace cutis

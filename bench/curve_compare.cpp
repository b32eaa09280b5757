#include "bench/curve_compare.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <sstream>

#include "bench/limb_truth.h"
#include "bench/measure.h"
#include "body/skin_decomposition.h"
#include "curve/node_frames.h"
#include "curve/time_examples.h"
#include "cutis/core/error.h"
#include "cutis/core/options.h"
#include "cutis/io/obj_read.h"
#include "cutis/io/point_cache_read.h"
#include "cutis/mesh/geometry.h"
#include "cutis/mesh/repair.h"
#include "verify/curve_cases.h"

// Examples evenly spaced, error on held-out frames only. Frequency and damping are chosen on
// another motion of the same limb; where a sequence has several windows, on the other half of the
// windows.

namespace cutis::bench {

namespace {

/// A baseline at every frame: the surface it gives, and node frames for residuals.
struct BaselineFrames {
    std::string name;
    std::vector<MatrixX3d> surface;
    std::vector<NodeFrames> nodes;  // places are the baseline's own nodes
    bool keeps_rest = false;        // stores no example of its own
};

struct Sequence {
    std::string name;
    MatrixX3d rest;
    CurvePart part;
    double fps = 30.0;
    std::vector<MatrixX3d> truth;
    std::vector<BaselineFrames> baselines;
};

NodeFrames unturned(const MatrixX3d& places) {
    NodeFrames frames;
    frames.places = places;
    frames.rotations.resize(places.rows(), 9);
    for (Eigen::Index i = 0; i < places.rows(); ++i) {
        frames.rotations.row(i) << 1, 0, 0, 0, 1, 0, 0, 0, 1;
    }
    return frames;
}

MatrixX3d on_nodes(const CurvePart& part, const MatrixX3d& surface) {
    MatrixX3d nodes(part.rows(), 3);
    part.nodes.apply(surface, Workers(1), nodes);
    return nodes;
}

/// What a method says about residuals at any time, given the examples' residuals.
using Filler = std::function<std::unique_ptr<TimeExamples>(std::vector<double>, const std::vector<RowMatrixXd>&)>;

Filler filler(CurveDynamics dynamics, double frequency, double damping, int steps) {
    return [=](std::vector<double> times, const std::vector<RowMatrixXd>& shapes) {
        TimeExampleOptions options;
        options.dynamics = dynamics;
        options.frequency_hz = frequency;
        options.damping = damping;
        options.paper_steps = steps;
        return std::make_unique<TimeExamples>(std::move(times), shapes, options);
    };
}

struct Score {
    double rms = 0.0;
    double largest = 0.0;
    double jump = 0.0;
};

class Judge {
public:
    Judge(const Sequence& sequence, const BaselineFrames& baseline, std::vector<int> examples)
        : sequence_(sequence), baseline_(baseline), examples_(std::move(examples)) {
        diagonal_ = bounding_box_diagonal(sequence.rest);
        for (const int frame : examples_) {
            const auto f = static_cast<size_t>(frame);
            const MatrixX3d nodes = on_nodes(sequence.part, sequence.truth[f]);
            MatrixX3d local(nodes.rows(), 3);
            for (Eigen::Index i = 0; i < nodes.rows(); ++i) {
                local.row(i) = (rotation_of(baseline.nodes[f], i).transpose() *
                                (nodes.row(i) - baseline.nodes[f].places.row(i)).transpose())
                                   .transpose();
            }
            times_.push_back(frame / sequence.fps);
            shapes_.push_back(
                Eigen::Map<const RowMatrixXd>(local.data(), sequence.part.node_count, 3 * sequence.part.curve_count));
        }
    }

    /// Over all frames but the examples.
    Score score(const Filler& fill) const {
        const std::unique_ptr<TimeExamples> examples = fill ? fill(times_, shapes_) : nullptr;
        Score score;
        double sum = 0.0;
        double count = 0.0;
        RowMatrixXd shape;
        MatrixX3d world(sequence_.part.rows(), 3);
        MatrixX3d moved(sequence_.part.transfer.count(), 3);
        for (size_t f = 0; f < sequence_.truth.size(); ++f) {
            const auto frame = static_cast<int>(f);
            if (std::find(examples_.begin(), examples_.end(), frame) != examples_.end()) {
                continue;
            }
            MatrixX3d predicted = baseline_.surface[f];
            if (examples) {
                examples->at(frame / sequence_.fps, shape);
                const Eigen::Map<const MatrixX3d> local(shape.data(), sequence_.part.rows(), 3);
                for (Eigen::Index i = 0; i < world.rows(); ++i) {
                    world.row(i) = (rotation_of(baseline_.nodes[f], i) * local.row(i).transpose()).transpose();
                }
                sequence_.part.transfer.apply(world, Workers(1), moved);
                for (size_t v = 0; v < sequence_.part.vertices.size(); ++v) {
                    predicted.row(sequence_.part.vertices[v]) += moved.row(static_cast<Eigen::Index>(v));
                }
            }
            for (const int v : sequence_.part.vertices) {
                const double square = (predicted.row(v) - sequence_.truth[f].row(v)).squaredNorm();
                sum += square;
                count += 3.0;
                score.largest = std::max(score.largest, std::sqrt(square));
            }
        }
        score.rms = 1000.0 * std::sqrt(sum / std::max(count, 1.0)) / diagonal_;
        score.largest *= 1000.0 / diagonal_;
        if (examples) {
            score.jump = velocity_jump(*examples);
        }
        return score;
    }

    double stored_kilobytes() const {
        double numbers = 0.0;
        for (const RowMatrixXd& shape : shapes_) {
            numbers += shape.cwiseAbs().maxCoeff() > 1e-12 ? static_cast<double>(shape.size()) : 0.0;
        }
        return numbers * sizeof(float) / 1024.0;
    }

    int first_interval_frames() const { return examples_[1] - examples_[0]; }

private:
    double velocity_jump(const TimeExamples& examples) const {
        if (times_.size() < 3) {
            return 0.0;
        }
        const double h = 1e-6;
        double jump = 0.0;
        double speed = 1e-300;
        RowMatrixXd a, b, c;
        for (size_t j = 1; j + 1 < times_.size(); ++j) {
            examples.at(times_[j] - h, a);
            examples.at(times_[j], b);
            examples.at(times_[j] + h, c);
            jump = std::max(jump, ((c - b) - (b - a)).cwiseAbs().maxCoeff() / h);
            speed = std::max(speed, (c - b).cwiseAbs().maxCoeff() / h);
        }
        return jump / speed;
    }

    const Sequence& sequence_;
    const BaselineFrames& baseline_;
    std::vector<int> examples_;
    std::vector<double> times_;
    std::vector<RowMatrixXd> shapes_;
    double diagonal_ = 1.0;
};

std::vector<int> evenly_spaced(int frames, int count) {
    std::vector<int> list;
    list.reserve(static_cast<size_t>(count));
    for (int i = 0; i < count; ++i) {
        list.push_back(static_cast<int>(std::lround(static_cast<double>(frames - 1) * i / (count - 1))));
    }
    return list;
}

struct Choice {
    double frequency;
    double damping;

    std::string words(CurveDynamics dynamics) const {
        std::ostringstream text;
        text << frequency << " Hz";
        if (dynamics == CurveDynamics::exact) {
            text << ", " << damping;
        }
        return text.str();
    }
};

/// The frequency and damping for which `error` is smallest.
Choice best_choice(CurveDynamics dynamics, const std::function<double(const Choice&)>& error) {
    double best = 1e300;
    Choice result{1.0, 0.3};
    for (const double frequency : {0.15, 0.3, 0.6, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 9.0, 14.0, 25.0}) {
        for (const double damping : {0.05, 0.15, 0.3, 0.6, 1.0}) {
            if (dynamics == CurveDynamics::paper && damping != 0.3) {
                continue;  // its damping is not free
            }
            const double here = error({frequency, damping});
            if (here < best) {
                best = here;
                result = {frequency, damping};
            }
        }
    }
    return result;
}

/// One motion, with frequency and damping that were best on another of the same limb.
void add_rows(const Sequence& sequence, const Sequence& other, std::vector<CompareRow>& rows) {
    for (size_t b = 0; b < sequence.baselines.size(); ++b) {
        const BaselineFrames& baseline = sequence.baselines[b];
        for (const int count : {2, 3, 5, 9}) {
            const auto judge_of = [&](const Sequence& one) {
                return Judge(one, one.baselines[b], evenly_spaced(static_cast<int>(one.truth.size()), count));
            };
            const Judge judge = judge_of(sequence);
            const Judge chooser = judge_of(other);
            const auto add = [&](const std::string& method, const Filler& fill, const std::string& words) {
                const Score score = judge.score(fill);
                rows.push_back({sequence.name, baseline.name + method, count, score.rms, score.largest, score.jump,
                                judge.stored_kilobytes(), words});
            };
            const auto add_chosen = [&](const std::string& method, CurveDynamics dynamics) {
                const Choice choice = best_choice(dynamics, [&](const Choice& one) {
                    return chooser.score(filler(dynamics, one.frequency, one.damping, chooser.first_interval_frames()))
                        .rms;
                });
                add(method, filler(dynamics, choice.frequency, choice.damping, judge.first_interval_frames()),
                    choice.words(dynamics));
            };
            if (count == 2 && baseline.keeps_rest) {
                const Score score = judge.score({});
                rows.push_back({sequence.name, baseline.name + " alone", 0, score.rms, score.largest, 0.0, 0.0, ""});
            }
            add(", linear = static", filler(CurveDynamics::still, 1.0, 0.0, 1), "");
            add_chosen(", paper's scheme", CurveDynamics::paper);
            add_chosen(", exact modes", CurveDynamics::exact);
            add(", smoothstep", filler(CurveDynamics::smoothstep, 1.0, 0.0, 1), "");
            add(", cubic spline", filler(CurveDynamics::spline, 1.0, 0.0, 1), "");
        }
    }
}

Sequence limb_sequence(LimbMotion motion, const std::string& name) {
    const LimbTruth truth = simulate_limb(motion);
    Sequence sequence;
    sequence.name = name;
    sequence.rest = truth.rest;
    sequence.fps = truth.fps;
    sequence.truth = truth.frames;
    const Topology topology(truth.triangles, static_cast<int>(truth.rest.rows()));
    CurveLayout layout;
    layout.curves = 14;
    layout.nodes = 37;
    sequence.part = lay_curves(whole_surface(truth.rest, topology), -1, -1, layout);
    const Workers workers(1);
    const SkinnedNodes skin(sequence.part, truth.rest, truth.weights, 2);

    BaselineFrames none{"no baseline, world frame", {}, {}, false};
    BaselineFrames lbs{"linear blend", {}, {}, true};
    BaselineFrames lbs_world{"linear blend, world frame", {}, {}, false};
    BaselineFrames dqs{"dual quaternion", {}, {}, true};
    for (size_t f = 0; f < truth.frames.size(); ++f) {
        none.surface.push_back(truth.rest);
        none.nodes.push_back(unturned(on_nodes(sequence.part, truth.rest)));
        NodeFrames turned;
        skin.fill(truth.bones[f], turned);
        MatrixX3d surface;
        skin_linear_blend(truth.rest, truth.weights, truth.bones[f], workers, surface);
        lbs.surface.push_back(surface);
        turned.places = on_nodes(sequence.part, surface);
        lbs.nodes.push_back(turned);
        lbs_world.surface.push_back(surface);
        lbs_world.nodes.push_back(unturned(turned.places));
        skin_dual_quaternion(truth.rest, truth.weights, truth.bones[f], workers, surface);
        dqs.surface.push_back(surface);
        turned.places = on_nodes(sequence.part, surface);
        dqs.nodes.push_back(turned);
    }
    sequence.baselines = {none, lbs, lbs_world, dqs};
    return sequence;
}

/// The soft shape of dem-bones, every window of 33 frames with one rigid bone fitted to its shaft.
std::vector<Sequence> dem_bones_windows() {
    const std::string mesh_file = verify::data_file("dem-bones/frames/bone_000.obj");
    const std::string cache_file = verify::data_file("dem-bones/bone_anim.pc2");
    std::vector<Sequence> windows;
    if (mesh_file.empty() || cache_file.empty()) {
        return windows;
    }
    const ArtMesh mesh = read_obj(mesh_file);
    const PointCache cache = read_pc2(cache_file);
    const RepairedMesh clean = repair_mesh(mesh.positions, mesh.triangles, {});
    // The shaft: the middle 60 % along the longest axis.
    Eigen::Index axis = 0;
    const Eigen::RowVector3d low = clean.positions.colwise().minCoeff();
    const Eigen::RowVector3d high = clean.positions.colwise().maxCoeff();
    (high - low).maxCoeff(&axis);
    const VectorXd place = (clean.positions.col(axis).array() - low[axis]) / (high[axis] - low[axis]);
    const SurfacePiece upper = cut_piece(whole_surface(clean.positions, clean.topology), place, 0.2, true, 0);
    const SurfacePiece shaft = cut_piece(upper, place, 0.8, false, 1);
    CurveLayout layout;
    layout.curves = 12;
    layout.nodes = 17;
    const CurvePart part = lay_curves(shaft, 0, 1, layout);
    const RigidNodes rigid(part, clean.positions);
    const int length = 33;
    for (int begin = 0; begin + length <= cache.frame_count(); begin += 36) {
        Sequence sequence;
        sequence.name = "dem-bones shaft";
        sequence.rest = clean.positions;
        sequence.part = part;
        sequence.fps = 24.0;
        BaselineFrames none{"no baseline, world frame", {}, {}, false};
        BaselineFrames bone{"1 rigid bone", {}, {}, true};
        for (int f = begin; f < begin + length; ++f) {
            MatrixX3d surface(clean.positions.rows(), 3);
            for (Eigen::Index v = 0; v < surface.rows(); ++v) {
                const size_t at = (static_cast<size_t>(f) * static_cast<size_t>(cache.vertex_count) +
                                   static_cast<size_t>(clean.art_of_vertex[v])) *
                                  3;
                surface.row(v) << cache.samples[at], cache.samples[at + 1], cache.samples[at + 2];
            }
            sequence.truth.push_back(surface);
            none.surface.push_back(clean.positions);
            none.nodes.push_back(unturned(on_nodes(part, clean.positions)));
            NodeFrames frames;
            rigid.fill(on_nodes(part, surface), frames);
            // The same rigid motion for the whole surface.
            const Eigen::Matrix3d r = rotation_of(frames, 0);
            const Vector3d shift = frames.places.row(0).transpose() - r * rigid.rest_nodes().row(0).transpose();
            MatrixX3d moved = (clean.positions * r.transpose()).rowwise() + shift.transpose();
            bone.surface.push_back(moved);
            bone.nodes.push_back(frames);
        }
        sequence.baselines = {none, bone};
        windows.push_back(sequence);
    }
    return windows;
}

/// Windows of one sequence: all held-out frames count; frequency and damping for the odd windows
/// are chosen on the even ones, and the other way round.
void add_windows(const std::vector<Sequence>& windows, std::vector<CompareRow>& rows) {
    if (windows.empty()) {
        return;
    }
    const auto frames = static_cast<int>(windows[0].truth.size());
    for (size_t b = 0; b < windows[0].baselines.size(); ++b) {
        const BaselineFrames& first = windows[0].baselines[b];
        for (const int count : {2, 3, 5, 9}) {
            std::vector<Judge> judges;
            judges.reserve(windows.size());
            for (const Sequence& window : windows) {
                judges.emplace_back(window, window.baselines[b], evenly_spaced(frames, count));
            }
            const int steps = judges[0].first_interval_frames();
            const auto add = [&](const std::string& method, const std::function<Filler(size_t)>& fill,
                                 const std::string& words) {
                CompareRow row{windows[0].name,
                               first.name + method,
                               fill ? count : 0,
                               0,
                               0,
                               0,
                               fill ? judges[0].stored_kilobytes() : 0.0,
                               words};
                for (size_t i = 0; i < judges.size(); ++i) {
                    const Score score = judges[i].score(fill ? fill(i) : Filler());
                    row.rms += score.rms * score.rms / static_cast<double>(judges.size());
                    row.largest = std::max(row.largest, score.largest);
                    row.jump = std::max(row.jump, score.jump);
                }
                row.rms = std::sqrt(row.rms);
                rows.push_back(row);
            };
            const auto fixed = [&](CurveDynamics dynamics) {
                return [=](size_t) { return filler(dynamics, 1.0, 0.0, 1); };
            };
            const auto crossed = [&](const std::string& method, CurveDynamics dynamics) {
                Choice choice[2];
                for (size_t half = 0; half < 2; ++half) {
                    choice[half] = best_choice(dynamics, [&](const Choice& one) {
                        double sum = 0.0;
                        for (size_t i = 1 - half; i < judges.size(); i += 2) {
                            const double rms = judges[i].score(filler(dynamics, one.frequency, one.damping, steps)).rms;
                            sum += rms * rms;
                        }
                        return sum;
                    });
                }
                add(
                    method,
                    [&](size_t i) {
                        const Choice& one = choice[i % 2];
                        return filler(dynamics, one.frequency, one.damping, steps);
                    },
                    choice[0].words(dynamics) + " / " + choice[1].words(dynamics));
            };
            if (count == 2 && first.keeps_rest) {
                add(" alone", {}, "");
            }
            add(", linear = static", fixed(CurveDynamics::still), "");
            crossed(", paper's scheme", CurveDynamics::paper);
            crossed(", exact modes", CurveDynamics::exact);
            add(", smoothstep", fixed(CurveDynamics::smoothstep), "");
            add(", cubic spline", fixed(CurveDynamics::spline), "");
        }
    }
}

/// Skinning decomposition of whole sequences: what stores the same motion as bones and weights. No frame is held out.
void add_decompositions(std::vector<CompareRow>& rows) {
    const auto add = [&](const std::string& name, const ArtMesh& rest, const std::vector<MatrixX3d>& frames) {
        const double diagonal = (rest.positions.colwise().maxCoeff() - rest.positions.colwise().minCoeff()).norm();
        for (const int bones : {5, 10, 20}) {
            DecompositionOptions options;
            options.bones = bones;
            SkinDecomposition found;
            const double ms = milliseconds(
                [&] { found = decompose_skin(rest.positions, rest.triangles, frames, options, Workers(1)); });
            double largest = 0.0;
            MatrixX3d skinned;
            for (size_t f = 0; f < frames.size(); ++f) {
                skin_linear_blend(rest.positions, found.weights, found.matrices[f], Workers(1), skinned);
                largest = std::max(largest, (skinned - frames[f]).rowwise().norm().maxCoeff());
            }
            // A weight and a bone's number are 4 + 1 bytes, a rigid motion a quaternion and a place.
            const double bytes = 5.0 * options.influences * static_cast<double>(rest.positions.rows()) +
                                 28.0 * bones * static_cast<double>(frames.size());
            rows.push_back({name, concat("skinning decomposition, ", bones, " bones"), static_cast<int>(frames.size()),
                            1000.0 * found.rms / diagonal, 1000.0 * largest / diagonal, 0.0, bytes / 1024.0,
                            concat(number_text(std::round(ms / 10.0) / 100.0), " s")});
        }
    };
    const std::string reference = verify::data_file("horse-gallop/horse-gallop-reference.obj");
    if (!reference.empty()) {
        std::vector<MatrixX3d> frames;
        for (int f = 1; f <= 49; ++f) {
            const std::string number = (f < 10 ? "0" : "") + std::to_string(f);
            frames.push_back(read_obj(verify::data_file("horse-gallop/horse-gallop-" + number + ".obj")).positions);
        }
        add("horse-gallop, 49 shapes", read_obj(reference), frames);
    }
    const std::string soft = verify::data_file("dem-bones/frames/bone_000.obj");
    if (!soft.empty()) {
        std::vector<MatrixX3d> frames;
        for (int f = 0; f <= 392; f += 8) {
            const std::string number = std::to_string(1000 + f).substr(1);
            frames.push_back(read_obj(verify::data_file("dem-bones/frames/bone_" + number + ".obj")).positions);
        }
        add("dem-bones, every 8th frame", read_obj(soft), frames);
    }
}

}  // namespace

std::vector<CompareRow> compare_curve() {
    std::vector<CompareRow> rows;
    const Sequence bend = limb_sequence(LimbMotion::bend, "FEM limb, 70 degrees, in equilibrium");
    const Sequence flick = limb_sequence(LimbMotion::flick, "FEM limb, flick of 70 degrees in 0.4 s");
    add_rows(bend, flick, rows);
    add_rows(flick, bend, rows);
    add_windows(dem_bones_windows(), rows);
    add_decompositions(rows);
    return rows;
}

}  // namespace cutis::bench

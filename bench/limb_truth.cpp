#include "bench/limb_truth.h"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numbers>

#include "core/geometry.h"
#include "core/sparse.h"
#include "cutis/core/error.h"

namespace cutis::bench {

namespace {

constexpr int along = 36;  // cells
constexpr int around = 14;
constexpr int layers = 2;
constexpr double length = 0.6;
constexpr double elbow = 0.3;
constexpr double bone_radius = 0.018;
constexpr double free_gap = 0.055;  // each side of the joint the tissue is not fixed to the bone
constexpr double young = 4000.0;    // Pa: soft flesh
constexpr double poisson = 0.42;
constexpr double density = 1000.0;
constexpr double damping_per_second = 3.0;  // mass-proportional
constexpr double fps = 30.0;
constexpr int frame_count = 31;

double skin_radius(double x) {
    // A limb: thicker in the middle of each half.
    return 0.045 + 0.008 * std::sin(std::numbers::pi * x / elbow) * std::sin(std::numbers::pi * x / elbow);
}

int node(int i, int j, int k) {
    return (i * around + j % around) * (layers + 1) + k;
}

struct Tet {
    std::array<int, 4> v;
    Eigen::Matrix3d inverse_rest;
    Eigen::Matrix<double, 12, 12> stiffness;
    double volume;
};

/// Linear elastic stiffness of a tetrahedron from its shape gradients.
Tet make_tet(const std::array<int, 4>& v, const MatrixX3d& rest) {
    Tet tet;
    tet.v = v;
    Eigen::Matrix3d edges;
    for (int c = 0; c < 3; ++c) {
        edges.col(c) = (rest.row(v[static_cast<size_t>(c) + 1]) - rest.row(v[0])).transpose();
    }
    tet.volume = edges.determinant() / 6.0;
    if (!(tet.volume > 0.0)) {
        throw SolverFailure("limb: a tetrahedron of no volume");
    }
    tet.inverse_rest = edges.inverse();
    Eigen::Matrix<double, 4, 3> gradient;
    gradient.bottomRows<3>() = tet.inverse_rest;
    gradient.row(0) = -tet.inverse_rest.colwise().sum();
    Eigen::Matrix<double, 6, 12> strain = Eigen::Matrix<double, 6, 12>::Zero();
    for (int a = 0; a < 4; ++a) {
        const double x = gradient(a, 0), y = gradient(a, 1), z = gradient(a, 2);
        strain.block<6, 3>(0, 3 * a) << x, 0, 0, 0, y, 0, 0, 0, z, y, x, 0, 0, z, y, z, 0, x;
    }
    const double lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
    const double mu = young / (2 * (1 + poisson));
    Eigen::Matrix<double, 6, 6> material = Eigen::Matrix<double, 6, 6>::Zero();
    material.topLeftCorner<3, 3>().setConstant(lambda);
    material.diagonal() << lambda + 2 * mu, lambda + 2 * mu, lambda + 2 * mu, mu, mu, mu;
    tet.stiffness = tet.volume * strain.transpose() * material * strain;
    return tet;
}

class Limb {
public:
    Limb() {
        const int nodes = (along + 1) * around * (layers + 1);
        rest_.resize(nodes, 3);
        bone_.assign(static_cast<size_t>(nodes), -1);
        for (int i = 0; i <= along; ++i) {
            const double x = length * i / along;
            for (int j = 0; j < around; ++j) {
                const double angle = 2.0 * std::numbers::pi * j / around;
                for (int k = 0; k <= layers; ++k) {
                    const double r = bone_radius + (skin_radius(x) - bone_radius) * k / layers;
                    const int v = node(i, j, k);
                    rest_.row(v) << x, r * std::cos(angle), r * std::sin(angle);
                    const bool is_end = i == 0 || i == along;
                    if (is_end || (k == 0 && std::abs(x - elbow) > free_gap)) {
                        bone_[v] = x < elbow ? 0 : 1;
                    }
                }
            }
        }
        for (int i = 0; i < along; ++i) {
            for (int j = 0; j < around; ++j) {
                for (int k = 0; k < layers; ++k) {
                    add_cell(i, j, k);
                }
            }
        }
        unknown_.assign(static_cast<size_t>(nodes), -1);
        for (size_t v = 0; v < unknown_.size(); ++v) {
            if (bone_[v] < 0) {
                unknown_[v] = unknowns_++;
            }
        }
        mass_.assign(static_cast<size_t>(nodes), 0.0);
        for (const Tet& tet : tets_) {
            for (const int v : tet.v) {
                mass_[v] += density * tet.volume / 4.0;
            }
        }
        position_ = rest_;
        velocity_ = MatrixX3d::Zero(nodes, 3);
    }

    const MatrixX3d& position() const { return position_; }
    const MatrixX3d& rest() const { return rest_; }
    double residual() const { return residual_; }

    void place_bones(double angle) {
        const Eigen::Affine3d turn = Eigen::Translation3d(elbow, 0, 0) * Eigen::AngleAxisd(angle, Vector3d::UnitZ()) *
                                     Eigen::Translation3d(-elbow, 0, 0);
        for (Eigen::Index v = 0; v < rest_.rows(); ++v) {
            const int bone = bone_[v];
            if (bone >= 0) {
                position_.row(v) =
                    bone == 0 ? rest_.row(v) : Eigen::RowVector3d((turn * rest_.row(v).transpose()).transpose());
            }
        }
    }

    /// Equilibrium: forces of the turned elements balance (Newton with frozen rotations).
    void settle(double tolerance) {
        for (int round = 0; round < 150; ++round) {
            const double unbalanced = solve(0.0, {});
            if (unbalanced < tolerance) {
                residual_ = std::max(residual_, unbalanced);
                return;
            }
        }
        throw SolverFailure("limb: no equilibrium in 150 rounds");
    }

    /// One implicit Euler step; bones have been placed.
    void step(double dt) {
        inertial_ = last_ + dt * (1.0 - damping_per_second * dt) * velocity_;
        for (int round = 0; round < 2; ++round) {
            solve(1.0 / (dt * dt), inertial_);
        }
        velocity_ = (position_ - last_) / dt;
        last_ = position_;
    }
    void begin_motion() {
        last_ = position_;
        velocity_.setZero();
    }

private:
    void add_cell(int i, int j, int k) {
        // Six tetrahedra round the diagonal 0-6; every cell alike, so that neighbours match.
        const std::array<int, 8> c = {
            node(i, j, k),     node(i + 1, j, k),     node(i + 1, j + 1, k),     node(i, j + 1, k),
            node(i, j, k + 1), node(i + 1, j, k + 1), node(i + 1, j + 1, k + 1), node(i, j + 1, k + 1)};
        constexpr int split[6][4] = {{0, 1, 2, 6}, {0, 2, 3, 6}, {0, 3, 7, 6},
                                     {0, 7, 4, 6}, {0, 4, 5, 6}, {0, 5, 1, 6}};
        for (const auto& corner : split) {
            std::array<int, 4> v{};
            for (size_t a = 0; a < 4; ++a) {
                v[a] = c[corner[a]];
            }
            Eigen::Matrix3d edges;
            for (int e = 0; e < 3; ++e) {
                edges.col(e) = (rest_.row(v[static_cast<size_t>(e) + 1]) - rest_.row(v[0])).transpose();
            }
            if (edges.determinant() < 0.0) {
                std::swap(v[2], v[3]);
            }
            tets_.push_back(make_tet(v, rest_));
        }
    }

    /// One linear solve with the elements turned as they are now; moves the free nodes. Returns the
    /// largest unbalanced force before it over the largest elastic force of an element.
    double solve(double inertia, const MatrixX3d& inertial) {
        std::vector<SparseEntry> entries;
        entries.reserve(tets_.size() * 80);
        std::vector<double> force(3 * static_cast<size_t>(unknowns_), 0.0);
        double largest = 1e-300;
        for (const Tet& tet : tets_) {
            Eigen::Matrix3d edges;
            for (int e = 0; e < 3; ++e) {
                edges.col(e) = (position_.row(tet.v[static_cast<size_t>(e) + 1]) - position_.row(tet.v[0])).transpose();
            }
            const Eigen::Matrix3d r = polar_decomposition(edges * tet.inverse_rest).rotation;
            Eigen::Matrix<double, 12, 1> local;
            for (int a = 0; a < 4; ++a) {
                const int v = tet.v[a];
                local.segment<3>(3 * a) = r.transpose() * position_.row(v).transpose() - rest_.row(v).transpose();
            }
            const Eigen::Matrix<double, 12, 1> pull = tet.stiffness * local;
            for (int a = 0; a < 4; ++a) {
                const int i = unknown_[tet.v[a]];
                const Vector3d f = r * pull.segment<3>(3 * a);
                largest = std::max(largest, f.norm());
                if (i < 0) {
                    continue;
                }
                for (int c = 0; c < 3; ++c) {
                    force[3 * static_cast<size_t>(i) + c] -= f[c];
                }
                for (int b = 0; b < 4; ++b) {
                    const int j = unknown_[tet.v[b]];
                    if (j < 0 || j > i) {
                        continue;
                    }
                    const Eigen::Matrix3d block = r * tet.stiffness.block<3, 3>(3 * a, 3 * b) * r.transpose();
                    for (int p = 0; p < 3; ++p) {
                        for (int q = 0; q < 3; ++q) {
                            if (3 * i + p >= 3 * j + q) {
                                entries.push_back({3 * i + p, 3 * j + q, block(p, q)});
                            }
                        }
                    }
                }
            }
        }
        for (size_t v = 0; v < unknown_.size(); ++v) {
            const int i = unknown_[v];
            if (i < 0) {
                continue;
            }
            for (int c = 0; c < 3; ++c) {
                const auto row = static_cast<Eigen::Index>(v);
                entries.push_back({3 * i + c, 3 * i + c, inertia * mass_[v]});
                if (inertia > 0.0) {
                    force[3 * static_cast<size_t>(i) + c] -=
                        inertia * mass_[v] * (position_(row, c) - inertial(row, c));
                }
            }
        }
        double unbalanced = 0.0;
        for (const double f : force) {
            unbalanced = std::max(unbalanced, std::abs(f));
        }
        if (solver_ == nullptr) {
            matrix_ = compress_lower(3 * unknowns_, entries);
            solver_ = std::make_unique<SparseSolver>(matrix_.matrix);
        } else {
            // The same entries in the same order: only their sums are new.
            std::vector<double>& values = matrix_.matrix.values;
            std::fill(values.begin(), values.end(), 0.0);
            for (size_t e = 0; e < entries.size(); ++e) {
                values[matrix_.slot_of_entry[e]] += entries[e].value;
            }
            solver_->refactor(values);
        }
        solver_->solve(force);
        for (size_t v = 0; v < unknown_.size(); ++v) {
            if (unknown_[v] >= 0) {
                for (int c = 0; c < 3; ++c) {
                    position_(static_cast<Eigen::Index>(v), c) += force[3 * static_cast<size_t>(unknown_[v]) + c];
                }
            }
        }
        return unbalanced / largest;
    }

    MatrixX3d rest_, position_, velocity_, last_, inertial_;
    std::vector<int> bone_, unknown_;
    std::vector<double> mass_;
    std::vector<Tet> tets_;
    int unknowns_ = 0;
    double residual_ = 0.0;
    CompressedEntries matrix_;
    std::unique_ptr<SparseSolver> solver_;
};

double smooth(double x) {
    x = std::min(std::max(x, 0.0), 1.0);
    return x * x * (3.0 - 2.0 * x);
}

}  // namespace

namespace {

// Change this with anything that changes the simulated frames.
constexpr double cache_version = 1.0;

std::filesystem::path cache_file(LimbMotion motion) {
    const char* folder = std::getenv("CUTIS_CACHE");
    if (folder == nullptr || *folder == '\0') {
        return {};
    }
    return std::filesystem::path(folder) / (motion == LimbMotion::bend ? "limb-bend.bin" : "limb-flick.bin");
}

/// Frames of an earlier run; false where there are none that fit this limb.
bool read_cache(const std::filesystem::path& file, const std::vector<double>& head, LimbTruth& truth) {
    std::ifstream in(file, std::ios::binary);
    std::vector<double> stored(head.size() + 1);
    const auto bytes = [](size_t numbers) { return static_cast<std::streamsize>(numbers * sizeof(double)); };
    if (!in.read(reinterpret_cast<char*>(stored.data()), bytes(stored.size())) ||
        !std::equal(head.begin(), head.end(), stored.begin())) {
        return false;
    }
    std::vector<MatrixX3d> frames(frame_count, truth.rest);
    for (MatrixX3d& frame : frames) {
        if (!in.read(reinterpret_cast<char*>(frame.data()), bytes(static_cast<size_t>(frame.size()))) ||
            !frame.allFinite()) {
            return false;
        }
    }
    truth.residual = stored.back();
    truth.frames = std::move(frames);
    return true;
}

void write_cache(const std::filesystem::path& file, const std::vector<double>& head, const LimbTruth& truth) {
    std::filesystem::create_directories(file.parent_path());
    const std::filesystem::path part = file.string() + ".part";
    std::ofstream out(part, std::ios::binary);
    const auto put = [&](const double* numbers, Eigen::Index count) {
        out.write(reinterpret_cast<const char*>(numbers),
                  static_cast<std::streamsize>(count) * static_cast<std::streamsize>(sizeof(double)));
    };
    put(head.data(), static_cast<Eigen::Index>(head.size()));
    put(&truth.residual, 1);
    for (const MatrixX3d& frame : truth.frames) {
        put(frame.data(), frame.size());
    }
    out.close();
    if (!out) {
        throw IoError(concat("limb: expected to write \"", part.generic_string(), "\""));
    }
    std::filesystem::rename(part, file);
}

}  // namespace

LimbTruth simulate_limb(LimbMotion motion) {
    LimbTruth truth;
    truth.fps = fps;
    Limb limb;
    std::vector<int> skin;
    for (int i = 0; i <= along; ++i) {
        for (int j = 0; j < around; ++j) {
            skin.push_back(node(i, j, layers));
        }
    }
    const auto surface = [&](const MatrixX3d& all) {
        MatrixX3d out(static_cast<Eigen::Index>(skin.size()), 3);
        for (size_t v = 0; v < skin.size(); ++v) {
            out.row(static_cast<Eigen::Index>(v)) = all.row(skin[v]);
        }
        return out;
    };
    truth.rest = surface(limb.rest());
    truth.triangles.resize(2 * along * around, 3);
    int f = 0;
    for (int i = 0; i < along; ++i) {
        for (int j = 0; j < around; ++j) {
            const int a = i * around + j;
            const int b = i * around + (j + 1) % around;
            truth.triangles.row(f++) << a, b, b + around;
            truth.triangles.row(f++) << a, b + around, a + around;
        }
    }
    truth.weights.influences = 2;
    for (Eigen::Index v = 0; v < truth.rest.rows(); ++v) {
        const double w = smooth(0.5 + (truth.rest(v, 0) - elbow) / 0.12);
        truth.weights.joints.insert(truth.weights.joints.end(), {0, 1});
        truth.weights.weights.insert(truth.weights.weights.end(), {1.0 - w, w});
    }
    normalise_weights(truth.weights, 2);
    const auto angle_at = [&](double t) {
        return motion == LimbMotion::bend ? t * 70.0 * std::numbers::pi / 180.0
                                          : smooth(t / 0.4) * 70.0 * std::numbers::pi / 180.0;
    };
    for (int frame = 0; frame < frame_count; ++frame) {
        const Eigen::Affine3d turn = Eigen::Translation3d(elbow, 0, 0) *
                                     Eigen::AngleAxisd(angle_at(frame / fps), Vector3d::UnitZ()) *
                                     Eigen::Translation3d(-elbow, 0, 0);
        truth.bones.push_back({Eigen::Affine3d::Identity(), turn});
    }
    // The cache begins with what the frames were made for.
    std::vector<double> head = {cache_version, fps, static_cast<double>(frame_count)};
    head.insert(head.end(), truth.rest.data(), truth.rest.data() + truth.rest.size());
    const std::filesystem::path file = cache_file(motion);
    if (!file.empty() && read_cache(file, head, truth)) {
        return truth;
    }
    limb.begin_motion();
    constexpr int substeps = 6;
    for (int frame = 0; frame < frame_count; ++frame) {
        const double time = frame / fps;
        if (frame > 0 && motion == LimbMotion::bend) {
            limb.place_bones(angle_at(time));
            limb.settle(1e-5);
        } else if (frame > 0) {
            for (int s = 1; s <= substeps; ++s) {
                limb.place_bones(angle_at((frame - 1 + static_cast<double>(s) / substeps) / fps));
                limb.step(1.0 / fps / substeps);
            }
        }
        truth.frames.push_back(surface(limb.position()));
    }
    truth.residual = limb.residual();
    if (!file.empty()) {
        write_cache(file, head, truth);
    }
    return truth;
}

}  // namespace cutis::bench

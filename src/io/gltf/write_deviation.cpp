#include "io/gltf/write_deviation.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

namespace cutis {

namespace {

using Matrix34 = Eigen::Matrix<double, 3, 4>;

/// Upper bound of the largest singular value: exact for a turn with one scale.
double stretch_of(const Matrix34& map) {
    const Eigen::Matrix3d squared = map.leftCols<3>().transpose() * map.leftCols<3>();
    return std::sqrt(squared.cwiseAbs().rowwise().sum().maxCoeff());
}

/// Is the smallest singular value below about a tenth of the largest? Linear blending gets there in a bend of 165
/// degrees.
bool is_nearly_singular(const Eigen::Matrix3d& map) {
    const double size = map.norm();
    return !(2.0 * std::abs(map.determinant()) > 0.03 * size * size * size);
}

class FrameUndoer {
public:
    FrameUndoer(const Body& body, TimeSampling sampling, const NodeFrames& node_frames, const Carriage& carriage)
        : body_(body),
          sampling_(sampling),
          node_frames_(node_frames),
          carriage_(carriage),
          maps_(carriage.nodes.size()) {}

    /// Poses nodes and morph targets. \param x  rest in, morphed rest out
    void pose(size_t frame, double time, MatrixX3d& x, std::vector<float>& weights) {
        if (node_frames_) {
            node_frames_(frame, frames_);
        } else {
            body_.node_frames(time, sampling_, frames_);
        }
        const Eigen::Affine3d& to_metres = body_.source().to_metres;
        for (size_t j = 0; j < maps_.size(); ++j) {
            maps_[j] = (frames_[carriage_.nodes[j]] * to_metres * carriage_.inverse_bind[j]).matrix().topRows<3>();
        }
        const std::vector<double>* now = nullptr;
        if (body_.pose(time, sampling_, pose_) && carriage_.morph_node >= 0 &&
            !pose_.morph_weights[carriage_.morph_node].empty()) {
            now = &pose_.morph_weights[carriage_.morph_node];
        }
        for (size_t t = 0; t < carriage_.morph_defaults.size(); ++t) {
            const double weight = now != nullptr && t < now->size() ? (*now)[t] : carriage_.morph_defaults[t];
            weights.push_back(static_cast<float>(weight));
            if (weight != 0.0 && t < carriage_.morphs.size()) {
                x += weight * carriage_.morphs[t];
            }
        }
    }

    Matrix34 map_of(Eigen::Index v) const {
        const SkinWeights& skin = carriage_.weights;
        if (skin.influences == 0) {
            return maps_.front();
        }
        Matrix34 sum = Matrix34::Zero();
        const size_t end = static_cast<size_t>(v + 1) * static_cast<size_t>(skin.influences);
        for (size_t i = static_cast<size_t>(v) * static_cast<size_t>(skin.influences); i < end; ++i) {
            if (skin.weights[i] > 0.0) {
                sum += skin.weights[i] * maps_[skin.joints[i]];
            }
        }
        return sum;
    }

    double largest_stretch() const {
        double largest = 0.0;
        for (const Matrix34& map : maps_) {
            largest = std::max(largest, stretch_of(map));
        }
        return largest;
    }

private:
    const Body& body_;
    TimeSampling sampling_;
    const NodeFrames& node_frames_;
    const Carriage& carriage_;
    std::vector<Matrix34> maps_;
    std::vector<Eigen::Affine3d> frames_;
    Pose pose_;
};

/// Of some vertices in a frame.
struct Furthest {
    double distance = 0.0;
    bool is_singular = false;
};

}  // namespace

Deviation find_deviation(const Body& body, TimeSampling sampling, const std::vector<double>& times,
                         const NodeFrames& node_frames, const Carriage& carriage, const DeviationSource& source,
                         const std::filesystem::path& beside, const Workers& workers) {
    Deviation out;
    const auto count = static_cast<Eigen::Index>(source.rows.size());
    out.uv_count = static_cast<int>(source.uvs.size());
    out.store = std::make_unique<CoordinateStore>(beside, source.rows.size() * 3 + source.uvs.size() * 2);
    const auto append = [&](const MatrixX3d& positions, const MatrixX2d& uv) {
        out.store->append(positions.data(), static_cast<size_t>(positions.size()));
        out.store->append(uv.data(), static_cast<size_t>(uv.size()));
    };
    FrameUndoer undoer(body, sampling, node_frames, carriage);
    MatrixX3d rest = source.rest;
    MatrixX3d all;
    MatrixX3d own(count, 3);
    MatrixX3d morphed;
    MatrixX2d all_uv;
    MatrixX2d uv(out.uv_count, 2);
    const double nothing = 1e-3 * source.tolerance;
    if (rest.rows() != 0) {
        append(rest, source.rest_uv);
    }
    for (size_t f = 0; f < times.size(); ++f) {
        const bool begins = rest.rows() == 0;
        morphed = begins ? MatrixX3d::Zero(count, 3) : rest;
        undoer.pose(f, times[f], morphed, out.weights);
        out.scale = std::max(out.scale, undoer.largest_stretch());
        source.frames.read_positions(static_cast<int>(f), all);
        constexpr int chunk = 512;
        std::vector<Furthest> furthest(static_cast<size_t>(count / chunk + 1));
        workers.for_chunks(static_cast<int>(count), chunk, [&](int from, int to) {
            Furthest& here = furthest[static_cast<size_t>(from / chunk)];
            for (Eigen::Index v = from; v < to; ++v) {
                const Matrix34 map = undoer.map_of(v);
                const Vector3d there = all.row(source.rows[static_cast<size_t>(v)]).transpose();
                const Vector3d off = there - map.leftCols<3>() * morphed.row(v).transpose() - map.col(3);
                const double distance = off.norm();
                Vector3d d = Vector3d::Zero();
                if (distance > nothing || begins) {
                    here.distance = std::max(here.distance, begins ? 0.0 : distance);
                    const Eigen::Matrix3d linear = map.leftCols<3>();
                    here.is_singular =
                        here.is_singular || (distance > 0.1 * source.tolerance && is_nearly_singular(linear));
                    d = linear.inverse() * off;
                    d = d.allFinite() ? d : Vector3d::Zero();
                }
                own.row(v) =
                    (begins ? Vector3d::Zero() : Vector3d(rest.row(v).transpose())).transpose() + d.transpose();
            }
        });
        for (const Furthest& one : furthest) {
            out.largest = std::max(out.largest, one.distance);
            out.is_singular = out.is_singular || one.is_singular;
        }
        if (out.uv_count > 0) {
            source.frames.read_uv(static_cast<int>(f), all_uv);
            for (size_t t = 0; t < source.uvs.size(); ++t) {
                uv.row(static_cast<Eigen::Index>(t)) = all_uv.row(source.uvs[t]);
            }
            out.largest_uv =
                std::max(out.largest_uv, std::sqrt((uv - source.rest_uv).rowwise().squaredNorm().maxCoeff()));
        }
        if (begins) {
            rest = own;
            append(rest, source.rest_uv);
        }
        append(own, uv);
    }
    return out;
}

}  // namespace cutis

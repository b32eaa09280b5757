#include "fold/waves.h"

#include <numbers>

namespace cutis::fold_detail {

Waves solve_waves(const EvenMesh& mesh, const VectorXd& widths, const Compression& compression, Diffusion& diffusion,
                  double irregularity, unsigned seed) {
    const StripeDirections directions =
        find_stripe_directions(*mesh.metric, mesh.normals, compression.tensors, diffusion);
    const VectorXd noise = smooth_noise(*mesh.metric, diffusion, seed);
    Waves waves;
    waves.slope.resize(mesh.rest.rows(), 3);
    for (Eigen::Index v = 0; v < widths.size(); ++v) {
        const double width = widths[v] * std::exp(0.15 * irregularity * noise[v]);
        waves.slope.row(v) = std::numbers::pi / width * directions.unit.row(v);
    }
    static_cast<StripePhase&>(waves) =
        solve_stripe_phase(*mesh.metric, widths, waves.slope, directions.weight, seed + 1);
    return waves;
}

Waves::Sample Waves::at(const EvenMesh& mesh, const SurfacePoint& point, const Vector3d& place) const {
    int nearest = 0;
    point.barycentric.maxCoeff(&nearest);
    const auto corner = [&](int k) { return mesh.topology().triangles()(point.triangle, k); };
    const Vector3d seen = slope.row(corner(nearest));
    Sample sample{{0.0, 0.0}, Vector3d::Zero(), 0.0};
    for (int k = 0; k < 3; ++k) {
        const int v = corner(k);
        const double b = point.barycentric[k];
        const Vector3d own = slope.row(v);
        const double sign = own.dot(seen) < 0.0 ? -1.0 : 1.0;
        const std::complex<double> there =
            phase[static_cast<size_t>(v)] * std::polar(1.0, own.dot(place - Vector3d(mesh.rest.row(v))));
        sample.phase += b * (sign < 0.0 ? std::conj(there) : there);
        sample.slope += b * sign * own;
        sample.presence += b * presence[v];
    }
    const double size = std::abs(sample.phase);
    sample.phase = size > 1e-300 ? sample.phase / size : 1.0;
    return sample;
}

}  // namespace cutis::fold_detail

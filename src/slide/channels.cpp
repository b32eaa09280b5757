#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "cutis/core/error.h"
#include "slide/energy.h"
#include "slide/passes.h"
#include "slide/slide.h"

namespace cutis {

namespace {

/// What is measured of the skin at one vertex; metres, world axes.
struct SkinHere {
    Vector3d material;   ///< rest position of the material that is here now
    Vector3d rest;       ///< of the vertex
    Vector3d slid_to;    ///< unit; 0 where it has not slid
    double major = 1.0;  ///< principal stretches, 1 = relaxed
    double minor = 1.0;
    Vector3d major_direction;  ///< unit; 0 where both are equal
    double stress = 0.0;       ///< N/m, largest absolute principal Cauchy stress, sign kept
    double amplitude = 0.0;    ///< of ripples that take up the compression
    Vector3d crest;            ///< unit, along the ripples' crests; 0 without
};

/// A channel: announced, filled and carried to what is shown from this one row.
struct Row {
    ChannelInfo info;
    double (*number)(const SkinHere&) = nullptr;  ///< one of these two
    Vector3d (*vector)(const SkinHere&) = nullptr;
};

const std::vector<Row>& rows() {
    static const std::vector<Row> all = {
        {{"Pref", "m", 3, 0.0, true}, nullptr, [](const SkinHere& s) { return s.material; }},
        {{"major direction", "1", 3}, nullptr, [](const SkinHere& s) { return s.major_direction; }},
        {{"major stretch", "1", 1, 1.0}, [](const SkinHere& s) { return s.major; }},
        {{"minor stretch", "1", 1, 1.0}, [](const SkinHere& s) { return s.minor; }},
        {{"slide direction", "1", 3}, nullptr, [](const SkinHere& s) { return s.slid_to; }},
        {{"slide distance", "m"}, [](const SkinHere& s) { return (s.material - s.rest).norm(); }},
        {{"stress", "N/m"}, [](const SkinHere& s) { return s.stress; }},
        {{"wrinkle amplitude", "m"}, [](const SkinHere& s) { return s.amplitude; }},
        {{"crest direction", "1", 3}, nullptr, [](const SkinHere& s) { return s.crest; }},
    };
    return all;
}

size_t row_named(std::string_view name) {
    const auto row =
        std::find_if(rows().begin(), rows().end(), [name](const Row& one) { return one.info.name == name; });
    require(row != rows().end(), "channel: expected one of slide, found '", std::string(name), "'");
    return static_cast<size_t>(row - rows().begin());
}

}  // namespace

const std::vector<ChannelInfo>& SlideChannels::infos() {
    static const std::vector<ChannelInfo> all = [] {
        std::vector<ChannelInfo> list;
        for (const Row& row : rows()) {
            list.push_back(row.info);
        }
        return list;
    }();
    return all;
}

const VectorXd& SlideChannels::numbers(std::string_view name) const {
    return values.at(row_named(name)).numbers;
}

const MatrixX3d& SlideChannels::vectors(std::string_view name) const {
    return values.at(row_named(name)).vectors;
}

SlideEnergy SlideSolver::energy(const Workers& workers) const {
    Parts& p = *parts_;
    p.complete_body(workers);
    SlideEnergy energy;
    energy.elastic =
        slide::elastic_energy(p.model, p.painted, p.state, p.measured, p.state.places, p.model.batch_count, workers);
    energy.tether = slide::tether_energy(p.model, p.state.places, workers);
    for (size_t i = 0; i < p.state.velocity.size(); ++i) {
        energy.kinetic += 0.5 * p.measured.mass[i / 2] * p.state.velocity[i] * p.state.velocity[i];
    }
    return energy;
}

void SlideSolver::forces(MatrixX3d& out, const Workers& workers) {
    Parts& p = *parts_;
    p.state.activity.is_whole = true;  // until the next step finds out anew
    p.measure(false, workers);
    slide::find_forces(p.model, p.state.activity, p.painted, workers, p.measured);
    // A static step of one second without constraints: the right side is f.
    slide::assemble(p.model, p.painted, p.state, p.measured, p.trial, {1.0, true, true, false}, workers, p.system);
    out.setZero(p.model.vertex_count(), 3);
    for (int v = 0; v < p.model.reach.vertices; ++v) {
        const Vector3d axis = p.state.body.axis.vector(v);
        const double* f = p.system.right(v);
        out.row(v) = f[0] * axis + f[1] * p.state.body.normal.vector(v).cross(axis);
    }
}

void SlideSolver::area_ratios(VectorXd& out) const {
    Parts& p = *parts_;
    p.complete_body(Workers(1));
    out.resize(p.model.triangle_count());
    for (int f = 0; f < p.model.triangle_count(); ++f) {
        out[f] = slide::triangle_determinant(p.model, p.state, p.measured, p.state.places, f);
    }
}

Vector3d SlideSolver::slip_momentum(const Vector3d& centre) const {
    const Parts& p = *parts_;
    Vector3d sum = Vector3d::Zero();
    for (int v = 0; v < p.model.vertex_count(); ++v) {
        const size_t i = static_cast<size_t>(v);
        const Vector3d axis = p.state.body.axis.vector(v);
        const Vector3d second = p.state.body.normal.vector(v).cross(axis);
        const Vector3d velocity = p.state.velocity[2 * i] * axis + p.state.velocity[2 * i + 1] * second;
        sum += p.measured.mass[i] * (p.state.body.position.vector(v) - centre).cross(velocity);
    }
    return sum;
}

void SlideSolver::fill_channels(double wavelength, const Workers& workers, SlideChannels& out) const {
    Parts& p = *parts_;
    p.complete_body(workers);
    if (!p.state.activity.is_whole) {  // steps left out what sleeps, which is shown all the same
        p.state.activity.is_whole = true;
        p.measure(true, workers);
    }
    const int count = p.model.vertex_count();
    require(wavelength > 0.0 && std::isfinite(wavelength), "wavelength: expected a positive length, found ",
            wavelength);
    out.values.resize(rows().size());
    for (size_t c = 0; c < rows().size(); ++c) {
        if (rows()[c].number != nullptr) {
            out.values[c].numbers.resize(count);
        } else {
            out.values[c].vectors.resize(count, 3);
        }
    }
    const MatrixX3i& t = p.model.topology->triangles();

    // Strain of triangle f from places and body as they are: the symmetric tensor F F^T (left
    // Cauchy-Green) in 3-D times the area, to be averaged over a fan; its eigenvalues are squared
    // stretches. As xx yy zz area, xy yz zx 0.
    const auto put_strain = [&](int f) {
        const double area =
            p.measured.body_shape.number(f, slide::area) * (p.model.has_openings() ? p.model.weight.number(f, 0) : 1.0);
        const Vector3d p0 = p.state.places.position.vector(t(f, 0));
        const Vector3d d1 = p.state.places.position.vector(t(f, 1)) - p0;
        const Vector3d d2 = p.state.places.position.vector(t(f, 2)) - p0;
        Eigen::Matrix<double, 3, 2> edges;
        edges << d1, d2;
        Eigen::Matrix2d inverse;
        inverse << p.measured.body_shape.number(f, slide::inv00), p.measured.body_shape.number(f, slide::inv01), 0.0,
            p.measured.body_shape.number(f, slide::inv11);
        const Eigen::Matrix<double, 3, 2> map = edges * inverse;  // body frame to skin space
        Eigen::Matrix2d metric;                                   // S^T S
        if (p.model.has_metric) {
            Eigen::Matrix3d relaxed = Eigen::Matrix3d::Zero();
            for (int k = 0; k < 3; ++k) {
                const double* m = p.painted.vertex_metric.data() + 6 * t(f, k);
                Eigen::Matrix3d one;
                one << m[0], m[3], m[5], m[3], m[1], m[4], m[5], m[4], m[2];
                relaxed += one / 3.0;
            }
            const Vector3d normal = d1.cross(d2).normalized();
            const Eigen::Matrix3d in_plane = Eigen::Matrix3d::Identity() - normal * normal.transpose();
            metric = (in_plane * relaxed * map).transpose() * (in_plane * relaxed * map);
        } else {
            metric = p.model.uniform_scale * p.model.uniform_scale * (map.transpose() * map);
        }
        // B = F F^T = (S^T S)^-1 in the body's frame.
        const double trace = metric.trace();
        const double determinant = std::max(metric.determinant(), 1e-8 * trace * trace);
        Eigen::Matrix2d b;
        b << metric(1, 1), -metric(0, 1), -metric(1, 0), metric(0, 0);
        b /= std::max(determinant, 1e-300);
        const Vector3d q1(p.measured.body_shape.number(f, slide::axis_x),
                          p.measured.body_shape.number(f, slide::axis_y),
                          p.measured.body_shape.number(f, slide::axis_z));
        const Vector3d up(p.measured.body_shape.number(f, slide::up_x), p.measured.body_shape.number(f, slide::up_y),
                          p.measured.body_shape.number(f, slide::up_z));
        Eigen::Matrix<double, 3, 2> frame;
        frame << q1, up.cross(q1);
        const Eigen::Matrix3d tensor = area * (frame * b * frame.transpose());
        simd::store(p.measured.scratch.at(2 * f), simd::Doubles{tensor(0, 0), tensor(1, 1), tensor(2, 2), area});
        simd::store(p.measured.scratch.at(2 * f + 1), simd::Doubles{tensor(0, 1), tensor(1, 2), tensor(2, 0), 0.0});
    };
    workers.for_chunks(p.model.triangle_count(), 4 * slide::batch_chunk, [&](int begin, int end) {
        for (int f = begin; f < end; ++f) {
            put_strain(f);
        }
    });

    workers.for_chunks(count, slide::vertex_chunk, [&](int begin, int end) {
        for (int v = begin; v < end; ++v) {
            const size_t i = static_cast<size_t>(v);
            const Vector3d here = p.state.places.position.vector(v);
            const Vector3d rest = p.model.surface.positions().row(v);
            SkinHere skin;
            skin.material = here;
            skin.rest = rest;

            const Vector3d normal = p.state.body.normal.vector(v);
            const Vector3d axis = p.state.body.axis.vector(v);
            const Vector3d second = normal.cross(axis);
            // The vertex's own material lies where the label P = X is met: x - (dP/dx)^-1 (P - X).
            const Vector3d first_column = p.measured.along_first.vector(v);
            const Vector3d second_column = p.measured.along_second.vector(v);
            Eigen::Matrix<double, 3, 2> along;
            along << first_column, second_column;
            const Eigen::Matrix2d normal_matrix = along.transpose() * along;
            const double size = normal_matrix.determinant();
            Vector3d slid = Vector3d::Zero();
            if (size > 1e-12 * normal_matrix.trace() * normal_matrix.trace()) {
                const Vector2d in_basis = -(normal_matrix.inverse() * (along.transpose() * (here - rest)));
                slid = in_basis[0] * axis + in_basis[1] * second;
            }
            const double length = slid.norm();
            skin.slid_to = length > 1e-9 * p.model.mean_edge ? Vector3d(slid / length) : Vector3d(0, 0, 0);

            MembraneModuli moduli;
            moduli.shear = moduli.bulk = moduli.fung_exponent = moduli.area_bulk = 0.0;
            simd::Doubles straight = simd::all(0.0);
            simd::Doubles mixed = simd::all(0.0);
            for (int k = p.model.fan_starts[i]; k < p.model.fan_starts[i + 1]; ++k) {
                const int f = p.model.fans[static_cast<size_t>(k)] >> 2;
                const simd::Doubles part = simd::load(p.measured.scratch.at(2 * f));
                straight += part;
                mixed += simd::load(p.measured.scratch.at(2 * f + 1));
                if (p.model.is_painted) {
                    moduli.shear += part[3] * p.painted.material.number(f, slide::shear);
                    moduli.bulk += part[3] * p.painted.material.number(f, slide::bulk);
                    moduli.fung_exponent += part[3] * p.painted.material.number(f, slide::fung);
                    moduli.area_bulk += part[3] * p.painted.material.number(f, slide::extra_area);
                }
            }
            Eigen::Matrix3d tensor;
            tensor << straight[0], mixed[0], mixed[2], mixed[0], straight[1], mixed[1], mixed[2], mixed[1], straight[2];
            const bool is_flat = straight[3] > 0.0 && tensor.allFinite();  // else the pose folds the fan to a line
            const double area = is_flat ? straight[3] : 1.0;
            tensor = is_flat ? Eigen::Matrix3d(tensor / area) : Eigen::Matrix3d(Eigen::Matrix3d::Identity());
            moduli.shear = p.model.is_painted ? moduli.shear / area : p.painted.material.number(0, slide::shear);
            moduli.bulk = p.model.is_painted ? moduli.bulk / area : p.painted.material.number(0, slide::bulk);
            moduli.fung_exponent =
                p.model.is_painted ? moduli.fung_exponent / area : p.painted.material.number(0, slide::fung);
            moduli.area_bulk =
                p.model.is_painted ? moduli.area_bulk / area : p.painted.material.number(0, slide::extra_area);
            const double b00 = axis.dot(tensor * axis);
            const double b01 = axis.dot(tensor * second);
            const double b11 = second.dot(tensor * second);
            const double difference = 0.5 * (b00 - b11);
            const double apart = std::sqrt(difference * difference + b01 * b01);
            const bool has_frame = std::isfinite(apart);  // else it has no normal in this pose, either
            const double mean = has_frame ? 0.5 * (b00 + b11) : 1.0;
            const double radius = has_frame ? apart : 0.0;
            const double major = std::sqrt(std::max(mean + radius, 0.0));
            const double minor = std::sqrt(std::max(mean - radius, 0.0));
            skin.major = major;
            skin.minor = minor;
            Vector3d direction = Vector3d::Zero();
            if (radius > 1e-9 * mean) {
                // Half the angle of (difference, b01).
                const double turn = difference / radius;
                const double c = std::sqrt(0.5 * std::max(1.0 + turn, 0.0));
                const double s = std::copysign(std::sqrt(0.5 * std::max(1.0 - turn, 0.0)), b01);
                direction = c * axis + s * second;
            }
            skin.major_direction = direction;

            // Principal Cauchy stress of w(s) = s1 s2 Psi: sigma_a = w - s_a dw/ds_a.
            const double s_high = 1.0 / std::max(minor, 1e-6);
            const double s_low = 1.0 / std::max(major, 1e-6);
            const PrincipalEnergy e = principal_energy(p.model.options.material, moduli, s_high, s_low);
            const double stress_minor = e.value - s_high * e.d1;
            const double stress_major = e.value - s_low * e.d2;
            skin.stress = std::abs(stress_major) >= std::abs(stress_minor) ? stress_major : stress_minor;

            // Ripples of this wavelength whose arc length makes up for the compression:
            // 1 / lambda = 1 + (pi a / L)^2 to second order.
            skin.crest = Vector3d::Zero();
            if (minor < 1.0 && minor > 0.0) {
                skin.amplitude = wavelength / std::numbers::pi * std::sqrt(std::min(1.0 / minor - 1.0, 4.0));
                skin.crest = direction;  // crests run across the compression, along the major stretch
            }
            for (size_t c = 0; c < rows().size(); ++c) {
                const Row& row = rows()[c];
                if (row.number != nullptr) {
                    out.values[c].numbers[v] = row.number(skin);
                } else {
                    out.values[c].vectors.row(v) = row.vector(skin);
                }
            }
        }
    });
}

size_t SlideSolver::bytes() const {
    const Parts& p = *parts_;
    size_t sum = p.model.surface.bytes() + p.system.bytes();
    for (const slide::Batches* batches : {&p.painted.material, &p.state.track, &p.measured.body_shape,
                                          &p.measured.skin_shape, &p.model.least_seen, &p.model.weight}) {
        sum += batches->bytes();
    }
    for (const slide::BodyFrame* frame : {&p.state.body, &p.trial.next_body}) {
        sum += frame->position.bytes() + frame->normal.bytes() + frame->axis.bytes() + frame->velocity.bytes();
    }
    for (const slide::SkinPlaces* places : {&p.state.places, &p.trial.next_places}) {
        sum += places->position.bytes() + places->point.size() * sizeof(slide::SkinPoint);
    }
    for (const slide::Records* records :
         {&p.measured.charts.normal, &p.measured.charts.axis, &p.measured.charts.along_u, &p.measured.charts.along_w,
          &p.measured.scratch, &p.measured.jacobian, &p.measured.along_first, &p.measured.along_second}) {
        sum += records->bytes();
    }
    size_t numbers = static_cast<size_t>(p.sub_step_body.size() + p.frame_body.size());
    for (const std::vector<double>* values :
         {&p.model.metric, &p.painted.vertex_metric, &p.painted.damping, &p.model.stickiness, &p.model.tether_stiffness,
          &p.model.tether_softening, &p.model.glide_direction, &p.model.prescribed, &p.model.drag_weights,
          &p.state.velocity, &p.trial.start_velocity, &p.state.acceleration, &p.measured.mass, &p.trial.advected,
          &p.trial.trial_velocity}) {
        numbers += values->size();
    }
    size_t indices = 0;
    for (const std::vector<int>* values :
         {&p.model.corners, &p.model.fan_starts, &p.model.fans, &p.model.fan_vertices, &p.model.reference,
          &p.state.sector, &p.trial.bad_triangles, &p.trial.touched}) {
        indices += values->capacity();
    }
    const size_t flags =
        p.model.constraint.size() + p.state.bad_steps.size() + p.trial.far_trace.size() + p.trial.touch_marks.size();
    return sum + numbers * sizeof(double) + indices * sizeof(int) + flags;
}

}  // namespace cutis

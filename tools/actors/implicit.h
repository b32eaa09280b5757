#pragma once

#include <Eigen/Geometry>
#include <vector>

#include "cutis/core/types.h"
#include "remesh.h"

namespace cutis::actor {

/// How one lump of clay is put on. All lengths in metres.
struct Stroke {
    double blend = 0.01;                     ///< width of the smooth seam to what is there already
    Vector3d thin_axis = Vector3d::UnitZ();  ///< cones: direction in which the section is flattened
    double thin = 1.0;                       ///< cones: section thickness along thin_axis, 1 round
    double fine = 1.0;                       ///< edge length here relative to the base, 0.2 .. 1
    bool carve = false;                      ///< take away instead of adding
};

/// A solid made of smooth unions of tapered capsules, ellipsoids and lathe bodies, as a distance
/// function: negative inside. Strokes are applied in order inside their layer, layers in order into
/// the whole, so that fingers of different layers keep their gaps.
class Sculpture {
public:
    /// \param edge  base edge length of the mesh to be made, metres
    explicit Sculpture(double edge) : edge_(edge) { layer(0.0); }

    /// Following strokes form a solid of their own that joins the whole with this blend.
    void layer(double blend, bool carve = false);
    /// Following strokes are repeated mirrored in x.
    void mirror(bool on) { is_mirrored_ = on; }

    /// Tapered capsule with radius ra at a, rb at b.
    void cone(const Vector3d& a, const Vector3d& b, double ra, double rb, const Stroke& stroke = {});
    /// Cones through points (x, y, z, radius).
    void chain(const std::vector<Eigen::Vector4d>& points, const Stroke& stroke = {});
    /// Ellipsoid with the given half axes, turned by `turn`.
    void ball(const Vector3d& centre, const Vector3d& radii, const Stroke& stroke = {},
              const Eigen::Quaterniond& turn = Eigen::Quaterniond::Identity());
    /// Body of revolution about the y axis from a closed outline of (radius, y) points.
    void lathe(const std::vector<Vector2d>& outline, const Stroke& stroke = {});
    /// Box with half sizes and rounded edges, turned by `turn`.
    void box(const Vector3d& centre, const Vector3d& half, double rounding, const Stroke& stroke = {},
             const Eigen::Quaterniond& turn = Eigen::Quaterniond::Identity());

    double distance(const Vector3d& p) const;
    Vector3d gradient(const Vector3d& p) const;
    /// Nearest point of the surface where distance = level, by Newton steps.
    Vector3d project(Vector3d p, double level = 0.0) const;
    /// Wanted edge length of the mesh here.
    double edge_length(const Vector3d& p) const;
    double base_edge() const { return edge_; }

    /// Largest piece of the closed manifold surface distance = level on a grid of this spacing
    /// (marching tetrahedra).
    SurfaceMesh polygonise(double spacing, double level = 0.0) const;

private:
    enum class Kind { cone, ball, lathe, box };
    struct Lump {
        Kind kind = Kind::ball;
        Stroke stroke;
        Vector3d a = Vector3d::Zero(), b = Vector3d::Zero();  // cone ends, or centre and half axes
        double ra = 0.0, rb = 0.0;
        Eigen::Matrix3d to_local = Eigen::Matrix3d::Identity();
        std::vector<Vector2d> outline;
        Vector3d bound_centre = Vector3d::Zero();
        double bound_radius = 0.0;
    };
    struct Layer {
        double blend = 0.0;
        bool carve = false;
        std::vector<Lump> lumps;
        Vector3d bound_centre = Vector3d::Zero();
        double bound_radius = 0.0;
    };

    void add(const Lump& lump);
    static double lump_distance(const Lump& lump, const Vector3d& p);

    double edge_;
    bool is_mirrored_ = false;
    std::vector<Layer> layers_;
    std::vector<Lump> fine_lumps_;
};

}  // namespace cutis::actor

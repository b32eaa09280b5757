#pragma once

#include <memory>
#include <vector>

#include "curve/colliders.h"

namespace cutis {

/// What flesh met so far.
struct CollisionReport {
    double contacts = 0.0;  ///< most at one time
    double deepest = 0.0;   ///< metres a node was inside beyond what the body itself was
    double pushed = 0.0;    ///< largest correction of a vertex when shown, metres
};

/// Flesh on several parts of one body, which stay out of colliders and of each other.
///
/// Colliders that are given, capsules of the body's bones, and the other parts themselves (tubes that swing). A part
/// may be as deep in the body's own colliders as the body itself has it; out of given ones it is squeezed by up to a
/// third of its limit. Contacts are solved in the modes, on a fixed grid of time (CurveSolver::resolve); what is left
/// between nodes is pushed out when the surface is shown.
class FleshGroup {
public:
    /// \param collides  with the rest of the body too
    /// \throw InvalidInput  colliders that do not exist or enclose a part
    FleshGroup(const CurveBody& body, std::vector<std::unique_ptr<Flesh>> parts, bool collides,
               const std::vector<FleshCollider>& given);

    const std::vector<std::unique_ptr<Flesh>>& parts() const { return parts_; }
    const CollisionReport& report() const { return report_; }
    const std::vector<CarriedCollider>& colliders() const { return carried_; }
    /// Joints of the rig whose vertices lie in a part, as far as parts collide.
    const std::vector<int>& joints_of(size_t part) const { return own_joints_[part]; }

    void advance(const FleshStep& step, const Workers& workers);
    /// Adds the displacement of all parts at a body time to the surface, #V x 3.
    void displace(double time, TimeSampling sampling, const Workers& workers, MatrixX3d& surface);

    std::vector<double> save() const;
    void restore(const std::vector<double>& state);

private:
    struct Moving {  // a collider during a step
        Collider now;
        Collider of_body;  // the same without swing: what the body itself has is measured in it
        Vector3d speed_a = Vector3d::Zero(), speed_b = Vector3d::Zero();

        /// Distance of a place from the surface, and the way out. Where the body itself is inside, the way out is the
        /// body's: flesh that swings across the axis must not leave on the other side.
        double distance(const Vector3d& body, const Vector3d& p, Vector3d& normal, double& t) const;
    };
    struct Tube {  // a part as others meet it: capsules from ring to ring
        std::vector<int> rings;
        std::vector<Vector3d> centre, before, body;
        std::vector<double> radius;
        size_t first = 0;  // of its colliders, after the carried ones
    };
    struct Pair {
        int row, collider;
    };
    struct Member {
        std::vector<float> node_slack, vertex_slack;  // per row and collider: how much it is part of it, 0 .. 1
        VectorXd node_reach, vertex_reach;            // metres that given colliders may squeeze it
        std::vector<Pair> near;
        std::vector<CurveContact> contacts;
    };

    size_t collider_count() const { return carried_.size() + tube_owner_.size(); }
    bool is_own(size_t collider) const { return collider >= carried_.size() || carried_[collider].is_own; }
    void prepare_slack(size_t part);
    void refuse_enclosing();
    void sample(const FleshStep& step, double time);
    void grid_step(const FleshStep& step, bool is_open, const Workers& workers);
    void begin_loop(const FleshStep& step, const Workers& workers);
    bool simulates() const;
    const Flesh& first_swinging() const;
    void open_step();
    void sub_step(size_t part, int i);
    void place_colliders(double x);
    void move_tubes(double seconds);
    double allowed(size_t collider, double of_body, double slack, double reach, double limit) const;
    void show_tubes(const MatrixX3d& surface, bool is_body, const Workers& workers);
    void push(size_t part, double share, MatrixX3d& surface);
    void prepare_links();
    void spread_pushes(MatrixX3d& surface);

    CurveBody body_;
    std::vector<std::unique_ptr<Flesh>> parts_;
    std::vector<CarriedCollider> carried_;
    std::vector<Tube> tubes_;      // one a part; no rings: none
    std::vector<int> tube_owner_;  // per collider of a tube
    std::vector<Member> members_;
    ColliderPoses poses_;
    std::vector<Collider> from_, to_, before_;  // carried ones at the last grid times
    std::vector<Moving> moving_;
    std::vector<char> is_swinging_;             // parts that are simulated
    std::vector<std::vector<int>> own_joints_;  // per part: joints whose vertices lie in it
    struct Link {                               // an edge between vertices of parts
        int a, b;
        double length;
    };
    std::vector<Link> links_;
    // Scratch of one call.
    MatrixX3d plain_, nodes_, unpushed_, pushed_;
    VectorXd push_reach_;  // metres, how far pushes around let a vertex go
    bool is_pushed_ = false;
    double deepest_ = 0.0, furthest_ = 0.0;  // metres: a vertex inside of something, and a push
    std::vector<Moving> shown_;
    std::vector<Collider> posed_;
    std::vector<Vector3d> ring_centre_;
    std::vector<double> ring_radius_;
    std::vector<size_t> touched_;
    bool has_tubes_ = false;  // they have been placed since the start
    CollisionReport report_;
};

}  // namespace cutis

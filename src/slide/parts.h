#pragma once

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "slide/block_system.h"
#include "slide/rest_surface.h"
#include "slide/slide.h"

namespace cutis::slide {

/// The body at one time, per vertex: position, unit normal, first tangent axis, velocity.
struct BodyFrame {
    Records position, normal, axis, velocity;

    BodyFrame() = default;
    explicit BodyFrame(int count) : position(count), normal(count), axis(count), velocity(count) {}
};

/// The skin on the body's vertices: material points and where they are.
struct SkinPlaces {
    std::vector<SkinPoint> point;
    Records position;

    SkinPlaces() = default;
    explicit SkinPlaces(int count) : point(static_cast<size_t>(count)), position(count) {}
};

/// What else the look-up says at the points placed last.
struct SkinCharts {
    Records normal, axis, along_u, along_w;

    SkinCharts() = default;
    explicit SkinCharts(int count) : normal(count), axis(count), along_u(count), along_w(count) {}
};

/// Numbers of triangles in groups of four, one group of a field after the other.
class Batches {
public:
    Batches() = default;
    Batches(int batches, int fields) : fields_(fields), values_(batches * fields) {}
    double* at(int batch, int field) { return values_.at(batch * fields_ + field); }
    const double* at(int batch, int field) const { return values_.at(batch * fields_ + field); }
    /// One triangle's number.
    double& number(int triangle, int field) { return at(triangle / 4, field)[triangle % 4]; }
    double number(int triangle, int field) const { return at(triangle / 4, field)[triangle % 4]; }
    size_t bytes() const { return values_.bytes(); }

private:
    int fields_ = 0;
    Records values_;
};

// Fields of the body's triangles: frame (first axis, normal), inverse edge matrix
// [inv00 inv01; 0 inv11] in that frame, area.
enum BodyField { axis_x, axis_y, axis_z, up_x, up_y, up_z, inv00, inv01, inv11, area, body_fields };
// Fields of the skin's triangles: map S (row by row) from body frame to skin frame, skin frame, and
// the determinant of the relaxed map.
enum SkinField { s00, s01, s10, s11, p1x, p1y, p1z, p2x, p2y, p2z, det, skin_fields };
// Tracked orientation of the skin's triangles; constants of the material; the relaxed metric.
enum TrackField { ref_x, ref_y, ref_z, least_area, track_fields };
enum MaterialField { shear, bulk, fung, extra_area, density, material_fields };

enum class Constraint : unsigned char { free, glide, fixed };

/// How far the vertices and triangles that take part in a step go: whatever comes after in the
/// numbering is held, with all around it. SlideOrder numbers held vertices last.
struct Reach {
    int vertices = 0;      ///< that may move
    int corners = 0;       ///< vertices of triangles with one that may move
    int triangles = 0;     ///< with a vertex that may move
    int batches = 0;       ///< the same in groups of four
    int near_batches = 0;  ///< triangles around the corners: their normals count
};

/// Fixed once the solver is prepared: surface, tables, constraints.
struct SkinModel {
    SkinModel(const Topology& mesh, const MatrixX3d& rest, const SlideOptions& options, const Workers& workers);

    int vertex_count() const { return topology->vertex_count(); }
    int triangle_count() const { return topology->triangle_count(); }

    const Topology* topology;
    SlideOptions options;
    RestSurface surface;

    int batch_count = 0;
    Reach reach;
    std::vector<int> corners;       // batch_count * 3 * 4: vertex of corner k in lane l
    std::vector<int> fan_starts;    // #V + 1
    std::vector<int> fans;          // 4 * triangle + corner
    std::vector<int> fan_vertices;  // two per fan entry: the other corners, counter-clockwise
    std::vector<int> reference;     // #V: vertex at the other end of the edge the axis follows
    double mean_edge = 0.0;
    double box_diagonal = 0.0;
    // Beyond an opening (RegionRim::glide) triangles do not count: least det S that is seen of each,
    // and what is left of its weight. Empty: all count.
    Batches least_seen, weight;
    bool has_openings() const { return weight.bytes() > 0; }

    bool has_area_term = false;
    bool has_metric = false;
    bool is_painted = false;  // some value of the skin is painted: it moves along with it
    double uniform_scale = 1.0;
    bool may_sleep = false;
    std::vector<double> settling;  // 1/s per vertex: how fast the tether takes away a velocity
    std::vector<double> metric;    // 6 per rest vertex
    std::vector<double> stickiness, tether_stiffness, tether_softening;
    std::vector<Constraint> constraint;
    std::vector<double> glide_direction;                 // 2 per vertex, in the tangent basis
    std::vector<double> prescribed;                      // 2 per vertex
    std::vector<double> full_pull;                       // the same at factor 1 of OuterForces
    std::vector<std::pair<int, Constraint>> loose_pins;  // and what they are when let go
    std::optional<Eigen::Matrix<double, 3, 4>> flow;     // of OuterForces
    std::vector<double> drag_weights;                    // #drags * #V
    bool has_constraints = false;                        // of unknowns
    bool has_prescribed = false;
    bool has_forces = false;
};

/// What takes part in a step. Skin that rests on the body sleeps: it is no unknown, and what only
/// sleepers touch is not measured. Made from SkinState::rest, so it is never saved.
struct Activity {
    bool is_whole = true;               ///< all are awake: the flags do not count
    int awake_count = 0;                ///< of the vertices that may move
    std::vector<unsigned char> vertex;  ///< awake: an unknown; seen: a corner beside one
    std::vector<unsigned char> batch;   ///< acting: has an unknown; measured: beside a vertex that is seen
    enum : unsigned char { none = 0, seen = 1, awake = 2, measured = 1, acting = 2 };

    bool is_awake(int v) const { return is_whole || vertex[static_cast<size_t>(v)] == awake; }
    bool is_seen(int v) const { return is_whole || vertex[static_cast<size_t>(v)] != none; }
    bool is_acting(int b) const { return is_whole || batch[static_cast<size_t>(b)] == acting; }
    bool is_measured(int b) const { return is_whole || batch[static_cast<size_t>(b)] != none; }
    /// Some of four vertices in a row.
    bool has_awake(int first) const {
        return is_awake(first) || is_awake(first + 1) || is_awake(first + 2) || is_awake(first + 3);
    }
};

/// Values painted on the skin, as they lie on the body now.
struct PaintedSkin {
    Batches material;                   // per triangle
    std::vector<double> vertex_metric;  // 6 per body vertex
    std::vector<double> damping;
    double stiffness = 0.0;  // J: sum of shear modulus times area
};

/// What goes from step to step: body, skin, and what is remembered of both.
struct SkinState {
    BodyFrame body;
    SkinPlaces places;
    std::vector<double> velocity;      // 2 per vertex, in the tangent basis
    std::vector<double> acceleration;  // of the last step: the next solve starts from it
    std::vector<double> grip;          // 1/s per vertex: further damping where it was braked
    std::vector<int> sector;           // where the last backtrace lay in the fan
    std::vector<double> rest;          // s that a vertex has not left its anchor; it sleeps from some time on
    Records anchor;                    // material position
    Records kick;                      // m/s that the body's acceleration would have given a sleeper
    Records pull;                      // m that the ways of others draw a sleeper along
    Batches rest_shape;                // of the body's triangles when one of their corners was last awake
    Activity activity;
    Batches track;
    std::vector<unsigned char> bad_steps;  // per triangle: steps in a row nearly inverted
    int unrest = 0;                        // steps to go on looking for what an inversion left
    int hopeless_steps = 0;                // in a row with many triangles inverted
    bool has_bad_steps = false;            // some entry of bad_steps is not zero
    bool has_velocity = false;             // body.velocity is of a real step
    bool has_body = false;
    double clock = 0.0;            // s since the start
    bool is_body_partial = false;  // triangles beyond the reach are of an earlier body
};

/// What the passes measure of body and skin as they are.
struct Measured {
    SkinCharts charts;
    Batches body_shape, skin_shape;
    // Per triangle 28 numbers, used one after the other: the body's area vector and twice its area
    // (4); each corner's part of the Jacobian, then area and mass (16); the element (28).
    Records scratch;
    Records jacobian;                   // per vertex 2x2: tangent basis to chart, column by column
    Records along_first, along_second;  // per vertex: dP/dv, 3x2
    std::vector<double> mass;
};

/// The step that is being tried, and its lists.
struct Trial {
    explicit Trial(const Topology& mesh) : body_tracer(mesh, {.keep_tables = false}) {}

    BodyFrame next_body;
    SkinPlaces next_places;
    std::vector<double> start_velocity;  // of the step, transported
    std::vector<double> advected;        // transported velocity
    std::vector<double> trial_velocity;
    std::vector<unsigned char> far_trace;
    SurfaceTracer body_tracer;                         // for backtraces beyond the ring
    std::vector<int> bad_triangles, touched;           // limiter
    std::vector<unsigned char> touch_marks, suspects;  // per vertex; per batch
    // The energy test: what the step changes of each triangle's energy and of each vertex's own
    // (kinetic, tether, work of outer forces), and who gains how much of it.
    Records changes;
    std::vector<double> own, gain;
    std::vector<unsigned char> is_braked;
    std::vector<int> renewed;  // batches
    std::vector<unsigned char> batch_marks;
    std::vector<std::pair<double, int>> gainers;
    std::vector<int> gaining;
    std::vector<unsigned char> is_gaining;
    bool was_braked = false;
    double energy_change = 0.0;  // J, of the step with its brakes
};

constexpr int vertex_chunk = 512;
constexpr int solver_chunk = 2048;  // rows that a preconditioner joins
constexpr int batch_chunk = 256;    // four triangles each

}  // namespace cutis::slide

namespace cutis {

/// The solver: what it holds, and the order in which the passes (passes.h) run over it.
struct SlideSolver::Parts {
    Parts(const Topology& topology, const MatrixX3d& rest, const SlideOptions& options, const Workers& workers);

    // change.cpp: values of options, as steps read them
    void read_material();
    void read_forces();
    void read_resistance();
    // prepare.cpp
    void find_reach();
    void make_openings(const MatrixX3d& rest,
                       FunctionRef<void(int v, const Vector3d& direction, const char* what)> glide);
    // stepping.cpp
    void reset(const MatrixX3d& body, const Workers& workers);
    void start_over(const Workers& workers);
    void step(const MatrixX3d& body, double seconds, const Workers& workers);
    void move_body(const MatrixX3d& body, double seconds, const Workers& workers);
    void go_with_flow();
    void complete_body(const Workers& workers);              // what steps left out
    enum class Kind { dynamic, untested, still, relaxing };  // the second and last: no energy test
    void take_step(double seconds, Kind kind, const Workers& workers);
    void newton(double seconds, const Workers& workers);
    double relax(int steps, double seconds, const Workers& workers);
    void settle(const Workers& workers);
    void settle_as_it_is(const Workers& workers);
    double largest_move() const;
    void measure(bool keep_mass, const Workers& workers);
    void assemble_system(double seconds, bool is_static, bool is_first, const Workers& workers);
    void guess_velocity(double seconds, const Workers& workers);
    void constrain_velocity(const Workers& workers);
    void limit_speed(size_t i);
    Vector2d end_velocity(int v) const;
    int solve(const Workers& workers);
    void try_places(double seconds, const Workers& workers);  // by the velocity: trial.next_places
    void look_up_all(const Workers& workers);
    void note_smallest_area();
    double incremental_energy(const slide::SkinPlaces& places, const std::vector<double>& velocity, double seconds,
                              const Workers& workers) const;
    // brake.cpp
    void brake(double seconds, bool is_static, const Workers& workers);
    using VertexValue = FunctionRef<double(int v)>;
    double renew_changes(double seconds, VertexValue own_change, VertexValue gain_of);
    void note_gain(int v);
    void renew_grip(double seconds, const Workers& workers);
    // sleep.cpp
    void prepare_sleep();
    void read_sleep();
    void wake_all();
    void wake(double seconds);
    void draw_along(int v, const Vector3d& way);
    void find_activity();
    void fall_asleep(double seconds);
    // limiter.cpp
    enum class Look { everywhere, at_suspects };
    void limit(double seconds, Look look, const Workers& workers);
    void search_line(double seconds, const Workers& workers);
    bool is_widespread(int triangles) const { return triangles > 8 + model.reach.triangles / 50; }
    void accept_places(bool track, const Workers& workers);
    bool turn_mistaken_normals();
    void untangle(bool look_everywhere);
    void move_to_neighbours(int v);

    slide::SkinModel model;
    slide::PaintedSkin painted;
    slide::SkinState state;
    slide::Measured measured;
    slide::Trial trial;
    slide::BlockSystem system;
    MatrixX3d sub_step_body, frame_body;

    SlideReport report;
};

}  // namespace cutis

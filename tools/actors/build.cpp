#include "build.h"

#include <algorithm>
#include <cmath>

#include "cutis/core/error.h"
#include "uv.h"

namespace cutis::actor {

ChartLabels label_charts(const SurfaceMesh& mesh, const Eigen::MatrixXd& weights, const std::vector<Bone>& bones) {
    std::vector<std::string> names;
    std::vector<int> chart_of_bone;
    ChartLabels labels;
    for (const Bone& bone : bones) {
        const auto found = std::find(names.begin(), names.end(), bone.chart);
        chart_of_bone.push_back(static_cast<int>(found - names.begin()));
        if (found == names.end()) {
            names.push_back(bone.chart);
            labels.part.push_back(bone.part.empty() ? bone.chart : bone.part);
        }
    }
    for (const Eigen::Vector3i& t : mesh.triangles) {
        std::vector<double> votes(names.size(), 0.0);
        for (int k = 0; k < 3; ++k) {
            for (size_t b = 0; b < bones.size(); ++b) {
                votes[chart_of_bone[b]] += weights(t[k], static_cast<Eigen::Index>(b));
            }
        }
        labels.of_triangle.push_back(static_cast<int>(std::max_element(votes.begin(), votes.end()) - votes.begin()));
    }
    return labels;
}

ArtMesh make_art_mesh(const std::string& name, const SurfaceMesh& mesh, std::vector<int> chart_of_triangle,
                      const std::vector<std::string>& part_of_chart, const Vector3d& seam_side) {
    const UvLayout layout = make_uv(mesh, chart_of_triangle, seam_side);
    const int vertex_count = static_cast<int>(mesh.points.size());
    const int triangle_count = static_cast<int>(mesh.triangles.size());
    ArtMesh art;
    art.name = name;
    art.positions.resize(vertex_count, 3);
    for (int v = 0; v < vertex_count; ++v) {
        art.positions.row(v) = mesh.points[v].transpose();
    }
    art.uv = layout.uv;
    art.triangles.resize(triangle_count, 3);
    art.uv_triangles.resize(triangle_count, 3);
    int row = 0;
    for (size_t i = 0; i < part_of_chart.size(); ++i) {
        const std::string& part = part_of_chart[i];
        if (std::find(part_of_chart.begin(), part_of_chart.begin() + static_cast<std::ptrdiff_t>(i), part) !=
            part_of_chart.begin() + static_cast<std::ptrdiff_t>(i)) {
            continue;  // seen already
        }
        MeshPart entry;
        entry.name = part;
        entry.first_triangle = row;
        entry.vertex_count = vertex_count;
        for (int f = 0; f < triangle_count; ++f) {
            if (part_of_chart[chart_of_triangle[f]] == part) {
                art.triangles.row(row) = mesh.triangles[f].transpose();
                art.uv_triangles.row(row) = layout.uv_triangles.row(f);
                ++row;
            }
        }
        entry.triangle_count = row - entry.first_triangle;
        if (entry.triangle_count > 0) {
            art.parts.push_back(entry);
        }
    }
    return art;
}

Character build_actor(const ActorPlan& plan) {
    RemeshGuide guide;
    guide.edge_length = [&](const Vector3d& p) { return plan.sculpture.edge_length(p); };
    guide.project = [&](const Vector3d& p) { return plan.sculpture.project(p); };
    const SurfaceMesh mesh = remesh(plan.sculpture.polygonise(plan.grid), guide);

    Eigen::MatrixXd weights = heat_weights(mesh, plan.sculpture, plan.bones);
    if (plan.paint) {
        for (int v = 0; v < weights.rows(); ++v) {
            Eigen::RowVectorXd row = weights.row(v);
            plan.paint(mesh.points[v], row);
            weights.row(v) = row.cwiseMax(0.0) / row.cwiseMax(0.0).sum();
        }
    }
    ChartLabels labels;
    if (plan.chart) {
        for (const Eigen::Vector3i& t : mesh.triangles) {
            const Vector3d a = mesh.points[t[0]], b = mesh.points[t[1]], c = mesh.points[t[2]];
            const std::string name = plan.chart((a + b + c) / 3.0, (b - a).cross(c - a).normalized());
            const auto found = std::find(labels.part.begin(), labels.part.end(), name);
            labels.of_triangle.push_back(static_cast<int>(found - labels.part.begin()));
            if (found == labels.part.end()) {
                labels.part.push_back(name);
            }
        }
    } else {
        labels = label_charts(mesh, weights, plan.bones);
    }
    Character character = build_skeleton(plan.name, plan.bones);
    add_mesh(character, plan.name, make_art_mesh(plan.name, mesh, labels.of_triangle, labels.part, plan.seam_side),
             strongest_weights(weights));
    return character;
}

double smooth_step(double a, double b, double x) {
    const double t = std::clamp((x - a) / (b - a), 0.0, 1.0);
    return t * t * (3.0 - 2.0 * t);
}

}  // namespace cutis::actor

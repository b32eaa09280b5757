#include "cutis/body/skeleton.h"

#include "cutis/core/error.h"

namespace cutis {

Eigen::Affine3d Transform::matrix() const {
    Eigen::Affine3d result;
    result.linear() = rotation.toRotationMatrix() * scale.asDiagonal();
    result.translation() = translation;
    result.makeAffine();
    return result;
}

int Skeleton::find(const std::string& name) const {
    for (size_t n = 0; n < nodes.size(); ++n) {
        if (nodes[n].name == name) {
            return static_cast<int>(n);
        }
    }
    return -1;
}

void world_frames(const Skeleton& skeleton, const std::vector<Eigen::Affine3d>& local,
                  std::vector<Eigen::Affine3d>& world) {
    const size_t count = skeleton.nodes.size();
    require(local.size() == count, "world frames: expected ", count, " local poses, found ", local.size());
    world.resize(count);
    for (size_t n = 0; n < count; ++n) {
        const int parent = skeleton.nodes[n].parent;
        if (parent >= static_cast<int>(n) || parent < -1) {
            throw InvalidInput(concat("skeleton: node ", n, " \"", skeleton.nodes[n].name,
                                      "\": expected a parent before it, found ", parent));
        }
        if (parent < 0) {
            world[n] = local[n];
        } else {
            world[n] = world[parent] * local[n];
        }
    }
}

}  // namespace cutis

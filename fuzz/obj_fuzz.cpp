#include <cstdlib>

#include "cutis/core/error.h"
#include "cutis/io/obj_read.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    try {
        const cutis::ArtMesh mesh = cutis::read_obj({data, size}, "fuzz.obj");
        const bool is_sound = mesh.positions.allFinite() && mesh.triangles.minCoeff() >= 0 &&
                              mesh.triangles.maxCoeff() < mesh.positions.rows() &&
                              (mesh.uv_triangles.rows() == 0 ||
                               (mesh.uv_triangles.rows() == mesh.triangles.rows() &&
                                mesh.uv_triangles.minCoeff() >= 0 && mesh.uv_triangles.maxCoeff() < mesh.uv.rows()));
        if (!is_sound) {
            std::abort();
        }
    } catch (const cutis::Error&) {
    }
    return 0;
}

#include "io/gltf/primitive.h"

#include "cutis/core/error.h"

namespace cutis {

namespace {

constexpr int triangle_list = 4;
constexpr int triangle_strip = 5;

int mode_of(const JsonAt& primitive) {
    const auto mode = primitive.find("mode");
    return mode ? static_cast<int>(mode->integer(0, 6)) : triangle_list;
}

std::optional<Primitive> read_primitive(GltfFile& file, const JsonAt& at) {
    if (!is_readable(at)) {
        file.note(say(at.path(), mode_of(at) < triangle_list ? ": points and lines are not read"
                                                             : ": no POSITION, left out"));
        return std::nullopt;
    }
    const int kind = mode_of(at);
    const JsonAt attributes = at.at("attributes");
    const auto position = attributes.find("POSITION");
    Primitive primitive{at, attributes, file.accessor(*position), std::nullopt};
    primitive.mode = kind;
    if (primitive.positions.type != "VEC3" || primitive.positions.component == Component::u32) {
        position->fail(say("expected ", primitive.positions.path,
                           " to be VEC3 of f32 (or of 1 or 2 byte integers), found ",
                           primitive.positions.type));
    }
    primitive.vertices = primitive.positions.count;
    primitive.corners = primitive.vertices;
    if (const auto indices = at.find("indices")) {
        primitive.indices = file.accessor(*indices);
        const Component component = primitive.indices->component;
        if (primitive.indices->type != "SCALAR" || primitive.indices->is_normalised ||
            (component != Component::u8 && component != Component::u16 &&
             component != Component::u32)) {
            indices->fail(
                say("expected ", primitive.indices->path, " to be SCALAR of u8, u16 or u32"));
        }
        primitive.corners = primitive.indices->count;
    }
    if (primitive.corners < 3 || (kind == triangle_list && primitive.corners % 3 != 0)) {
        at.fail(say("expected ", kind == triangle_list ? "a multiple of 3" : "at least 3",
                    " corners of triangles, found ", primitive.corners));
    }
    primitive.triangles = kind == triangle_list ? primitive.corners / 3 : primitive.corners - 2;
    const auto targets = at.find("targets");
    primitive.targets = targets ? targets->size() : 0;
    return primitive;
}

}  // namespace

bool is_readable(const JsonAt& primitive) {
    return mode_of(primitive) >= triangle_list && primitive.at("attributes").find("POSITION");
}

std::vector<Primitive> read_primitives(GltfFile& file, const JsonAt& mesh) {
    std::vector<Primitive> primitives;
    const JsonAt list = mesh.at("primitives");
    for (std::size_t p = 0; p < list.size(); ++p) {
        auto primitive = read_primitive(file, list[p]);
        if (!primitive) {
            continue;
        }
        if (!primitives.empty() && primitive->targets != primitives.front().targets) {
            list[p].fail(say("expected ", primitives.front().targets,
                             " morph targets as in the first primitive, found ",
                             primitive->targets));
        }
        primitives.push_back(std::move(*primitive));
    }
    return primitives;
}

void read_triangles(GltfFile& file, const Primitive& primitive, int* out) {
    std::vector<int> corners(primitive.corners);
    if (primitive.indices) {
        const std::vector<double> numbers = file.decode(*primitive.indices);
        for (std::size_t c = 0; c < corners.size(); ++c) {
            if (!(numbers[c] < static_cast<double>(primitive.vertices))) {
                primitive.at.fail(say("expected indices below ", primitive.vertices,
                                      " (vertices), found ", static_cast<std::uint64_t>(numbers[c]),
                                      " at element ", c, " of ", primitive.indices->path));
            }
            corners[c] = static_cast<int>(numbers[c]);
        }
    } else {
        for (std::size_t c = 0; c < corners.size(); ++c) {
            corners[c] = static_cast<int>(c);
        }
    }
    const int first = static_cast<int>(primitive.first_vertex);
    for (std::size_t t = 0; t < primitive.triangles; ++t) {
        // Orders of glTF 2.0 section 3.7.2.1.
        std::size_t a = 3 * t;
        std::size_t b = a + 1;
        std::size_t c = a + 2;
        if (primitive.mode == triangle_strip) {
            a = t;
            b = t + 1 + t % 2;
            c = t + 2 - t % 2;
        } else if (primitive.mode != triangle_list) {
            a = t + 1;
            b = t + 2;
            c = 0;
        }
        out[3 * t] = corners[a] + first;
        out[3 * t + 1] = corners[b] + first;
        out[3 * t + 2] = corners[c] + first;
    }
}

}  // namespace cutis

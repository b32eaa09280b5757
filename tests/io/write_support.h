#pragma once

#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "cutis/core/error.h"
#include "cutis/io/files.h"
#include "cutis/stack/sink.h"
#include "io/gltf/file.h"
#include "support/data.h"

namespace cutis::test {

/// Motion given by a function of time.
class FormulaMotion final : public Motion {
public:
    using Positions = std::function<MatrixX3d(double time)>;
    using Nodes = std::function<std::vector<Eigen::Affine3d>(double time)>;

    FormulaMotion(int vertex_count, double end, Positions positions, Nodes nodes = {})
        : vertex_count_(vertex_count), end_(end), positions_(std::move(positions)), nodes_(std::move(nodes)) {}

    int vertex_count() const override { return vertex_count_; }
    double start() const override { return 0.0; }
    double end() const override { return end_; }
    double key_interval() const override { return 0.0; }
    void positions(double time, TimeSampling, const Workers&, MatrixX3d& out) const override { out = positions_(time); }
    void node_frames(double time, TimeSampling, std::vector<Eigen::Affine3d>& out) const override {
        out = nodes_ ? nodes_(time) : std::vector<Eigen::Affine3d>();
    }

private:
    int vertex_count_;
    double end_;
    Positions positions_;
    Nodes nodes_;
};

/// A square of n x n quads in the plane z = 0, 1 m wide, as an OBJ file would hold it: quads kept,
/// two parts (left and right half), UVs with a seam between the halves.
inline ArtMesh seamed_square(int n) {
    ArtMesh mesh;
    mesh.name = "square";
    mesh.positions.resize((n + 1) * (n + 1), 3);
    for (int row = 0; row <= n; ++row) {
        for (int column = 0; column <= n; ++column) {
            mesh.positions.row(row * (n + 1) + column) << column / double(n), row / double(n), 0.0;
        }
    }
    // Columns of UVs: one more than vertices, because the middle column stands twice.
    const int half = n / 2;
    const int uv_columns = n + 2;
    mesh.uv.resize((n + 1) * uv_columns, 2);
    for (int row = 0; row <= n; ++row) {
        for (int column = 0; column < uv_columns; ++column) {
            const int vertex_column = column <= half ? column : column - 1;
            const double shift = column <= half ? 0.0 : 0.05;
            mesh.uv.row(row * uv_columns + column) << vertex_column / double(n) * 0.9 + shift, row / double(n) * 0.75;
        }
    }
    mesh.triangles.resize(2 * n * n, 3);
    mesh.uv_triangles.resize(2 * n * n, 3);
    int f = 0;
    for (int side = 0; side < 2; ++side) {
        MeshPart part;
        part.name = side == 0 ? "left half" : "right";
        part.material = side == 0 ? "red" : "";
        part.first_triangle = f;
        for (int row = 0; row < n; ++row) {
            for (int column = side * half; column < (side == 0 ? half : n); ++column) {
                const int v = row * (n + 1) + column;
                const int t = row * uv_columns + column + side;
                mesh.triangles.row(f) << v, v + 1, v + n + 2;
                mesh.triangles.row(f + 1) << v, v + n + 2, v + n + 1;
                mesh.uv_triangles.row(f) << t, t + 1, t + uv_columns + 1;
                mesh.uv_triangles.row(f + 1) << t, t + uv_columns + 1, t + uv_columns;
                mesh.polygon_sizes.push_back(4);
                f += 2;
            }
        }
        part.triangle_count = f - part.first_triangle;
        part.vertex_count = static_cast<int>(mesh.positions.rows());
        mesh.parts.push_back(part);
    }
    return mesh;
}

inline Body formula_body(ArtMesh mesh, FormulaMotion::Positions positions, double end = 10.0) {
    Body::Source source;
    source.motion = std::make_shared<FormulaMotion>(static_cast<int>(mesh.positions.rows()), end, std::move(positions));
    source.mesh = std::move(mesh);
    return Body(std::move(source), ClockOptions{});
}

/// Puts frames of a body through a sink; `change` may turn a frame before it is written.
struct Bake {
    const Body* body = nullptr;
    int frame_count = 12;
    int first_frame = 1;
    double fps = 24.0;
    bool shape_changed = false;
    bool uv_changed = false;
    std::function<void(Frame&)> change = {};
    const ArtMesh* mesh = nullptr;  ///< finer than the body's; `change` makes its positions
    std::vector<MeshInfo> details = {};
    std::vector<LineSet> lines = {};
    std::vector<ChannelInfo> channels = {};  ///< of the body; `change` fills them
    std::vector<NumberInfo> numbers = {};
    std::vector<LayerInfo> layers = {};
    bool has_plain = false;  ///< `change` brings the body before layers

    BakeInfo info() const {
        BakeInfo info(*body);
        if (mesh != nullptr) {
            info.show(*mesh);
        }
        info.fps = fps;
        info.first_frame = first_frame;
        info.frame_count = frame_count;
        info.meshes.front().shape_changed = shape_changed;
        info.meshes.front().uv_changed = uv_changed;
        info.meshes.front().channels = channels;
        info.meshes.insert(info.meshes.end(), details.begin(), details.end());
        info.lines = lines;
        info.numbers = numbers;
        info.layers = layers;
        info.meshes.front().has_plain = has_plain;
        return info;
    }
    Frame frame(int index) const {
        Frame frame = info().empty_frame();
        frame.number = first_frame + index;
        frame.time = (frame.number - 1) / fps;
        body->positions(frame.time, TimeSampling::exact, Workers(1), frame.body().positions);
        if (change) {
            change(frame);
        }
        return frame;
    }
    std::vector<OutputFile> run(FrameSink& sink) const {
        sink.begin(info());
        for (int i = 0; i < frame_count; ++i) {
            sink.write(frame(i));
        }
        return sink.finish();
    }
};

inline std::string text_of(const std::filesystem::path& path) {
    const std::vector<unsigned char> bytes = read_file(path);
    return {bytes.begin(), bytes.end()};
}

inline std::set<std::string> files_in(const std::filesystem::path& folder) {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        names.insert(entry.path().filename().string());
    }
    return names;
}

/// Reads a GLB the plain way, for looking into what was written.
struct GlbFile {
    nlohmann::json json;
    std::vector<unsigned char> binary;

    explicit GlbFile(const std::filesystem::path& path) {
        const std::vector<unsigned char> bytes = read_file(path);
        const auto u32 = [&](size_t at) {
            std::uint32_t value = 0;
            std::memcpy(&value, bytes.data() + at, 4);
            return value;
        };
        EXPECT_EQ(u32(0), 0x46546C67U);
        EXPECT_EQ(u32(4), 2U);
        EXPECT_EQ(u32(8), bytes.size());
        const size_t json_bytes = u32(12);
        EXPECT_EQ(json_bytes % 4, 0U);
        json = nlohmann::json::parse(bytes.begin() + 20, bytes.begin() + 20 + long(json_bytes));
        if (20 + json_bytes < bytes.size()) {
            binary.assign(bytes.begin() + 28 + long(json_bytes), bytes.end());
        }
        unpack(bytes);
    }

    /// Compressed views are put behind the binary as they are when decoded.
    void unpack(const std::vector<unsigned char>& bytes) {
        const GltfLoader no_loader;
        GltfFile file(bytes, "packed", no_loader);
        file.load_buffers();
        for (const auto& [view, decoded] : file.decoded_views()) {
            json["bufferViews"][size_t(view)]["buffer"] = 0;
            json["bufferViews"][size_t(view)]["byteOffset"] = binary.size();
            binary.insert(binary.end(), decoded.begin(), decoded.end());
            binary.resize((binary.size() + 3) / 4 * 4);
        }
    }

    int count(int accessor) const { return json["accessors"][size_t(accessor)]["count"]; }

    /// Numbers of a float accessor, row after row.
    std::vector<double> floats(int index) const {
        const auto& accessor = json["accessors"][size_t(index)];
        const std::map<std::string, size_t> widths = {
            {"SCALAR", 1}, {"VEC2", 2}, {"VEC3", 3}, {"VEC4", 4}, {"MAT4", 16}};
        const size_t width = widths.at(accessor["type"]);
        const size_t rows = accessor["count"];
        EXPECT_EQ(accessor["componentType"], 5126);
        std::vector<double> values(width * rows, 0.0);
        if (accessor.contains("bufferView")) {
            const auto& view = json["bufferViews"][accessor["bufferView"].get<size_t>()];
            const size_t begin = view.value("byteOffset", size_t{0}) + accessor.value("byteOffset", size_t{0});
            const size_t stride = view.value("byteStride", width * 4);
            for (size_t i = 0; i < values.size(); ++i) {
                float value = 0.0F;
                std::memcpy(&value, binary.data() + begin + i / width * stride + i % width * 4, 4);
                values[i] = value;
            }
        }
        if (accessor.contains("sparse")) {
            const auto place = [&](const char* part) {
                const auto& where = accessor["sparse"][part];
                const auto& view = json["bufferViews"][where["bufferView"].get<size_t>()];
                EXPECT_FALSE(view.contains("byteStride") || view.contains("target"));
                return view.value("byteOffset", size_t{0}) + where.value("byteOffset", size_t{0});
            };
            const size_t bytes = accessor["sparse"]["indices"]["componentType"] == 5123 ? 2 : 4;
            for (size_t i = 0; i < accessor["sparse"]["count"].get<size_t>() * width; ++i) {
                std::uint32_t row = 0;
                float value = 0.0F;
                std::memcpy(&row, binary.data() + place("indices") + i / width * bytes, bytes);
                std::memcpy(&value, binary.data() + place("values") + i * 4, 4);
                values.at(row * width + i % width) = value;
            }
        }
        return values;
    }

    /// Indices or joints, 1, 2 or 4 bytes each.
    std::vector<int> integers(int index) const {
        const auto& accessor = json["accessors"][size_t(index)];
        const size_t width = accessor["type"] == "VEC4" ? 4 : 1;
        const int type = accessor["componentType"];
        const size_t size = type == 5121 ? 1 : type == 5123 ? 2 : 4;
        const auto& view = json["bufferViews"][accessor["bufferView"].get<size_t>()];
        const size_t begin = view.value("byteOffset", size_t{0}) + accessor.value("byteOffset", size_t{0});
        std::vector<int> values(width * accessor["count"].get<size_t>(), 0);
        for (size_t i = 0; i < values.size(); ++i) {
            std::memcpy(&values[i], binary.data() + begin + i * size, size);
        }
        return values;
    }

    const nlohmann::json& primitive(int part) const { return json["meshes"][0]["primitives"][size_t(part)]; }
    int target_count() const { return primitive(0).contains("targets") ? int(primitive(0)["targets"].size()) : 0; }

    /// An attribute of a primitive at a frame: base plus weighted targets, as a viewer does.
    std::vector<double> morphed(int part, const std::string& attribute, int frame) const {
        std::vector<double> values = floats(primitive(part)["attributes"][attribute]);
        const int k = target_count();
        if (k == 0) {
            return values;
        }
        const std::vector<double> weights = floats(json["animations"][0]["samplers"][0]["output"]);
        for (int target = 0; target < k; ++target) {
            const auto& attributes = primitive(part)["targets"][size_t(target)];
            if (!attributes.contains(attribute)) {
                continue;
            }
            const std::vector<double> change = floats(attributes[attribute]);
            for (size_t i = 0; i < values.size(); ++i) {
                values[i] += weights[size_t(frame * k + target)] * change[i];
            }
        }
        return values;
    }
};

}  // namespace cutis::test

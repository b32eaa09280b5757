#include "io/usd/mesh.h"

#include <algorithm>
#include <cmath>

#include "cutis/core/error.h"
#include "io/usd/text.h"

namespace cutis {
namespace {

const std::string& member = usda_member;
const std::string& inner = usda_inner;

/// Three or four digits are finer than any shading shows, and half the text.
std::string normals_text(const MatrixX3d& normals, double digits) {
    std::string text;
    const MatrixX3d rounded = (digits * normals.array()).round() / digits;
    append_tuples(text, rounded.data(), static_cast<size_t>(rounded.rows()), 3);
    return text;
}

}  // namespace

std::string usda_extent(const MatrixX3d& positions) {
    MatrixX3d box = MatrixX3d::Zero(2, 3);
    if (positions.rows() > 0) {
        box.row(0) = positions.colwise().minCoeff();
        box.row(1) = positions.colwise().maxCoeff();
    }
    std::string text;
    append_tuples(text, box.data(), 2, 3);
    return text;
}

void SampledAttribute::take(int time_code, const std::string& value) {
    if (first.empty()) {
        first = value;
    }
    samples.append(inner + std::to_string(time_code) + ": " + value + ",\n");
}

void SampledAttribute::write_to(AtomicFile& file) {
    file.write(member + declaration + " = " + first + metadata + "\n");
    file.write(member + declaration + ".timeSamples = {\n");
    samples.copy_to(file);
    file.write(member + "}\n");
}

UsdaMesh::UsdaMesh(const std::filesystem::path& path, AtomicFile* stream, const MeshInfo& mesh,
                   const std::string& identifier, UsdaMaterials& materials, const UsdaDetail& detail)
    : path_(path),
      identifier_(identifier),
      stream_(stream),
      mesh_(&mesh),
      materials_(&materials),
      detail_(detail),
      parts_(parts_of(*mesh.art)),
      corners_(without_repeated_corners(polygon_corners(*mesh.art, parts_))),
      extent_(path, "float3[] extent", "") {
    std::set<std::string> taken;
    for (const MeshPart& part : parts_) {
        part_names_.push_back(usd_identifier(part.name, "part", taken));
    }
    if (detail_.has_normals && !mesh.has_normals && mesh.art->triangles.rows() > 0) {
        field_.emplace(*mesh.art, parts_, std::vector<int>());
    }
    if (mesh.has_uv()) {
        uv_head_ = uv_head_text();
    }
    if (stream_ != nullptr) {
        stream_->write(head_text());
    } else {
        points_ = std::make_unique<SampledAttribute>(path, "point3f[] points", "");
    }
}

std::string UsdaMesh::head_text(const char* schemas) const {
    std::string text = "    def Mesh \"" + identifier_ + "\"" + schemas + "\n    {\n";
    if (mesh_->is_other_view) {
        text += usda_member + "token visibility = \"invisible\"\n";
    }
    text += member + "uniform token subdivisionScheme = \"none\"\n";
    text += member + "uniform token orientation = \"rightHanded\"\n";
    text += member + "int[] faceVertexCounts = ";
    append_integers(text, corners_.sizes);
    text += "\n" + member + "int[] faceVertexIndices = ";
    append_integers(text, corners_.vertices);
    return text + "\n" + uv_head_;
}

// Renderers look solid textures up at Pref: the material where it slides, else the rest shape.
const ChannelInfo* UsdaMesh::sliding_pref() const {
    const auto found = std::find_if(mesh_->channels.begin(), mesh_->channels.end(),
                                    [](const ChannelInfo& one) { return one.for_renderers; });
    return found == mesh_->channels.end() || !detail_.has_channels ? nullptr : &*found;
}

std::string UsdaMesh::pref_text() const {
    std::string text = member + "point3f[] primvars:Pref = ";
    append_tuples(text, mesh_->art->positions.data(), static_cast<size_t>(mesh_->vertex_count()), 3);
    return text + " (\n" + inner + "interpolation = \"vertex\"\n" + member + ")\n";
}

std::string UsdaMesh::uv_head_text() {
    const bool is_per_vertex = mesh_->uv_count() == mesh_->vertex_count() && corners_.uvs == corners_.vertices;
    std::vector<int> indices = corners_.uvs;
    // A corner without UV still needs a value: one more entry, at the picture's corner.
    for (int& index : indices) {
        if (index < 0) {
            index = mesh_->uv_count();
            has_uv_filler_ = true;
        }
    }
    std::string text;
    const auto add_indices = [&](const std::string& name) {
        if (!is_per_vertex) {
            text += member + "int[] primvars:" + name + ":indices = ";
            append_integers(text, indices);
            text += "\n";
        }
    };
    const std::string metadata =
        " (\n" + inner + "interpolation = \"" + (is_per_vertex ? "vertex" : "faceVarying") + "\"\n" + member + ")";
    for (size_t set = 0; set < mesh_->art->more_uv.size(); ++set) {
        const std::string name = concat("st", set + 1);
        add_indices(name);
        text +=
            concat(member, "texCoord2f[] primvars:", name, " = ", uv_text(mesh_->art->more_uv[set]), metadata, "\n");
    }
    add_indices("st");
    if (mesh_->uv_moves()) {
        st_ = std::make_unique<SampledAttribute>(path_, "texCoord2f[] primvars:st", metadata);
    } else {
        text += member + "texCoord2f[] primvars:st = " + uv_text(mesh_->art->uv) + metadata + "\n";
    }
    return text;
}

std::string UsdaMesh::uv_text(const MatrixX2d& uv) const {
    std::string text;
    append_tuples(text, uv.data(), static_cast<size_t>(uv.rows()), 2);
    if (has_uv_filler_) {
        text.insert(text.size() - 1, ",(0,0)");
    }
    return text;
}

void UsdaMesh::announce_channels() {
    if (!detail_.has_channels) {
        return;
    }
    std::set<std::string> taken = {"st", "Pref"};
    for (size_t set = 0; set < mesh_->art->more_uv.size(); ++set) {
        taken.insert(concat("st", set + 1));
    }
    for (const ChannelInfo& channel : mesh_->channels) {
        const bool is_tuple = channel.width >= 2 && channel.width <= 4;
        const std::string type = channel.for_renderers ? "point3f[]"
                                 : channel.width == 3  ? "vector3f[]"
                                 : is_tuple            ? concat("float", channel.width, "[]")
                                                       : "float[]";
        std::string metadata = concat(" (\n", inner, "customData = {\n", inner,
                                      "    string unit = ", usd_string(channel.unit), "\n", inner, "}\n");
        if (channel.width > 1 && !is_tuple) {
            metadata += concat(inner, "elementSize = ", channel.width, "\n");
        }
        metadata += concat(inner, "interpolation = \"vertex\"\n", member, ")");
        const std::string name = &channel == sliding_pref() ? "Pref" : usd_identifier(channel.name, "channel", taken);
        channels_.push_back(std::make_unique<SampledAttribute>(path_, type + " primvars:" + name, metadata));
    }
}

void UsdaMesh::take(int time_code, const MeshFrame& frame) {
    if (!has_begun_) {
        announce_channels();
    }
    if (!detail_.is_skinned) {
        take_shape(time_code, frame.positions, mesh_->has_normals ? &frame.normals : nullptr);
    }
    has_begun_ = true;
    if (st_) {
        st_->take(time_code, uv_text(uv_of(*mesh_, frame)));
    }
    for (size_t c = 0; c < channels_.size(); ++c) {
        const std::vector<double>& values = frame.channels[c];
        const int width = mesh_->channels[c].width <= 4 ? mesh_->channels[c].width : 1;
        std::string text;
        append_tuples(text, values.data(), values.size() / static_cast<size_t>(width), width);
        channels_[c]->take(time_code, text);
    }
}

void UsdaMesh::take_shape(int time_code, const MatrixX3d& positions, const MatrixX3d* normals) {
    take_points(time_code, positions);
    take_extent(time_code, positions);
    if (normals != nullptr) {
        write_normals(time_code, *normals, 1e4);
    } else if (field_) {
        write_normals(time_code, computed_normals(positions), 1e3);
    }
}

/// Of the smooth surface, seams of UVs closed, hard edges kept: what renderers would compute lacks both.
const MatrixX3d& UsdaMesh::computed_normals(const MatrixX3d& positions) {
    field_->compute(positions, field_normals_);
    normals_now_.resize(positions.rows(), 3);
    for (int v = 0; v < static_cast<int>(positions.rows()); ++v) {
        normals_now_.row(v) = field_normals_.row(field_->row_of(v));
    }
    return normals_now_;
}

void UsdaMesh::write_normals(int time_code, const MatrixX3d& normals, double digits) {
    if (!normals_) {
        normals_ = std::make_unique<SampledAttribute>(path_, "normal3f[] normals",
                                                      " (\n" + inner + "interpolation = \"vertex\"\n" + member + ")");
    }
    normals_->take(time_code, normals_text(normals, digits));
}

void UsdaMesh::take_points(int time_code, const MatrixX3d& positions) {
    std::string points;
    const MatrixX3d* written = &positions;
    if (detail_.step > 0.0) {
        // Divided by the whole number of steps in a metre: the nearest double to few decimals.
        rounded_ = (positions.array() / detail_.step).round() / std::round(1.0 / detail_.step);
        written = &rounded_;
    }
    append_tuples(points, written->data(), static_cast<size_t>(written->rows()), 3);
    if (points_) {
        points_->take(time_code, points);
        return;
    }
    if (!has_begun_) {
        stream_->write(member + "point3f[] points = " + points + "\n");
        stream_->write(member + "point3f[] points.timeSamples = {\n");
    }
    stream_->write(inner + std::to_string(time_code) + ": ");
    stream_->write(points);
    stream_->write(",\n");
}

void UsdaMesh::take_extent(int time_code, const MatrixX3d& positions) {
    extent_.take(time_code, usda_extent(positions));
}

void UsdaMesh::finish(AtomicFile& file) {
    if (points_) {
        file.write(head_text());
        points_->write_to(file);
    } else {
        file.write(member + "}\n");
    }
    extent_.write_to(file);
    write_rest(file);
    file.write("    }\n");
}

void UsdaMesh::finish_skinned(AtomicFile& file, const std::vector<float>& positions, const std::string& binding,
                              const std::function<void(AtomicFile&)>& write_children) {
    const Eigen::Map<const Eigen::Matrix<float, Eigen::Dynamic, 3, Eigen::RowMajor>> rest(
        positions.data(), static_cast<Eigen::Index>(positions.size() / 3), 3);
    const MatrixX3d points = rest.cast<double>();
    file.write(head_text(" (\n        prepend apiSchemas = [\"SkelBindingAPI\"]\n    )"));
    std::string text = member + "point3f[] points = ";
    append_tuples(text, points.data(), static_cast<size_t>(points.rows()), 3);
    text += "\n" + member + "float3[] extent = " + usda_extent(points) + "\n";
    if (field_) {
        text += member + "normal3f[] normals = " + normals_text(computed_normals(points), 1e3) + " (\n" + inner +
                "interpolation = \"vertex\"\n" + member + ")\n";
    }
    file.write(text + binding);
    write_rest(file);
    write_children(file);
    file.write("    }\n");
}

/// All but the shape.
void UsdaMesh::write_rest(AtomicFile& file) {
    if (sliding_pref() == nullptr) {
        file.write(pref_text());
    }
    if (normals_) {
        normals_->write_to(file);
    }
    if (st_) {
        st_->write_to(file);
    }
    for (const auto& channel : channels_) {
        channel->write_to(file);
    }
    write_parts(file);
}

void UsdaMesh::write_parts(AtomicFile& file) {
    file.write(member + "uniform token subsetFamily:materialBind:familyType = " + "\"partition\"\n");
    for (size_t part = 0; part < parts_.size(); ++part) {
        const bool is_painted = !parts_[part].material.empty();
        std::string text = concat(
            "\n", member, "def GeomSubset \"", part_names_[part],
            is_painted ? "\" (\n" + inner + "prepend apiSchemas = [\"MaterialBindingAPI\"]\n" + member + ")\n" : "\"\n",
            member, "{\n");
        text += inner + "uniform token elementType = \"face\"\n";
        text += inner + "uniform token familyName = \"materialBind\"\n";
        std::vector<int> faces;
        for (int p = corners_.polygon_of_part[part]; p < corners_.polygon_of_part[part + 1]; ++p) {
            faces.push_back(p);
        }
        text += inner + "int[] indices = ";
        append_integers(text, faces);
        text += "\n";
        if (is_painted) {
            text += inner + "rel material:binding = <" + materials_->bind(parts_[part].material) + ">\n";
            text += inner + "custom string materialName = " + usd_string(parts_[part].material) + "\n";
        }
        text += member + "}\n";
        file.write(text);
    }
}

}  // namespace cutis

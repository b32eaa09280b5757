#include "cutis/io/usda_write.h"

#include <set>

#include "cutis/io/files.h"
#include "write_base.h"
#include "write_spool.h"
#include "write_text.h"

namespace cutis {
namespace {

/// `name` as a USD identifier that is not yet in `taken`.
std::string identifier(const std::string& name, const std::string& otherwise,
                       std::set<std::string>& taken) {
    std::string id;
    for (const char c : name.empty() ? otherwise : name) {
        const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        const bool is_digit = c >= '0' && c <= '9';
        if (is_digit && id.empty()) {
            id += '_';
        }
        id += is_letter || is_digit ? c : '_';
    }
    std::string unique = id;
    for (int n = 2; !taken.insert(unique).second; ++n) {
        unique = id + "_" + std::to_string(n);
    }
    return unique;
}

std::string usd_string(const std::string& text) {
    static const char hex[] = "0123456789abcdef";
    std::string out = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (byte < ' ') {
            out += "\\x";
            out += hex[byte >> 4];
            out += hex[byte & 15];
        } else {
            out += c;
        }
    }
    return out + "\"";
}

/// [(x, y, z), ...] or, for width 1, [x, ...].
void append_tuples(std::string& text, const double* values, size_t count, int width) {
    text += '[';
    for (size_t i = 0; i < count; ++i) {
        text += i == 0 ? "" : ", ";
        text += width == 1 ? "" : "(";
        for (int k = 0; k < width; ++k) {
            text += k == 0 ? "" : ", ";
            append_float(text, *values++);
        }
        text += width == 1 ? "" : ")";
    }
    text += ']';
}

void append_integers(std::string& text, const std::vector<int>& values) {
    text += '[';
    for (size_t i = 0; i < values.size(); ++i) {
        text += i == 0 ? "" : ", ";
        append_number(text, values[i]);
    }
    text += ']';
}

const std::string member = "        ";  // indentation of a property of the mesh
const std::string sample = "            ";

/// An attribute whose samples wait on disk until the attribute before it is complete.
struct SampledAttribute {
    SampledAttribute(const std::filesystem::path& beside, std::string declaration_text,
                     std::string metadata_text)
        : declaration(std::move(declaration_text)),
          metadata(std::move(metadata_text)),
          samples(beside) {}

    std::string declaration;  ///< "float3[] extent"
    std::string metadata;     ///< in brackets, or empty
    std::string first;        ///< value of the first frame: the default
    SpoolFile samples;

    void take(int time_code, const std::string& value) {
        if (first.empty()) {
            first = value;
        }
        samples.append(sample + std::to_string(time_code) + ": " + value + ",\n");
    }

    void write_to(AtomicFile& file) {
        file.write(member + declaration + " = " + first + metadata + "\n");
        file.write(member + declaration + ".timeSamples = {\n");
        samples.copy_to(file);
        file.write(member + "}\n");
    }
};

class UsdaSink final : public CheckedSink {
public:
    explicit UsdaSink(std::filesystem::path path) : CheckedSink("usda"), path_(std::move(path)) {}

private:
    void start() override {
        parts_ = parts_of(mesh());
        corners_ = polygon_corners(mesh(), parts_);
        file_ = std::make_unique<AtomicFile>(path_);
        extent_ = std::make_unique<SampledAttribute>(path_, "float3[] extent", "");
        write_stage();
        write_mesh();
        if (has_uv()) {
            write_uv();
        }
    }

    void write_stage() {
        std::set<std::string> root_names;
        const std::string root = identifier(path_.stem().string(), "body", root_names);
        std::string fps;
        append_number(fps, info().fps);
        const int last = info().first_frame + info().frame_count - 1;
        file_->write(
            "#usda 1.0\n(\n    defaultPrim = \"" + root +
            "\"\n    endTimeCode = " + std::to_string(last) + "\n    framesPerSecond = " + fps +
            "\n    metersPerUnit = 1\n    startTimeCode = " + std::to_string(info().first_frame) +
            "\n    timeCodesPerSecond = " + fps + "\n    upAxis = \"Y\"\n)\n\n");
        file_->write("def Xform \"" + root + "\"\n{\n");
    }

    void write_mesh() {
        std::set<std::string> mesh_names;
        text_ = "    def Mesh \"" + identifier(mesh().name, "skin", mesh_names) + "\"\n    {\n";
        text_ += member + "uniform token subdivisionScheme = \"none\"\n";
        text_ += member + "uniform token orientation = \"rightHanded\"\n";
        text_ += member + "int[] faceVertexCounts = ";
        append_integers(text_, corners_.sizes);
        text_ += "\n" + member + "int[] faceVertexIndices = ";
        append_integers(text_, corners_.vertices);
        text_ += "\n" + member + "point3f[] primvars:Pref = ";
        append_tuples(text_, mesh().positions.data(), static_cast<size_t>(vertex_count()), 3);
        text_ += " (\n" + sample + "interpolation = \"vertex\"\n" + member + ")\n";
        file_->write(text_);
    }

    void write_uv() {
        const bool is_per_vertex =
            uv_count() == vertex_count() && corners_.uvs == corners_.vertices;
        std::vector<int> indices = corners_.uvs;
        // A corner without UV still needs a value: one more entry, at the picture's corner.
        has_uv_filler_ = false;
        for (int& index : indices) {
            if (index < 0) {
                index = uv_count();
                has_uv_filler_ = true;
            }
        }
        text_.clear();
        if (!is_per_vertex) {
            text_ += member + "int[] primvars:st:indices = ";
            append_integers(text_, indices);
            text_ += "\n";
        }
        const std::string metadata = " (\n" + sample + "interpolation = \"" +
                                     (is_per_vertex ? "vertex" : "faceVarying") + "\"\n" + member +
                                     ")";
        if (uv_moves()) {
            st_ = std::make_unique<SampledAttribute>(path_, "texCoord2f[] primvars:st", metadata);
        } else {
            text_ += member + "texCoord2f[] primvars:st = " + uv_text(mesh().uv) + metadata + "\n";
        }
        file_->write(text_);
    }

    std::string uv_text(const MatrixX2d& uv) const {
        std::string text;
        append_tuples(text, uv.data(), static_cast<size_t>(uv.rows()), 2);
        if (has_uv_filler_) {
            text.insert(text.size() - 1, ", (0, 0)");
        }
        return text;
    }

    void announce_channels() {
        std::set<std::string> taken = {"st", "Pref"};
        for (const ChannelLayout& channel : channels()) {
            const bool is_tuple = channel.width >= 2 && channel.width <= 4;
            const std::string type = channel.width == 3 ? "vector3f[]"
                                     : is_tuple ? "float" + std::to_string(channel.width) + "[]"
                                                : "float[]";
            std::string metadata = " (\n" + sample + "customData = {\n" + sample +
                                   "    string unit = " + usd_string(channel.unit) + "\n" + sample +
                                   "}\n";
            if (channel.width > 1 && !is_tuple) {
                metadata += sample + "elementSize = " + std::to_string(channel.width) + "\n";
            }
            metadata += sample + "interpolation = \"vertex\"\n" + member + ")";
            channel_attributes_.push_back(std::make_unique<SampledAttribute>(
                path_, type + " primvars:" + identifier(channel.name, "channel", taken), metadata));
        }
    }

    void take(const Frame& frame, int index) override {
        std::string points;
        append_tuples(points, frame.positions.data(), static_cast<size_t>(vertex_count()), 3);
        if (index == 0) {
            announce_channels();
            file_->write(member + "point3f[] points = " + points + "\n");
            // Points are the bulk and the first attribute: their samples go straight to the file.
            file_->write(member + "point3f[] points.timeSamples = {\n");
        }
        file_->write(sample + std::to_string(frame.number) + ": ");
        file_->write(points);
        file_->write(",\n");
        take_extent(frame);
        if (st_) {
            st_->take(frame.number, uv_text(uv_of(frame)));
        }
        for (size_t c = 0; c < channels().size(); ++c) {
            const ChannelLayout& layout = channels()[c];
            const std::vector<double>& values = frame.channels.at(layout.name).values;
            const int width = layout.width <= 4 ? layout.width : 1;
            text_.clear();
            append_tuples(text_, values.data(), values.size() / static_cast<size_t>(width), width);
            channel_attributes_[c]->take(frame.number, text_);
        }
    }

    void take_extent(const Frame& frame) {
        MatrixX3d box = MatrixX3d::Zero(2, 3);
        if (frame.positions.rows() > 0) {
            box.row(0) = frame.positions.colwise().minCoeff();
            box.row(1) = frame.positions.colwise().maxCoeff();
        }
        text_.clear();
        append_tuples(text_, box.data(), 2, 3);
        extent_->take(frame.number, text_);
    }

    void write_parts() {
        file_->write(member +
                     "uniform token subsetFamily:materialBind:familyType = " + "\"partition\"\n");
        std::set<std::string> taken;
        for (size_t part = 0; part < parts_.size(); ++part) {
            text_ = "\n" + member + "def GeomSubset \"" +
                    identifier(parts_[part].name, "part", taken) + "\"\n" + member + "{\n";
            text_ += sample + "uniform token elementType = \"face\"\n";
            text_ += sample + "uniform token familyName = \"materialBind\"\n";
            std::vector<int> faces;
            for (int p = corners_.polygon_of_part[part]; p < corners_.polygon_of_part[part + 1];
                 ++p) {
                faces.push_back(p);
            }
            text_ += sample + "int[] indices = ";
            append_integers(text_, faces);
            text_ += "\n";
            if (!parts_[part].material.empty()) {
                text_ += sample +
                         "custom string materialName = " + usd_string(parts_[part].material) + "\n";
            }
            text_ += member + "}\n";
            file_->write(text_);
        }
    }

    std::vector<OutputFile> complete() override {
        file_->write(member + "}\n");
        extent_->write_to(*file_);
        if (st_) {
            st_->write_to(*file_);
        }
        for (const auto& channel : channel_attributes_) {
            channel->write_to(*file_);
        }
        write_parts();
        file_->write("    }\n}\n");
        return {{"usda", path_.string(), file_->commit(), {}}};
    }

    std::filesystem::path path_;
    std::unique_ptr<AtomicFile> file_;
    std::vector<MeshPart> parts_;
    PolygonCorners corners_;
    bool has_uv_filler_ = false;
    std::unique_ptr<SampledAttribute> extent_;
    std::unique_ptr<SampledAttribute> st_;
    std::vector<std::unique_ptr<SampledAttribute>> channel_attributes_;
    std::string text_;
};

}  // namespace

std::unique_ptr<FrameSink> make_usda_sink(const std::filesystem::path& path) {
    return std::make_unique<UsdaSink>(path);
}

}  // namespace cutis

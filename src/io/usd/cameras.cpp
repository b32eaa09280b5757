#include "io/usd/cameras.h"

#include <cmath>

#include "core/math.h"
#include "cutis/core/error.h"
#include "cutis/io/json.h"
#include "io/gltf/write_skin.h"
#include "io/number_text.h"
#include "io/usd/skeleton.h"
#include "io/usd/text.h"

namespace cutis {

namespace {

double positive_or(const Json& value, double otherwise) {
    return value.is_number() && value.as_number() > 0.0 ? value.as_number() : otherwise;
}

std::string number_line(const char* declaration, double value) {
    std::string text = usda_member + declaration + " = ";
    append_float(text, value);
    return text + "\n";
}

/// Apertures and focal length are tenths of a unit; without lenses only their ratio counts.
/// \param unit  of the file, metres
std::string lens_text(const Json& camera, double unit) {
    constexpr double tenths = 10.0;
    constexpr double focal_length = 0.5;  // 50 mm
    constexpr double square = 1.0;
    constexpr double far_away = 1e6;
    const bool is_perspective = camera["type"].as_text() != "orthographic";
    const Json& lens = camera[is_perspective ? "perspective" : "orthographic"];
    std::string text =
        usda_member + "token projection = " + usd_string(is_perspective ? "perspective" : "orthographic") + "\n";
    double height = 2.0 * tenths * unit * positive_or(lens["ymag"], square);
    double width = 2.0 * tenths * unit * positive_or(lens["xmag"], square);
    if (is_perspective) {
        const double half = 0.5 * positive_or(lens["yfov"], square);
        height = 2.0 * focal_length * math::sin(half) / math::cos(half);
        width = height * positive_or(lens["aspectRatio"], square);
        text += number_line("float focalLength", focal_length);
    }
    text += number_line("float horizontalAperture", width) + number_line("float verticalAperture", height);
    std::string range;
    const double numbers[2] = {unit * positive_or(lens["znear"], 0.01), unit * positive_or(lens["zfar"], far_away)};
    append_tuples(range, numbers, 1, 2);
    return text + usda_member + "float2 clippingRange = " + range.substr(1, range.size() - 2) + "\n";
}

}  // namespace

void write_usda_cameras(AtomicFile& file, const BakeInfo& info, const std::vector<double>& times,
                        std::set<std::string>& taken) {
    const Character& character = *info.body->source().character;
    if (character.document == nullptr) {
        return;
    }
    const Json root = Json::parse(character.document->gltf_json, character.source);
    const Eigen::Affine3d& to_metres = info.body->source().to_metres;
    const double unit = math::cbrt(std::abs(to_metres.linear().determinant()));
    std::vector<Eigen::Affine3d> nodes;
    for (size_t n = 0; n < character.skeleton.nodes.size(); ++n) {
        const int camera = root["nodes"][character.document->file_node[n]]["camera"].as_index();
        if (camera < 0 || camera >= static_cast<int>(root["cameras"].size())) {
            continue;
        }
        const Json& about = root["cameras"][camera];
        const std::string& node_name = character.skeleton.nodes[n].name;
        const std::string name =
            usd_identifier(node_name.empty() ? about["name"].as_text() : node_name, "camera", taken);
        file.write("\n    def Camera \"" + name + "\"\n    {\n" + lens_text(about, unit));
        std::string samples;
        std::string before;
        int changes = 0;
        for (size_t f = 0; f < times.size(); ++f) {
            info.body->node_frames(times[f], info.sampling, nodes);
            if (n >= nodes.size()) {
                break;  // a body that moves without its nodes
            }
            Vector3d translation, scale;
            Eigen::Quaterniond rotation;
            Eigen::Affine3d place = Eigen::Affine3d::Identity();
            const Eigen::Affine3d own = nodes[n] * to_metres;  // from its own axes
            if (separate(own, translation, rotation, scale)) {
                place.linear() = rotation.toRotationMatrix();  // sizes of nodes do not reach lenses
            }
            place.translation() = own.translation();
            const std::string now = usda_matrix(place);
            changes += now == before ? 0 : 1;
            before = now;
            samples += concat(usda_inner, info.first_frame + static_cast<int>(f), ": ", now, ",\n");
        }
        const std::string sampled = concat(".timeSamples = {\n", samples, usda_member, "}\n");
        file.write(
            concat(usda_member, "matrix4d xformOp:transform", changes > 1 ? sampled : concat(" = ", before, "\n")));
        file.write(usda_member + "uniform token[] xformOpOrder = [\"xformOp:transform\"]\n    }\n");
    }
}

}  // namespace cutis

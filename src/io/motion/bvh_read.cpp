#include "cutis/io/bvh_read.h"

#include <Eigen/Geometry>
#include <cmath>
#include <cstring>

#include "core/geometry.h"
#include "core/printable.h"
#include "cutis/core/error.h"
#include "cutis/io/files.h"
#include "io/text_scan.h"

namespace cutis {

namespace {

constexpr double pi = 3.14159265358979323846;

/// What a column of the motion table does: 0 1 2 position x y z, 3 4 5 rotation about x y z.
struct JointChannels {
    std::vector<int> kinds;
    bool has_position = false;
    bool has_rotation = false;
};

class BvhReader {
public:
    BvhReader(std::span<const unsigned char> bytes, const std::string& source, double scale)
        : scan_(bytes.data(), bytes.size(), false), source_(source), scale_(scale) {}

    BvhMotion read();

private:
    [[noreturn]] void fail(const std::string& message) const {
        throw InvalidInput(concat(source_, ": line ", scan_.line(), ": ", message));
    }
    std::string_view word(const char* expected) {
        const std::string_view found = scan_.word_anywhere();
        if (found.empty()) {
            fail(concat("expected ", expected, ", found the end of the file"));
        }
        return found;
    }
    void expect(const char* keyword) {
        const std::string_view found = word(keyword);
        if (found != keyword) {
            fail(concat("expected ", keyword, ", found ", quoted(found)));
        }
    }
    double number(const char* what) {
        const std::string_view found = word(what);
        double value = 0.0;
        if (!parse_number(found, value)) {
            fail(concat("expected ", what, ", found ", quoted(found)));
        }
        return value;
    }
    Vector3d offset() {
        expect("OFFSET");
        Vector3d out;
        for (int c = 0; c < 3; ++c) {
            out[c] = number("a number of the offset") * scale_;
        }
        return out;
    }

    void read_hierarchy();
    void open_joint(int parent);
    void read_channels(JointChannels& joint);
    void read_motion();
    void read_frame(std::size_t frame);
    void settle_positions();

    TextScan scan_;
    const std::string& source_;
    double scale_;
    BvhMotion motion_;
    std::vector<JointChannels> joints_;
    std::size_t columns_ = 0;
    std::size_t frames_ = 0;
    std::vector<int> position_channel_;  ///< per joint: index into clip.channels, or -1
    std::vector<int> rotation_channel_;
};

void BvhReader::read_channels(JointChannels& joint) {
    static const char* names[6] = {"Xposition", "Yposition", "Zposition", "Xrotation", "Yrotation", "Zrotation"};
    int count = 0;
    const std::string_view found = word("the number of channels");
    if (!parse_integer(found, count) || count < 0 || count > 6) {
        fail(concat("expected 0 to 6 channels, found ", quoted(found)));
    }
    for (int i = 0; i < count; ++i) {
        const std::string_view name = word("a channel");
        int kind = 0;
        while (kind < 6 && name != names[kind]) {
            ++kind;
        }
        if (kind == 6) {
            fail(concat("expected X, Y or Z position or rotation, found ", quoted(name)));
        }
        joint.kinds.push_back(kind);
        (kind < 3 ? joint.has_position : joint.has_rotation) = true;
    }
    columns_ += static_cast<std::size_t>(count);
}

/// After ROOT or JOINT: name, brace, offset and channels.
void BvhReader::open_joint(int parent) {
    Node node;
    // Names may hold spaces: they end with the line, or before a brace on it.
    std::string_view name = scan_.rest();
    const bool has_brace = !name.empty() && name.back() == '{';
    if (has_brace) {
        name.remove_suffix(1);
        while (!name.empty() && (name.back() == ' ' || name.back() == '\t')) {
            name.remove_suffix(1);
        }
    }
    if (name.empty()) {
        fail("expected the name of a joint, found none");
    }
    node.name = printable(name, true);
    node.parent = parent;
    if (!has_brace) {
        expect("{");
    }
    node.rest.translation = offset();
    motion_.skeleton.nodes.push_back(std::move(node));
    joints_.emplace_back();
}

void BvhReader::read_hierarchy() {
    expect("HIERARCHY");
    std::vector<int> open;
    while (true) {
        const std::string_view found = word("ROOT, JOINT, CHANNELS, End Site, } or MOTION");
        if (found == "MOTION" && open.empty()) {
            break;
        }
        if (found == "ROOT" && open.empty()) {
            open_joint(-1);
            open.push_back(static_cast<int>(joints_.size()) - 1);
        } else if (found == "JOINT" && !open.empty()) {
            open_joint(open.back());
            open.push_back(static_cast<int>(joints_.size()) - 1);
        } else if (found == "CHANNELS" && !open.empty() && joints_[open.back()].kinds.empty() &&
                   open.back() == static_cast<int>(joints_.size()) - 1) {
            read_channels(joints_[open.back()]);
        } else if (found == "End" && !open.empty()) {
            expect("Site");
            expect("{");
            offset();
            expect("}");
        } else if (found == "}" && !open.empty()) {
            open.pop_back();
        } else {
            fail(concat("expected ", open.empty() ? "ROOT or MOTION" : "JOINT, CHANNELS, End Site or }", ", found ",
                        quoted(found)));
        }
    }
    if (joints_.empty()) {
        fail("expected a ROOT before MOTION, found none");
    }
}

void BvhReader::read_frame(std::size_t frame) {
    for (std::size_t j = 0; j < joints_.size(); ++j) {
        Vector3d position = Vector3d::Zero();
        Eigen::Quaterniond rotation = Eigen::Quaterniond::Identity();
        for (const int kind : joints_[j].kinds) {
            const double value = number("a number of the motion");
            if (kind < 3) {
                position[kind] = value * scale_;
            } else {
                rotation = rotation * quaternion_exp(value * (pi / 360.0) * Vector3d::Unit(kind - 3));
            }
        }
        if (joints_[j].has_position) {
            auto& values = motion_.clip.channels[position_channel_[j]].values;
            values.insert(values.end(), position.data(), position.data() + 3);
        }
        if (joints_[j].has_rotation) {
            auto& values = motion_.clip.channels[rotation_channel_[j]].values;
            rotation.normalize();
            // q and -q are the same rotation; stay on the side of the key before.
            if (frame > 0 && Eigen::Map<const Eigen::Vector4d>(&values[4 * (frame - 1)]).dot(rotation.coeffs()) < 0.0) {
                rotation.coeffs() = -rotation.coeffs();
            }
            values.insert(values.end(), rotation.coeffs().data(), rotation.coeffs().data() + 4);
        }
    }
}

/// Some files write positions below the root relative to OFFSET, others in its place.
void BvhReader::settle_positions() {
    for (std::size_t j = 0; j < joints_.size(); ++j) {
        const Node& node = motion_.skeleton.nodes[j];
        if (!joints_[j].has_position || node.parent < 0) {
            continue;
        }
        auto& values = motion_.clip.channels[position_channel_[j]].values;
        const Vector3d first(values[0], values[1], values[2]);
        if (first.norm() < (first - node.rest.translation).norm()) {
            for (std::size_t i = 0; i < values.size(); ++i) {
                values[i] += node.rest.translation[static_cast<Eigen::Index>(i % 3)];
            }
        }
    }
}

void BvhReader::read_motion() {
    expect("Frames:");
    int count = 0;
    const std::string_view found = word("the number of frames");
    if (!parse_integer(found, count) || count < 1) {
        fail(concat("expected at least one frame, found ", quoted(found)));
    }
    frames_ = static_cast<std::size_t>(count);
    expect("Frame");
    expect("Time:");
    motion_.frame_time = number("the frame time");
    if (!(motion_.frame_time > 1e-9 && motion_.frame_time < 1e9)) {
        fail(concat("expected a frame time above 0, found ", motion_.frame_time));
    }
    // A number takes a digit and a space at least: no memory for frames that cannot be there.
    const std::size_t most = scan_.bytes_left() / 2 + 1;
    if (columns_ == 0 || frames_ > most / columns_) {
        fail(concat("expected ", frames_, " frames of ", columns_, " numbers, found only ", scan_.bytes_left(),
                    " bytes"));
    }
    position_channel_.assign(joints_.size(), -1);
    rotation_channel_.assign(joints_.size(), -1);
    std::vector<double> times(frames_);
    for (std::size_t f = 0; f < frames_; ++f) {
        times[f] = static_cast<double>(f) * motion_.frame_time;
    }
    auto& channels = motion_.clip.channels;
    for (std::size_t j = 0; j < joints_.size(); ++j) {
        Channel channel;
        channel.node = static_cast<int>(j);
        channel.times = times;
        if (joints_[j].has_position) {
            channel.target = ChannelTarget::translation;
            channel.width = 3;
            position_channel_[j] = static_cast<int>(channels.size());
            channels.push_back(channel);
        }
        if (joints_[j].has_rotation) {
            channel.target = ChannelTarget::rotation;
            channel.width = 4;
            rotation_channel_[j] = static_cast<int>(channels.size());
            channels.push_back(channel);
        }
    }
    for (std::size_t f = 0; f < frames_; ++f) {
        read_frame(f);
    }
    if (const std::string_view more = scan_.word_anywhere(); !more.empty()) {
        fail(concat("expected the end of the file after ", frames_, " frames of ", columns_, " numbers, found ",
                    quoted(more)));
    }
    settle_positions();
}

BvhMotion BvhReader::read() {
    read_hierarchy();
    read_motion();
    motion_.clip.name = std::filesystem::path(source_).stem().string();
    return std::move(motion_);
}

}  // namespace

BvhMotion read_bvh(std::span<const unsigned char> bytes, const std::string& source, double scale) {
    require(scale > 0.0 && scale < 1e9, source, ": expected a scale above 0, found ", scale);
    require(bytes.empty() || std::memchr(bytes.data(), 0, bytes.size()) == nullptr, source,
            ": expected text, found binary content");
    return BvhReader(bytes, source, scale).read();
}

BvhMotion read_bvh(const std::filesystem::path& path, double scale) {
    return read_bvh(read_file(path), path.filename().string(), scale);
}

}  // namespace cutis

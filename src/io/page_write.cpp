#include "cutis/io/page_write.h"

#include <cmath>
#include <limits>

#include "cutis/core/error.h"
#include "page_write_motion.h"
#include "page_write_sections.h"
#include "page_write_surface.h"
#include "page_write_words.h"
#include "write_base.h"

namespace cutis {
namespace {

using Json = PageSections::Json;

constexpr const char* paints[] = {"skin", "checker", "grid", "tattoo", "bumps", "clay"};
constexpr double channel_share = 1.0 / 500.0;   // of a scalar's range: half a step of 256 colours
constexpr double direction_share = 1.0 / 50.0;  // of the longest stroke: about one degree

/// Smallest and largest value of a channel over the clip; lengths where it has directions.
struct Range {
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();

    void take(double value) {
        low = std::min(low, value);
        high = std::max(high, value);
    }
};

/// Coordinates of one thing that moves, and the name of its motion in the page.
struct Track {
    std::string name;
    ModeTrack place;
};

/// Of a busy machine the mean would tell more about its other work.
double median_of(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

class PageSink final : public CheckedSink {
public:
    PageSink(std::filesystem::path path, PageOptions options)
        : CheckedSink("html"), path_(std::move(path)), options_(std::move(options)) {}

    bool wants_body_positions() const override { return true; }

private:
    void start() override {
        if (mesh().triangles.rows() == 0) {
            throw InvalidInput("html: expected a mesh with triangles, found none");
        }
        segments_ = joint_segments(*info().body);
        joint_count_ = segments_.empty() ? 0 : info().body->source().joint_nodes.size();
    }

    bool has_two_views() const { return info().shape_changed || info().uv_changed; }

    void lay_out() {
        const double diagonal = box_diagonal(mesh().positions);
        const double tolerance = options_.tolerance * (diagonal > 0.0 ? diagonal : 1.0);
        std::size_t next = 0;
        const auto add = [&](const std::string& name, std::size_t points, int width, double limit) {
            next += points * static_cast<std::size_t>(width);
            if (next > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
                throw InvalidInput("html: too many numbers per frame for a page");
            }
            const int first = static_cast<int>(next - points * static_cast<std::size_t>(width));
            tracks_.push_back({name, {first, static_cast<int>(points), width, limit}});
        };
        const auto vertices = static_cast<std::size_t>(vertex_count());
        add("positions", vertices, 3, tolerance);
        if (info().shape_changed) {
            add("body positions", vertices, 3, tolerance);
        }
        if (uv_moves()) {
            add("uv", static_cast<std::size_t>(uv_count()), 2, options_.uv_tolerance);
        }
        for (const ChannelLayout& channel : channels()) {
            add("channel " + channel.name, vertices, channel.width, 0.0);
        }
        ranges_.resize(channels().size());
        if (joint_count_ > 0) {
            add("joints", joint_count_, 3, tolerance);
        }
        store_ = std::make_unique<CoordinateStore>(path_, next);
    }

    void take(const Frame& frame, int index) override {
        if (index == 0) {
            for (const ChannelLayout& channel : channels()) {
                check_width(channel);
            }
            lay_out();
        }
        const auto append = [&](const auto& matrix) {
            store_->append(matrix.data(), static_cast<std::size_t>(matrix.size()));
        };
        append(frame.positions);
        if (info().shape_changed) {
            append(body_positions_of(frame));
        }
        if (uv_moves()) {
            append(uv_of(frame));
        }
        for (std::size_t c = 0; c < channels().size(); ++c) {
            const ChannelData& data = frame.channels.at(channels()[c].name);
            store_->append(data.values.data(), data.values.size());
            take_range(data, ranges_[c]);
        }
        append_joints(frame);
        take_numbers(frame, index);
    }

    static void check_width(const ChannelLayout& channel) {
        if (channel.width != 1 && channel.width != 3) {
            throw InvalidInput(say("html: channel '", channel.name, "' has ", channel.width,
                                   " numbers per vertex, expected 1 or 3"));
        }
    }

    const MatrixX3d& body_positions_of(const Frame& frame) const {
        const MatrixX3d& positions =
            frame.body_positions.rows() > 0 ? frame.body_positions : frame.positions;
        if (positions.rows() != vertex_count() || !positions.allFinite()) {
            throw InvalidInput(say("html: frame ", frame.number, ": expected ", vertex_count(),
                                   " finite body positions, found ", positions.rows(),
                                   positions.allFinite() ? "" : " not all finite"));
        }
        return positions;
    }

    static void take_range(const ChannelData& data, Range& range) {
        if (data.width == 1) {
            for (const double value : data.values) {
                range.take(value);
            }
            return;
        }
        for (std::size_t i = 0; i + 2 < data.values.size(); i += 3) {
            range.take(std::hypot(data.values[i], data.values[i + 1], data.values[i + 2]));
        }
    }

    void append_joints(const Frame& frame) {
        if (joint_count_ == 0) {
            return;
        }
        info().body->node_frames(frame.time, info().sampling, nodes_);
        for (const int node : info().body->source().joint_nodes) {
            const Vector3d place = nodes_.at(static_cast<std::size_t>(node)).translation();
            store_->append(place.data(), 3);
        }
    }

    void take_numbers(const Frame& frame, int index) {
        const auto put = [&](const std::string& name, double value) {
            std::vector<double>& values = numbers_[name];
            values.resize(static_cast<std::size_t>(info().frame_count),
                          std::numeric_limits<double>::quiet_NaN());
            values[static_cast<std::size_t>(index)] = value;
        };
        for (const auto& [name, value] : frame.numbers) {
            put(name, value);
        }
        if (!options_.use_times) {
            return;
        }
        double sum = 0.0;
        for (std::size_t i = 0; i < frame.stage_seconds.size(); ++i) {
            const auto& [stage, seconds] = frame.stage_seconds[i];
            sum += seconds;
            if (stage_seconds_.size() <= i) {
                stage_seconds_.emplace_back(stage, std::vector<double>());
            }
            stage_seconds_[i].second.push_back(seconds);
        }
        if (!frame.stage_seconds.empty()) {
            put("time per frame (ms)", 1e3 * sum);
        }
    }

    std::vector<OutputFile> complete() override {
        const PageSurface surface = make_page_surface(*info().body, mesh());
        Json motions = Json::object();
        int modes = 0;
        double error = 0.0;
        double uv_error = 0.0;
        for (std::size_t t = 0; t < tracks_.size(); ++t) {
            Track& track = tracks_[t];
            set_channel_tolerance(t);
            const PackedMotion motion = pack_motion(*store_, track.place);
            motions[track.name] = motion_json(track.name, motion);
            if (track.name == "positions" || track.name == "body positions") {
                modes += motion.rank;
                error = std::max(error, motion.max_error);
            } else if (track.name == "uv") {
                uv_error = motion.max_error;
            }
        }
        Json meta = head_json();
        meta["motions"] = std::move(motions);
        meta["surfaces"] = Json::array({surface_json(surface)});
        meta["lines"] = lines_json();
        meta["plots"] = plots_json();
        meta["sections"] = sections_.table();
        const std::string data = sections_.packed();
        meta["facts"] = facts_json(surface, modes, error, uv_error, data.size());

        OutputFile file;
        file.format = "html";
        file.path = path_.string();
        file.bytes = save(meta, data);
        file.numbers = {{"modes", modes},
                        {"max_error_m", error},
                        {"max_uv_error", uv_error},
                        {"tolerance_m", tracks_.front().place.tolerance}};
        return {file};
    }

    /// The first channel's track; channels follow each other.
    std::size_t first_channel_track() const {
        return 1 + (info().shape_changed ? 1U : 0U) + (uv_moves() ? 1U : 0U);
    }

    void set_channel_tolerance(std::size_t t) {
        const std::size_t first = first_channel_track();
        if (t < first || t >= first + channels().size()) {
            return;
        }
        const Range& range = ranges_[t - first];
        const bool is_scalar = channels()[t - first].width == 1;
        const double span = is_scalar ? range.high - range.low : range.high;
        const double limit = span * (is_scalar ? channel_share : direction_share);
        tracks_[t].place.tolerance = limit > 0.0 ? limit : 1.0;
    }

    Json motion_json(const std::string& name, const PackedMotion& motion) {
        Json json = {{"width", motion.width}, {"count", motion.points}, {"rank", motion.rank}};
        json["mean"] = sections_.add(name + ".mean", motion.mean);
        if (motion.rank > 0) {
            json["basis"] = sections_.add(name + ".basis", motion.basis);
            json["weights"] = sections_.add(name + ".weights", motion.weights);
        }
        json["scales"] = motion.scales;
        json["error"] = motion.max_error;
        return json;
    }

    Json head_json() const {
        Json views = Json::array();
        if (has_two_views()) {
            views.push_back({{"name", "plain"}, {"label", "Plain skinning"}});
            views.push_back({{"name", "cutis"}, {"label", "cutis"}});
        } else {
            views.push_back({{"name", "body"}, {"label", "Body"}});
        }
        Json meta = {{"title", options_.title.empty() ? path_.stem().string() : options_.title},
                     {"caption", options_.caption},
                     {"fps", info().fps},
                     {"frames", info().frame_count},
                     {"firstFrame", info().first_frame},
                     {"views", views},
                     {"paint", options_.paint}};
        if (!options_.heat.empty()) {
            meta["start"] = {{"heat", options_.heat}};
        }
        if (options_.camera_direction) {
            const Vector3d& d = *options_.camera_direction;
            meta["cameraDirection"] = {d.x(), d.y(), d.z()};
        }
        return meta;
    }

    Json surface_json(const PageSurface& surface) {
        Json json = {{"name", mesh().name.empty() ? "body" : mesh().name},
                     {"kind", "body"},
                     {"source", sections_.add("source", surface.source)},
                     {"triangles", sections_.add("triangles", surface.triangles)},
                     {"rest", sections_.add("rest", as_floats(mesh().positions))},
                     {"metresPerUv", surface.metres_per_uv},
                     {"patternSize", surface.pattern_size}};
        if (!surface.uv_source.empty()) {
            json["uv"] = sections_.add("uv rest", as_floats(mesh().uv));
            json["uvSource"] = sections_.add("uv source", surface.uv_source);
        }
        if (!surface.colours.empty()) {
            json["colours"] = sections_.add("colours", surface.colours);
        }
        const char* result = has_two_views() ? "cutis" : "body";
        json["views"][result] = "positions";
        if (has_two_views()) {
            json["views"]["plain"] = info().shape_changed ? "body positions" : "positions";
        }
        if (uv_moves()) {
            json["uvViews"][result] = "uv";
        }
        json["channels"][result] = channels_json(surface);
        return json;
    }

    Json channels_json(const PageSurface& surface) const {
        Json list = Json::array();
        for (std::size_t c = 0; c < channels().size(); ++c) {
            const ChannelLayout& channel = channels()[c];
            const Range& range = ranges_[c];
            Json json = {{"name", channel.name},
                         {"unit", channel.unit},
                         {"width", channel.width},
                         {"motion", tracks_[first_channel_track() + c].name}};
            if (channel.width == 3) {
                json["strokeLength"] =
                    range.high > 0.0 ? 0.8 * surface.edge_length / range.high : 0.0;
            } else {
                // Stretches are measured from 1, everything that may be negative from 0.
                const bool is_stretch = channel.name.find("stretch") != std::string::npos;
                const double middle = is_stretch ? 1.0 : 0.0;
                const bool is_signed = is_stretch || range.low < 0.0;
                const double reach =
                    std::max(std::abs(range.low - middle), std::abs(range.high - middle));
                json["low"] = is_signed ? middle - reach : range.low;
                json["high"] = is_signed ? middle + reach : range.high;
                json["isSigned"] = is_signed;
            }
            list.push_back(std::move(json));
        }
        return list;
    }

    Json lines_json() {
        if (joint_count_ == 0) {
            return Json::array();
        }
        Json views = has_two_views() ? Json::array({"plain", "cutis"}) : Json::array({"body"});
        return Json::array({{{"name", "skeleton"},
                             {"show", "skeleton"},
                             {"segments", sections_.add("bones", segments_)},
                             {"motion", "joints"},
                             {"views", views},
                             {"onTop", true}}});
    }

    Json plots_json() const {
        Json list = Json::array();
        for (const auto& [text, values] : numbers_) {
            const auto [name, unit] = name_and_unit(text);
            list.push_back({{"name", name}, {"unit", unit}, {"values", values}});
        }
        return list;
    }

    Json facts_json(const PageSurface& surface, int modes, double error, double uv_error,
                    std::size_t packed_bytes) const {
        Json facts = Json::array();
        const auto add = [&](const std::string& name, const std::string& value) {
            facts.push_back(Json::array({name, value}));
        };
        add("Vertices", in_thousands(static_cast<std::uintmax_t>(vertex_count())));
        add("Triangles", in_thousands(static_cast<std::uintmax_t>(mesh().triangles.rows())));
        add("Frames",
            std::to_string(info().frame_count) + " at " + with_digits(info().fps) + " a second");
        if (joint_count_ > 0) {
            add("Joints", std::to_string(joint_count_));
        }
        for (const auto& [stage, seconds] : stage_seconds_) {
            add("Time, " + stage, with_digits(1e3 * median_of(seconds)) + " ms a frame");
        }
        add("Side of a square", in_length(surface.pattern_size));
        add("Modes in this page", std::to_string(modes));
        add("Largest error here", in_length(error));
        if (uv_moves()) {
            add("Largest UV error here", with_digits(uv_error));
        }
        add("Packed numbers", in_thousands(packed_bytes) + " bytes");
        return facts;
    }

    template <class Matrix>
    static std::vector<float> as_floats(const Matrix& matrix) {
        std::vector<float> values(static_cast<std::size_t>(matrix.size()));
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] = static_cast<float>(matrix.data()[i]);
        }
        return values;
    }

    std::uintmax_t save(const Json& meta, const std::string& data) const {
        constexpr std::string_view meta_mark = "<!--CUTIS_META-->";
        constexpr std::string_view data_mark = "<!--CUTIS_DATA-->";
        const size_t meta_at = page_template.find(meta_mark);
        const size_t data_at = page_template.find(data_mark);
        if (meta_at == std::string_view::npos || data_at == std::string_view::npos ||
            data_at < meta_at) {
            throw IoError("html: the page built into this program lacks its marks");
        }
        std::string text = meta.dump(-1, ' ', true, Json::error_handler_t::replace);
        // The text stands inside a script element; "<" only occurs inside JSON strings.
        for (size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at)) {
            text.replace(at, 1, "\\u003c");
        }
        AtomicFile file(path_);
        file.write(page_template.substr(0, meta_at));
        file.write(text);
        const size_t between = meta_at + meta_mark.size();
        file.write(page_template.substr(between, data_at - between));
        file.write(data);
        file.write(page_template.substr(data_at + data_mark.size()));
        return file.commit();
    }

    std::filesystem::path path_;
    PageOptions options_;
    std::unique_ptr<CoordinateStore> store_;
    std::vector<Track> tracks_;
    std::vector<Range> ranges_;  ///< per channel
    std::vector<std::uint32_t> segments_;
    std::size_t joint_count_ = 0;
    std::vector<Eigen::Affine3d> nodes_;
    std::map<std::string, std::vector<double>> numbers_;
    std::vector<std::pair<std::string, std::vector<double>>> stage_seconds_;
    PageSections sections_;
};

void check_tolerance(double tolerance, const char* name) {
    if (!(tolerance >= 1e-7 && tolerance <= 0.1)) {
        throw InvalidInput(say("html: ", name, " ", tolerance, ", expected 1e-7 to 0.1"));
    }
}

}  // namespace

std::unique_ptr<FrameSink> make_page_sink(const std::filesystem::path& path,
                                          const PageOptions& options) {
    check_tolerance(options.tolerance, "tolerance");
    check_tolerance(options.uv_tolerance, "uv_tolerance");
    if (std::find(std::begin(paints), std::end(paints), options.paint) == std::end(paints)) {
        throw InvalidInput(say("html: paint '", options.paint,
                               "', expected skin, checker, grid, tattoo, bumps or clay"));
    }
    if (options.camera_direction &&
        (!options.camera_direction->allFinite() || options.camera_direction->isZero())) {
        throw InvalidInput("html: expected a camera direction with a length");
    }
    return std::make_unique<PageSink>(path, options);
}

}  // namespace cutis

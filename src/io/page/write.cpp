#include "cutis/io/formats.h"

#include <cmath>
#include <limits>
#include <optional>

#include "cutis/core/error.h"
#include "cutis/mesh/geometry.h"
#include "io/maps/few_maps.h"
#include "io/page/facts.h"
#include "io/page/pictures.h"
#include "io/page/surface.h"
#include "io/page/tracks.h"
#include "io/scene/body_classes.h"

namespace cutis {
namespace {

constexpr int most_maps = 4;
constexpr int most_map_side = 1024;
constexpr const char* paints[] = {"automatic", "skin", "checker", "grid", "tattoo", "bumps", "clay"};
// Details and lines stand apart from the skin and from each other.
constexpr const char* detail_colours[] = {"#5b7d3a", "#2f6f8f", "#8a5a9e", "#a8862c"};
/// Details whose names say what they are made of.
constexpr std::pair<const char*, const char*> named_colours[] = {
    {"hair", "#6a4a30"}, {"spike", "#cdbf97"}, {"brick", "#a05a41"}, {"straps", "#a8862c"}, {"fish", "#5f7f99"}};
constexpr const char* line_colours[] = {"#7a1fa2", "#00796b", "#b4511a"};

/// The tracks of one mesh.
struct MeshTracks {
    std::size_t positions = 0;
    std::optional<std::size_t> plain;                ///< the body before layers, where they change its shape
    std::vector<std::optional<std::size_t>> shares;  ///< of each layer, where there are several
    std::optional<std::size_t> uv;
    std::vector<std::size_t> shown;     ///< channels one can look at, by their places
    std::vector<std::size_t> channels;  ///< tracks of those
};

/// Where the store has the numbers of a track.
struct Kept {
    Stored what;
    std::size_t mesh;
    std::size_t index;
};

/// One HTML file that plays the bake by itself: no network, nothing beside it (see docs/page.md).
///
/// | what      | how                                                                            |
/// |-----------|--------------------------------------------------------------------------------|
/// | views     | "Plain skinning" and "cutis" where a layer changes shape or UVs or adds        |
/// |           | details, else one                                                              |
/// | motion    | mean and the fewest modes of a singular value decomposition that meet the      |
/// |           | tolerance after rounding to 16 bits, per view, UVs and channel                 |
/// | channels  | scalars as heat maps (error below 1/500 of their range), directions as strokes |
/// |           | (error below 1/50 of the longest)                                              |
/// | colours   | of the materials: their base colour, as a picture of at most 2048 pixels where |
/// |           | they have one, placed and tinted; normal maps of at most 1024 pixels           |
/// | slid_uv   | (slide with output = "both") a view of its own                                 |
/// | details   | in the view "cutis", each in a colour of its own, with its channels; channels  |
/// |           | of one name share a legend                                                     |
/// | lines     | curves and pins of layers, in the view "cutis", hidden at first                |
/// | skeleton  | a line from every joint to the next joint above it                             |
/// | plots     | Frame::numbers, and milliseconds per frame                                     |
///
/// OutputFile::numbers: `modes` (of positions, details and lines, all views), `max_error_m`,
/// `max_uv_error`, `tolerance_m`, all measured on the numbers of the file; where 16 bits cannot
/// reach a tolerance, the errors say what was reached.
///
/// Frames wait in a scratch file; memory holds vertices x modes and frames x frames numbers.
class PageSink final : public CheckedSink {
public:
    PageSink(std::filesystem::path path, const SinkOptions& options)
        : CheckedSink("html", path, options.frames),
          path_(std::move(path)),
          options_(options.html),
          numbers_(options_.use_times) {}

    bool wants_body_positions() const override { return true; }

private:
    void start() override {
        require(body().art->triangles.rows() != 0, "html: expected a mesh with triangles, found none");
        segments_ = joint_segments(*info().body);
        joint_count_ = segments_.empty() ? 0 : info().body->source().rig.node.size();
        lay_out();
        for (const LayerInfo& layer : info().layers) {
            if (layer.maps != nullptr && few_maps_ == nullptr) {
                few_maps_ = std::make_unique<FewMaps>(layer, workers(), most_maps);
                few_maps_->want(frames());
            }
        }
    }

    bool has_two_views() const {
        return body().shape_changed || body().uv_changed || meshes().size() > 1 ||
               std::any_of(info().layers.begin(), info().layers.end(),
                           [](const LayerInfo& layer) { return layer.maps != nullptr; });
    }
    const char* result_view() const { return has_two_views() ? "cutis" : "body"; }

    /// What the names of a mesh's motions and sections begin with.
    static std::string prefix_of(std::size_t m) { return m == 0 ? std::string() : "detail " + std::to_string(m) + " "; }

    /// Strokes of one direction at a vertex are all an eye can read, while directions are the bulk
    /// of a page: they jump where a principal direction changes. The files have them all.
    static bool can_be_seen(const MeshInfo& mesh, std::size_t c, const MeshTracks& tracks) {
        const bool has_strokes = std::any_of(tracks.shown.begin(), tracks.shown.end(),
                                             [&](std::size_t one) { return mesh.channels[one].width == 3; });
        const ChannelInfo& channel = mesh.channels[c];
        return !channel.for_renderers && (channel.width != 3 || !has_strokes);
    }

    /// A motion of the page whose numbers the store keeps.
    std::size_t add_track(const std::string& name, const Kept& kept, int points, int width, double tolerance) {
        frames().want(kept.what, kept.mesh, kept.index);
        kept_.push_back(kept);
        return tracks_.add(name, points, width, tolerance);
    }

    void lay_out() {
        const double diagonal = bounding_box_diagonal(body().art->positions);
        tolerance_ = options_.tolerance * (diagonal > 0.0 ? diagonal : 1.0);
        for (std::size_t m = 0; m < meshes().size(); ++m) {
            mesh_tracks_.push_back(lay_out(m));
        }
        for (std::size_t i = 0; i < info().lines.size(); ++i) {
            line_tracks_.push_back(add_track("lines " + std::to_string(i + 1), {Stored::line, 0, i},
                                             info().lines[i].point_count, 3, tolerance_));
        }
        if (joint_count_ > 0) {
            joints_ = std::make_unique<CoordinateStore>(path_, 3 * joint_count_);
            tracks_.add("joints", static_cast<int>(joint_count_), 3, tolerance_);
        }
    }

    MeshTracks lay_out(std::size_t m) {
        const MeshInfo& mesh = meshes()[m];
        const std::string prefix = prefix_of(m);
        MeshTracks tracks;
        tracks.positions =
            add_track(prefix + "positions", {Stored::positions, m, 0}, mesh.vertex_count(), 3, tolerance_);
        if (mesh.has_plain) {
            tracks.plain =
                add_track("body positions", {Stored::plain_positions, m, 0}, mesh.vertex_count(), 3, tolerance_);
            lay_out_shares(m, tracks);
        }
        if (mesh.uv_moves()) {
            tracks.uv = add_track(prefix + "uv", {Stored::uv, m, 0}, mesh.uv_count(), 2, options_.uv_tolerance);
        }
        for (std::size_t c = 0; c < mesh.channels.size(); ++c) {
            const ChannelInfo& channel = mesh.channels[c];
            if (!options_.use_channels || !can_be_seen(mesh, c, tracks)) {
                continue;
            }
            check_width(channel);
            tracks.shown.push_back(c);
            tracks.channels.push_back(add_track(prefix + "channel " + channel.name, {Stored::channel, m, c},
                                                mesh.vertex_count(), channel.width, 0.0));
        }
        return tracks;
    }

    /// What each layer adds, so that it can be taken away again; one layer alone is the difference
    /// of the two views.
    void lay_out_shares(std::size_t m, MeshTracks& tracks) {
        const std::vector<LayerInfo>& layers = info().layers;
        if (layers.size() < 2) {
            return;
        }
        for (std::size_t i = 0; i < layers.size(); ++i) {
            tracks.shares.emplace_back();
            if (layers[i].changes_shape) {
                tracks.shares.back() = add_track("share " + std::to_string(i + 1), {Stored::share, m, i},
                                                 meshes()[m].vertex_count(), 3, tolerance_);
            }
        }
    }

    void take(const Frame& frame, int /*index*/) override {
        for (std::size_t m = 0; m < meshes().size(); ++m) {
            for (const std::size_t c : mesh_tracks_[m].shown) {
                const ChannelInfo& channel = meshes()[m].channels[c];
                ranges_[{channel.name, channel.width}].take(frame.meshes[m].channels[c], channel.width);
            }
        }
        append_joints(frame);
        numbers_.take(frame);
        if (few_maps_ != nullptr) {
            few_maps_->take(frame);
        }
    }

    static void check_width(const ChannelInfo& channel) {
        require(channel.width == 1 || channel.width == 3, "html: channel '", channel.name, "' has ", channel.width,
                " numbers per vertex, expected 1 or 3");
    }

    void append_joints(const Frame& frame) {
        if (joint_count_ == 0) {
            return;
        }
        info().body->node_frames(frame.time, info().sampling, nodes_);
        for (const int node : info().body->source().rig.node) {
            const Vector3d place = nodes_.at(static_cast<std::size_t>(node)).translation();
            joints_->append(place.data(), 3);
        }
    }

    std::vector<OutputFile> complete() override {
        for (std::size_t m = 0; m < meshes().size(); ++m) {
            for (std::size_t c = 0; c < mesh_tracks_[m].shown.size(); ++c) {
                const ChannelInfo& channel = meshes()[m].channels[mesh_tracks_[m].shown[c]];
                tracks_.set_tolerance(mesh_tracks_[m].channels[c],
                                      channel_tolerance(channel, ranges_.at({channel.name, channel.width})));
            }
        }
        for (std::size_t i = 0; i < kept_.size(); ++i) {
            tracks_.read_from(i, frames().numbers(), frames().first(kept_[i].what, kept_[i].mesh, kept_[i].index));
        }
        if (joints_ != nullptr) {
            tracks_.read_from(kept_.size(), *joints_, 0);
        }
        Json motions = tracks_.pack(sections_, workers());
        sum_up();
        Json meta = head_json();
        meta["motions"] = std::move(motions);
        add_pictures(meta);
        add_wrinkles(meta);
        meta["surfaces"] = Json::array();
        if (const auto island = body().art->painted.find(concat(class_word, "island"));
            island != body().art->painted.end()) {
            meta["islandCount"] = static_cast<int>(std::round(island->second.maxCoeff()));
        }
        double pattern_size = 0.0;
        for (std::size_t m = 0; m < meshes().size(); ++m) {
            const PageSurface surface = make_page_surface(
                *meshes()[m].art, meshes()[m].is_body || meshes()[m].is_other_view ? info().body : nullptr);
            pattern_size = m == 0 ? surface.pattern_size : pattern_size;
            meta["surfaces"].push_back(surface_json(m, surface));
        }
        add_lines(meta);
        meta["layers"] = layers_json();
        meta["plots"] = numbers_.plots(info());
        meta["sections"] = sections_.table();
        const std::string data = sections_.packed();
        meta["facts"] = facts_json(pattern_size, data.size());

        OutputFile file;
        file.format = "html";
        file.path = path_.string();
        file.bytes = save_page(path_, meta, data);
        file.numbers = {
            {"modes", modes_}, {"max_error_m", error_}, {"max_uv_error", uv_error_}, {"tolerance_m", tolerance_}};
        return {file};
    }

    /// Modes and errors of all places.
    void sum_up() {
        const auto count = [this](std::size_t track) {
            modes_ += tracks_.rank(track);
            error_ = std::max(error_, tracks_.max_error(track));
        };
        for (const MeshTracks& tracks : mesh_tracks_) {
            count(tracks.positions);
            if (tracks.plain) {
                count(*tracks.plain);
            }
            for (const std::optional<std::size_t>& share : tracks.shares) {
                if (share) {
                    count(*share);
                }
            }
            if (tracks.uv) {
                uv_error_ = tracks_.max_error(*tracks.uv);
            }
        }
        for (const std::size_t track : line_tracks_) {
            count(track);
        }
    }

    /// meta.wrinkles: few normal maps of the body, and how much of each in every frame.
    void add_wrinkles(Json& meta) {
        if (few_maps_ == nullptr) {
            return;
        }
        const FewMaps::Result few = few_maps_->finish(frames(), info(), most_map_side);
        meta["wrinkles"] = {{"maps", Json::array()}, {"weights", sections_.add("wrinkle weights", few.weights)}};
        for (size_t i = 0; i < few.pictures.size(); ++i) {
            meta["wrinkles"]["maps"].push_back(
                {{"section", sections_.add(concat("wrinkle map ", i + 1), few.pictures[i])}, {"type", "image/png"}});
        }
    }

    void add_pictures(Json& meta) {
        meta["pictures"] = pictures_.add(*info().body, *body().art, sections_);
        if (options_.paint == paints[0]) {
            meta["paint"] = pictures_.has_base_colours() ? "skin" : "checker";
        }
    }

    Json head_json() const {
        Json views = Json::array();
        if (has_two_views()) {
            views.push_back({{"name", "plain"}, {"label", "Plain skinning"}});
            if (std::any_of(meshes().begin(), meshes().end(), [](const MeshInfo& m) { return m.is_other_view; })) {
                views.push_back({{"name", "uv"}, {"label", "cutis, UVs slide"}});
            }
            views.push_back({{"name", "cutis"}, {"label", "cutis"}});
        } else {
            views.push_back({{"name", "body"}, {"label", "Body"}});
        }
        Json meta = {
            {"title", options_.title.empty() ? path_.stem().string() : options_.title},
            {"caption", options_.figure.empty() ? options_.caption : options_.caption + "; beside " + options_.figure},
            {"fps", info().fps},
            {"frames", info().frame_count},
            {"firstFrame", info().first_frame},
            {"views", views},
            {"paint", options_.paint}};
        if (!options_.heat.empty()) {
            meta["start"] = {{"heat", options_.heat}};
        }
        meta["follow"] = options_.follow;
        if (!options_.camera.empty()) {
            meta["cameraDirection"] = options_.camera;
        }
        if (!options_.focus.empty()) {
            const std::vector<double>& f = options_.focus;
            meta["cameraFocus"] = {{"point", {f[0], f[1], f[2]}}, {"radius", f[3]}};
        }
        return meta;
    }

    Json surface_json(std::size_t m, const PageSurface& surface) {
        const MeshInfo& mesh = meshes()[m];
        const MeshTracks& tracks = mesh_tracks_[m];
        const std::string prefix = prefix_of(m);
        const bool is_body = mesh.is_body || mesh.is_other_view;
        const char* view = mesh.is_other_view ? "uv" : result_view();
        Json json = {{"name", mesh.name.empty() ? "body" : mesh.name},
                     {"kind", is_body ? "body" : "detail"},
                     {"source", sections_.add(prefix + "source", surface.source)},
                     {"triangles", sections_.add(prefix + "triangles", surface.triangles)},
                     {"rest", sections_.add(prefix + "rest", as_floats(mesh.art->positions))},
                     {"patternSize", surface.pattern_size}};
        json["parts"] = Json::array();
        for (const PagePart& part : surface.parts) {
            json["parts"].push_back({{"first", part.first_vertex},
                                     {"count", part.vertex_count},
                                     {"firstIndex", part.first_index},
                                     {"indexCount", part.index_count},
                                     {"isGarment", part.is_garment},
                                     {"metresPerUv", part.metres_per_uv}});
            if (is_body && !surface.uv_source.empty()) {
                pictures_.name_in(json["parts"].back(), part.material);
            }
        }
        if (!surface.uv_source.empty()) {
            json["uv"] = sections_.add(prefix + "uv rest", as_floats(mesh.art->uv));
            json["uvSource"] = sections_.add(prefix + "uv source", surface.uv_source);
        }
        if (!surface.colours.empty()) {
            json["colours"] = sections_.add(prefix + "colours", surface.colours);
        }
        add_classes(*mesh.art, prefix, surface, json);
        if (!is_body) {
            json["colour"] = detail_colours[(m - 1) % std::size(detail_colours)];
            for (const auto& [word, colour] : named_colours) {
                if (mesh.name.find(word) != std::string::npos) {
                    json["colour"] = colour;
                }
            }
        }
        json["views"][view] = tracks_.name(tracks.positions);
        if (mesh.is_body && has_two_views()) {
            json["views"]["plain"] = tracks_.name(tracks.plain.value_or(tracks.positions));
        }
        if (tracks.uv) {
            json["uvViews"][view] = tracks_.name(*tracks.uv);
        }
        Json channels = Json::array();
        for (std::size_t c = 0; c < tracks.shown.size(); ++c) {
            const ChannelInfo& channel = mesh.channels[tracks.shown[c]];
            channels.push_back(channel_json(channel, ranges_.at({channel.name, channel.width}),
                                            tracks_.name(tracks.channels[c]), surface.edge_length));
        }
        json["channels"][view] = std::move(channels);
        return json;
    }

    /// Tissue and island of each drawn vertex, where the body's reader has painted them.
    void add_classes(const ArtMesh& art, const std::string& prefix, const PageSurface& surface, Json& json) {
        std::vector<const VectorXd*> tissues;
        for (const char* name : class_names) {
            const auto found = art.painted.find(concat(class_word, name));
            if (found == art.painted.end()) {
                return;
            }
            tissues.push_back(&found->second);
        }
        const VectorXd& island = art.painted.at(concat(class_word, "island"));
        std::vector<unsigned char> classes;
        std::vector<std::uint32_t> islands;
        for (const std::uint32_t v : surface.source) {
            size_t most = 0;
            for (size_t t = 1; t < tissues.size(); ++t) {
                most = (*tissues[t])[v] > (*tissues[most])[v] + 1e-9 ? t : most;
            }
            classes.push_back(static_cast<unsigned char>(most));
            islands.push_back(static_cast<std::uint32_t>(std::max(0.0, std::round(island[v]))));
        }
        json["classes"] = sections_.add(prefix + "classes", classes);
        json["islands"] = sections_.add(prefix + "islands", islands);
    }

    /// meta.layers: a switch for each, with what it moves, shows and costs.
    Json layers_json() const {
        Json list = Json::array();
        const std::vector<LayerInfo>& layers = info().layers;
        if (layers.size() < 2) {
            return list;
        }
        const auto stages = numbers_.stages(info());
        for (std::size_t i = 0; i < layers.size(); ++i) {
            const LayerInfo& layer = layers[i];
            Json json = {{"name", layer.name}, {"changesUv", layer.changes_uv}};
            const std::vector<std::optional<std::size_t>>& shares = mesh_tracks_[0].shares;
            if (i < shares.size() && shares[i]) {
                json["share"] = tracks_.name(*shares[i]);
            }
            json["details"] = Json::array();
            for (std::size_t d = 0; d < layer.mesh_count; ++d) {
                json["details"].push_back(layer.first_mesh + d);
            }
            json["lines"] = Json::array();
            for (std::size_t l = 0; l < layer.line_count; ++l) {
                json["lines"].push_back(tracks_.name(line_tracks_[layer.first_line + l]));
            }
            if (i + 1 < stages.size()) {
                json["milliseconds"] = stages[i + 1].second;  // the body stands first
            }
            list.push_back(std::move(json));
        }
        return list;
    }

    /// meta.lines and meta.points: what layers show, and the skeleton.
    void add_lines(Json& meta) {
        meta["lines"] = Json::array();
        meta["points"] = Json::array();
        std::size_t colour = 0;
        for (std::size_t i = 0; i < info().lines.size(); ++i) {
            const LineSet& set = info().lines[i];
            if (set.point_count == 0) {
                continue;
            }
            Json json = {{"name", set.name},
                         {"show", set.show},
                         {"motion", tracks_.name(line_tracks_[i])},
                         {"views", Json::array({result_view()})},
                         {"onTop", true}};
            if (set.segments.empty()) {
                meta["points"].push_back(std::move(json));
                continue;
            }
            std::vector<std::uint32_t> ends;
            for (const std::array<int, 2>& segment : set.segments) {
                ends.insert(ends.end(), segment.begin(), segment.end());
            }
            json["segments"] = sections_.add(tracks_.name(line_tracks_[i]) + " segments", ends);
            json["colour"] = line_colours[colour++ % std::size(line_colours)];
            meta["lines"].push_back(std::move(json));
        }
        if (joint_count_ > 0) {
            Json views = has_two_views() ? Json::array({"plain", "cutis"}) : Json::array({"body"});
            meta["lines"].push_back({{"name", "skeleton"},
                                     {"show", "skeleton"},
                                     {"segments", sections_.add("bones", segments_)},
                                     {"motion", "joints"},
                                     {"views", views},
                                     {"onTop", true}});
        }
    }

    Json facts_json(double pattern_size, std::size_t packed_bytes) const {
        Json facts = Json::array();
        const auto add = [&](const std::string& name, const std::string& value) {
            facts.push_back(Json::array({name, value}));
        };
        const auto rows = [](Eigen::Index count) { return in_thousands(static_cast<std::uintmax_t>(count)); };
        add("Vertices", rows(body().vertex_count()));
        add("Triangles", rows(body().art->triangles.rows()));
        for (std::size_t m = 1; m < meshes().size(); ++m) {
            add("Detail, " + meshes()[m].name, rows(meshes()[m].art->triangles.rows()) + " triangles");
        }
        add("Frames", std::to_string(info().frame_count) + " at " + with_digits(info().fps) + " a second");
        if (joint_count_ > 0) {
            add("Joints", std::to_string(joint_count_));
        }
        for (const auto& [stage, milliseconds] : numbers_.stages(info())) {
            add("Time, " + stage, with_digits(milliseconds) + " ms a frame");
        }
        add("Side of a square", in_length(pattern_size));
        add("Modes in this page", std::to_string(modes_));
        add("Largest error here", in_length(error_));
        if (body().uv_moves()) {
            add("Largest UV error here", with_digits(uv_error_));
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

    std::unique_ptr<FewMaps> few_maps_;  // null: no layer paints maps
    std::filesystem::path path_;
    PageOptions options_;
    double tolerance_ = 0.0;  ///< metres
    PageTracks tracks_;
    std::vector<Kept> kept_;  ///< of each track but the joints', which come last
    std::unique_ptr<CoordinateStore> joints_;
    std::vector<MeshTracks> mesh_tracks_;
    std::vector<std::size_t> line_tracks_;
    ChannelRanges ranges_;
    std::vector<std::uint32_t> segments_;  ///< of the skeleton
    std::size_t joint_count_ = 0;
    std::vector<Eigen::Affine3d> nodes_;
    PageNumbers numbers_;
    PageSections sections_;
    PagePictures pictures_;
    int modes_ = 0;
    double error_ = 0.0;
    double uv_error_ = 0.0;
};

void check_page_options(const PageOptions& options) {
    check_struct(options, "html");
    require(std::find(std::begin(paints), std::end(paints), options.paint) != std::end(paints), "html: paint '",
            options.paint, "', expected automatic, skin, checker, grid, tattoo, bumps or clay");
    const auto is_finite = [](double number) { return std::isfinite(number); };
    const std::vector<double>& camera = options.camera;
    if (!camera.empty() && (camera.size() != 3 || !std::all_of(camera.begin(), camera.end(), is_finite) ||
                            Eigen::Map<const Vector3d>(camera.data()).isZero())) {
        throw InvalidInput("html: camera: expected three numbers that are not all 0");
    }
    const std::vector<double>& focus = options.focus;
    require(
        focus.empty() || (focus.size() == 4 && focus[3] > 0.0 && std::all_of(focus.begin(), focus.end(), is_finite)),
        "html: focus: expected x y z and a radius above 0");
}

}  // namespace

Format html_format();  // listed in formats.cpp

Format html_format() {
    return {"html", "a page that plays the bake by itself",
            [](const std::filesystem::path& path, const SinkOptions& options) {
                check_page_options(options.html);
                return std::make_unique<PageSink>(path, options);
            }};
}

}  // namespace cutis

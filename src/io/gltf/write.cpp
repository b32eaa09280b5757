#include "cutis/io/formats.h"

#include "cutis/core/error.h"
#include "cutis/mesh/geometry.h"
#include "io/gltf/file.h"
#include "io/gltf/write_character.h"
#include "io/maps/few_maps.h"

namespace cutis {

/// Several clips on their way into one document.
struct GlbClips {
    std::filesystem::path path;
    int left = 0;  ///< clips that are not baked yet
    std::shared_ptr<const Character> character;
    std::unique_ptr<GlbDocument> document;
    GlbPatched done;
    int targets = 0;
    bool is_kept = true;
    double error = 0.0;
    double uv_error = 0.0;
    double half_error = 0.0;

    bool is_last() { return --left == 0; }
};

std::shared_ptr<GlbClips> gather_glb_clips(const std::filesystem::path& path, int count) {
    auto clips = std::make_shared<GlbClips>();
    clips->path = path;
    clips->left = count;
    return clips;
}

namespace {

/// Binary glTF 2.0.
///
/// | what               | how                                                                    |
/// |--------------------|------------------------------------------------------------------------|
/// | a character from   | its own document: nodes, names, skeleton, skins, materials, pictures,  |
/// | glTF               | cameras, other clips, morph targets, extras and unknown extensions as  |
/// |                    | they were. Without layers nothing is different                         |
/// | meshes that a      | their own skin and morph targets stay; further targets (POSITION,      |
/// | layer changed      | NORMAL, TEXCOORD_0 where the mesh has them) hold what frames do beyond |
/// |                    | them, so that other clips play as before. Where the skin cannot be     |
/// |                    | undone (bends of 165 degrees) or keep_skin is off, the node carries    |
/// |                    | the mesh. On a finer mesh (fold) its primitives are replaced, with all |
/// |                    | sets of UVs, colours and attributes of its own (`_NAME`), no tangents  |
/// | the baked clip     | under its name: the file's own keys where all of it was baked, else    |
/// |                    | keys at every frame from time 0; weights of the targets. A loop has    |
/// |                    | its first frame once more at its end. extras.cutis has fps and         |
/// |                    | first_frame: time t is frame first_frame + t fps                       |
/// | other units, axes  | a node `metres` above the character's own                              |
/// | a body from        | one mesh: vertices split where one has several UVs, a primitive per    |
/// | elsewhere          | part, computed normals (smooth over UV seams and borders of parts,     |
/// |                    | hard where the source split a vertex with one UV), COLOR_0, materials  |
/// |                    | in use; a skin with keys at every frame where that gives the frames    |
/// |                    | back within the tolerance, else morph targets; base shape = first      |
/// |                    | frame; the clip is called `bake`                                       |
/// | bones              | (`bones` above 0) any body as one mesh with a skin of so many rigid    |
/// |                    | bones, found from the frames (skinning decomposition, Le and Deng      |
/// |                    | 2012), at most four a vertex, keys at every frame: what game engines   |
/// |                    | play. How far it is off stands in the report                           |
/// | morph targets      | from a truncated singular value decomposition, weights keyed at every  |
/// |                    | frame, all within 0 .. 1 (Blender cuts off the rest), which takes one  |
/// |                    | more target of constant weight where modes change sign                 |
/// | details            | a mesh and a node each, named as they are, with morph targets of their |
/// |                    | own and a channel of their own in the clip                             |
/// | rigid copies       | the piece as one mesh, a node NAME.1, NAME.2 ... for each copy         |
/// | slid_uv            | (slide with output = "both") the body whose UVs slide, in a second     |
/// |                    | scene of the file                                                      |
/// | wrinkles           | up to 4 normal maps of the body, textures `wrinkle 1`, `wrinkle 2` ...;|
/// |                    | a node of each name whose translation x is that map's weight in the    |
/// |                    | clip. Slopes n.xy / n.z of all maps, weighted and added, are those of  |
/// |                    | the frame. Their node `wrinkles` lists them in extras.cutis_wrinkles   |
/// | channels, lines    | not written                                                            |
///
/// OutputFile::numbers: `morph_targets` (of the body, all its meshes), `detail_morph_targets` (of all details,
/// where there are any), `skin_kept` (0 or 1), with `bones` also `bones`, `rms_error_m` (of one coordinate) and `e_rms`
/// (the same in thousandths of the box diagonal), `tolerance_m`, `tolerance_for_half_targets` (what to
/// set for about half of them: engines play morph targets slowly), `max_error_m` and `max_uv_error`: the
/// largest of all meshes, measured by rebuilding every frame from the float32 numbers of the file.
/// Where float32 itself cannot reach the tolerance (a small body far from the origin) all targets
/// are written and `max_error_m` says what was reached.
///
/// Several clips (`clips` of [body]): each is baked for itself; NAME.glb gets the targets and weights of all of them,
/// one clip each. A clip that cannot join (details of its own, another finer mesh, a node that carries it) has a file
/// NAME.CLIP.glb of its own.
///
/// Frames wait in a scratch file; memory holds vertices x targets and frames x frames numbers.
class GlbSink final : public CheckedSink {
public:
    GlbSink(std::filesystem::path path, const SinkOptions& options)
        : CheckedSink("glb", path, options.frames),
          path_(std::move(path)),
          options_(options.glb),
          clips_(options.glb_clips) {}

private:
    void start() override {
        require(body().art->triangles.rows() != 0, "glb: expected a mesh with triangles, found none");
        require(
            options_.bones == 0 || !body().uv_moves(),
            "glb: expected UVs that stay where bones are asked for, found some that slide; let slide write positions");
        for (const MeshInfo& mesh : meshes()) {
            const bool is_own = mesh.is_body && shows_own_mesh();
            const size_t m = written_.size();
            if (mesh.copies != nullptr) {
                frames().want(Stored::copy_positions, m);
                frames().want(Stored::copy_rotations, m);
                copies_.push_back(std::make_unique<GlbCopies>(mesh));
                written_.push_back(nullptr);
                continue;
            }
            copies_.push_back(nullptr);
            frames().want(Stored::positions, m);
            if (mesh.uv_moves()) {
                frames().want(Stored::uv, m);
            }
            written_.push_back(
                std::make_unique<GlbMesh>(mesh, is_own ? info().body->source().weld_group : std::vector<int>()));
        }
        for (const LayerInfo& layer : info().layers) {
            if (layer.maps != nullptr && few_maps_ == nullptr) {
                few_maps_ = std::make_unique<FewMaps>(layer, workers(), 4);
                few_maps_->want(frames());
            }
        }
    }

    void take(const Frame& frame, int /*index*/) override {
        times_.push_back(frame.time);
        if (few_maps_ != nullptr) {
            few_maps_->take(frame);
        }
    }

    /// Few normal maps, and nodes whose places are their weights: every reader of glTF can animate those.
    void add_wrinkles(GlbDocument& document, GlbAnimation& animation, std::vector<int>& nodes) {
        if (few_maps_ == nullptr) {
            return;
        }
        const FewMaps::Result few = few_maps_->finish(frames(), info(), 1024);
        Json maps = Json::array();
        Json children = Json::array();
        const size_t count = few.frames.size();
        for (size_t k = 0; k < count; ++k) {
            const std::string name = concat("wrinkle ", k + 1);
            const int image = document.add(
                "images",
                {{"name", name}, {"mimeType", "image/png"}, {"bufferView", document.add_bytes(few.pictures[k])}});
            const int texture = document.add("textures", {{"name", name}, {"source", image}});
            const int node = document.add("nodes", {{"name", name}});
            std::vector<float> places;
            for (size_t f = 0; f < times_.size(); ++f) {
                places.insert(places.end(), {few.weights[f * count + k], 0.0F, 0.0F});
            }
            animation.add_channel(node, "translation", places, GlbDocument::vec3);
            children.push_back(node);
            maps.push_back({{"texture", texture}, {"node", node}, {"name", name}});
        }
        if (count > 0) {
            nodes.push_back(document.add(
                "nodes", {{"name", "wrinkles"},
                          {"children", children},
                          {"extras", {{"cutis_wrinkles", {{"maps", maps}, {"error_degrees", few.error}}}}}}));
            wrinkle_error_ = few.error;
        }
    }

    std::vector<OutputFile> complete() override {
        for (size_t m = 0; m < written_.size(); ++m) {
            if (copies_[m]) {
                copies_[m]->read_from(frames().numbers(), frames().first(Stored::copy_positions, m),
                                      frames().first(Stored::copy_rotations, m));
            } else {
                written_[m]->read_from(frames().numbers(), frames().first(Stored::positions, m), first_uv(m));
            }
        }
        // One tolerance for all: details are looked at together with the body.
        const double diagonal = bounding_box_diagonal(body().art->positions);
        MorphTolerance tolerance;
        tolerance.position = options_.tolerance * (diagonal > 0.0 ? diagonal : 1.0);
        tolerance.uv = options_.uv_tolerance;
        if (options_.bones > 0 || !GlbCharacter::has_document(info())) {
            return write_plain(tolerance);
        }
        const GlbFrames of_body = {&frames().numbers(), frames().first(Stored::positions), body().vertex_count(),
                                   first_uv(0), body().uv_moves() ? body().uv_count() : 0};
        GlbCharacter character(info(), of_body, times_, options_, tolerance, path_, workers());
        fit(tolerance, false);
        error_ = std::max(error_, character.max_error());
        half_error_ = std::max(half_error_, character.half_error());
        uv_error_ = std::max(uv_error_, character.max_uv_error());
        const bool has_skin = info().body->rig() != nullptr;
        const bool is_kept = has_skin && !character.is_changed();
        const bool joins = clips_ != nullptr && meshes().size() == 1 && character.joins(clips_->done);
        if (!joins) {
            GlbDocument document(*info().body->source().character->document);
            document.set_sparse_share(sparse_share());
            GlbAnimation animation(document, character.times());
            GlbPatched done;
            character.add_to(document, animation, done);
            std::vector<int> nodes;
            add_meshes(document, animation, nodes);
            GlbCharacter::add_to_scene(document, nodes);
            character.finish_clip(animation);
            std::vector<OutputFile> files = {finished(document, path_, tolerance, character.target_count(), is_kept)};
            if (clips_ != nullptr && clips_->is_last()) {
                add_clips_file(files, tolerance);
            }
            return files;
        }
        if (!clips_->document) {
            clips_->character = info().body->source().character;
            clips_->document = std::make_unique<GlbDocument>(*clips_->character->document);
            clips_->document->set_sparse_share(sparse_share());
        }
        GlbAnimation animation(*clips_->document, character.times());
        character.add_to(*clips_->document, animation, clips_->done);
        character.finish_clip(animation);
        clips_->targets += character.target_count();
        clips_->is_kept = clips_->is_kept && is_kept;
        clips_->error = std::max(clips_->error, error_);
        clips_->half_error = std::max(clips_->half_error, half_error_);
        clips_->uv_error = std::max(clips_->uv_error, uv_error_);
        std::vector<OutputFile> files;
        if (clips_->is_last()) {
            add_clips_file(files, tolerance);
        }
        return files;
    }

    void add_clips_file(std::vector<OutputFile>& files, const MorphTolerance& tolerance) {
        if (clips_->document) {
            error_ = clips_->error;
            half_error_ = clips_->half_error;
            uv_error_ = clips_->uv_error;
            files.push_back(finished(*clips_->document, clips_->path, tolerance, clips_->targets, clips_->is_kept));
        }
    }

    /// A body that came from no document: one mesh, with its skin where that still describes the shape.
    std::vector<OutputFile> write_plain(const MorphTolerance& tolerance) {
        const bool may_keep = options_.keep_skin && !body().shape_changed && !body().uv_changed && shows_own_mesh();
        const bool is_kept =
            options_.bones == 0 && may_keep && written_.front()->keep_skin(*info().body, times_, tolerance.position);
        has_body_ = true;
        if (options_.bones > 0) {
            rms_ = written_.front()->make_bones(options_.bones);
        }
        fit(tolerance, !is_kept && options_.bones == 0);
        GlbDocument document;
        document.set_sparse_share(sparse_share());
        GlbAnimation animation(document, {info().frame_count, info().fps, 0.0, 0.0, info().first_frame});
        std::vector<int> nodes;
        add_meshes(document, animation, nodes);
        animation.finish();
        document.root["scene"] = document.add("scenes", {{"nodes", nodes}});
        if (!other_nodes_.empty()) {
            document.add("scenes", {{"name", "other view"}, {"nodes", other_nodes_}});
        }
        return {finished(document, path_, tolerance, written_.front()->target_count(), is_kept)};
    }

    /// A file that layers did not change stays as it came.
    bool compresses(int targets) const {
        return options_.compression == GlbCompression::meshopt ||
               (options_.compression == GlbCompression::automatic && targets + detail_targets_ > 0 && knows_meshopt());
    }
    /// The share of offsets of a morph target up to which those that are not zero take less space alone: an index of
    /// two bytes each; compressed, of one, beside a quarter of a byte for each number in a row of few zeros (measured:
    /// 0.2 and 0.5 give larger files).
    double sparse_share() const {
        const bool compresses = options_.compression == GlbCompression::meshopt ||
                                (options_.compression == GlbCompression::automatic && knows_meshopt());
        return compresses ? 0.3 : 12.0 / 14.0;
    }
    int first_uv(size_t m) { return meshes()[m].uv_moves() ? frames().first(Stored::uv, m) : 0; }

    /// Morph targets of details, and of the body where it is asked for.
    void fit(const MorphTolerance& tolerance, bool fits_body) {
        for (size_t m = 0; m < written_.size(); ++m) {
            const bool is_body = meshes()[m].is_body;
            if (copies_[m] || (is_body && !has_body_)) {
                continue;
            }
            if (!is_body || fits_body) {
                written_[m]->fit(tolerance, workers());
            }
            error_ = std::max(error_, written_[m]->max_error());
            half_error_ = std::max(half_error_, written_[m]->half_error());
            uv_error_ = std::max(uv_error_, written_[m]->max_uv_error());
            detail_targets_ += is_body ? 0 : written_[m]->target_count();
        }
    }

    OutputFile finished(GlbDocument& document, const std::filesystem::path& path, const MorphTolerance& tolerance,
                        int targets, bool is_kept) {
        OutputFile file;
        file.format = "glb";
        file.path = path.string();
        file.bytes = document.save(path, compresses(targets));
        file.numbers = {{"morph_targets", targets},
                        {"skin_kept", is_kept ? 1.0 : 0.0},
                        {"tolerance_m", tolerance.position},
                        {"max_error_m", error_},
                        {"max_uv_error", uv_error_}};
        if (options_.bones > 0) {
            file.numbers["bones"] = options_.bones;
            file.numbers["rms_error_m"] = rms_;
            // Le and Deng 2012: 1000 sqrt(E / (3 |V| |t|)), of a body whose box has a diagonal of 1.
            const double diagonal = bounding_box_diagonal(body().art->positions);
            file.numbers["e_rms"] = 1000.0 * rms_ / (diagonal > 0.0 ? diagonal : 1.0);
        }
        if (half_error_ > 0.0) {
            file.numbers["tolerance_for_half_targets"] = options_.tolerance * half_error_ / tolerance.position;
        }
        if (written_.size() > 1) {
            file.numbers["detail_morph_targets"] = detail_targets_;
        }
        if (few_maps_ != nullptr) {
            file.numbers["wrinkle_error_degrees"] = wrinkle_error_;
        }
        return file;
    }

    /// Details, and the body where it is a mesh of ours.
    void add_meshes(GlbDocument& document, GlbAnimation& animation, std::vector<int>& nodes) {
        std::vector<PaintedMesh> painted;
        for (size_t m = 0; m < written_.size(); ++m) {
            painted.push_back(copies_[m] ? copies_[m]->painted() : written_[m]->painted());
        }
        if (!has_body_) {
            painted.erase(painted.begin());
        }
        const std::vector<std::vector<int>> materials =
            add_materials(document, info().body->source().materials.get(), painted);
        for (size_t m = has_body_ ? 0 : 1; m < written_.size(); ++m) {
            const std::vector<int>& own = materials[has_body_ ? m : m - 1];
            if (copies_[m]) {
                copies_[m]->add_to(document, own, animation, nodes);
            } else {
                written_[m]->add_to(document, own, animation, meshes()[m].is_other_view ? other_nodes_ : nodes);
            }
        }
        add_wrinkles(document, animation, nodes);
        if (!has_body_ && !other_nodes_.empty()) {
            document.add("scenes", {{"name", "other view"}, {"nodes", other_nodes_}});
        }
    }

    std::filesystem::path path_;
    GlbOptions options_;
    std::shared_ptr<GlbClips> clips_;
    std::vector<std::unique_ptr<GlbMesh>> written_;   // null where a detail has copies
    std::vector<std::unique_ptr<GlbCopies>> copies_;  // null elsewhere
    std::vector<double> times_;
    std::vector<int> other_nodes_;  // of another view of the body: a scene of its own
    bool has_body_ = false;         // among the meshes written here
    int detail_targets_ = 0;
    double rms_ = 0.0;  // of the bones
    double error_ = 0.0;
    double uv_error_ = 0.0;
    std::unique_ptr<FewMaps> few_maps_;  // null: no layer paints maps
    double wrinkle_error_ = 0.0;
    double half_error_ = 0.0;
};

}  // namespace

Format glb_format();  // listed in formats.cpp

Format glb_format() {
    return {"glb", "binary glTF 2.0: skin, or morph targets",
            [](const std::filesystem::path& path, const SinkOptions& options) {
                check_struct(options.glb, "glb");
                require(options.glb.compression != GlbCompression::meshopt || knows_meshopt(),
                        "[output.glb] compression: expected \"none\" of a program built without meshoptimizer, found "
                        "\"meshopt\"");
                return std::make_unique<GlbSink>(path, options);
            }};
}

}  // namespace cutis

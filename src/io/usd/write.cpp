#include <cmath>

#include "core/math.h"
#include "cutis/core/error.h"
#include "cutis/io/formats.h"
#include "cutis/mesh/geometry.h"
#include "io/number_text.h"
#include "io/split.h"
#include "io/usd/cameras.h"
#include "io/usd/character.h"
#include "io/usd/mesh.h"
#include "io/usd/text.h"

namespace cutis {

/// A detail of rigid copies as a `def PointInstancer` with one prototype.
class UsdaCopies {
public:
    /// \param root  path of the prim it stands in, "/body"
    UsdaCopies(const std::filesystem::path& path, const std::string& root, const MeshInfo& mesh,
               const std::string& identifier, UsdaMaterials& materials);

    void take(int time_code, const MeshFrame& frame);
    void finish(AtomicFile& file);

private:
    const DetailCopies* copies_;
    std::string root_;
    std::string identifier_;
    MeshInfo baked_;
    UsdaMesh piece_;
    bool has_piece_ = false;
    SampledAttribute positions_;
    SampledAttribute orientations_;   ///< half precision: what every reader knows
    SampledAttribute orientationsf_;  ///< single: newer readers prefer it
    SampledAttribute extent_;
};

namespace {

std::string tuples(const double* values, Eigen::Index count, int width) {
    std::string text;
    append_tuples(text, values, static_cast<size_t>(count), width);
    return text;
}

}  // namespace

UsdaCopies::UsdaCopies(const std::filesystem::path& path, const std::string& root, const MeshInfo& mesh,
                       const std::string& identifier, UsdaMaterials& materials)
    : copies_(mesh.copies.get()),
      root_(root),
      identifier_(identifier),
      baked_(piece_of(mesh)),
      piece_(path, nullptr, baked_, "piece", materials),
      positions_(path, "point3f[] positions", ""),
      orientations_(path, "quath[] orientations", ""),
      orientationsf_(path, "quatf[] orientationsf", ""),
      extent_(path, "float3[] extent", "") {}

void UsdaCopies::take(int time_code, const MeshFrame& frame) {
    if (!has_piece_) {
        MeshFrame piece;
        piece.positions = copies_->piece.positions;
        piece_.take(time_code, piece);
        has_piece_ = true;
    }
    const Eigen::Index count = copies_->sizes.rows();
    positions_.take(time_code, tuples(frame.copy_positions.data(), count, 3));
    const std::string rotations = tuples(frame.copy_rotations.data(), count, 4);
    orientations_.take(time_code, rotations);
    orientationsf_.take(time_code, rotations);
    MatrixX3d box(2, 3);
    box << frame.positions.colwise().minCoeff(), frame.positions.colwise().maxCoeff();
    extent_.take(time_code, tuples(box.data(), 2, 3));
}

void UsdaCopies::finish(AtomicFile& file) {
    file.write("    def PointInstancer \"" + identifier_ + "\"\n    {\n");
    file.write(usda_member + "rel prototypes = <" + root_ + "/" + identifier_ + "/piece>\n");
    std::string indices;
    append_integers(indices, std::vector<int>(static_cast<size_t>(copies_->sizes.rows()), 0));
    file.write(usda_member + "int[] protoIndices = " + indices + "\n");
    file.write(usda_member + "float3[] scales = " + tuples(copies_->sizes.data(), copies_->sizes.rows(), 3) + "\n");
    positions_.write_to(file);
    orientations_.write_to(file);
    orientationsf_.write_to(file);
    extent_.write_to(file);
    file.write("\n");
    piece_.finish(file);
    file.write("    }\n");
}

namespace {

/// Universal Scene Description, as text.
///
/// | what               | how                                                                    |
/// |--------------------|------------------------------------------------------------------------|
/// | stage              | metersPerUnit 1, upAxis Y, timeCodesPerSecond and framesPerSecond =    |
/// |                    | fps, time code = frame number, start and end set, a defaultPrim        |
/// | a character with   | UsdSkel: a SkelRoot with a Skeleton (joints of all skins and nodes that|
/// | nodes              | carry meshes; `jointNames` as in the file), SkelAnimations, and meshes |
/// |                    | at rest with weights of joints and BlendShapes: the file's own, and    |
/// |                    | those that hold what frames do beyond joints, as in GLB. Offsets of    |
/// |                    | these are whole numbers of the mesh's unit, a power of two that stands |
/// |                    | in its xformOp and geomBindTransform. A mesh whose skin cannot be      |
/// |                    | undone (bends of 165 degrees) has points in every frame                |
/// | clips              | the baked one is bound (skel:animationSource), every frame of it; the  |
/// |                    | others of the file are SkelAnimations beside it, of fps frames a       |
/// |                    | second from time code 1, with weights of the file's own blend shapes   |
/// | cameras            | of a character's file, a Camera each, moved as their nodes are         |
/// | other bodies, and  | `points` of a Mesh, time samples and the first frame as default        |
/// | style = "points"   |                                                                        |
/// | rest               | `primvars:Pref`; with channels, where skin slides: its material now at |
/// |                    | each vertex                                                            |
/// | box                | `extent`, time samples and default; with a skeleton those of the root  |
/// | polygons           | as in the source file; subdivisionScheme none                          |
/// | UVs                | `primvars:st`: vertex where every vertex has one UV of its own index,  |
/// |                    | else faceVarying with indices; time samples where UVs move. Further    |
/// |                    | sets of the file are `primvars:st1` to `st7`                           |
/// | channels           | asked for with `channels = true`: `primvars:NAME`, vertex, time        |
/// |                    | samples and default, unit in customData                                |
/// | several meshes     | a Mesh each, named as in the file                                      |
/// | parts              | a GeomSubset each, bound to its material; its name as custom string    |
/// | materials          | UsdPreviewSurface in the scope `materials`: colour, metal, roughness,  |
/// |                    | normal, occlusion, light, opacity, with placed textures                |
/// | pictures           | NAME.pictureN.png or .jpg beside the stage, as in the source           |
/// | details            | a Mesh each, under the same root, with all of the above, their points  |
/// |                    | in every frame                                                         |
/// | slid_uv            | (slide with output = "both") the body whose UVs slide, invisible       |
/// | rigid copies       | a PointInstancer with the piece as its prototype, instead of that Mesh |
/// | normals            | `normals`, vertex: computed ones of the body with three digits, with a |
/// |                    | skeleton of the rest pose, which readers turn with the joints, else in |
/// |                    | every frame (`normals = false`: none); those of details with four      |
/// | lines              | not written                                                            |
///
/// Points in every frame have the decimals that `tolerance` asks for, other numbers are float32 in their shortest
/// decimals; `tolerance = 0` asks for float32 throughout, and so for points. OutputFile::numbers: `max_error_m`: half a
/// step in all three directions, 0 for float32; with a skeleton measured by rebuilding every frame from the numbers of
/// the file, and `joints`, `blend_shapes`. Names become USD identifiers: other characters than letters, digits and _
/// are replaced by _, a repeated name gets a number.
class UsdaSink final : public CheckedSink {
public:
    UsdaSink(std::filesystem::path path, const SinkOptions& options)
        : CheckedSink("usda", path, options.frames), path_(std::move(path)), options_(options.usda) {}

private:
    void start() override {
        file_ = std::make_unique<AtomicFile>(path_);
        choose_style();
        write_stage();
        names_ = {"materials", "skeleton"};
        materials_ = std::make_unique<UsdaMaterials>(path_, "/" + root_, info().body->source().materials.get());
        find_step();
        split_ = has_skeleton_ ? split_character(info()) : split_body(info());
        for (const SplitMesh& split : split_) {
            add(split.info, 0, &split);
        }
        if (has_skeleton_) {
            character_ = std::make_unique<UsdaCharacter>(info(), "/" + root_, split_);
            frames().want(Stored::positions);
            box_ = std::make_unique<SampledAttribute>(path_, "float3[] extent", "");
        }
        for (size_t m = split_.empty() ? 0 : 1; m < meshes().size(); ++m) {
            const MeshInfo& mesh = meshes()[m];
            if (mesh.copies == nullptr) {
                add(mesh, m, nullptr);
                continue;
            }
            const std::string name = usd_identifier(mesh.name, "detail", names_);
            written_.push_back(
                {m, nullptr, name, nullptr, std::make_unique<UsdaCopies>(path_, "/" + root_, mesh, name, *materials_)});
        }
    }

    void choose_style() {
        const bool may = UsdaCharacter::has_skeleton(info());
        require(
            may || options_.style != UsdaStyle::skeleton,
            "[output.usda] style: expected a character of a file with nodes for \"skeleton\", found a body without");
        require(options_.tolerance > 0.0 || options_.style != UsdaStyle::skeleton,
                "[output.usda] tolerance: expected above 0 where style is \"skeleton\", found 0");
        has_skeleton_ = may && (options_.style == UsdaStyle::skeleton ||
                                (options_.style == UsdaStyle::automatic && options_.tolerance > 0.0));
    }

    void add(const MeshInfo& mesh, size_t from, const SplitMesh* split) {
        const bool is_skinned = has_skeleton_ && from == 0;
        // The body's points are the bulk and come first: straight into the file.
        AtomicFile* stream = written_.empty() && !is_skinned ? file_.get() : nullptr;
        const std::string name = usd_identifier(mesh.name, "skin", names_);
        const UsdaDetail detail{step_, options_.use_channels, options_.use_normals, is_skinned};
        written_.push_back(
            {from, split, name, std::make_unique<UsdaMesh>(path_, stream, mesh, name, *materials_, detail), nullptr});
    }

    /// A power of ten whose rounding in three directions stays within the tolerance; 0: as float32 has them.
    void find_step() {
        const double allowed = options_.tolerance * bounding_box_diagonal(body().art->positions);
        const double step =
            allowed > 0.0 ? math::pow(10.0, std::floor(math::log10(2.0 * allowed / std::sqrt(3.0)))) : 0.0;
        step_ = step < 1.0 ? step : 0.0;  // a body of kilometres has few decimals as it is
    }

    void write_stage() {
        std::set<std::string> root_names;
        root_ = usd_identifier(path_.stem().string(), "body", root_names);
        std::string fps;
        append_number(fps, info().fps);
        const int last = info().first_frame + info().frame_count - 1;
        file_->write("#usda 1.0\n(\n    defaultPrim = \"" + root_ + "\"\n    endTimeCode = " + std::to_string(last) +
                     "\n    framesPerSecond = " + fps +
                     "\n    metersPerUnit = 1\n    startTimeCode = " + std::to_string(info().first_frame) +
                     "\n    timeCodesPerSecond = " + fps + "\n    upAxis = \"Y\"\n)\n\n");
        file_->write(has_skeleton_ ? "def SkelRoot \"" + root_ + "\"\n{\n" : "def Xform \"" + root_ + "\"\n{\n");
    }

    void take(const Frame& frame, int /*index*/) override {
        times_.push_back(frame.time);
        if (has_skeleton_) {
            box_->take(frame.number, usda_extent(frame.meshes.front().positions));
        }
        for (const Written& written : written_) {
            const MeshFrame& whole = frame.meshes[written.from];
            if (written.copies) {
                written.copies->take(frame.number, whole);
            } else if (written.split != nullptr) {
                written.split->take(whole, own_);
                written.mesh->take(frame.number, own_);
            } else {
                written.mesh->take(frame.number, whole);
            }
        }
    }

    std::vector<OutputFile> complete() override {
        double error = step_ * std::sqrt(3.0) / 2.0;
        if (has_skeleton_) {
            error = write_character();
        }
        for (size_t m = has_skeleton_ ? split_.size() : 0; m < written_.size(); ++m) {
            file_->write(m == 0 ? "" : "\n");
            if (written_[m].copies) {
                written_[m].copies->finish(*file_);
            } else {
                written_[m].mesh->finish(*file_);
            }
        }
        if (info().body->source().character != nullptr) {
            write_usda_cameras(*file_, info(), times_, names_);
        }
        materials_->write_to(*file_);
        file_->write("}\n");
        file_->flush();
        std::vector<OutputFile> files = materials_->commit();
        OutputFile stage = {"usda", path_.string(), file_->commit(), {{"max_error_m", error}}};
        if (has_skeleton_) {
            stage.numbers["joints"] = character_->joint_count();
            stage.numbers["blend_shapes"] = character_->shape_count();
        }
        files.insert(files.begin(), std::move(stage));
        return files;
    }

    /// \return its largest error, metres
    double write_character() {
        const double diagonal = bounding_box_diagonal(body().art->positions);
        MorphTolerance tolerance;
        tolerance.position = options_.tolerance * (diagonal > 0.0 ? diagonal : 1.0);
        tolerance.has_normals = false;
        const GlbFrames of_body = {&frames().numbers(), frames().first(Stored::positions), body().vertex_count(), 0, 0};
        std::vector<UsdaMesh*> writers;
        std::vector<std::string> names;
        for (size_t m = 0; m < split_.size(); ++m) {
            writers.push_back(written_[m].mesh.get());
            names.push_back(written_[m].name);
        }
        character_->write_to(*file_, of_body, times_, tolerance, path_, workers(), writers, names);
        box_->write_to(*file_);
        return character_->max_error();
    }

    std::filesystem::path path_;
    std::unique_ptr<AtomicFile> file_;
    std::string root_;
    struct Written {
        size_t from = 0;                   // mesh of the frames
        const SplitMesh* split = nullptr;  // where it is a part of that
        std::string name;                  // of the prim
        std::unique_ptr<UsdaMesh> mesh;    // null where a detail has copies
        std::unique_ptr<UsdaCopies> copies;
    };
    UsdaOptions options_;
    double step_ = 0.0;
    bool has_skeleton_ = false;
    std::unique_ptr<UsdaCharacter> character_;
    std::unique_ptr<SampledAttribute> box_;  // of the character
    std::vector<double> times_;
    std::set<std::string> names_;  // of prims
    std::unique_ptr<UsdaMaterials> materials_;
    std::vector<SplitMesh> split_;  // where the body's file has several meshes
    std::vector<Written> written_;
    MeshFrame own_;
};

}  // namespace

Format usda_format();  // listed in formats.cpp

Format usda_format() {
    return {"usda", "Universal Scene Description as text",
            [](const std::filesystem::path& path, const SinkOptions& options) {
                check_struct(options.usda, "usda");
                return std::make_unique<UsdaSink>(path, options);
            }};
}

}  // namespace cutis

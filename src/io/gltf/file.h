#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/printable.h"
#include "cutis/body/rig.h"
#include "cutis/io/gltf_read.h"
#include "io/gltf/json_at.h"

namespace cutis {

using Bytes = std::vector<unsigned char>;

/// Of offsets and lengths: sums of two of them are numbers of this machine, in a browser too (32 bits).
inline constexpr std::int64_t furthest_byte =
    sizeof(std::size_t) < 8 ? (std::int64_t{1} << 30) : (std::int64_t{1} << 40);

/// Numbers of a component type as glTF codes them.
enum class Component : int { i8 = 5120, u8 = 5121, i16 = 5122, u16 = 5123, u32 = 5125, f32 = 5126 };

/// Where an accessor's numbers lie; everything already checked against the buffer's length.
struct GltfAccessor {
    std::string path;  ///< accessors[i], for messages
    std::string type;  ///< SCALAR, VEC2 .. MAT4
    Component component = Component::f32;
    bool is_normalised = false;
    std::size_t count = 0;       ///< elements, at least 1
    std::size_t components = 1;  ///< numbers per element

    const unsigned char* base = nullptr;  ///< null: zeros
    std::size_t stride = 0;               ///< bytes from element to element

    std::size_t sparse_count = 0;
    Component sparse_component = Component::u32;
    const unsigned char* sparse_indices = nullptr;
    const unsigned char* sparse_values = nullptr;

    std::size_t numbers() const { return count * components; }
};

/// Bytes of one number.
std::size_t component_size(Component component);

/// What one accessor gets out of a mesh compressed with KHR_draco_mesh_compression.
struct DracoStream {
    int accessor = 0;
    std::optional<int> attribute;  ///< its number among the compressed; none: the indices
    GltfAccessor wanted;
    std::size_t stride = 0;  ///< bytes from element to element
    Bytes bytes;
};

/// Container, JSON, buffers and accessors of one file: the part that knows bytes but not
/// characters.
class GltfFile {
public:
    /// Container and JSON; buffers follow with load_buffers().
    GltfFile(std::span<const unsigned char> bytes, std::string source, const GltfLoader& loader);
    GltfFile(const GltfFile&) = delete;
    GltfFile& operator=(const GltfFile&) = delete;

    /// Apart from the constructor, so that a file that needs an unknown extension is refused for
    /// that first.
    void load_buffers();

    const std::string& source() const { return source_; }
    JsonAt root() const { return JsonAt(json_, "", source_); }

    /// Length of a list at the top of the document; 0 where it is absent.
    std::size_t count_of(const std::string& list) const;
    JsonAt item(const std::string& list, int i) const;
    /// An index into such a list.
    int reference(const JsonAt& at, const std::string& list) const { return at.index(count_of(list), list); }

    GltfAccessor accessor(int i) const;
    /// The accessor a member refers to.
    GltfAccessor accessor(const JsonAt& at) const { return accessor(reference(at, "accessors")); }

    /// accessor.numbers() doubles into `out`, normalised and sparse applied.
    /// \throw InvalidInput  not finite
    void decode(const GltfAccessor& accessor, double* out) const;
    std::vector<double> decode(const GltfAccessor& accessor);
    /// The same for what can be mended: numbers that are not finite stay.
    void decode_any(const GltfAccessor& accessor, double* out) const;
    /// And become `instead`, with a note.
    void decode_mended(const GltfAccessor& accessor, const std::string& what, double instead, double* out);

    /// Bytes of a buffer view. `stride` receives byteStride or 0.
    std::span<const unsigned char> view(const JsonAt& reference, std::size_t* stride = nullptr) const;

    const std::vector<std::span<const unsigned char>>& buffers() const { return buffers_; }
    /// Buffer views that were compressed, by their index.
    const std::map<int, Bytes>& decoded_views() const { return decoded_; }
    bool was_compressed() const { return !decoded_.empty() || has_draco_; }

    /// Bytes behind an image's or buffer's uri.
    std::shared_ptr<const Bytes> load_uri(const JsonAt& uri);

    /// Accounts for numbers about to be stored. A file may unfold (instances, zeros without bytes,
    /// shared accessors) to so many numbers per byte of its own and no more.
    void charge(std::size_t numbers, const std::string& where);

    void note(const std::string& text) { notes_.push_back(printable(text)); }
    std::vector<std::string>& notes() { return notes_; }

private:
    void read_json(std::span<const unsigned char> bytes);
    void read_container(std::span<const unsigned char> bytes);
    void decode_views();
    /// Primitives compressed with draco become plain ones: the document then refers to decoded views.
    void decode_primitives();
    void keep_decoded(std::vector<DracoStream>& streams);

    std::string source_;
    const GltfLoader& loader_;
    Json json_;
    std::span<const unsigned char> binary_chunk_;
    bool has_binary_chunk_ = false;
    std::vector<std::span<const unsigned char>> buffers_;
    std::map<std::string, std::shared_ptr<const Bytes>, std::less<>> loaded_;
    std::vector<std::shared_ptr<const Bytes>> kept_;
    std::map<int, Bytes> decoded_;
    bool has_draco_ = false;
    std::size_t bytes_ = 0;
    std::size_t charged_ = 0;
    std::vector<std::string> notes_;
};

/// \throw InvalidInput  a character outside the alphabet, or a length that base64 cannot have
Bytes decode_base64(std::string_view text, const JsonAt& where);

/// Was meshoptimizer there when this was compiled?
bool knows_meshopt();
/// Bytes of a view compressed with EXT_meshopt_compression.
/// \param at      the extension in the document;  \param packed  the compressed bytes
/// \param length  of the view that holds the result
/// \throw InvalidInput  broken, or of another size
Bytes decode_meshopt(const JsonAt& at, std::span<const unsigned char> packed, std::size_t length);

/// Was draco there when this was compiled?
bool knows_draco();
/// A mesh compressed with KHR_draco_mesh_compression, into its streams' bytes.
/// \param at           the extension in the document;  \param packed  the compressed bytes
/// \param index_count  indices that the document announces
/// \throw InvalidInput  broken, or of another size
void decode_draco(const JsonAt& at, std::span<const unsigned char> packed, std::size_t index_count,
                  std::vector<DracoStream>& streams);

/// Names already given; a second `a` becomes `a#2`.
class UniqueNames {
public:
    std::string take(const std::string& wanted);

private:
    std::map<std::string, int> taken_;
};

/// The node tree, and how the file's numbering maps to ours.
struct GltfNodes {
    std::vector<int> ours;       ///< per node of the file: index into Skeleton::nodes
    std::vector<int> in_order;   ///< nodes of the file, parents first
    std::vector<char> in_scene;  ///< per node of the file
};

/// \throw InvalidInput  a cycle, a node with two parents, a bad transform
GltfNodes read_gltf_nodes(GltfFile& file, Skeleton& skeleton);

std::vector<Skin> read_gltf_skins(GltfFile& file, const GltfNodes& nodes, const Skeleton& skeleton);

/// Carries materials and pictures; `names` receives the unique name of each material.
std::shared_ptr<const MaterialLibrary> read_gltf_materials(GltfFile& file, std::vector<std::string>& names);

/// What the first bytes of a picture say; empty: nothing known.
std::string gltf_mime_type(const std::vector<unsigned char>& bytes);

/// Instances of all meshes of the scene.
std::vector<MeshInstance> read_gltf_meshes(GltfFile& file, const GltfNodes& nodes, const std::vector<Skin>& skins,
                                           const std::vector<std::string>& material_names);

/// Animations. A node given by a matrix becomes translation, rotation, scale when a clip moves it.
std::vector<Clip> read_gltf_clips(GltfFile& file, const GltfNodes& nodes, Skeleton& skeleton);

/// The whole file, for writing it again. \param pictures  of MaterialLibrary, or empty
std::shared_ptr<const SourceDocument> keep_document(const GltfFile& file, const GltfNodes& nodes,
                                                    const std::vector<std::vector<unsigned char>>& pictures);

/// Number of morph targets of a mesh of the file.
std::size_t gltf_target_count(const GltfFile& file, int mesh);

}  // namespace cutis

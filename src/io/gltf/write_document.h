#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cutis/body/rig.h"
#include "cutis/io/json.h"

namespace cutis {

/// Keys of a mesh's morph weights, which may get more targets before the document is written.
struct GlbWeights {
    int animation = 0;
    int sampler = 0;
    int node = 0;
    int width = 0;  ///< numbers of a key
    std::vector<float> values;
    std::optional<int> exponent = {};
};

/// A glTF document under construction: the JSON and the one binary buffer, with accessors whose
/// bounds, offsets and targets are right by construction.
class GlbDocument {
public:
    Json root;

    /// Names of accessor types.
    static constexpr const char* scalar = "SCALAR";
    static constexpr const char* vec2 = "VEC2";
    static constexpr const char* vec3 = "VEC3";
    static constexpr const char* vec4 = "VEC4";
    static constexpr const char* mat4 = "MAT4";

    GlbDocument();
    /// Another document with more in it. \param source  must outlive this
    explicit GlbDocument(const SourceDocument& source);

    /// Vertex attribute of floats; `width` 2, 3 or 4 numbers a vertex. Those of the same width
    /// share one buffer view.
    /// \param needs_bounds  POSITION: min and max are required
    /// \param exponent      all are whole multiples of 2 to the power of it, which compressed files make use of
    int add_vertices(std::span<const float> values, int width, bool needs_bounds = false,
                     std::optional<int> exponent = {});
    /// The same for joint indices: four numbers a vertex, one byte each where they fit.
    int add_joints(std::span<const std::uint16_t> values, bool fits_byte);
    /// The same for a morph target: a sparse accessor where few vertices are not zero.
    int add_offsets(std::span<const float> values, int width, bool needs_bounds, int exponent);
    /// Sparse are offsets of which at most this share is not zero.
    void set_sparse_share(double share) { sparse_share_ = share; }
    /// `count` zeros that take no space: an accessor without buffer view.
    int add_zeros(int count, int width, bool needs_bounds);
    /// Triangle corners, two bytes each where they fit.
    int add_indices(std::span<const std::uint32_t> indices);
    /// Keys and values of animations, matrices.
    int add_numbers(std::span<const float> values, const char* type, bool needs_bounds = false,
                    std::optional<int> exponent = {});
    /// A picture. \return its buffer view
    int add_bytes(std::span<const unsigned char> bytes);

    /// The sampler gets its output when the document is saved: as many numbers a key as the mesh then has targets.
    void add_weights(GlbWeights weights) { weights_.push_back(std::move(weights)); }
    bool has_weights(int animation, int node) const;
    /// Forgets those of an animation whose samplers are written anew.
    void drop_weights(int animation);
    /// An animation came in before all others.
    void shift_weights();

    /// Appends to an array of the root, making it when needed. \return the index
    int add(const char* array, Json object);

    /// Writes the whole file. \return bytes
    /// \param compress  with EXT_meshopt_compression: the numbers stay what they are
    /// \throw InvalidInput  more than GLB's 4 GB
    std::uintmax_t save(const std::filesystem::path& path, bool compress = false);

private:
    /// Bytes that become one buffer view.
    struct View {
        std::vector<unsigned char> bytes;
        int stride = 0;
        int target = 0;
        std::optional<int> exponent = {};
        int sparse_bytes = 0;  ///< of an element, where it is a part of sparse accessors: those have no stride
        bool has_sparse_indices = false;
    };
    /// An accessor of zeros, which all that need the same share.
    struct Zeros {
        int count, width;
        bool has_bounds;
        int accessor;
    };
    /// Bytes of the file's buffer, in their order.
    using Pieces = std::vector<std::vector<unsigned char>>;

    void write_weights();
    int view_for(int stride, int target, std::optional<int> exponent);
    int new_view(int stride, int target);
    int sparse_view(int bytes, bool has_indices, std::optional<int> exponent);
    void lay_out(Pieces& pieces);
    void lay_out_packed(Pieces& pieces);
    size_t append(int view, const void* data, size_t bytes);
    int add_accessor(Json accessor);

    const SourceDocument* source_ = nullptr;
    int first_view_ = 0;  ///< those before are the source's
    std::vector<View> views_;
    std::vector<int> shared_views_;  ///< of attributes and numbers: one for each stride, target and exponent
    std::vector<Zeros> zeros_;
    std::vector<GlbWeights> weights_;
    int matrix_view_ = -1;
    double sparse_share_ = 0.0;
};

/// When a bake's frames are in an animation.
struct GlbTimes {
    int frame_count = 0;
    double fps = 30.0;
    double start = 0.0;   ///< of the first frame, seconds
    double period = 0.0;  ///< where the animation loops: the first frame comes again so much later; 0: it does not
    int first_frame = 1;  ///< as users count

    int key_count() const { return frame_count + (period > 0.0 ? 1 : 0); }
};

/// The animation of a bake: linear keys at every frame.
class GlbAnimation {
public:
    GlbAnimation(GlbDocument& document, const GlbTimes& times) : document_(document), frames_(times) {}
    int key_count() const { return frames_.key_count(); }
    bool is_empty() const { return channels_.empty(); }

    /// \param path    "weights", "translation", "rotation" or "scale"
    /// \param values  the same count of numbers for every frame; a loop's last key is added
    /// \param type    of the accessor
    /// \param exponent  see GlbDocument::add_vertices
    void add_channel(int node, const char* path, std::span<const float> values, const char* type,
                     std::optional<int> exponent = {});

    /// Puts it into the document, where there is anything in it.
    /// \param into  animation that gets the channels; -1: a new one, before all others
    void finish(const std::string& name = "bake", int into = -1);

private:
    GlbDocument& document_;
    GlbTimes frames_;
    int times_ = -1;  ///< accessor
    std::vector<GlbWeights> weights_;
    Json channels_ = Json::array();
    Json samplers_ = Json::array();
};

}  // namespace cutis

#pragma once

#include <cstdint>
#include <vector>

#include "cutis/io/json.h"
#include "cutis/stack/sink.h"

namespace cutis {

/// A message to a page: JSON that says what is in it, then numbers. "CLF1", bytes of the JSON (a multiple of 4, filled
/// up with spaces), the JSON, the sections one after the other, each at a multiple of 4.
class FramePack {
public:
    void begin();
    /// \param about  kind, mesh and so on; offset, count and type are added
    void add(Json about, const std::vector<float>& values);
    void add(Json about, const std::vector<std::uint32_t>& values);
    void add_bytes(Json about, const std::vector<unsigned char>& bytes);
    /// Rows of three as floats, or as 16-bit shares of their box (`box`: lowest and highest corner).
    void add_places(Json about, const MatrixX3d& places, bool packs);
    /// \param head  what else the message says
    void end(Json head);

    const std::vector<unsigned char>& bytes() const { return bytes_; }

private:
    void add_section(Json about, const char* type, size_t count, const void* data, size_t size);

    Json sections_;
    std::vector<unsigned char> data_, bytes_;
    std::vector<std::uint16_t> shares_;
    std::vector<float> floats_;
};

/// What a page draws, once: triangles, drawn vertices and their normals, UVs, colours, pictures.
/// \return the meshes' descriptions
Json pack_meshes(const BakeInfo& info, FramePack& pack);

}  // namespace cutis

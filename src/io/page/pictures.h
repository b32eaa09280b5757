#pragma once

#include <map>
#include <string>

#include "cutis/body/body.h"
#include "io/page/sections.h"

namespace cutis {

struct MaterialPicture;

/// Base colours and normal maps of a body's materials, as files a browser reads.
class PagePictures {
public:
    /// Those of materials that `art` has parts of. \return meta.pictures
    Json add(const Body& body, const ArtMesh& art, PageSections& sections);
    bool has_base_colours() const { return !base_colours_.empty(); }
    /// Puts the places of a material's pictures into the part that wears it.
    void name_in(Json& part, const std::string& material) const;

private:
    using Places = std::map<std::string, std::size_t>;  ///< by material, in meta.pictures

    Places base_colours_;
    Places normals_;
};

}  // namespace cutis

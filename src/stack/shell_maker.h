#pragma once

#include "cutis/stack/layer.h"
#include "cutis/stack/shell_layer.h"
#include "shell/shell.h"
#include "shell_base.h"

namespace cutis {

/// What a shell layer makes once: the base it stands on, the prisms above it, the detail in them and how that moves.
class ShellMaker {
public:
    /// All of them must outlive this. \param base  all of the surface at first \param report  notes and numbers go
    /// there
    ShellMaker(const LayerInput& ground, const ShellLayerOptions& settings, ShellBase& base, LayerReport& report);

    /// Where nothing is scattered no shell is needed. Handles that move the body and detail that travels with the skin
    /// may reach any place.
    void choose_base(bool may_change_shape);
    PrismShell prisms();
    /// \param mesh  file of the detail, or null \param piece  what is scattered or tiled, null for place = "around"
    PlacedDetail detail(const PrismShell& prisms, const ArtMesh* mesh, const ArtMesh* piece);
    ShellOptions options(const PrismShell& prisms, const PlacedDetail& detail) const;

private:
    /// A painted number on the vertices of the base.
    Painted on_base(const Painted& number) const;
    PlacedDetail place(const PrismShell& prisms, const ArtMesh* mesh, const ArtMesh* piece) const;
    PlacedDetail tiled(const PrismShell& prisms, const ArtMesh& piece) const;
    PlacedDetail scattered(const PrismShell& prisms, const ArtMesh& piece) const;

    const LayerInput& ground_;
    const ShellLayerOptions& settings_;
    ShellBase& base_;
    LayerReport& report_;
    double diagonal_;  // of the surface's box, which lengths are shares of
};

}  // namespace cutis

#include "shell_settings.h"

#include <algorithm>

#include "cutis/shell/pieces.h"

namespace cutis {

std::vector<Setting> shell_settings(ShellSettings& s) {
    const auto choice = [](auto& field, auto... values) {
        using Field = std::remove_reference_t<decltype(field)>;
        const std::vector<Field> list = {values...};
        Field* target = &field;
        const auto current =
            static_cast<int>(std::find(list.begin(), list.end(), field) - list.begin());
        return ChoiceTarget{current, [=](int i) { *target = list[static_cast<size_t>(i)]; }};
    };
    VibrationOptions& v = s.vibration;
    std::vector<std::string> pieces;
    for (const DetailInfo& detail : list_details()) {
        pieces.push_back(detail.name);
    }
    constexpr double much = 1e6;
    const auto one_of = [](std::string key, Setting::Target target, std::string about,
                           std::vector<std::string> choices) {
        Setting setting{std::move(key), std::move(target), std::move(about)};
        setting.choices = std::move(choices);
        return setting;
    };
    return {
        {"name", &s.name, "name of the detail mesh; empty: that of the piece"},
        one_of("detail", &s.detail, "built-in piece", pieces),
        {"mesh", &s.mesh, "OBJ file used instead: a piece, or a mesh around the body"},
        one_of("mesh_up", &s.mesh_up, "axis of the file that points out of the surface (pieces)",
               {"x", "y", "z"}),
        one_of("place", choice(s.place, Placing::scatter, Placing::tiles, Placing::around),
               "scattered copies, tiles over the UV charts, or a mesh around the body as it is",
               {"scatter", "tiles", "around"}),
        one_of("outside", choice(s.outside, OutsideDetail::refuse, OutsideDetail::nearest),
               "vertices of a mesh around the body that lie outside the shell",
               {"refuse", "nearest"}),
        one_of("anchor", choice(s.anchor, Anchor::surface, Anchor::skin),
               "detail stays with the body's surface, or rides on the skin that a slide layer "
               "below moves over it",
               {"surface", "skin"}),
        {"rigid", &s.rigid,
         "scatter: copies keep their shape; GLB and USD then hold one piece and its places"},
        {"height", &s.height, "of the shell", "of the diagonal", 1e-5, 0.5},
        {"height_factor", &s.height_factor, "share of the height, paintable", "", 0, 1},
        {"keep_off_walls", &s.keep_off_walls, "at most half the way to the surface opposite"},
        {"clip_aware", &s.clip_aware, "lower the shell where the clip would turn it over"},
        {"size", &s.size, "scatter: side of a piece", "of the diagonal", 1e-5, 1},
        {"spacing", &s.scatter.spacing, "scatter: least distance of neighbours, in sizes", "", 0.01,
         100},
        {"axis", &s.axis, "scatter: where pieces head (x y z)"},
        {"smoothing", &s.scatter.smoothing, "scatter: rounds that even out headings", "", 0, 10000},
        {"turn", &s.scatter.turn_deg, "scatter: headings vary by", "degrees", 0, 180},
        {"size_variation", &s.scatter.size_variation, "scatter: sizes vary by this share", "", 0,
         0.9},
        {"density", &s.density, "scatter: how dense, paintable; 0 leaves bare", "", 0, 1},
        {"size_factor", &s.size_factor, "scatter: factor on sizes, paintable", "", 0, 100},
        {"seed", &s.seed, "scatter: another one scatters anew", "", 0, 1e9},
        {"tiles_u", &s.tiles.tiles_u, "tiles: along one unit of u", "", 0.01, 10000},
        {"tiles_v", &s.tiles.tiles_v, "tiles: along one unit of v", "", 0.01, 10000},
        {"tiles_turn", &s.tiles.turn, "tiles: rows turned from u towards v by", "degrees", -180,
         180},
        {"lift", &s.lift, "factor on the piece's heights", "", 0, 100},
        {"poisson", &s.poisson, "Poisson's ratio; 0.5 keeps the shell's volume", "", -0.9, 0.5},
        {"volume_rounds", &s.volume_rounds,
         "corrections of the thickness towards the volume Poisson's ratio asks for; the paper: 0",
         "", 0, 10},
        {"stiffness", &s.stiffness, "of the shell, relative, paintable", "", 1e-6, much},
        {"frequency", &s.frequency, "of the vibration, paintable", "Hz", 0.01, 1000},
        {"damping", &s.damping, "ratio to critical damping, paintable", "", 0, 100},
        {"paper_omega", &s.paper_omega, "the paper's omega instead of frequency; 0: frequency", "",
         0, 4},
        {"paper_zeta", &s.paper_zeta, "the paper's zeta, with paper_omega", "", 0, 0.999},
        {"paper_fps", &s.paper_fps, "frame rate omega and zeta are meant for", "Hz", 1, 1000},
        {"axes", &s.axes,
         "frequency and damping along, across and out of the surface: six numbers; empty: the same "
         "in all directions"},
        {"surface_axis", &s.surface_axis, "with axes: first direction on the surface (x y z)"},
        {"gain", &v.gain, "factor on the displacement shown", "", 0, 10},
        {"weight_by_height", &v.weight_by_height, "roots stay on the skin"},
        one_of("limiter",
               choice(v.limiter, Limiter::piece, Limiter::vertex, Limiter::soft, Limiter::none),
               "what keeps fast motion from throwing detail off",
               {"piece", "vertex", "soft", "none"}),
        {"limit", &v.limit, "longest displacement", "of the local thickness", 1e-6, much},
        one_of("damping_against",
               choice(v.damping_against, DampingAgainst::goal, DampingAgainst::room),
               "damp relative to the moving surface, or to the room as the paper does",
               {"goal", "room"}),
        one_of("precision", choice(v.precision, Precision::single, Precision::full),
               "numbers of the detail's state", {"single", "double"}),
        {"untangle", &s.untangle, "set tetrahedra right that turn over in a frame"},
        {"substeps", &s.substeps, "steps inside a frame", "", 1, 100},
        one_of("cut", choice(s.cut, OnCut::carry, OnCut::rest),
               "after a jump of the body vibration goes on, or stops", {"carry", "rest"}),
        {"handles", &s.handles,
         "keys \"NAME SECONDS grab X Y Z\", \"NAME SECONDS by X Y Z\", \"NAME SECONDS release\""},
        {"offset_stiffness", &s.offset_stiffness, "of handles in the shell; 1 is a soft pull", "",
         0, 1e9},
        {"base_stiffness", &s.base_stiffness, "of handles into the body; 0 leaves it alone", "", 0,
         1e9},
        {"reach", &s.reach, "how far a pull on the body reaches", "of the diagonal", 1e-4, 100},
        {"passes", &s.manipulation.passes, "rounds of shell and body per step with handles", "", 1,
         100},
        {"pinned", &s.pinned, "regions of the body that handles cannot move"},
    };
}

}  // namespace cutis

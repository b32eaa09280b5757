#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <memory>

#include "cutis/core/error.h"
#include "cutis/io/gltf_read.h"
#include "cutis/io/obj_read.h"
#include "cutis/mesh/geometry.h"
#include "cutis/stack/simulation_surface.h"
#include "shell/shell.h"
#include "shell_cases.h"
#include "verify/data.h"

// The safe offset on every mesh of the data folder, whatever its name.

namespace cutis::verify::shell {

namespace {

namespace fs = std::filesystem;

/// The surface layers would work on: welded, at rest.
RepairedMesh surface_of(const fs::path& path) {
    const Body body = path.extension() == ".obj" ? make_body(read_obj(path), PointCache{}, {})
                                                 : make_body(std::make_shared<Character>(read_gltf(path)), {});
    return SimulationSurface::repaired(body, {}).mesh();
}

/// Tetrahedra (a,b,c,C), (a,b,C,B) and (a,B,C,A) of the sorted corners a < b < c that are not
/// positive, those without height at their apex left out.
int count_inverted(const RepairedMesh& mesh, const SafeOffset& offset) {
    int inverted = 0;
    for (int f = 0; f < mesh.topology.triangle_count(); ++f) {
        const auto corners = mesh.topology.triangles().row(f);
        std::array<int, 3> v = {corners[0], corners[1], corners[2]};
        const bool is_even = (v[0] < v[1]) == ((v[1] < v[2]) == (v[0] < v[2]));
        std::sort(v.begin(), v.end());
        Vector3d low[3], high[3];
        for (size_t k = 0; k < 3; ++k) {
            low[k] = mesh.positions.row(v[k]);
            high[k] = offset.positions.row(v[k]);
        }
        const double volumes[3] = {tet_volume(low[0], high[1], high[2], high[0]),
                                   tet_volume(low[0], low[1], high[2], high[1]),
                                   tet_volume(low[0], low[1], low[2], high[2])};
        for (size_t k = 0; k < 3; ++k) {
            const double volume = is_even ? volumes[k] : -volumes[k];
            inverted += offset.heights[v[k]] > 0.0 && !(volume > 0.0) ? 1 : 0;
        }
    }
    return inverted;
}

/// Tetrahedra inverted at rest with heights of 0.5, 1, 2 and 5 % of the box diagonal.
int inverted_on(const RepairedMesh& mesh) {
    const Workers workers(0);
    const double diagonal = bounding_box_diagonal(mesh.positions);
    int inverted = 0;
    for (const double share : {0.005, 0.01, 0.02, 0.05}) {
        SafeOffsetOptions options;
        options.height = share * diagonal;
        const SafeOffset offset = make_safe_offset(mesh.topology, mesh.positions, options, workers);
        inverted += count_inverted(mesh, offset);
    }
    return inverted;
}

/// What became of the meshes in one folder.
struct Tally {
    int closed = 0;
    int open = 0;
    int inverted = 0;
    std::string worst;  // the mesh with most tetrahedra inverted
    int most = 0;
    std::map<std::string, std::vector<std::string>> unusable;  // reason: names

    void look_at(const fs::path& path) {
        const std::string name = path.stem().string();
        RepairedMesh mesh;
        try {
            mesh = surface_of(path);
        } catch (const std::exception& error) {
            std::string reason = error.what();
            const size_t file = reason.rfind(path.filename().string());
            if (file != std::string::npos) {
                reason = reason.substr(reason.find_first_not_of(": ", file + path.filename().string().size()));
            }
            unusable[reason].push_back(name);
            return;
        }
        ++(mesh.topology.is_closed() ? closed : open);
        const int turned = inverted_on(mesh);
        inverted += turned;
        if (turned > most) {
            most = turned;
            worst = name;
        }
    }

    std::string remarks() const {
        std::string text = "V2 and V3 rules of the split";
        if (most > 0) {
            text += concat("; most on ", worst, ": ", most);
        }
        for (const auto& [reason, names] : unusable) {
            text += concat("; no surface in ", names.front());
            if (names.size() > 1) {
                text += concat(" and ", names.size() - 1, " more");
            }
            text += ": " + reason;
        }
        return text;
    }
};

/// Lowest ratio of a tetrahedron's volume to its rest volume that untangling leaves over all frames
/// of a clip; no clip: what the file has first.
double lowest_ratio_over(const fs::path& path, const std::string& clip) {
    const Workers workers(0);
    BodyOptions options;
    options.clip = clip;
    const Body body = make_body(std::make_shared<Character>(read_gltf(path)), options);
    const SimulationSurface surface = SimulationSurface::repaired(body, {});
    SafeOffsetOptions offset;
    offset.height = 0.02 * bounding_box_diagonal(surface.rest());
    const PrismShell shell = make_shell(surface.topology(), surface.rest(), offset, workers);
    ShellEquilibrium equilibrium(shell, {});
    ShellUntangler untangler(shell);
    MatrixX3d art, base, above;
    double lowest = 1.0;
    for (double time = 0.0; time <= body.duration(); time += 1.0 / 30.0) {
        body.positions(time, TimeSampling::exact, workers, art);
        surface.from_art().values(art, workers, base);
        equilibrium.solve(base, workers, above);
        untangler.untangle(base, workers, above);
        lowest = worse(-measure_shell(shell, base, above).smallest_ratio, -lowest) * -1.0;
    }
    return lowest;
}

void add_clip_cases(const fs::path& root, std::vector<Case>& cases) {
    struct Clip {
        const char* file;
        const char* clip;
    };
    for (const Clip& one :
         {Clip{"quaternius/Trex.glb", "Armature|TRex_Walk"}, Clip{"quaternius/Trex.glb", "Armature|TRex_Run"},
          Clip{"quaternius/Apatosaurus.glb", ""}, Clip{"khronos-gltf/CesiumMan.glb", ""}}) {
        const std::string name = concat("untangling: how far below 0 a volume falls in motion, ", one.file,
                                        *one.clip != 0 ? " " : "", one.clip);
        if (!fs::exists(root / one.file)) {
            cases.push_back(case_skipped("shell", name, missing(root / one.file)));
            continue;
        }
        const double lowest = lowest_ratio_over(root / one.file, one.clip);
        cases.push_back(at_most(name, worse(0.0, -lowest), 1e-9, "", "flat where the posed base leaves no direction"));
    }
}

/// One case for each folder of meshes below the root, or for the root itself.
void add_offset_cases(const fs::path& root, std::vector<Case>& cases) {
    if (!fs::is_directory(root)) {
        cases.push_back(case_skipped("shell", "safe offset: inverted tetrahedra on real meshes", missing(root)));
        return;
    }
    std::vector<fs::path> paths;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root)) {
        const std::string kind = entry.path().extension().string();
        if (entry.is_regular_file() && (kind == ".obj" || kind == ".glb" || kind == ".gltf")) {
            paths.push_back(entry.path());
        }
    }
    std::sort(paths.begin(), paths.end());
    std::map<std::string, Tally> folders;
    for (const fs::path& path : paths) {
        const fs::path below = path.lexically_relative(root);
        const fs::path folder = below.has_parent_path() ? *below.begin() : root.filename();
        folders[folder.string()].look_at(path);
    }
    for (const auto& [folder, tally] : folders) {
        cases.push_back(at_most(concat("safe offset: inverted tetrahedra on ", tally.closed, " closed and ", tally.open,
                                       " open meshes of ", folder, " at 0.5, 1, 2 and 5 %"),
                                tally.inverted, 0, "", tally.remarks()));
    }
}

}  // namespace

std::vector<Case> data_cases() {
    std::vector<Case> cases;
    add_offset_cases(data_folder(), cases);
    add_offset_cases(characters_folder(), cases);
    add_clip_cases(data_folder(), cases);
    return cases;
}

}  // namespace cutis::verify::shell

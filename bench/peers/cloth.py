"""The fold layer beside a simulation of cloth: the same garments on the same moving body, in Blender.

    python cloth.py PROGRAM OUTPUT [cylinder sleeve tights]

Needs the module `bpy` (scripts/bench-peers brings it). The garment is the refined mesh of the fold layer, so that both
have the same vertices; meshes and clips are small enough for a simulation of a few minutes. In Blender the vertices that
are nowhere squeezed are pinned to the skinned garment, as an artist would pin them, the others are free; a copy of the
skinned garment, two millimetres further in, is what they collide with. Prints a table and writes OUTPUT/cloth.json and a
picture of each case, folds on the left, simulation on the right.
"""
import json
import os
import pathlib
import subprocess
import sys
import time

import bpy
import numpy as np

DATA = os.environ.get("CUTIS_DATA", "../shared/data")
BODIES = {
    "cylinder": ('actor = "cylinder"\nclip = "bend"', "width = 0.06\nmost_vertices = 4000", "last_frame = 45", (0.25, 0.8, 1.0)),
    "sleeve": ('actor = "arm"\nclip = "bend"', "most_vertices = 4000", "last_frame = 30", (-0.5, 0.9, 0.6)),
    "tights": (f'file = "{os.path.abspath(DATA)}/dancer/dancer.glb"\nmesh = "tights"\nfps = 30', "most_vertices = 6000",
               "first_frame = 189\nlast_frame = 218", (0.35, 0.12, 1.0)),
}
WIDE = 4  # fold widths that a line reaches to each side


def bake(program, folder, case):
    body, layer, output, _ = BODIES[case]
    scene = folder / f"{case}.toml"
    scene.write_text(f'[body]\n{body}\n[[layer]]\nkind = "fold"\n{layer}\n[output]\nformats = ["npz"]\n{output}\n')
    done = subprocess.run([program, "bake", str(scene), "-o", str(folder / case), "--json", "--threads", "1"], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{case}: {done.stderr}")
    report = json.loads(done.stdout)
    arrays = np.load(next((folder / case).glob("*.npz")))
    return report, {name: arrays[name] for name in ("positions", "plain", "rest", "triangles")}


def vertex_normals(points, triangles):
    corners = points[triangles]
    normals = np.zeros_like(points)
    faces = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    for k in range(3):
        np.add.at(normals, triangles[:, k], faces)
    return normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-30)


def new_object(name, points, triangles):
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(points.tolist(), [], triangles.tolist())
    thing = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(thing)
    return thing


def add_motion(thing, folder, frames):
    """Moves an object's vertices through a PC2 file."""
    path = folder / f"{thing.name}.pc2"
    with open(path, "wb") as file:
        file.write(b"POINTCACHE2\0")
        np.array([1, frames.shape[1]], "<i4").tofile(file)
        np.array([1.0, 1.0], "<f4").tofile(file)
        np.array([frames.shape[0]], "<i4").tofile(file)
        frames.astype("<f4").tofile(file)
    cache = thing.modifiers.new("motion", "MESH_CACHE")
    cache.cache_format = "PC2"
    cache.filepath = str(path)
    cache.frame_start = 1.0


def squeezed_vertices(arrays):
    """Those of a triangle that is squeezed in any frame."""
    rest, triangles = arrays["rest"].astype(float), arrays["triangles"].astype(int)
    least = np.min([squeeze(rest, p.astype(float), triangles)[0] for p in arrays["plain"][::3]], axis=0)
    return np.unique(triangles[least < 0.93])


def simulate(folder, case, arrays, settling=16):
    """Cloth from its rest shape within some frames into the first pose, then through the clip."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    rest, triangles, plain = arrays["rest"], arrays["triangles"], arrays["plain"]
    ease = [rest + (plain[0] - rest) * (0.5 - 0.5 * np.cos(np.pi * i / settling)) for i in range(settling)]
    frames = np.concatenate([np.array(ease), plain])
    count = len(frames)
    inside = np.array([f - 0.002 * vertex_normals(f, triangles) for f in frames])
    garment = new_object(f"{case}-cloth", rest, triangles)
    collider = new_object(f"{case}-body", rest, triangles)
    add_motion(garment, folder, frames)
    add_motion(collider, folder, inside)
    pins = garment.vertex_groups.new(name="pins")
    pins.add([int(v) for v in np.setdiff1d(np.arange(len(rest)), squeezed_vertices(arrays))], 1.0, "REPLACE")
    collider.modifiers.new("hit", "COLLISION")
    collider.collision.thickness_outer = 0.001
    collider.collision.thickness_inner = 0.005
    collider.collision.cloth_friction = 5.0
    cloth = garment.modifiers.new("cloth", "CLOTH")
    settings, hits = cloth.settings, cloth.collision_settings
    settings.quality = 8
    settings.vertex_group_mass = "pins"
    settings.tension_stiffness = settings.compression_stiffness = 40.0
    settings.shear_stiffness = 10.0
    settings.bending_stiffness = 0.05
    settings.mass = 0.2 * 1.0 / max(1, len(rest)) * 1000.0
    hits.collision_quality = 3
    hits.distance_min = 0.001
    hits.use_self_collision = True
    hits.self_distance_min = 0.001
    cloth.point_cache.frame_start, cloth.point_cache.frame_end = 1, count
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, count
    scene.render.fps = 30
    found, begin = [], time.process_time()
    for frame in range(1, count + 1):
        scene.frame_set(frame)
        evaluated = garment.evaluated_get(bpy.context.evaluated_depsgraph_get())
        points = np.empty(3 * len(rest), "f4")
        evaluated.data.vertices.foreach_get("co", points)
        if frame == settling:
            begin = time.process_time()
        if frame > settling:
            found.append(points.reshape(-1, 3).astype(float))
    spent = time.process_time() - begin
    return np.array(found), 1e3 * spent / len(found)


def squeeze(rest, now, triangles):
    """Smallest stretch of each triangle and its direction at rest."""
    a, b = rest[triangles[:, 1]] - rest[triangles[:, 0]], rest[triangles[:, 2]] - rest[triangles[:, 0]]
    p, q = now[triangles[:, 1]] - now[triangles[:, 0]], now[triangles[:, 2]] - now[triangles[:, 0]]
    normal = np.cross(a, b)
    area = np.linalg.norm(normal, axis=1) + 1e-30
    long = np.linalg.norm(a, axis=1) + 1e-30
    x = a / long[:, None]
    y = np.cross(normal / area[:, None], x)
    u = p / long[:, None]
    v = (q - np.sum(b * x, 1)[:, None] * u) / (area / long)[:, None]
    uu, vv, uv = np.sum(u * u, 1), np.sum(v * v, 1), np.sum(u * v, 1)
    radius = np.hypot(0.5 * (uu - vv), uv)
    angle = 0.5 * np.arctan2(uv, 0.5 * (uu - vv))
    return np.sqrt(np.maximum(0, 0.5 * (uu + vv) - radius)), np.cos(angle)[:, None] * y - np.sin(angle)[:, None] * x


def neighbours(triangles):
    known, beside = {}, -np.ones(triangles.shape, int)
    for f, t in enumerate(triangles):
        for k in range(3):
            side = (min(t[k], t[(k + 1) % 3]), max(t[k], t[(k + 1) % 3]))
            if side in known:
                g, m = known.pop(side)
                beside[f, k], beside[g, m] = g, f
            else:
                known[side] = (f, k)
    return beside


def line_from(rest, triangles, beside, stretch, ways, f, sign, far):
    """Straight in every triangle along the compression; (vertex, vertex, part) at each edge crossed."""
    at, way, came, gone, points = rest[triangles[f]].mean(0), sign * ways[f], -1, 0.0, []
    while gone < far and len(points) < 400:
        t = triangles[f]
        normal = np.cross(rest[t[1]] - rest[t[0]], rest[t[2]] - rest[t[0]])
        exits = []
        for k in range(3):
            inward = np.cross(normal, rest[t[(k + 1) % 3]] - rest[t[k]])
            if k != came and inward @ way < 0:
                exits.append((inward @ (rest[t[k]] - at) / (inward @ way), k))
        if not exits:
            break
        reach, k = min(exits)
        edge = rest[t[(k + 1) % 3]] - rest[t[k]]
        part = float(np.clip((at + max(reach, 0) * way - rest[t[k]]) @ edge / (edge @ edge), 0, 1))
        onward = rest[t[k]] + part * edge
        gone += np.linalg.norm(onward - at)
        points.append((t[k], t[(k + 1) % 3], part))
        g = beside[f, k]
        if g < 0 or stretch[g] > 0.95 or abs(ways[g] @ way) < 0.3:
            break
        way = ways[g] if ways[g] @ way > 0 else -ways[g]
        came = int(np.flatnonzero(beside[g] == f)[0])
        at, f = onward, g
    return points


def measure(arrays, shapes, width):
    """Of the most squeezed frame, for each of some shapes: length kept, folds a line, millimetres between them."""
    rest, triangles, plain = arrays["rest"].astype(float), arrays["triangles"].astype(int), arrays["plain"]
    frame = int(np.argmin([np.mean(np.minimum(squeeze(rest, p.astype(float), triangles)[0], 0.9)) for p in plain[::4]])) * 4
    base = plain[frame].astype(float)
    stretch, ways = squeeze(rest, base, triangles)
    beside, normals = neighbours(triangles), vertex_normals(base, triangles)
    seeds = np.random.default_rng(3).permutation(np.flatnonzero(stretch < 0.9))[:150]
    results = []
    lines = []
    for f in seeds:
        back = line_from(rest, triangles, beside, stretch, ways, f, -1.0, WIDE * width)
        line = back[::-1] + line_from(rest, triangles, beside, stretch, ways, f, 1.0, WIDE * width)
        if len(line) > 4:
            lines.append(tuple(np.array(column) for column in zip(*line)))
    for shape in shapes:
        now = shape[frame].astype(float)
        raised = np.sum((now - base) * normals, axis=1)
        missing_before = missing_after = crests = run = 0.0
        for a, b, part in lines:
            on = lambda p: p[a] * (1 - part)[:, None] + p[b] * part[:, None]
            length = lambda p: np.linalg.norm(np.diff(on(p), axis=0), axis=1).sum()
            before, after = length(base) / length(rest), length(now) / length(rest)
            missing_before += max(0.0, 0.9 - before)
            missing_after += max(0.0, 0.9 - after)
            height = raised[a] * (1 - part) + raised[b] * part
            crests += count_crests(height, 0.0015)
            run += length(rest)
        results.append({"kept": 1.0 - missing_after / max(missing_before, 1e-30), "folds": crests / max(1, len(lines)),
                        "spacing_mm": 1e3 * run / max(crests, 1e-30), "lines": len(lines), "frame": frame})
    return results


def count_crests(height, prominence):
    crests, low, high, is_rising = 0, height[0], height[0], True
    for h in height:
        if is_rising:
            high = max(high, h)
            if h < high - prominence:
                crests, low, is_rising = crests + 1, h, False
        else:
            low = min(low, h)
            if h > low + prominence:
                high, is_rising = h, True
    return crests


def picture(folder, case, arrays, shapes, frame):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    triangles = arrays["triangles"]
    view = np.array(BODIES[case][3])
    view = view / np.linalg.norm(view)
    side = np.cross([0.0, 1.0, 0.0], view)
    side /= np.linalg.norm(side)
    low, high = shapes[0][frame].min(0), shapes[0][frame].max(0)
    size = float(np.linalg.norm(high - low))
    cloth = bpy.data.materials.new("cloth")
    if not cloth.use_nodes:  # always so since Blender 5
        cloth.use_nodes = True
    cloth.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value = (0.35, 0.4, 0.6, 1)
    for i, shape in enumerate(shapes):
        thing = new_object(f"shape{i}", shape[frame] + (i - 0.5) * 0.9 * size * side, triangles)
        thing.data.polygons.foreach_set("use_smooth", [True] * len(triangles))
        thing.data.materials.append(cloth)
    scene = bpy.context.scene
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    camera.data.type, camera.data.ortho_scale = "ORTHO", 1.9 * size
    middle = 0.5 * (low + high)
    camera.location = middle + 3 * size * view
    up = np.cross(view, side)
    import mathutils
    camera.rotation_euler = mathutils.Matrix(np.column_stack([side, up, view]).tolist()).to_euler()
    scene.collection.objects.link(camera)
    scene.camera = camera
    for way, strength in ((side + 0.4 * up + 0.25 * view, 4.0), (-side + 0.2 * up + 0.6 * view, 0.8)):
        sun = bpy.data.objects.new("sun", bpy.data.lights.new("sun", "SUN"))
        sun.data.energy = strength
        sun.rotation_euler = mathutils.Vector(way.tolist()).to_track_quat("Z", "Y").to_euler()
        scene.collection.objects.link(sun)
    world = bpy.data.worlds.new("world")
    if not world.use_nodes:
        world.use_nodes = True
    world.node_tree.nodes["Background"].inputs["Color"].default_value = (0.9, 0.9, 0.9, 1)
    world.node_tree.nodes["Background"].inputs["Strength"].default_value = 0.35
    scene.world = world
    scene.render.engine = "CYCLES"
    scene.cycles.samples = 12
    scene.render.resolution_x, scene.render.resolution_y = 800, 420
    scene.render.image_settings.file_format = "JPEG"
    scene.render.image_settings.quality = 82
    scene.view_settings.view_transform = "Standard"
    scene.render.filepath = str(folder / f"cloth-{case}.jpg")
    bpy.ops.render.render(write_still=True)


def main():
    program, folder, cases = sys.argv[1], pathlib.Path(sys.argv[2]).absolute(), sys.argv[3:] or list(BODIES)
    folder.mkdir(parents=True, exist_ok=True)
    results = {"blender": bpy.app.version_string,
               "cutis": subprocess.run([program, "--version"], capture_output=True, text=True).stdout.strip(), "cases": {}}
    for case in cases:
        report, arrays = bake(program, folder, case)
        numbers = next(layer for layer in report["layers"] if layer["kind"] == "fold")
        frames = len(arrays["positions"])
        simulated, cloth_ms = simulate(folder, case, arrays)
        width = numbers["numbers"]["median width (m)"]
        rows = measure(arrays, [arrays["plain"], arrays["positions"], simulated], width)
        results["cases"][case] = {"vertices": len(arrays["rest"]), "frames": frames, "fold_ms": 1e3 * report["seconds"]["fold"] / frames,
                                  "cloth_ms": cloth_ms, "skinned": rows[0], "fold": rows[1], "cloth": rows[2]}
        picture(folder, case, arrays, [arrays["positions"], simulated], rows[1]["frame"])
    (folder / "cloth.json").write_text(json.dumps(results, indent=2) + "\n")
    print(f"Blender {results['blender']}, {results['cutis']}")
    print("| | vertices | ms a frame: fold / cloth | compression taken up | folds a line | mm between folds |\n|---|---|---|---|---|---|")
    for case, r in results["cases"].items():
        print(f"| {case} | {r['vertices']} | {r['fold_ms']:.1f} / {r['cloth_ms']:.0f} | {r['fold']['kept']:.2f} / {r['cloth']['kept']:.2f} | "
              f"{r['fold']['folds']:.1f} / {r['cloth']['folds']:.1f} | {r['fold']['spacing_mm']:.0f} / {r['cloth']['spacing_mm']:.0f} |")


main()

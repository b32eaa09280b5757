"""Where Blender puts every vertex of glTF files at given times.

blender -b --python-exit-code 3 -P evaluate.py -- JOBS.json

JOBS.json is a list of {"file", "out", "fps", "times"}: each file holds at most one animation and its
nodes are named n0000, n0001, ... For every file OUT.json lists [node, vertices] of the objects and
OUT.bin holds, time after time, the evaluated world positions of these objects as little-endian
doubles, turned back from Blender's Z up to glTF's Y up.
"""

import json
import re
import sys

import bpy
import numpy as np

np.bool = bool  # Debian's numpy 1.24 has dropped the name that Blender 3.4's glTF importer uses


def node_of(scene_object):
    """Index of the glTF node an object stands for: by its own name, or by the bone that carries it
    (a mesh on a joint is an object of its own there)."""
    match = re.match(r"n(\d{4})", scene_object.name) or re.match(
        r"n(\d{4})", scene_object.parent_bone
    )
    return int(match.group(1)) if match else None


def evaluated_positions(scene_object, depsgraph):
    evaluated = scene_object.evaluated_get(depsgraph)
    mesh = evaluated.to_mesh()
    local = np.empty(len(mesh.vertices) * 3, dtype=np.float32)
    mesh.vertices.foreach_get("co", local)
    evaluated.to_mesh_clear()
    local = local.reshape(-1, 3).astype(np.float64)
    matrix = np.array(evaluated.matrix_world, dtype=np.float64)
    world = local @ matrix[:3, :3].T + matrix[:3, 3]
    return np.stack([world[:, 0], world[:, 2], -world[:, 1]], axis=1)


def evaluate(job):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps = job["fps"]
    scene.render.fps_base = 1.0
    # Blender draws joints with a helper mesh that the importer makes: it is no part of the file.
    before = set(bpy.data.objects)
    result = bpy.ops.import_scene.gltf(filepath=job["file"])
    if result != {"FINISHED"}:
        raise RuntimeError(f"{job['file']}: import gave {result}")
    scene.frame_start, scene.frame_end = 0, 1000000
    objects = []
    for scene_object in scene.objects:
        is_helper = any(c.name == "glTF_not_exported" for c in scene_object.users_collection)  # since 4.2
        if scene_object in before or is_helper or scene_object.type != "MESH":
            continue
        node = node_of(scene_object)
        if node is None:
            raise RuntimeError(f"{job['file']}: object {scene_object.name} belongs to no node")
        objects.append((node, scene_object))
    objects.sort(key=lambda pair: pair[0])

    frames = []
    counts = []
    for time in job["times"]:
        frame = time * job["fps"]
        whole = int(np.floor(frame))
        scene.frame_set(whole, subframe=float(frame - whole))
        depsgraph = bpy.context.evaluated_depsgraph_get()
        parts = [evaluated_positions(o, depsgraph) for _, o in objects]
        counts = [[node, len(part)] for (node, _), part in zip(objects, parts)]
        frames.append(np.concatenate(parts))
    np.concatenate(frames).astype("<f8").tofile(job["out"] + ".bin")
    with open(job["out"] + ".json", "w", encoding="utf-8") as out:
        json.dump(counts, out)


def main():
    with open(sys.argv[sys.argv.index("--") + 1], encoding="utf-8") as jobs:
        for job in json.load(jobs):
            try:
                evaluate(job)
            except Exception as error:  # one file Blender cannot read must not hide the others
                with open(job["out"] + ".error", "w", encoding="utf-8") as out:
                    out.write(f"{type(error).__name__}: {error}")


main()

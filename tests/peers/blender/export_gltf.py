"""What Blender 5 writes of characters as GLB, plain and compressed with draco, and where it has their vertices itself.

python export_gltf.py -- JOBS.json

JOBS.json is a list of {"file", "out", "fps", "frames"}. OUT.glb and OUT-draco.glb are what Blender's exporter writes,
OUT.bin holds the evaluated world positions of all meshes, frame after frame, as little-endian doubles in glTF's axes;
OUT.json lists names of meshes, bones, materials and actions.
"""

import json
import sys

import bpy
import numpy as np


def positions(objects):
    graph = bpy.context.evaluated_depsgraph_get()
    parts = []
    for one in objects:
        evaluated = one.evaluated_get(graph)
        mesh = evaluated.to_mesh()
        local = np.empty(len(mesh.vertices) * 3, dtype=np.float32)
        mesh.vertices.foreach_get("co", local)
        evaluated.to_mesh_clear()
        matrix = np.array(evaluated.matrix_world, dtype=np.float64)
        world = local.reshape(-1, 3).astype(np.float64) @ matrix[:3, :3].T + matrix[:3, 3]
        parts.append(np.stack([world[:, 0], world[:, 2], -world[:, 1]], axis=1))
    return np.concatenate(parts)


def export(job):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps = job["fps"]
    bpy.ops.import_scene.gltf(filepath=job["file"])
    # The importer draws joints with a helper mesh: it is no part of the file.
    for helper in [o for o in bpy.data.objects if any(c.name == "glTF_not_exported" for c in o.users_collection)]:
        bpy.data.objects.remove(helper)
    meshes = sorted((o for o in scene.objects if o.type == "MESH"), key=lambda o: o.name)
    scene.frame_start, scene.frame_end = 0, job["frames"] - 1
    frames = []
    for frame in range(job["frames"]):
        scene.frame_set(frame)
        frames.append(positions(meshes))
    np.stack(frames).astype("<f8").tofile(job["out"] + ".bin")
    about = {
        "meshes": [o.name for o in meshes],
        "bones": sorted({b.name for o in scene.objects if o.type == "ARMATURE" for b in o.data.bones}),
        "materials": sorted({s.material.name for o in meshes for s in o.material_slots if s.material}),
        "actions": sorted(a.name for a in bpy.data.actions),
    }
    with open(job["out"] + ".json", "w", encoding="utf-8") as out:
        json.dump(about, out)
    scene.frame_set(0)
    for name, is_packed in ((".glb", False), ("-draco.glb", True)):
        bpy.ops.export_scene.gltf(
            filepath=job["out"] + name,
            export_format="GLB",
            export_animation_mode="ACTIVE_ACTIONS",
            export_force_sampling=True,
            export_draco_mesh_compression_enable=is_packed,
            export_draco_mesh_compression_level=6,
            export_draco_position_quantization=14,
        )


with open(sys.argv[sys.argv.index("--") + 1], encoding="utf-8") as jobs:
    for each in json.load(jobs):
        export(each)

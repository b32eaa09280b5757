"""What Blender's own FBX exporter writes of glTF files, and where Blender itself puts their vertices.

blender -b --python-exit-code 3 -P export_fbx.py -- JOBS.json

JOBS.json is a list of {"file", "fbx", "out", "fps", "frames"}. OUT.bin holds, frame after frame, the evaluated world
positions of all meshes (by name) as little-endian doubles, in glTF's axes; OUT.json lists names, materials, bones, clips.
"""

import json
import sys

import bpy
import numpy as np

np.bool = bool  # Debian's numpy 1.24 has dropped the name that Blender 3.4's glTF importer uses


def positions(scene_object, depsgraph):
    evaluated = scene_object.evaluated_get(depsgraph)
    mesh = evaluated.to_mesh()
    local = np.empty(len(mesh.vertices) * 3, dtype=np.float32)
    mesh.vertices.foreach_get("co", local)
    evaluated.to_mesh_clear()
    matrix = np.array(evaluated.matrix_world, dtype=np.float64)
    world = local.reshape(-1, 3).astype(np.float64) @ matrix[:3, :3].T + matrix[:3, 3]
    return np.stack([world[:, 0], world[:, 2], -world[:, 1]], axis=1)


def export(job):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps = job["fps"]
    scene.render.fps_base = 1.0
    bpy.ops.import_scene.gltf(filepath=job["file"])
    meshes = sorted((o for o in scene.objects if o.type == "MESH" and o.users_collection), key=lambda o: o.name)
    # The importer draws joints with a helper mesh: it is no part of the file.
    for helper in [o for o in meshes if "Icosphere" in o.name or o.hide_viewport]:
        meshes.remove(helper)
        bpy.data.objects.remove(helper)
    scene.frame_start, scene.frame_end = 0, job["frames"] - 1
    frames = []
    for frame in range(job["frames"]):
        scene.frame_set(frame)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        frames.append(np.concatenate([positions(o, depsgraph) for o in meshes]))
    np.stack(frames).astype("<f8").tofile(job["out"] + ".bin")
    about = {
        "meshes": [o.name for o in meshes],
        "materials": sorted({s.material.name for o in meshes for s in o.material_slots if s.material}),
        "bones": sorted({b.name for o in scene.objects if o.type == "ARMATURE" for b in o.data.bones}),
        "clips": len(bpy.data.actions),
    }
    with open(job["out"] + ".json", "w", encoding="utf-8") as out:
        json.dump(about, out)
    bpy.ops.export_scene.fbx(
        filepath=job["fbx"],
        object_types={"ARMATURE", "MESH", "EMPTY"},
        add_leaf_bones=False,
        bake_anim=True,
        bake_anim_use_nla_strips=False,
        bake_anim_use_all_actions=False,
        bake_anim_simplify_factor=0.0,
        path_mode="COPY",
        embed_textures=True,
    )


with open(sys.argv[sys.argv.index("--") + 1], encoding="utf-8") as jobs:
    for each in json.load(jobs):
        export(each)

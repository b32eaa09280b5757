"""What Blender 5 shows of USD stages: vertices of every mesh in the stage's space (Y up) at frames asked for.

build/peers-bpy/bin/python usd_points.py -- JOBS.json
JOBS.json: a list of {file, frames, out}; OUT gets {meshes: {name: [[x, y, z, ...] for each frame]}, bones: [...],
cameras: [...], shape_keys: {name: [...]}}.
"""

import json
import sys

import bpy


def look_at(job):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.wm.usd_import(filepath=job["file"])
    objects = list(bpy.data.objects)
    meshes = [one for one in objects if one.type == "MESH"]
    found = {
        "meshes": {one.name: [] for one in meshes},
        "bones": sorted(bone.name for one in objects if one.type == "ARMATURE" for bone in one.data.bones),
        "cameras": sorted(one.name for one in objects if one.type == "CAMERA"),
        "shape_keys": {
            one.name: [key.name for key in one.data.shape_keys.key_blocks] for one in meshes if one.data.shape_keys
        },
    }
    for frame in job["frames"]:
        bpy.context.scene.frame_set(frame)
        graph = bpy.context.evaluated_depsgraph_get()
        for one in meshes:
            shown = one.evaluated_get(graph)
            mesh = shown.to_mesh()
            points = []
            for vertex in mesh.vertices:
                x, y, z = shown.matrix_world @ vertex.co
                points += [x, z, -y]  # Blender has Z up
            found["meshes"][one.name].append(points)
            shown.to_mesh_clear()
    return found


for one in json.load(open(sys.argv[-1])):
    json.dump(look_at(one), open(one["out"], "w"))

"""Pictures of one frame of GLB files, to look at.

blender -b --python-exit-code 3 -P render.py -- JOBS.json

JOBS.json is a list of {"file", "out" (PNG), "time" (seconds), "turn_deg" (camera around the up axis)}.
"""

import json
import math
import sys

import bpy
import numpy as np
from mathutils import Vector

np.bool = bool  # Debian's numpy 1.24 has dropped the name that Blender 3.4's glTF importer uses


def bounds(scene):
    depsgraph = bpy.context.evaluated_depsgraph_get()
    corners = [
        scene_object.matrix_world @ Vector(corner)
        for scene_object in scene.objects
        if scene_object.type == "MESH"
        for corner in scene_object.evaluated_get(depsgraph).bound_box
    ]
    low = Vector(min(c[i] for c in corners) for i in range(3))
    high = Vector(max(c[i] for c in corners) for i in range(3))
    return (low + high) / 2, (high - low).length


def render(job):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps = 30
    bpy.ops.import_scene.gltf(filepath=job["file"])
    frame = job["time"] * scene.render.fps
    scene.frame_set(int(frame), subframe=frame - int(frame))
    centre, size = bounds(scene)
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    scene.collection.objects.link(camera)
    camera.data.type = "ORTHO"
    camera.data.ortho_scale = 1.05 * size
    camera.data.clip_end = 10 * size
    turn = math.radians(job["turn_deg"])
    offset = Vector((math.sin(turn), -math.cos(turn), 0.25)).normalized() * (3 * size)
    camera.location = centre + offset
    camera.rotation_euler = offset.to_track_quat("Z", "Y").to_euler()
    scene.camera = camera
    scene.render.engine = "BLENDER_WORKBENCH"
    scene.display.shading.light = "STUDIO"
    scene.display.shading.color_type = "MATERIAL"
    scene.display.shading.show_cavity = True
    scene.render.resolution_x, scene.render.resolution_y = 640, 480
    scene.render.filepath = job["out"]
    bpy.ops.render.render(write_still=True)


with open(sys.argv[sys.argv.index("--") + 1], encoding="utf-8") as jobs:
    for each in json.load(jobs):
        render(each)

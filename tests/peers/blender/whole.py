"""What Blender holds of glTF files: everything a round trip must keep, and a picture.

python whole.py -- JOBS.json, or blender -b --python-exit-code 3 -P whole.py -- JOBS.json

JOBS.json is a list of {"file", "out"}. OUT.json gets objects (name, type, parent, vertices, materials, shape keys),
bones, actions, materials and pictures (with a checksum of their pixels), OUT.bin the evaluated positions of all meshes
at five times of every clip as little-endian floats, OUT.pixels a picture as bytes.
"""

import hashlib
import json
import sys

import bpy
import numpy as np
from mathutils import Vector

np.bool = bool  # Debian's numpy 1.24 has dropped the name that Blender 3.4's glTF importer uses
SIDE = 160


def pixels_of(image):
    values = np.empty(len(image.pixels), dtype=np.float32)
    image.pixels.foreach_get(values)
    return values


def describe():
    objects = [
        {
            "name": o.name,
            "type": o.type,
            "parent": [o.parent.name, o.parent_bone] if o.parent else None,
            "vertices": len(o.data.vertices) if o.type == "MESH" else None,
            "materials": [s.material.name if s.material else None for s in o.material_slots],
            "keys": [k.name for k in o.data.shape_keys.key_blocks]
            if o.type == "MESH" and o.data.shape_keys
            else [],
            "uvs": [layer.name for layer in o.data.uv_layers] if o.type == "MESH" else [],
        }
        for o in sorted(bpy.data.objects, key=lambda o: o.name)
    ]
    bones = {
        a.name: [[b.name, b.parent.name if b.parent else None] for b in a.bones] for a in bpy.data.armatures
    }
    images = [
        [i.name, list(i.size), hashlib.sha256(pixels_of(i).tobytes()).hexdigest()]
        for i in sorted(bpy.data.images, key=lambda i: i.name)
        if i.size[0] > 0
    ]
    return {
        "objects": objects,
        "bones": bones,
        "actions": sorted(a.name for a in bpy.data.actions),
        "materials": sorted(m.name for m in bpy.data.materials),
        "images": images,
    }


def meshes():
    """Of the file: Blender draws joints with a helper mesh that the importer makes."""
    return [
        o
        for o in sorted(bpy.data.objects, key=lambda o: o.name)
        if o.type == "MESH" and all(c.name != "glTF_not_exported" for c in o.users_collection)
    ]


def positions():
    graph = bpy.context.evaluated_depsgraph_get()
    parts = [np.zeros((0, 3), dtype=np.float32)]
    for o in meshes():
        evaluated = o.evaluated_get(graph)
        mesh = evaluated.to_mesh()
        local = np.empty(len(mesh.vertices) * 3, dtype=np.float32)
        mesh.vertices.foreach_get("co", local)
        evaluated.to_mesh_clear()
        matrix = np.array(evaluated.matrix_world, dtype=np.float64)
        parts.append((local.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]).astype(np.float32))
    return np.concatenate(parts)


def at_five_times():
    """Of the clip that is active after import, which is the file's first."""
    start, end = 1.0, 1.0
    for action in bpy.data.actions:
        start, end = min(start, action.frame_range[0]), max(end, action.frame_range[1])
    frames = []
    for i in range(5):
        frame = start + (end - start) * i / 4.0
        bpy.context.scene.frame_set(int(frame), subframe=frame - int(frame))
        frames.append(positions())
    return frames


def render(out, points):
    scene = bpy.context.scene
    low, high = Vector(points.min(axis=0)), Vector(points.max(axis=0))
    middle, size = (low + high) / 2.0, max((high - low).length, 1e-6)
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    scene.collection.objects.link(camera)
    away = Vector((0.6, -1.0, 0.35)).normalized()
    camera.location = middle + away * size * 1.4
    camera.rotation_euler = away.to_track_quat("Z", "Y").to_euler()
    camera.data.clip_start, camera.data.clip_end = size * 1e-3, size * 10.0
    sun = bpy.data.objects.new("sun", bpy.data.lights.new("sun", "SUN"))
    sun.rotation_euler = (0.7, 0.2, 0.4)
    sun.data.energy = 3.0
    scene.collection.objects.link(sun)
    scene.camera = camera
    scene.render.engine = "CYCLES"
    scene.cycles.device, scene.cycles.samples, scene.cycles.seed = "CPU", 4, 0
    scene.cycles.use_denoising = False
    scene.render.threads_mode, scene.render.threads = "FIXED", 1
    scene.render.resolution_x = scene.render.resolution_y = SIDE
    scene.render.resolution_percentage = 100
    scene.render.image_settings.file_format = "PNG"
    scene.render.filepath = out + ".png"
    bpy.ops.render.render(write_still=True)
    picture = bpy.data.images.load(out + ".png")
    np.rint(pixels_of(picture) * 255.0).astype(np.uint8).tofile(out + ".pixels")


def main():
    with open(sys.argv[sys.argv.index("--") + 1], encoding="utf-8") as jobs:
        for job in json.load(jobs):
            try:
                bpy.ops.wm.read_factory_settings(use_empty=True)
                bpy.ops.import_scene.gltf(filepath=job["file"])
                described = describe()
                described["version"] = bpy.app.version_string
                frames = at_five_times()
                np.concatenate(frames).astype("<f4").tofile(job["out"] + ".bin")
                if len(frames[0]) > 0:
                    bpy.context.scene.frame_set(1)
                    render(job["out"], frames[0])
                with open(job["out"] + ".json", "w", encoding="utf-8") as out:
                    json.dump(described, out)
            except Exception as error:  # one file Blender cannot read must not hide the others
                with open(job["out"] + ".error", "w", encoding="utf-8") as out:
                    out.write(f"{type(error).__name__}: {error}")


main()

"""What Blender's Mesh Cache modifier makes of point caches.

blender -b --python-exit-code 3 -P mesh_cache.py -- JOBS.json

JOBS.json is a list of {"cache", "kind" (PC2 or MDD), "points", "frames", "out"}. OUT holds the
evaluated positions of frames 1 .. frames as little-endian floats, untouched. With "file" and "object" the modifier
is put onto that object of a glTF file, as docs/formats.md says: without its armature and its parent.
"""

import json
import sys

import bpy
import numpy as np

np.bool = bool  # Debian's numpy 1.24 has dropped the name that Blender 3.4's glTF importer uses


def points(count):
    # Any points will do: the modifier overwrites every one of them.
    mesh = bpy.data.meshes.new("surface")
    mesh.from_pydata([(float(i), -1.0, 0.5) for i in range(count)], [], [])
    surface = bpy.data.objects.new("surface", mesh)
    bpy.context.scene.collection.objects.link(surface)
    return surface


def imported(file, name):
    bpy.ops.import_scene.gltf(filepath=file)
    surface = bpy.data.objects[name]
    surface.modifiers.clear()
    surface.animation_data_clear()
    surface.parent = None
    return surface


def play(job):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    count = job["points"]
    surface = imported(job["file"], job["object"]) if "file" in job else points(count)
    if len(surface.data.vertices) != count:
        raise ValueError(f'{surface.name}: {len(surface.data.vertices)} vertices, the cache has {count}')
    cache = surface.modifiers.new("cache", "MESH_CACHE")
    cache.cache_format = job["kind"]
    cache.filepath = job["cache"]
    cache.frame_start = 1
    frames = []
    for frame in range(1, job["frames"] + 1):
        scene.frame_set(frame)
        evaluated = surface.evaluated_get(bpy.context.evaluated_depsgraph_get())
        positions = np.empty(count * 3, dtype=np.float32)
        evaluated.data.vertices.foreach_get("co", positions)
        frames.append(positions)
    np.concatenate(frames).astype("<f4").tofile(job["out"])


with open(sys.argv[sys.argv.index("--") + 1], encoding="utf-8") as jobs:
    for each in json.load(jobs):
        play(each)

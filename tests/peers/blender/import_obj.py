"""What Blender's OBJ importer finds in files.

blender -b --python-exit-code 3 -P import_obj.py -- JOBS.json

JOBS.json is a list of {"file", "out"}. OUT.json holds the corners of each polygon, OUT.bin x y z u v of
every corner in polygon order as little-endian floats; several objects follow each other by name.
"""

import json
import sys

import bpy
import numpy as np


def read(job):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    # These two axes leave the numbers as they stand in the file.
    bpy.ops.wm.obj_import(filepath=job["file"], forward_axis="Y", up_axis="Z")
    tables = []
    sizes = []
    for found in sorted(bpy.context.scene.objects, key=lambda each: each.name):
        mesh = found.data
        points = np.empty(len(mesh.vertices) * 3, dtype=np.float32)
        mesh.vertices.foreach_get("co", points)
        corners = np.empty(len(mesh.loops), dtype=np.int32)
        mesh.loops.foreach_get("vertex_index", corners)
        uv = np.zeros(len(mesh.loops) * 2, dtype=np.float32)
        if mesh.uv_layers:
            mesh.uv_layers[0].data.foreach_get("uv", uv)
        table = np.concatenate([points.reshape(-1, 3)[corners], uv.reshape(-1, 2)], axis=1)
        tables.append(table)
        sizes.extend(len(polygon.loop_indices) for polygon in mesh.polygons)
    np.concatenate(tables).astype("<f4").tofile(job["out"] + ".bin")
    with open(job["out"] + ".json", "w", encoding="utf-8") as out:
        json.dump(sizes, out)


with open(sys.argv[sys.argv.index("--") + 1], encoding="utf-8") as jobs:
    for each in json.load(jobs):
        read(each)

"""Wrinkle maps in Blender by the recipe of docs/wrinkles.md: what its nodes show, and how far its Displace modifier moves.

blender -b --python-exit-code 3 -P wrinkle.py -- JOB.json

Writes OUT.normal.bin (the shaded normal in tangent space, baked by Cycles: rows from the bottom, r g b, and 1 where there is a surface) and
OUT.height.bin (per displaced vertex: u, v, metres along the normal), both float32.
"""

import json
import sys

import bpy
import numpy as np

np.bool = bool  # Debian's numpy 1.24 has dropped the name that Blender 3.4's glTF importer uses

with open(sys.argv[sys.argv.index("--") + 1], encoding="utf-8") as file:
    job = json.load(file)

bpy.ops.wm.read_factory_settings(use_empty=True)
scene = bpy.context.scene
scene.render.fps = job["fps"]
bpy.ops.import_scene.gltf(filepath=job["file"])
body = max((o for o in scene.objects if o.type == "MESH"), key=lambda o: len(o.data.vertices))


def sequence(first):
    image = bpy.data.images.load(first)
    image.source = "SEQUENCE"
    image.colorspace_settings.name = "Non-Color"
    return image


def play(user):
    user.frame_duration = job["frames"]
    user.frame_start = 1
    user.use_auto_refresh = True


# Steps 1 and 2: an image sequence, a normal map node, the shader.
material = bpy.data.materials.new("skin")
material.use_nodes = True
nodes, links = material.node_tree.nodes, material.node_tree.links
shader = nodes["Principled BSDF"]
maps = nodes.new("ShaderNodeTexImage")
maps.image = sequence(job["normal"])
play(maps.image_user)
normal = nodes.new("ShaderNodeNormalMap")
normal.uv_map = body.data.uv_layers[0].name
links.new(maps.outputs["Color"], normal.inputs["Color"])
links.new(normal.outputs["Normal"], shader.inputs["Normal"])
body.data.materials.clear()
body.data.materials.append(material)
for polygon in body.data.polygons:
    polygon.material_index = 0
    polygon.use_smooth = True

scene.frame_set(job["frame"])
target = bpy.data.images.new("target", job["size"], job["size"], alpha=True, float_buffer=True)
target.generated_color = (0, 0, 0, 0)
target.colorspace_settings.name = "Non-Color"
shown = nodes.new("ShaderNodeTexImage")
shown.image = target
nodes.active = shown
scene.render.engine = "CYCLES"
scene.cycles.device = "CPU"
scene.cycles.samples = 1
scene.cycles.use_denoising = False
scene.render.bake.margin = 0
bpy.ops.object.select_all(action="DESELECT")
bpy.context.view_layer.objects.active = body
body.select_set(True)
bpy.ops.object.bake(type="NORMAL", normal_space="TANGENT", save_mode="INTERNAL")
pixels = np.empty((job["size"] ** 2, 4), dtype=np.float32)
target.pixels.foreach_get(pixels.ravel())
# Where there is a surface at all: baked once more as light.
shader.inputs["Emission"].default_value = (1, 1, 1, 1)
bpy.ops.object.bake(type="EMIT", save_mode="INTERNAL")
light = np.empty_like(pixels)
target.pixels.foreach_get(light.ravel())
pixels[:, 3] = light[:, 0]
pixels.tofile(job["out"] + ".normal.bin")


# Step 3: heights, on a mesh that is fine enough.
def vertices():
    evaluated = body.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = evaluated.to_mesh()
    places = np.empty(3 * len(mesh.vertices), dtype=np.float32)
    mesh.vertices.foreach_get("co", places)
    normals = np.empty_like(places)
    mesh.vertices.foreach_get("normal", normals)
    corners = np.empty(len(mesh.loops), dtype=np.int32)
    mesh.loops.foreach_get("vertex_index", corners)
    uv = np.empty(2 * len(mesh.loops), dtype=np.float32)
    mesh.uv_layers[0].data.foreach_get("uv", uv)
    of_vertex = np.zeros((len(mesh.vertices), 2), dtype=np.float32)
    of_vertex[corners] = uv.reshape(-1, 2)
    evaluated.to_mesh_clear()
    return places.reshape(-1, 3), normals.reshape(-1, 3), of_vertex


finer = body.modifiers.new("finer", "SUBSURF")
finer.subdivision_type = "SIMPLE"
finer.levels = 2
texture = bpy.data.textures.new("heights", "IMAGE")
texture.image = sequence(job["height"])
play(texture.image_user)
texture.use_interpolation = True
texture.use_mipmap = False
displace = body.modifiers.new("wrinkles", "DISPLACE")
displace.texture = texture
displace.texture_coords = "UV"
displace.uv_layer = body.data.uv_layers[0].name
displace.mid_level = 0.5
displace.strength = 0.0
scene.frame_set(job["frame"])
before, along, places_in_map = vertices()
displace.strength = job["height_scale"]
bpy.context.view_layer.update()
after, _, _ = vertices()
moved = np.einsum("ij,ij->i", after - before, along)
np.column_stack([places_in_map, moved]).astype(np.float32).tofile(job["out"] + ".height.bin")

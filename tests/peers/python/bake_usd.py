"""Points of every mesh of stages, in the stage's space, as usd-core's own skinning gives them (UsdSkelBakeSkinning), as
a JSON object: for each mesh its prim's path and, for each time code asked for, its points, one after another.

build/peers-python/bin/python bake_usd.py STAGE.usda TIME...
"""

import json
import sys

from pxr import Gf, Usd, UsdGeom, UsdSkel


def main():
    stage = Usd.Stage.Open(sys.argv[1])
    times = [float(text) for text in sys.argv[2:]]
    interval = Gf.Interval(min(times), max(times))
    for prim in stage.Traverse():
        if prim.IsA(UsdSkel.Root) and not UsdSkel.BakeSkinning(UsdSkel.Root(prim), interval):
            sys.exit(f"{prim.GetPath()}: skinning could not be baked")
    found = {}
    for prim in stage.Traverse():
        if not prim.IsA(UsdGeom.Mesh):
            continue
        mesh = UsdGeom.Mesh(prim)
        frames = []
        for time in times:
            to_world = UsdGeom.Xformable(prim).ComputeLocalToWorldTransform(time)
            frames.append([x for point in mesh.GetPointsAttr().Get(time) for x in to_world.Transform(Gf.Vec3d(point))])
        found[str(prim.GetPath())] = frames
    print(json.dumps(found))


main()

"""Reads an .npz and a .pc2 of the same bake with numpy: the floats of the cache must be the doubles of
the archive, rounded, bit for bit. Prints a line of JSON with what was found.

/usr/bin/python3 compare_npz_pc2.py BAKE.npz BAKE.pc2
"""

import json
import sys

import numpy as np


def main():
    with np.load(sys.argv[1], allow_pickle=False) as archive:
        arrays = {name: archive[name] for name in archive.files}
    cache = np.fromfile(sys.argv[2], dtype=np.uint8)
    points, samples = cache[16:20].view("<i4")[0], cache[28:32].view("<i4")[0]
    floats = cache[32:].view("<f4").reshape(samples, points, 3)
    positions = arrays["positions"]
    rounded = positions.astype("<f4")
    print(
        json.dumps(
            {
                "arrays": {n: [str(a.dtype), list(a.shape)] for n, a in arrays.items()},
                "same_shape": positions.shape == floats.shape,
                "same_bits": rounded.tobytes() == floats.tobytes(),
                "finite": bool(np.isfinite(positions).all()),
            }
        )
    )


main()

"""cloth.py inside Debian's Blender, whose own arguments come first."""
import pathlib
import runpy
import sys

script = pathlib.Path(__file__).with_name("cloth.py")
sys.argv = [str(script)] + sys.argv[sys.argv.index("--") + 1 :]
runpy.run_path(str(script), run_name="__main__")

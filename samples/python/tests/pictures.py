"""What the tests share: a server to start, a folder of pictures, and the rows of batches."""

import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

PACKAGE = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PACKAGE))

SIDE = 16
CLASSES = ["cat", "dog", "elk"]
SAMPLES = 48


def number(name, default):
    """How often a test does what it does: more of it by the environment."""
    return int(os.environ.get(name, default))


def rows(batch):
    """A checksum of each valid sample."""
    return [zlib.crc32(b"".join(array[row].tobytes() for array in batch.values())) for row in range(batch.size)]


def picture(seed):
    """A BMP file of 20 x 20 pixels, which needs no encoder."""
    pixels = bytes((seed * 7919 + at * at * 31 + at * 17) % 256 for at in range(1200))
    header = struct.pack("<2sIIIIiiHHIIiiII", b"BM", 54 + 1200, 0, 54, 40, 20, 20, 1, 24, 0, 1200, 2835, 2835, 0, 0)
    return header + pixels


class WithPictures(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if "PENSTOCK_COMMAND" not in os.environ and "PENSTOCK_HOME" not in os.environ and not shutil.which("mvn"):
            raise unittest.SkipTest("these tests start penstock: set PENSTOCK_COMMAND or PENSTOCK_HOME")
        cls.folder = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        for at in range(SAMPLES):
            place = pathlib.Path(cls.folder, CLASSES[at % 3], f"{at}.bmp")
            place.parent.mkdir(exist_ok=True)
            place.write_bytes(picture(at))
        cls.source = f"images:{cls.folder}"
        cls.flags = {"resize": SIDE, "augment": "flip", "batch": 8}

    def run_python(self, script, *arguments):
        """Runs a program of this folder, and returns its exit status and what it printed."""
        done = subprocess.run(
            [sys.executable, str(PACKAGE / "tests" / script), *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        return done.returncode, done.stdout

"""What the tests share: a server to start, a folder of pictures, and the rows of batches."""

import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
import zlib

PACKAGE = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PACKAGE))
import penstock  # noqa: E402
from penstock.loader import _command as launcher  # noqa: E402

SIDE = 16
CLASSES = ["cat", "dog", "elk"]
SAMPLES = 44
FLAGS = {"resize": SIDE, "augment": "flip", "batch": 8, "remainder": "pad"}


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
    """Has pictures, a place of its own for shared memory, and a loader that tests share: a JVM takes seconds to start."""

    shared = None

    @classmethod
    def setUpClass(cls):
        if "PENSTOCK_COMMAND" not in os.environ and "PENSTOCK_HOME" not in os.environ and not shutil.which("mvn"):
            raise unittest.SkipTest("these tests start penstock: set PENSTOCK_COMMAND or PENSTOCK_HOME")
        cls.folder = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.memory = tempfile.mkdtemp(dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
        cls.addClassCleanup(shutil.rmtree, cls.memory)
        place = unittest.mock.patch.dict(os.environ, PENSTOCK_SHARED_FOLDER=cls.memory)
        place.start()
        cls.addClassCleanup(place.stop)
        for at in range(SAMPLES):
            place = pathlib.Path(cls.folder, CLASSES[at % 3], f"{at}.bmp")
            place.parent.mkdir(exist_ok=True)
            place.write_bytes(picture(at))
        cls.source = f"images:{cls.folder}"
        cls.flags = FLAGS

    def loader(self, **options):
        """The batches of the shared loader from the first epoch on."""
        if self.shared is None:
            type(self).shared = penstock.loader(self.source, **self.flags)
            self.addClassCleanup(self.shared.close)
        batches = penstock.Batches(self.shared.address, **{**self.shared.options, **options})
        self.addCleanup(batches.close)
        return batches

    def serve(self, *words, **environment):
        """A server of the pictures, with its address; one that a test may kill."""
        flags = [word for name, value in FLAGS.items() if f"--{name}" not in words for word in (f"--{name}", value)]
        serving = subprocess.Popen(
            [*map(str, [*launcher(), "serve", "--source", self.source, *flags, *words]), "--until-stdin-ends"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **environment},
        )
        self.addCleanup(serving.stdout.close)
        self.addCleanup(serving.wait)
        self.addCleanup(serving.stdin.close)
        serving.address = serving.stdout.readline().strip()
        return serving

    def traces(self):
        """The files in shared memory and the JVMs that have to do with the pictures."""
        running = set()
        for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            try:
                words = path.read_bytes()
            except OSError:
                continue  # it has ended
            if b"--until-stdin-ends" in words and self.folder.encode() in words:
                running.add(path.parent.name)
        return set(os.listdir(self.memory)), running

    def run_python(self, script, *arguments, **environment):
        """Runs a program of this folder, and returns its exit status and what it printed."""
        done = subprocess.run(
            [sys.executable, str(PACKAGE / "tests" / script), *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, **environment},
        )
        return done.returncode, done.stdout

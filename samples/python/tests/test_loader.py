"""A loader starts a JVM, shares memory with it, and ends it. More rounds by PENSTOCK_STARTS and PENSTOCK_KILLS."""

import os
import pathlib
import random
import subprocess
import sys
import time
import unittest

from pictures import CLASSES, SAMPLES, SIDE, WithPictures, number, rows

import numpy as np
import penstock


def traces():
    """The files in shared memory and the JVMs of loaders."""
    memory = pathlib.Path("/dev/shm")
    files = {path.name for path in memory.iterdir() if path.name.startswith("penstock-loader-")} if memory.is_dir() else set()
    running = set()
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if b"--until-stdin-ends" in path.read_bytes():
                running.add(path.parent.name)
        except OSError:
            pass  # it has ended
    return files, running


class LoaderTest(WithPictures):
    def test_passes_are_epochs(self):
        with penstock.loader(self.source, **self.flags) as loader:
            self.assertEqual(len(loader), 6)
            self.assertEqual(loader.classes, CLASSES)
            seen = []
            for epoch in range(3):
                self.assertEqual(loader.epoch, epoch)
                batches = [(batch.epoch, batch.size, rows(batch)) for batch in loader]
                self.assertEqual([each[:2] for each in batches], [(epoch, 8)] * 6)
                seen.append([row for batch in batches for row in batch[2]])
            self.assertNotEqual(seen[0], seen[1])

    def test_last_batch_says_how_many_rows_are_valid(self):
        with penstock.loader(self.source, resize=SIDE, batch=20) as loader:
            self.assertEqual([len(batch.mask) for batch in loader], [20, 20, 8])
        with penstock.loader(self.source, resize=SIDE, batch=20, remainder="pad") as loader:
            batches = [(len(batch["label"]), batch.size, int(batch.mask.sum())) for batch in loader]
        self.assertEqual(batches, [(20, 20, 20), (20, 20, 20), (20, 8, 8)])

    def test_batches_of_padded_samples_come_too(self):
        with penstock.loader(self.source, resize=SIDE, batch=20, pad=True) as loader:
            self.assertEqual([batch.size for batch in loader], [20, 20, 8])

    def test_epochs_that_were_asked_for_end(self):
        with penstock.loader(self.source, **self.flags, epochs=1) as loader:
            self.assertEqual(len(list(loader)), len(loader))
            with self.assertRaisesRegex(penstock.EndOfRun, "no batch is left"):
                list(loader)

    def test_two_ranks_share_an_epoch(self):
        with penstock.loader(self.source, resize=SIDE) as loader:
            every = sorted(row for batch in loader for row in rows(batch))
        halves = []
        for rank in range(2):
            with penstock.loader(self.source, resize=SIDE, rank=rank, world=2) as loader:
                halves.append([row for batch in loader for row in rows(batch)])
        self.assertEqual([len(half) for half in halves], [SAMPLES // 2] * 2)
        self.assertEqual(sorted(halves[0] + halves[1]), every)

    def test_dlpack_needs_no_copy(self):
        with penstock.loader(self.source, **self.flags, copy=True) as loader:
            pixels = next(iter(loader))["pixels"]
            self.assertTrue(np.shares_memory(np.from_dlpack(pixels), pixels))

    def test_views_are_read_only(self):
        with penstock.loader(self.source, **self.flags) as loader:
            with self.assertRaises(ValueError):
                next(iter(loader))["pixels"][0] = 0

    def test_unknown_keyword_is_refused_with_the_nearest(self):
        before = traces()
        with self.assertRaisesRegex(TypeError, "no keyword 'resise'.*did you mean 'resize'"):
            penstock.loader(self.source, resise=SIDE)
        with self.assertRaisesRegex(TypeError, "port is not for loader"):
            penstock.loader(self.source, port=8080)
        self.assertEqual(traces(), before)

    def test_missing_folder_is_an_error_with_its_name(self):
        with self.assertRaisesRegex(penstock.PenstockError, "nothere"):
            penstock.loader("images:/nothere", resize=SIDE)

    def test_starts_leave_nothing(self):
        before, files = traces(), None
        for _ in range(number("PENSTOCK_STARTS", 5)):
            with penstock.loader(self.source, **self.flags) as loader:
                next(iter(loader))
            opened = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
            files = opened if files is None else files
            self.assertEqual(opened, files)
        self.assertEqual(traces(), before)

    def test_killed_python_leaves_nothing(self):
        before = traces()
        status, said = self.run_python("trainer.py", self.source, f"{self.folder}/o", f"{self.folder}/s", 1, 2)
        self.assertEqual((status, said), (-9, ""))
        until = time.monotonic() + 60
        while traces() != before and time.monotonic() < until:
            time.sleep(0.05)
        self.assertEqual(traces(), before)

    def test_kills_and_resumes_are_bit_exact(self):
        expected = f"{self.folder}/expected"
        status, said = self.run_python("trainer.py", self.source, expected, expected + ".state", 1, 1 << 30)
        self.assertEqual((status, said), (0, ""))
        wanted = pathlib.Path(expected).read_text()
        self.assertEqual(len(wanted.split()), 2 * SAMPLES)
        dice, kills, run = random.Random(7), 0, 0
        while kills < number("PENSTOCK_KILLS", 3):
            run += 1
            out = pathlib.Path(f"{self.folder}/run{run}")
            status = -9
            while status == -9:
                world = dice.choice([1, 1, 2])  # of 12 steps in all
                status, said = self.run_python("trainer.py", self.source, out, f"{out}.state", world, dice.randint(1, 4))
                kills += status == -9
                self.assertIn(status, (0, -9), said)
            self.assertEqual(out.read_text(), wanted)


class AddressTest(unittest.TestCase):
    def test_wrong_port_is_said_at_once(self):
        with self.assertRaisesRegex(penstock.PenstockError, "no Penstock server answers at http://127.0.0.1:9/"):
            next(iter(penstock.Batches("http://127.0.0.1:9/")))
        with self.assertRaisesRegex(penstock.PenstockError, "does not say its plan"):
            len(penstock.Batches("http://127.0.0.1:9/"))

    def test_state_of_something_else_is_refused(self):
        with self.assertRaisesRegex(ValueError, "state must be what state_dict"):
            penstock.Batches("http://127.0.0.1:9/").load_state_dict({"epoch": 3})


class WheelTest(unittest.TestCase):
    def test_wheel_has_the_package_with_its_types(self):
        import tempfile
        import zipfile

        import build_wheel

        with tempfile.TemporaryDirectory() as folder:
            first, second = (pathlib.Path(folder, build_wheel.build_wheel(folder)).read_bytes() for _ in range(2))
            self.assertEqual(first, second)
            wheel = next(pathlib.Path(folder).iterdir())
            with zipfile.ZipFile(wheel) as archive:
                self.assertLessEqual({"penstock/__init__.py", "penstock/py.typed", "penstock_order.py"}, set(archive.namelist()))
            program = "import penstock, penstock_order; print(penstock.__file__)"
            said = subprocess.run(
                [sys.executable, "-c", program], env={**os.environ, "PYTHONPATH": str(wheel)}, capture_output=True, text=True, cwd=folder
            )
            self.assertIn(wheel.name, said.stdout, said.stderr)


if __name__ == "__main__":
    unittest.main()

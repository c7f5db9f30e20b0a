"""A loader starts a JVM, shares memory with it, and ends it. More rounds by PENSTOCK_STARTS and PENSTOCK_KILLS."""

import os
import pathlib
import random
import shlex
import subprocess
import sys
import threading
import time
import unittest
import unittest.mock

from pictures import CLASSES, SIDE, WithPictures, number, rows

import numpy as np
import penstock


class LoaderTest(WithPictures):
    def test_passes_are_epochs(self):
        loader = self.loader()
        self.assertEqual(len(loader), 6)
        self.assertEqual(loader.classes, CLASSES)
        seen = []
        for epoch in range(3):
            self.assertEqual(loader.epoch, epoch)
            batches = [(batch.epoch, batch.size, rows(batch)) for batch in loader]
            self.assertEqual([each[:2] for each in batches], [(epoch, 8)] * 5 + [(epoch, 4)])
            seen.append([row for batch in batches for row in batch[2]])
        self.assertNotEqual(seen[0], seen[1])

    def test_last_batch_says_how_many_rows_are_valid(self):
        batches = [(len(batch["label"]), batch.size, int(batch.mask.sum())) for batch in self.loader()]
        self.assertEqual(batches, [(8, 8, 8)] * 5 + [(8, 4, 4)])

    def test_epochs_that_were_asked_for_end(self):
        with penstock.loader(self.source, resize=SIDE, batch=20, epochs=1) as loader:
            self.assertEqual([len(batch.mask) for batch in loader], [20, 20, 4])
            with self.assertRaisesRegex(penstock.EndOfRun, "no batch is left"):
                list(loader)

    def test_batches_of_padded_samples_come_too(self):
        with penstock.loader(self.source, resize=SIDE, batch=20, pad=True) as loader:
            self.assertEqual([batch.size for batch in loader], [20, 20, 4])

    def test_indices_come_with_the_rows(self):
        with penstock.loader(self.source, **self.flags, epochs=1, with_indices=True, shuffle=False) as loader:
            rows = [int(index) for batch in loader for index in batch["index"]]
        self.assertEqual(rows, list(range(44)) + [-1] * 4)

    def test_dlpack_needs_no_copy(self):
        pixels = next(iter(self.loader()))["pixels"]
        self.assertTrue(np.shares_memory(np.from_dlpack(pixels), pixels))

    def test_views_are_read_only(self):
        batches = iter(self.loader(copy=False))
        with self.assertRaises(ValueError):
            next(batches)["pixels"][0] = 0

    def test_field_that_a_batch_lacks_is_refused_with_those_it_has(self):
        batch = next(iter(self.loader()))
        with self.assertRaisesRegex(KeyError, "no field 'labels', only pixels, label"):
            batch["labels"]
        self.assertIsNone(batch.get("labels"))

    def test_keyword_of_the_loader_itself_is_refused(self):
        with self.assertRaisesRegex(TypeError, "port is not for loader"):
            penstock.loader(self.source, port=8080)

    def test_failed_start_is_explained_and_leaves_nothing(self):
        before = self.traces()
        with self.assertRaisesRegex(TypeError, "no keyword 'resise'.*did you mean 'resize'"):
            penstock.loader(self.source, resise=SIDE)
        with self.assertRaisesRegex(TypeError, "did you mean 'batch'"):
            penstock.loader(self.source, batch_size=4)
        with self.assertRaisesRegex(penstock.PenstockError, "nothere"):
            penstock.loader("images:/nothere", resize=SIDE)
        self.assertEqual(self.traces(), before)

    def test_starts_leave_nothing(self):
        before, opened = self.traces(), []
        for _ in range(number("PENSTOCK_STARTS", 2)):
            with penstock.loader(self.source, **self.flags) as loader:
                next(iter(loader))
            descriptors = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
            opened.append((descriptors, threading.active_count()))
        self.assertEqual(opened, opened[:1] * len(opened))
        self.assertEqual(self.traces(), before)

    def test_killed_python_leaves_nothing(self):
        before = self.traces()
        status, said = self.run_python("trainer.py", self.source, f"{self.folder}/o", f"{self.folder}/s", 1, 2)
        self.assertEqual((status, said), (-9, ""))
        until = time.monotonic() + 60
        while self.traces() != before and time.monotonic() < until:
            time.sleep(0.05)
        self.assertEqual(self.traces(), before)

    def test_kills_and_resumes_are_bit_exact_at_any_world_size(self):
        loader, wanted = self.loader(), []
        for _ in range(2):
            wanted += [row for batch in loader for row in rows(batch)]
        loader.close()
        secret = self.shared.options["token"]
        ranks = self.serve("--each-a-rank", 2, "--shared", f"{self.memory}/ranks", "--batch", 4, "--epochs", 1000000, PENSTOCK_TOKEN=secret)
        alone, both = (self.shared.address, 1), (ranks.address, 2)
        dice, starts, kills, runs, aim = random.Random(7), [], 0, 0, number("PENSTOCK_KILLS", 4)
        while kills < aim:
            runs += 1
            out, status = pathlib.Path(f"{self.folder}/run{runs}"), -9
            while status == -9:
                address, world = dice.choice([alone, both]) if len(starts) > 1 else [alone, both][len(starts)]
                limit = dice.randint(1, 5) if kills < aim else 1 << 30  # of 12 steps
                status, said = self.run_python(
                    "trainer.py", address, out, f"{out}.state", world, limit, PENSTOCK_TOKEN=secret
                )
                self.assertIn(status, (0, -9), said)
                starts.append(world)
                kills += status == -9
            self.assertEqual([int(line) for line in out.read_text().split()], wanted)
        if "PENSTOCK_KILLS" in os.environ:
            print(f"{kills} kills in {runs} runs; {starts.count(2)} of {len(starts)} starts had two ranks", file=sys.stderr)


class StartTest(unittest.TestCase):
    def start(self, program, **options):
        """Starts a program in place of the JVM."""
        with unittest.mock.patch.dict(os.environ, PENSTOCK_COMMAND=shlex.join(["sh", "-c", program])):
            penstock.loader("images:x", **options)

    def test_program_that_does_not_come_up_is_ended_after_the_limit(self):
        with self.assertRaisesRegex(penstock.PenstockError, r"no address within start_limit=0\.3 s; waiting for the disk"):
            self.start("echo waiting for the disk >&2; sleep 600", start_limit=0.3)

    def test_program_that_ends_is_said_at_once_with_its_output(self):
        with self.assertRaisesRegex(penstock.PenstockError, "it ended with status 7; no memory is left"):
            self.start("echo no memory is left >&2; exit 7")
        with self.assertRaisesRegex(penstock.PenstockError, "it ended with status 0; it printed nothing"):
            self.start("exit 0")

    def test_interrupted_start_leaves_nothing(self):
        threads = threading.active_count()
        with unittest.mock.patch.object(sys.modules["penstock.loader"], "_address", side_effect=KeyboardInterrupt):
            with self.assertRaises(KeyboardInterrupt):
                self.start("exec cat")
        self.assertEqual(threading.active_count(), threads)


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

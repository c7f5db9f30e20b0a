"""Servers that are lost, wrong keywords, damaged data, and what killed processes leave."""

import os
import pathlib
import signal
import socket
import subprocess
import sys
import unittest

from pictures import PACKAGE, SIDE, WithPictures, picture, rows

import penstock

try:
    from torch.utils.data import DataLoader
except ImportError:
    DataLoader = None

KILLED = "the JVM of the loader is gone: it was ended by signal 9 \\(SIGKILL\\)"


class LostServerTest(WithPictures):
    def go_on(self, batches, restart):
        """Loses all servers in the second epoch, is told so at each try, and has the rest once they are back."""
        seen = [row for batch in batches for row in rows(batch)]
        for batch in batches:
            seen += rows(batch)
            if len(seen) > 60:
                break
        stream = batches.all()
        seen += rows(next(stream))
        restart(None)
        for again in range(3):
            with self.assertRaises(penstock.PenstockError) as failed:
                while again < 2:
                    seen += rows(next(stream))
                seen += [row for batch in batches for row in rows(batch)]
            self.assertNotIsInstance(failed.exception, penstock.EndOfRun)
        restart(1)
        seen += [row for batch in (stream if len(seen) % 2 else batches.all()) for row in rows(batch)]
        return seen

    def test_pass_behind_a_lost_server_goes_on_where_it_was(self):
        loader = self.loader()
        wanted = [row for _ in range(3) for batch in loader for row in rows(batch)]
        loader.close()
        for shared, count in (False, 1), (True, 1), (False, 2):
            ports, running = [], []
            for _ in range(count):
                with socket.create_server(("127.0.0.1", 0)) as free:
                    ports.append(free.getsockname()[1])

            def restart(ready, shared=shared, ports=ports, running=running):
                for each in running:
                    each.kill()
                    each.wait()
                more = ["--shared", f"{self.memory}/lost"] if shared else []
                running[:] = [self.serve("--epochs", 3, "--port", port, *more) for port in ports if ready]

            restart(1)
            addresses = [f"http://127.0.0.1:{port}/" for port in ports]
            with penstock.Batches(addresses, shared=shared, patience=0.3) as batches:
                self.assertEqual(self.go_on(batches, restart), wanted)
                with self.assertRaises(penstock.EndOfRun):
                    list(batches)

    def test_loader_says_that_its_jvm_was_killed(self):
        with penstock.loader(self.source, **self.flags) as loader:
            batches = iter(loader)
            next(batches)
            os.kill(loader._process.pid, signal.SIGKILL)
            for use in (lambda: list(batches), lambda: list(loader), lambda: list(loader.all()), lambda: loader.epoch):
                with self.assertRaisesRegex(penstock.PenstockError, KILLED):
                    use()

    @unittest.skipIf(DataLoader is None, "this test needs PyTorch")
    def test_torch_batches_say_so_too(self):
        for workers in (0, 1):
            with penstock.loader(self.source, resize=SIDE, batch=1) as loader:  # so small that the worker has not all of them
                batches = iter(DataLoader(penstock.TorchBatches(loader), batch_size=None, num_workers=workers))
                next(batches)
                os.kill(loader._process.pid, signal.SIGKILL)
                with self.assertRaisesRegex(penstock.PenstockError, KILLED if workers == 0 else "no Penstock server answers"):
                    list(batches)

    def test_closed_loader_says_so_at_once(self):
        loader = penstock.loader(self.source, **self.flags)
        batches = iter(loader)
        next(batches)
        loader.close()
        for use in (lambda: next(batches), lambda: next(iter(loader)), lambda: len(loader), lambda: loader.classes):
            with self.assertRaisesRegex(penstock.PenstockError, "the loader was closed"):
                use()

    def test_damaged_picture_is_told_in_a_sentence(self):
        broken = pathlib.Path(self.folder, "cat", "broken.bmp")
        broken.write_bytes(picture(1)[:200])
        self.addCleanup(broken.unlink)
        for options in {}, {"pad": True}:
            program = "import penstock; list(penstock.loader(%r, resize=%d, batch=8, **%r))" % (self.source, SIDE, options)
            told = subprocess.run(
                [sys.executable, "-c", program], env={**os.environ, "PYTHONPATH": str(PACKAGE)}, capture_output=True, text=True
            ).stderr
            self.assertRegex(told, r"(?m)^penstock\.batch\.PenstockError: .*broken\.bmp.*; --on-error skip leaves such samples out$")
            self.assertNotRegex(told, r"500|\tat |Exception")

    def test_pictures_of_several_sizes_name_the_flag(self):
        odd = pathlib.Path(self.folder, "cat", "odd.bmp")
        odd.write_bytes(picture(1).replace(b"\x14\0\0\0\x14\0\0\0", b"\x0a\0\0\0\x14\0\0\0", 1)[: 54 + 640])
        self.addCleanup(odd.unlink)
        with penstock.loader(self.source, batch=8) as loader:
            with self.assertRaisesRegex(penstock.PenstockError, "--pad") as failed:
                list(loader)
        self.assertNotIn("padShapes", str(failed.exception))


class KeywordTest(WithPictures):
    def refused(self, message, **keywords):
        with self.assertRaisesRegex(TypeError, message):
            penstock.loader(self.source, **{"resize": SIDE, **keywords})

    def test_shuffle_false_is_in_order(self):
        wanted = [at % 3 for at in range(44)]
        for keywords in {"shuffle": False}, {"shuffle": False, "no_shuffle": None}:
            with penstock.loader(self.source, resize=SIDE, batch=8, **keywords) as loader:
                for _ in range(2):
                    self.assertEqual([label for batch in loader for label in batch["label"]], sorted(wanted))

    def test_shuffle_true_is_the_order_of_nothing_said(self):
        def labels(**keywords):
            with penstock.loader(self.source, resize=SIDE, batch=8, seed=3, **keywords) as loader:
                return [label for batch in loader for label in batch["label"]]

        wanted = labels()
        self.assertNotEqual(wanted, sorted(wanted))
        self.assertEqual(labels(shuffle=True, epochs=None, no_shuffle=False, cache_ram=None), wanted)

    def test_unknown_keywords_are_refused_whatever_their_value(self):
        for value in (False, None, [], True, 3):
            self.refused("no keyword 'shufle'.*did you mean 'shuffle'", shufle=value)

    def test_flag_with_a_value_takes_no_boolean(self):
        self.refused("cache_ram must be a value, was False; None leaves", cache_ram=False)
        self.refused("batch must be a value, was True", batch=True)

    def test_shuffle_that_is_unclear_is_refused(self):
        self.refused("shuffle must be True or False, was 0", shuffle=0)
        self.refused("contradict", shuffle=True, no_shuffle=True)

    @unittest.skipIf(DataLoader is None, "this test needs PyTorch")
    def test_torch_batches_refuse_at_once(self):
        with self.assertRaises(TypeError):
            penstock.TorchBatches("http://127.0.0.1:9/", shuffle=False)


class LeftoverTest(WithPictures):
    def test_folder_of_killed_processes_goes_with_the_next_start(self):
        program = (
            "import os, signal, sys, penstock; loader = penstock.loader(sys.argv[1], resize=16, batch=8); next(iter(loader));"
            "os.kill(loader._process.pid, signal.SIGKILL); loader._process.wait(); os.kill(os.getpid(), signal.SIGKILL)"
        )
        own = self.loader()  # which stays
        next(iter(own))
        before, _ = self.traces()
        environment = {**os.environ, "PYTHONPATH": str(PACKAGE)}
        self.assertEqual(subprocess.run([sys.executable, "-c", program, self.source], env=environment).returncode, -9)
        self.assertEqual(len(self.traces()[0] - before), 1)
        stranger = pathlib.Path(self.memory, "penstock-loader-file")
        stranger.write_bytes(b"")
        self.addCleanup(stranger.unlink)
        with penstock.loader(self.source, resize=SIDE, batch=8) as loader:
            self.assertEqual(self.traces()[0], before | {stranger.name, os.path.basename(loader._folder.path)})
        self.assertEqual(self.traces()[0], before | {stranger.name})
        self.assertEqual(len(list(own)), 5)


if __name__ == "__main__":
    unittest.main()

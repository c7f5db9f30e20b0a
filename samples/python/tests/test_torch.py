"""In place of a PyTorch DataLoader. Skipped where PyTorch is not installed."""

import concurrent.futures
import itertools
import json
import socket
import unittest

from pictures import SIDE, WithPictures, rows

import penstock

try:
    import torch
    from torch.utils.data import DataLoader
except ImportError:
    torch = None


@unittest.skipIf(torch is None, "this test needs PyTorch")
class TorchTest(WithPictures):
    def sums(self, loader):
        return [int(batch["pixels"].long().sum()) for batch in loader]

    def test_tensors_share_the_memory_of_arrays(self):
        batch = next(iter(self.loader()))
        tensors = batch.tensors()
        self.assertEqual(tensors["pixels"].shape, (8, SIDE, SIDE, 3))
        self.assertEqual(tensors["pixels"].data_ptr(), batch["pixels"].ctypes.data)
        self.assertEqual(torch.from_dlpack(batch["pixels"]).data_ptr(), batch["pixels"].ctypes.data)

    def test_data_loader_has_an_epoch_a_pass(self):
        loader = self.loader()
        wanted = [self.sums(batch.tensors() for batch in loader) for _ in range(2)]
        loader.close()
        for workers in (0, 1):
            batches = DataLoader(penstock.TorchBatches(self.loader()), batch_size=None, num_workers=workers)
            self.assertEqual(len(batches), 6)
            self.assertEqual([self.sums(batches) for _ in range(2)], wanted)

    def test_two_workers_are_refused(self):
        with self.assertRaisesRegex(ValueError, "num_workers must be 0 or 1"):
            list(DataLoader(penstock.TorchBatches(self.loader()), batch_size=None, num_workers=2))

    def test_state_continues_behind_the_last_batch(self):
        batches = penstock.TorchBatches(self.loader())
        wanted = self.sums(batches) + self.sums(batches)
        batches = penstock.TorchBatches(self.loader())
        first = self.sums(itertools.islice(batches, 4))
        state = batches.state_dict()
        batches = penstock.TorchBatches(self.loader())
        batches.load_state_dict(state)
        self.assertEqual(first + self.sums(batches) + self.sums(batches), wanted)
        self.assertEqual(batches.epoch, 2)

    def test_worker_begins_where_a_state_says(self):
        batches = penstock.TorchBatches(self.loader())
        wanted = self.sums(batches)
        batches.load_state_dict({"resume": None})
        taken = list(itertools.islice(DataLoader(batches, batch_size=None, num_workers=1), 2))
        batches.load_state_dict({"resume": taken[-1]["penstock.resume"]})
        self.assertEqual(self.sums(taken) + self.sums(DataLoader(batches, batch_size=None, num_workers=1)), wanted)

    def test_sizes_are_in_the_batch(self):
        sizes = [(len(batch["label"]), batch["penstock.size"]) for batch in penstock.TorchBatches(self.loader())]
        self.assertEqual(sizes, [(8, 8)] * 5 + [(8, 4)])

    def test_plain_loop_learns(self):
        torch.manual_seed(0)
        model = torch.nn.Linear(SIDE * SIDE * 3, 3)
        optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
        loader, losses = self.loader(), []
        for _ in range(4):
            losses.append(0.0)
            for batch in loader:
                tensors = batch.tensors()
                pixels, labels = tensors["pixels"].flatten(1).float() / 255, tensors["label"].long()
                loss = torch.nn.functional.cross_entropy(model(pixels)[: batch.size], labels[: batch.size])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                losses[-1] += loss.item()
        self.assertLess(losses[-1], losses[0])

    def test_two_ranks_of_torchrun_share_an_epoch(self):
        wanted = [row for batch in self.loader() for row in rows(batch)]
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = str(free.getsockname()[1])
        place = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "OMP_NUM_THREADS": "1"}
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            running = [pool.submit(self.run_python, "ranks.py", self.source, RANK=str(at), **place) for at in range(2)]
        (status, said), (other, words) = (each.result() for each in running)
        self.assertEqual((status, other, words), (0, 0, ""), said)
        (first, weight), (second, same) = json.loads(said.splitlines()[-1])
        self.assertEqual(weight, same)
        steps = [itertools.chain.from_iterable(itertools.zip_longest(*step)) for step in zip(first, second)]
        self.assertEqual([row for step in steps for row in step if row is not None], wanted)


if __name__ == "__main__":
    unittest.main()

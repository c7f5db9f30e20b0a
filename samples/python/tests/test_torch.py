"""In place of a PyTorch DataLoader. Skipped where PyTorch is not installed."""

import itertools
import unittest

from pictures import SAMPLES, SIDE, WithPictures

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
        with penstock.loader(self.source, **self.flags) as loader:
            batch = next(iter(loader))
            tensors = batch.tensors()
            self.assertEqual(tensors["pixels"].shape, (8, SIDE, SIDE, 3))
            self.assertEqual(tensors["pixels"].data_ptr(), batch["pixels"].ctypes.data)
        with penstock.loader(self.source, **self.flags, copy=True) as loader:
            batch = next(iter(loader))
            self.assertEqual(torch.from_dlpack(batch["pixels"]).data_ptr(), batch["pixels"].ctypes.data)

    def test_data_loader_has_an_epoch_a_pass(self):
        with penstock.loader(self.source, **self.flags) as loader:
            wanted = [self.sums(batch.tensors() for batch in loader) for _ in range(2)]
        for workers in (0, 1):
            with penstock.loader(self.source, **self.flags) as loader:
                batches = DataLoader(penstock.TorchBatches(loader), batch_size=None, num_workers=workers)
                self.assertEqual(len(batches), 6)
                self.assertEqual([self.sums(batches) for _ in range(2)], wanted)

    def test_two_workers_are_refused(self):
        with penstock.loader(self.source, **self.flags) as loader:
            with self.assertRaisesRegex(ValueError, "num_workers must be 0 or 1"):
                list(DataLoader(penstock.TorchBatches(loader), batch_size=None, num_workers=2))

    def test_state_continues_behind_the_last_batch(self):
        with penstock.loader(self.source, **self.flags) as loader:
            batches = penstock.TorchBatches(loader)
            wanted = self.sums(batches) + self.sums(batches)
        with penstock.loader(self.source, **self.flags) as loader:
            batches = penstock.TorchBatches(loader)
            first = self.sums(itertools.islice(batches, 4))
            state = batches.state_dict()
        with penstock.loader(self.source, **self.flags) as loader:
            batches = penstock.TorchBatches(loader)
            batches.load_state_dict(state)
            self.assertEqual(first + self.sums(batches) + self.sums(batches), wanted)
            self.assertEqual(batches.epoch, 2)

    def test_worker_begins_where_a_state_says(self):
        with penstock.loader(self.source, **self.flags) as loader:
            batches = penstock.TorchBatches(loader)
            wanted = self.sums(batches)
            batches.load_state_dict({"resume": None})
            taken = list(itertools.islice(DataLoader(batches, batch_size=None, num_workers=1), 2))
            batches.load_state_dict({"resume": taken[-1]["penstock.resume"]})
            self.assertEqual(self.sums(taken) + self.sums(DataLoader(batches, batch_size=None, num_workers=1)), wanted)

    def test_sizes_are_in_the_batch(self):
        with penstock.loader(self.source, resize=SIDE, batch=20, pad=True) as loader:
            self.assertEqual(sum(batch["penstock.size"] for batch in penstock.TorchBatches(loader)), SAMPLES)


if __name__ == "__main__":
    unittest.main()

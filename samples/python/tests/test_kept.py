"""What a loop keeps stays as it was, or is refused: batches, arrays, views of them, tensors."""

import random
import unittest

import numpy as np
from pictures import WithPictures, number, rows

import penstock
from penstock.shared import Copies


class KeptTest(WithPictures):
    def test_kept_batches_stay(self):
        for options in {}, {"shared": False}:
            batches = self.loader(**options)
            then = [(rows(batch), batch) for _ in range(3) for batch in batches]
            self.assertGreater(len({row for each, _ in then for row in each}), 44)  # some flipped, some not
            self.assertEqual([each for each, _ in then], [rows(batch) for _, batch in then])

    def test_arrays_of_copies_are_the_callers(self):
        batch = next(iter(self.loader()))
        batch["pixels"][0] = 0
        self.assertEqual(batch["pixels"][0].max(), 0)

    def test_old_batch_of_views_is_refused(self):
        batches = iter(self.loader(copy=False))
        old, taken = next(batches), None
        taken = old["pixels"]
        new = next(batches)
        uses = [lambda: old["pixels"], lambda: dict(old), lambda: {**old}, lambda: list(old), lambda: old.items()]
        uses += [lambda: old.get("label"), lambda: len(old), lambda: old.mask, lambda: old.tensors(), lambda: "label" in old]
        for use in uses:
            with self.assertRaisesRegex(penstock.PenstockError, "given back when the next one is requested.*copy=False"):
                use()
        self.assertEqual((old.size, old.epoch, taken.shape, new["pixels"].shape), (8, 0, taken.shape, taken.shape))
        self.assertIn("given back", repr(old))

    def test_last_batch_of_views_is_refused_behind_the_loop(self):
        for batch in self.loader(copy=False):
            self.assertEqual(len(batch["label"]), 8)
        with self.assertRaisesRegex(penstock.PenstockError, "or the loop ends"):
            batch["label"]

    def test_memory_of_copies_is_used_again(self):
        places = {batch["pixels"].ctypes.data for batch in self.loader()}
        self.assertLessEqual(len(places), 3)


class CopiesTest(unittest.TestCase):
    def test_memory_is_used_again_only_when_nothing_refers_to_it(self):
        dice, copies, kept = random.Random(7), Copies(), []
        for turn in range(number("PENSTOCK_USES", 10_000)):
            lent = copies.copy(np.full(dice.choice([64, 64, 64, 96]), turn % 251, np.uint8))
            array = np.ndarray((4, 4), np.int32, lent, 0)
            use = dice.choice([lambda: array, lambda: array[1:, ::2], lambda: array.T, lambda: memoryview(array)])
            kept.append((turn % 251, use()))
            if len(kept) > dice.randrange(8):
                byte, each = kept.pop(dice.randrange(len(kept)))
                self.assertEqual(set(np.array(each).tobytes()), {byte})
            del lent, array, use


if __name__ == "__main__":
    unittest.main()

"""Boxes and labels of a padded batch, as detectors take them."""

import pathlib
import sys
import unittest

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import penstock  # noqa: E402


def batch():
    arrays = {
        "boxes": np.arange(24, dtype="<f4").reshape(3, 2, 4),
        "boxes.length": np.array([2, 0, 0], dtype="<i4"),
        "classes": np.array([[5, 7], [0, 0], [0, 0]], dtype="<i4"),
        "classes.length": np.array([2, 0, 0], dtype="<i4"),
    }
    return penstock.Batch(arrays, 2, 0, "", 0, {})


class TargetsTest(unittest.TestCase):
    def test_valid_rows_have_views_of_their_boxes(self):
        whole = batch()
        found = penstock.targets(whole)
        self.assertEqual(len(found), 2)
        self.assertEqual(found[0]["boxes"].tolist(), [[0, 1, 2, 3], [4, 5, 6, 7]])
        self.assertEqual(found[0]["labels"].tolist(), [5, 7])
        self.assertEqual(found[1]["boxes"].shape, (0, 4))
        self.assertTrue(np.shares_memory(found[0]["boxes"], whole["boxes"]))

    def test_other_fields_and_a_dict_of_tensors(self):
        whole = {**batch(), "penstock.size": 1}
        self.assertEqual([list(each) for each in penstock.targets(whole, corners="boxes")], [["corners"]])

    def test_fields_that_are_not_padded_are_named(self):
        with self.assertRaisesRegex(penstock.PenstockError, "no points.length"):
            penstock.targets(batch(), keypoints="points")

    def test_lists_lie_one_after_another_with_offsets(self):
        values = np.arange(24, dtype=np.float32).reshape(3, 2, 4)
        whole = penstock.Batch({"boxes": values, "boxes.length": np.array([1, 0, 2], np.int32)}, 3, 0, "", 0, {})
        found, offsets = penstock.ragged(whole)
        self.assertEqual(found.tolist(), [values[0, 0].tolist(), *values[2].tolist()])
        self.assertEqual(offsets.tolist(), [0, 1, 1, 3])
        whole["boxes.length"][:] = 0
        found, offsets = penstock.ragged(whole)
        self.assertEqual((found.shape, offsets.tolist()), ((0, 4), [0, 0, 0, 0]))


if __name__ == "__main__":
    unittest.main()

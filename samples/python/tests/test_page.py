"""Runs the Python blocks of docs/python.md, word by word, each as a program, where the pictures are in `photos`."""

import contextlib
import io
import os
import pathlib
import re
import shutil
import unittest

from pictures import CLASSES, PACKAGE, SAMPLES, WithPictures

import penstock

try:
    import torch
except ImportError:
    torch = None

PAGE = (PACKAGE / "../../docs/python.md").resolve()


class PageTest(WithPictures):
    def setUp(self):
        place = os.getcwd()
        self.addCleanup(os.chdir, place)
        os.chdir(self.folder)
        for name in CLASSES:
            shutil.copytree(name, f"photos/{name}")
        rows = [f"{store},{day},{day % 9 + store},{day % 5}\n" for store in range(9) for day in range(60)]
        pathlib.Path("sales.csv").write_text("store,day,sales,price\n" + "".join(rows))

    def run_block(self, block):
        """What the block printed, and its variables."""
        said, names = io.StringIO(), {}
        with contextlib.redirect_stdout(said):
            exec(compile(block, str(PAGE), "exec"), names)
        return said.getvalue(), names

    def test_blocks_run_and_train(self):
        blocks = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
        self.assertGreaterEqual(len(blocks), 2)
        for block in blocks:
            with self.subTest(block):
                if "torch" in block and torch is None:
                    self.skipTest("this block needs PyTorch")
                said, names = self.run_block(block)
                if "model" in names:
                    weight = next(names["model"].parameters())
                    self.assertEqual(tuple(weight.shape), (8, 3, 3, 3))  # channels, not pixels of a row
                    self.assertLess(names["losses"][-1], names["losses"][0])
                elif isinstance(names.get("batch"), penstock.Batch):
                    self.assertEqual(names["batch"]["pixels"].shape[1:], (224, 224, 3))
                    self.assertEqual(said.count("(44, 224, 224, 3)"), 2, said)
                if "shapes" in names:
                    self.assertEqual(names["shapes"], {"features": (32, 24, 2), "target": (32, 6)})
                    self.assertEqual(set(names["fields"]), {"features[0]", "features[1]", "target"})
                if "checked" in names:
                    self.assertEqual(names["trained"] + names["checked"], SAMPLES)
                    self.assertGreater(names["checked"], 0)


if __name__ == "__main__":
    unittest.main()

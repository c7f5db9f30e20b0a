"""A detector's input loop: boxes of COCO's format, augmented and mixed, train a small network. Needs PyTorch."""

import json
import os
import pathlib
import random
import shutil
import struct
import tempfile
import unittest

from pictures import PACKAGE, WithPictures

import penstock

try:
    import torch
    from torch import nn
except ImportError:
    torch = None

SIDE = 32
STRIDE = 4
PICTURES = 64
CELLS = SIDE // STRIDE


def scene(seed):
    """A BMP file with one to three bright rectangles, and these as x, y, width, height."""
    dice = random.Random(seed)
    boxes = []
    for _ in range(40):
        x, y, w, h = dice.randrange(22), dice.randrange(22), dice.randrange(6, 11), dice.randrange(6, 11)
        apart = all(x > a + c + 1 or a > x + w + 1 or y > b + d + 1 or b > y + h + 1 for a, b, c, d in boxes)
        if apart and len(boxes) < 1 + seed % 3:
            boxes.append((x, y, min(w, SIDE - x), min(h, SIDE - y)))
    pixels = bytearray()
    for y in reversed(range(SIDE)):  # a BMP is bottom up
        for x in range(SIDE):
            inside = any(a <= x < a + c and b <= y < b + d for a, b, c, d in boxes)
            pixels += bytes(dice.randrange(60) + (160 if inside else 10) for _ in range(3))
    size = len(pixels)
    header = struct.pack("<2sIIIIiiHHIIiiII", b"BM", 54 + size, 0, 54, 40, SIDE, SIDE, 1, 24, 0, size, 2835, 2835, 0, 0)
    return header + pixels, boxes


def maps(targets):
    """Which cells have the middle of a box, and its width and height there, of one size each."""
    wanted = torch.zeros(len(targets), 3, CELLS, CELLS)
    for row, target in enumerate(targets):
        for x1, y1, x2, y2 in target["boxes"].tolist():
            x, y = int((x1 + x2) / 2 / STRIDE), int((y1 + y2) / 2 / STRIDE)
            wanted[row, :, y, x] = torch.tensor([1, (x2 - x1) / SIDE, (y2 - y1) / SIDE])
    return wanted


def overlap(a, b):
    width = min(a[2], b[2]) - max(a[0], b[0])
    height = min(a[3], b[3]) - max(a[1], b[1])
    both = max(0, width) * max(0, height)
    return both / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - both)


@unittest.skipIf(torch is None, "this test needs PyTorch")
class DetectTest(WithPictures):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, folder)
        images, annotations = [], []
        for number in range(PICTURES):
            picture, boxes = scene(number)
            (folder / f"{number}.bmp").write_bytes(picture)
            images.append({"id": number, "file_name": f"{number}.bmp", "width": SIDE, "height": SIDE})
            for box in boxes:
                ids = {"id": len(annotations), "image_id": number, "category_id": 1}
                annotations.append({**ids, "bbox": box, "area": box[2] * box[3], "iscrowd": 0})
        categories = [{"id": 1, "name": "rectangle"}]
        said = {"images": images, "annotations": annotations, "categories": categories}
        (folder / "set.json").write_text(json.dumps(said))
        cls.scenes = f"coco:{folder}/set.json,{folder}"

    def test_network_finds_the_boxes_of_pictures_it_has_not_seen(self):
        torch.manual_seed(4)
        network = nn.Sequential(
            nn.Conv2d(3, 16, 3, 2, 1), nn.ReLU(), nn.Conv2d(16, 32, 5, 2, 2), nn.ReLU(), nn.Conv2d(32, 32, 3, 1, 1), nn.ReLU(),
            nn.Conv2d(32, 3, 3, 1, 1),
        )  # fmt: skip
        optimizer = torch.optim.Adam(network.parameters(), 0.005)
        flags = {"pad": True, "layout": "chw:pixels", "batch": 16}
        augment = "flip,vertical-flip=0.5,jitter=0.2,normalise=0.3:0.3,boxes=0.5"
        mix = "mosaic=0.3:visible=0.5"
        with penstock.loader(self.scenes, split="0..0.8", epochs=150, augment=augment, mix=mix, **flags) as loader:
            batches = penstock.TorchBatches(loader)
            for _ in range(150):
                for tensors in batches:
                    wanted = maps(penstock.targets(tensors))
                    found = network(tensors["pixels"][: len(wanted)])
                    middle = wanted[:, :1]
                    loss = nn.functional.binary_cross_entropy_with_logits(
                        found[:, :1], middle, pos_weight=torch.tensor(8.0)
                    ) + 10 * ((found[:, 1:] - wanted[:, 1:]) ** 2 * middle).sum() / middle.sum().clamp(min=1)
                    optimizer.zero_grad()
                    loss.backward()
                    optimizer.step()
        overlaps = []
        with penstock.loader(self.scenes, split="0.8..1", epochs=1, augment="normalise=0.3:0.3", **flags) as loader:
            for tensors in penstock.TorchBatches(loader):
                found = network(tensors["pixels"]).detach()
                for row, target in enumerate(penstock.targets(tensors)):
                    for box in target["boxes"].tolist():
                        best = 0
                        for y in range(CELLS):
                            for x in range(CELLS):
                                if found[row, 0, y, x] > 0:
                                    w, h = (found[row, 1:, y, x] * SIDE / 2).tolist()
                                    u, v = (x + 0.5) * STRIDE, (y + 0.5) * STRIDE
                                    best = max(best, overlap((u - w, v - h, u + w, v + h), box))
                        overlaps.append(best)
        self.assertGreater(len(overlaps), 10)
        self.assertGreater(sum(overlaps) / len(overlaps), 0.5)


DATA = pathlib.Path(os.environ.get("PENSTOCK_DATA", PACKAGE.parents[2] / "shared/data")) / "vision"
WHITE = 1  # the class of the 62 white blood cells; 716 are red, which is what makes it hard to be right by chance
PHOTO, CELL = 112, 8


@unittest.skipIf(torch is None, "this test needs PyTorch")
@unittest.skipUnless((DATA / "bccd-coco.json").is_file(), f"this test needs photos of blood cells in {DATA}")
class DetectBloodCellsTest(WithPictures):
    """The same loop over real photos, of which every fifth is held out."""

    def targets(self, tensors):
        """For each photo the boxes of its white cells."""
        return [each["boxes"][each["labels"] == WHITE].tolist() for each in penstock.targets(tensors)]

    def test_network_points_at_white_cells_of_photos_it_has_not_seen(self):
        torch.manual_seed(4)
        source = f"coco:{DATA}/bccd-coco.json,{DATA}/bccd-voc/JPEGImages"
        network = nn.Sequential(
            nn.Conv2d(3, 8, 5, 4, 2), nn.ReLU(), nn.Conv2d(8, 16, 5, 2, 2), nn.ReLU(), nn.Conv2d(16, 1, 5, 1, 2)
        )  # fmt: skip
        optimizer = torch.optim.Adam(network.parameters(), 0.01)
        flags = {"pad": True, "layout": "chw:pixels", "batch": 12, "resize": PHOTO, "cache_ram": "64MiB"}
        augment = f"crop={PHOTO}:pad=8,flip,vertical-flip=0.5,jitter=0.2,normalise=0.6:0.2,boxes=0.5"
        with penstock.loader(source, split="0..0.8", epochs=25, augment=augment, **flags) as loader:
            batches = penstock.TorchBatches(loader)
            for _ in range(25):
                for tensors in batches:
                    boxes = self.targets(tensors)
                    wanted = torch.zeros(len(boxes), 1, PHOTO // CELL, PHOTO // CELL)
                    for row, each in enumerate(boxes):
                        for x1, y1, x2, y2 in each:
                            wanted[row, 0, int((y1 + y2) / 2 / CELL), int((x1 + x2) / 2 / CELL)] = 1
                    found = network(tensors["pixels"][: len(boxes)])
                    loss = nn.functional.binary_cross_entropy_with_logits(found, wanted, pos_weight=torch.tensor(20.0))
                    optimizer.zero_grad()
                    loss.backward()
                    optimizer.step()
        right = []
        with penstock.loader(source, split="0.8..1", epochs=1, augment="normalise=0.6:0.2", **flags) as loader:
            for tensors in penstock.TorchBatches(loader):
                found = network(tensors["pixels"]).detach()
                for row, each in enumerate(self.targets(tensors)):
                    y, x = divmod(int(found[row, 0].argmax()), PHOTO // CELL)
                    u, v = (x + 0.5) * CELL, (y + 0.5) * CELL
                    if each:
                        right.append(any(x1 <= u <= x2 and y1 <= v <= y2 for x1, y1, x2, y2 in each))
        self.assertGreaterEqual(len(right), 8)
        self.assertGreaterEqual(sum(right) / len(right), 0.75)


if __name__ == "__main__":
    unittest.main()

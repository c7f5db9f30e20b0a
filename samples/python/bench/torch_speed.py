"""Pictures a second of PyTorch's DataLoader with workers, and of Penstock cold and warm, in one run.

    python3 samples/python/bench/torch_speed.py FOLDER [--rounds 5] [--workers 2] [--side 224] [--batch 64] [--turn 4096]

FOLDER has a folder of JPEG files a class. All decode, resize to side x side and stack. The DataLoader and the cold loader keep
nothing; the warm one has every picture in RAM before the first turn.

Each of the three is one endless stream. They take turns, in another order each round. Before a turn all sides prepare as
many batches as they can be ahead, so that none works during another's turn. The turn takes these batches first, and only
then the clock starts. The first round is not counted.
"""

import argparse
import contextlib
import itertools
import json
import os
import pathlib
import statistics
import sys
import time

import numpy as np
import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset, RandomSampler

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import penstock  # noqa: E402

AHEAD = 8  # batches: four slots of shared memory, two of each worker
REST = 2  # seconds between turns, in which each side prepares its batches ahead


class Pictures(Dataset):
    def __init__(self, folder, side):
        classes = sorted(entry.name for entry in folder.iterdir() if entry.is_dir())
        self.files = [
            (path, label) for label, name in enumerate(classes) for path in sorted((folder / name).rglob("*.jp*g"))
        ]
        self.side = side

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        path, label = self.files[index]
        with Image.open(path) as picture:
            small = picture.convert("RGB").resize((self.side, self.side), Image.Resampling.BILINEAR)
        return torch.from_numpy(np.asarray(small).copy()), label


def rate(batches, count):
    """Samples a second of the next batches, behind those that are ahead."""
    for _ in range(AHEAD):
        next(batches)
    began = time.perf_counter()
    seen = sum(next(batches) for _ in range(count))
    return seen / (time.perf_counter() - began)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    arguments.add_argument("folder", type=pathlib.Path)
    arguments.add_argument("--rounds", type=int, default=5)
    arguments.add_argument("--workers", type=int, default=2)
    arguments.add_argument("--side", type=int, default=224)
    arguments.add_argument("--batch", type=int, default=64)
    arguments.add_argument("--turn", type=int, default=4096, help="pictures a turn; the warm side takes ten times as many")
    given = arguments.parse_args()
    pictures = Pictures(given.folder, given.side)
    turn = max(1, given.turn // given.batch)
    turns = {"torch": turn, "cold": turn, "warm": 10 * turn}
    workers = DataLoader(
        pictures,
        given.batch,
        sampler=RandomSampler(pictures, replacement=True, num_samples=given.batch * (turn + AHEAD) * (given.rounds + 2)),
        num_workers=given.workers,
    )
    flags = {"resize": given.side, "batch": given.batch}
    room = 2 * len(pictures) * given.side * given.side * 3 + (64 << 20)
    load = [os.getloadavg()[0]]
    with contextlib.ExitStack() as stack:
        torch_batches = iter(workers)  # forks its workers before this process has threads
        cold = stack.enter_context(penstock.loader(f"images:{given.folder}", **flags))
        warm = stack.enter_context(penstock.loader(f"images:{given.folder}", **flags, cache_ram=f"{room >> 20}MiB"))
        for _ in warm:
            pass
        sides = {
            "torch": (len(labels) for _, labels in torch_batches),
            "cold": (batch.size for batch in cold.all()),
            "warm": (batch.size for batch in warm.all()),
        }
        rates = {name: [] for name in sides}
        for number, order in zip(range(given.rounds + 1), itertools.cycle(itertools.permutations(sides))):
            for name in order:
                time.sleep(REST)
                measured = rate(sides[name], turns[name])
                if number:
                    rates[name].append(measured)
        load.append(os.getloadavg()[0])
    for name, each in rates.items():
        line = {"median": statistics.median(each), "least": min(each), "most": max(each)}
        if name != "torch":
            ratios = [ours / theirs for ours, theirs in zip(each, rates["torch"])]
            line.update(of_torch=statistics.median(ratios), least_of_torch=min(ratios), most_of_torch=max(ratios))
        print(json.dumps({"side": name, **{key: round(value, 2) for key, value in line.items()}}))
    versions = {"torch": torch.__version__, "pillow": Image.__version__, "numpy": np.__version__}
    print(json.dumps({"pictures": len(pictures), "load": [round(each, 1) for each in load], **versions}))


if __name__ == "__main__":
    main()

"""Pictures a second: PyTorch's DataLoader with workers beside `penstock serve`, a cold epoch of each in turn.

    python3 samples/python/bench/torch_speed.py FOLDER [--rounds 5] [--workers 2] [--side 224] [--batch 64]

FOLDER has a folder of JPEG files a class. Both decode, resize to side x side and stack; neither keeps anything. The server
is held back while the loader works: it is at most four batches ahead. The first round of each is not counted.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "samples/python"))
import penstock  # noqa: E402


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


def seconds(batches, samples):
    began, seen = time.perf_counter(), 0
    for size in batches:
        seen += size
        if seen == samples:
            return time.perf_counter() - began
    raise SystemExit(f"{samples} pictures were expected in an epoch, {seen} came")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    arguments.add_argument("folder", type=pathlib.Path)
    arguments.add_argument("--rounds", type=int, default=5)
    arguments.add_argument("--workers", type=int, default=2)
    arguments.add_argument("--side", type=int, default=224)
    arguments.add_argument("--batch", type=int, default=64)
    given = arguments.parse_args()
    pictures = Pictures(given.folder, given.side)
    loader = DataLoader(
        pictures, given.batch, shuffle=True, num_workers=given.workers, persistent_workers=given.workers > 0
    )
    with tempfile.TemporaryDirectory(dir="/dev/shm" if pathlib.Path("/dev/shm").is_dir() else None) as folder:
        serve = f"serve --resize {given.side} --batch {given.batch} --epochs {given.rounds + 1} --once --port 0"
        server = subprocess.Popen(
            [ROOT / "penstock", *serve.split(), "--source", f"images:{given.folder}", "--shared", f"{folder}/ring"],
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            batches = penstock.Batches(server.stdout.readline().strip(), shared=True).all()
            rates = {"torch": [], "penstock": []}
            for number in range(given.rounds + 1):
                ours = seconds((batch.size for batch in batches), len(pictures))
                theirs = seconds((len(labels) for _, labels in loader), len(pictures))
                if number:
                    rates["penstock"].append(len(pictures) / ours)
                    rates["torch"].append(len(pictures) / theirs)
        finally:
            server.terminate()
            server.wait()
    for name, each in rates.items():
        line = {"loader": name, "median": statistics.median(each), "least": min(each), "most": max(each)}
        print(json.dumps({key: round(value, 1) if key != "loader" else value for key, value in line.items()}))
    ratios = [ours / theirs for ours, theirs in zip(rates["penstock"], rates["torch"])]
    print(json.dumps({"penstock_of_torch": round(statistics.median(ratios), 2), "pictures": len(pictures)}))


if __name__ == "__main__":
    main()

"""Crop, flip and colour jitter of a picture and its mask: processor time a sample of torchvision v2, and of Penstock.

    python3 samples/python/bench/joint_speed.py IMAGES MASKS [--side 256] [--crop 224] [--samples 8192] [--rounds 3]

The two folders have files of the same names. Both sides hold all pictures and masks in RAM at side x side, draw anew for each
sample, and stack batches of 32. torchvision runs in this process on one thread. Penstock's time is that of its whole JVM,
garbage collection included: what a long run takes beyond a short one, so that neither the start nor the decoding counts.
The sides take turns. Processor time also means something on a busy machine, though less exactly.
It ends with a message where torchvision cannot be used.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from penstock.loader import _command  # noqa: E402

try:
    import numpy as np
    import torch
    from PIL import Image
    from torchvision import __version__ as version
    from torchvision import tv_tensors
    from torchvision.transforms import v2
except (ImportError, RuntimeError) as e:
    print(f"skipped: this comparison needs torchvision, torch, numpy and Pillow: {e}", file=sys.stderr)
    sys.exit(0)

BATCH = 32
JITTER = 0.4


class TorchVision:
    def __init__(self, given):
        masks = {path.stem: path for path in given.masks.iterdir()}
        size = (given.side, given.side)
        self.samples = []
        for path in sorted(given.images.iterdir()):
            with Image.open(path) as picture, Image.open(masks[path.stem]) as mask:
                pixels = np.array(picture.convert("RGB").resize(size)).transpose(2, 0, 1).copy()
                cells = np.array(mask.resize(size, Image.Resampling.NEAREST))
            self.samples.append((tv_tensors.Image(torch.from_numpy(pixels)), tv_tensors.Mask(torch.from_numpy(cells))))
        jitter = v2.ColorJitter(JITTER, JITTER, JITTER)
        self.transform = v2.Compose([v2.RandomCrop(given.crop), v2.RandomHorizontalFlip(), jitter])

    def turn(self, samples):
        began = time.process_time()
        for first in range(0, samples, BATCH):
            made = [self.transform(*self.samples[i % len(self.samples)]) for i in range(first, first + BATCH)]
            torch.stack([picture for picture, _ in made]), torch.stack([mask for _, mask in made])
        return time.process_time() - began


class Penstock:
    def __init__(self, given):
        augment = f"crop={given.crop},flip,jitter={JITTER}:{JITTER}:{JITTER}:0"
        flags = f"--resize {given.side} --cache-ram 50% --augment {augment} --batch {BATCH} --layout chw:pixels --json"
        self.command = [*_command(), "stream", "--source", f"pairs:{given.images},{given.masks}", *flags.split()]
        self.pictures = len(list(given.images.iterdir()))
        self.processor(1)  # builds what is missing

    def processor(self, epochs):
        process = subprocess.Popen([*self.command, "--epochs", str(epochs)], stdout=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        if status:
            sys.exit(f"{self.command} ended with status {os.waitstatus_to_exitcode(status)}")
        return used.ru_utime + used.ru_stime

    def turn(self, samples):
        more = -(-samples // self.pictures)
        short = self.processor(more)
        return (self.processor(3 * more) - short) * samples / (2 * more * self.pictures)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    arguments.add_argument("images", type=pathlib.Path)
    arguments.add_argument("masks", type=pathlib.Path)
    arguments.add_argument("--side", type=int, default=256)
    arguments.add_argument("--crop", type=int, default=224)
    arguments.add_argument("--samples", type=int, default=8192)
    arguments.add_argument("--rounds", type=int, default=3)
    given = arguments.parse_args()
    torch.set_num_threads(1)
    sides = {"torchvision": TorchVision(given), "penstock": Penstock(given)}
    taken = {name: [] for name in sides}
    for _ in range(given.rounds):
        for name, side in sides.items():
            taken[name].append(1e6 * side.turn(given.samples) / given.samples)
    for name, each in taken.items():
        print(json.dumps({"side": name, "us_a_sample": [round(us, 1) for us in each]}))
    times = [theirs / ours for theirs, ours in zip(taken["torchvision"], taken["penstock"])]
    line = {"times": round(statistics.median(times), 2), "torchvision": version, "load": round(os.getloadavg()[0], 1)}
    print(json.dumps(line))


if __name__ == "__main__":
    main()

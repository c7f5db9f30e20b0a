"""Warm samples through shared memory: `penstock serve` and the Python client beside memcpy and PyTorch's DataLoader, in turns.

    python3 samples/python/bench/ring_speed.py [--rounds 15] [--samples 4096] [--bytes 150528] [--batch 64]

The yardstick, memcpy, is a bare loop that copies the same samples, shuffled, from 0.6 GB of RAM into one batch that is used over
and over: 16 us for 150,528 bytes where nothing else runs. The DataLoader reads a tensor in shared memory, with 0 and with 2
workers (left out where torch is not installed). Whoever does not have its turn stands still: the server is held back by its
client, at most four batches ahead, and the first four of an epoch are not counted.

The last line has what each reaches of memcpy: medians of the rounds, each of its own round's memcpy.
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

try:
    import torch
    from torch.utils.data import DataLoader, Dataset
except ImportError:
    torch, Dataset = None, object

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "samples/python"))
import penstock  # noqa: E402

AHEAD = 4


class Cached(Dataset):
    """Samples that every process of a node sees."""

    def __init__(self, samples):
        self.samples = torch.from_numpy(samples).share_memory_()

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, index):
        return self.samples[index]


def make(path, count, size):
    random = np.random.default_rng(7)
    with open(path, "wb") as file:
        for at in range(0, count, 64):
            file.write(random.bytes(min(64, count - at) * size))
    return np.fromfile(path, np.uint8).reshape(count, size)


def served(batches, number):
    """Bytes a second of an epoch, but for the batches that were ready before it began."""
    size, began = 0, time.perf_counter()
    for each in range(number):
        batch = next(batches)
        if each == AHEAD - 1:
            size, began = 0, time.perf_counter()
        else:
            size += sum(array.nbytes for array in batch.values())
    return size / (time.perf_counter() - began)


def bare(samples, own, random):
    order = random.permutation(len(samples))
    began = time.perf_counter()
    for at, index in enumerate(order):
        np.copyto(own[at % len(own)], samples[index])
    return samples.nbytes / (time.perf_counter() - began)


def loaded(loader):
    size, began = 0, time.perf_counter()
    for batch in loader:
        size += batch.numel()
    return size / (time.perf_counter() - began)


def clients(folder, given, rounds):
    """A server for the client that sees batches where they are, and one for the client that copies them."""
    numbers = {"samples": f"{folder}/samples,{given.bytes}", "batch": given.batch, "epochs": rounds}
    flags = "serve --source records:{samples} --batch {batch} --epochs {epochs} --cache-ram {room}B --once --port 0"
    room = given.samples * (given.bytes + 4096)
    for name, copy in (("views", False), ("copied out", True)):
        server = subprocess.Popen(
            [ROOT / "penstock", *flags.format(room=room, **numbers).split(), "--shared", f"{folder}/{name[:4]}"],
            stdout=subprocess.PIPE,
            text=True,
        )
        yield name, server, penstock.Batches(server.stdout.readline().strip(), shared=True, copy=copy).all()


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    arguments.add_argument("--rounds", type=int, default=15)
    arguments.add_argument("--warm-up", type=int, default=15, help="rounds that are not counted (15)")
    arguments.add_argument("--samples", type=int, default=4096)
    arguments.add_argument("--bytes", type=int, default=150528)
    arguments.add_argument("--batch", type=int, default=64)
    given = arguments.parse_args()
    if given.samples % given.batch or given.samples <= AHEAD * given.batch:
        arguments.error(f"--samples must be a multiple of --batch, and more than {AHEAD} of it")
    rounds = given.warm_up + given.rounds
    servers, rates = [], {}
    with tempfile.TemporaryDirectory(dir="/dev/shm" if pathlib.Path("/dev/shm").is_dir() else None) as folder:
        samples = make(f"{folder}/samples", given.samples, given.bytes)
        own, random = np.zeros((given.batch, given.bytes), np.uint8), np.random.default_rng(7)
        turns = {"memcpy": lambda: bare(samples, own, random)}
        try:
            for name, server, batches in clients(folder, given, rounds):
                servers.append(server)
                turns[name] = lambda batches=batches: served(batches, given.samples // given.batch)
            for workers in (0, 2) if torch else ():
                loader = DataLoader(
                    Cached(samples), given.batch, shuffle=True, num_workers=workers, persistent_workers=workers > 0
                )
                turns[f"torch, {workers} workers"] = lambda loader=loader: loaded(loader)
            for number in range(rounds):
                for name, turn in turns.items():
                    rate = turn()
                    if number >= given.warm_up:
                        rates.setdefault(name, []).append(rate)
        finally:
            for server in servers:
                server.terminate()
                server.wait()
    of_memcpy = {}
    for name, each in rates.items():
        values = {"median": statistics.median(each), "least": min(each), "most": max(each)}
        print(json.dumps({"who": name, **{key: round(value / 1e9, 2) for key, value in values.items()}, "unit": "GB/s"}))
        of_memcpy[name] = round(statistics.median(mine / limit for mine, limit in zip(each, rates["memcpy"])), 3)
    del of_memcpy["memcpy"]
    print(json.dumps({"of_memcpy": of_memcpy}))


if __name__ == "__main__":
    main()

"""Seconds of each epoch of PyTorch's DataLoader: FILE RECORD_BYTES BATCH WORKERS EPOCHS.

The records of a file, each read when it is drawn, shuffled and stacked to one uint8 tensor a batch by default_collate, which
stacks in shared memory where workers do it. The DataLoader keeps no samples: later epochs read from the page cache too.
"""

import os
import sys
import time

import torch
from torch.utils.data import DataLoader, Dataset

PATIENCE = 60  # seconds for a batch


class Records(Dataset):
    def __init__(self, path, size):
        self.file = os.open(path, os.O_RDONLY)
        self.size = size
        self.records = os.fstat(self.file).st_size // size

    def __len__(self):
        return self.records

    def __getitem__(self, index):
        record = bytearray(self.size)
        os.preadv(self.file, [record], index * self.size)
        return torch.frombuffer(record, dtype=torch.uint8)


def main(path, size, batch, workers, epochs):
    torch.set_num_threads(1)  # as in a worker: where cores are busy, threads that wait for each other take ten times as long
    records = Records(path, size)
    several = {"multiprocessing_context": "fork", "persistent_workers": True, "timeout": PATIENCE} if workers else {}
    loader = DataLoader(records, batch, shuffle=True, num_workers=workers, **several)
    wanted = sum(index & 255 for index in range(len(records)))
    for _ in range(epochs):
        began = time.perf_counter()
        found = sum(int(batch[:, 7].sum()) for batch in loader)  # a record begins with its index
        print(time.perf_counter() - began)
        if found != wanted:
            sys.exit("an epoch of PyTorch's DataLoader does not have every record once")


main(sys.argv[1], *map(int, sys.argv[2:]))

"""python3 -m penstock ADDRESS: how fast batches come."""

from __future__ import annotations

import argparse
import json
import sys
import time

import numpy as np

from . import Batches, PenstockError


def _main() -> None:

    arguments = argparse.ArgumentParser(
        prog="python3 -m penstock", description="Take every batch of a server, and say how fast they came."
    )
    arguments.add_argument("address", nargs="+")
    arguments.add_argument("--shared", action="store_true", help="through shared memory")
    arguments.add_argument("--copy", action="store_true", help="with --shared: copy each batch, as Batches does by default")
    arguments.add_argument("--resume", metavar="TOKEN")
    arguments.add_argument("--rank", type=int)
    arguments.add_argument("--cafile", metavar="PEM", help="certificates to trust")
    given = arguments.parse_args()
    samples = size = 0
    began = time.perf_counter()
    epoch = None
    own: dict[str, np.ndarray] = {}

    def report():
        took = time.perf_counter() - began
        # a copy of the same arrays, as many bytes: the limit of any client that has them in memory of its own
        copied = _copies_a_second(own) if own else 0
        line = {"epoch": epoch, "samples": samples, "bytes": size, "seconds": round(took, 6)}
        line["bytes_per_second"] = round(size / took) if took else 0
        line["of_memcpy"] = round(size / took / copied, 3) if took and copied else None
        print(json.dumps(line), flush=True)

    token = None
    try:
        batches = Batches(
            given.address if len(given.address) > 1 else given.address[0],
            shared=given.shared,
            copy=given.copy,
            resume=given.resume,
            rank=given.rank,
            cafile=given.cafile,
        )
    except ValueError as mistake:
        sys.exit(_said(mistake, 2))
    for batch in batches.all():
        if epoch is not None and batch.epoch != epoch:
            report()
            samples, size, began = 0, 0, time.perf_counter()
        epoch, token = batch.epoch, batch.resume
        samples += batch.size
        for name, array in batch.items():
            size += array.nbytes
            if name not in own or own[name].shape != array.shape:
                own[name] = np.zeros_like(array)
    if epoch is not None:
        report()
    print(json.dumps({"resume": token}), flush=True)


def _copies_a_second(arrays, seconds=0.3):
    """Bytes a second that copying into these arrays moves, from memory that no cache holds."""
    size = sum(array.nbytes for array in arrays.values())
    sources = [{name: array.copy() for name, array in arrays.items()} for _ in range(1 + (256 << 20) // max(size, 1 << 20))]
    moved, began, turn = 0, time.perf_counter(), 0
    while time.perf_counter() - began < seconds:
        for name, array in sources[turn % len(sources)].items():
            np.copyto(arrays[name], array)
            moved += array.nbytes
        turn += 1
    return moved / (time.perf_counter() - began)


def _said(failure, status):
    print(f"penstock: {failure}", file=sys.stderr)
    return status


if __name__ == "__main__":
    try:
        _main()
    except (PenstockError, OSError) as failure:
        sys.exit(_said(failure, 1))
    except KeyboardInterrupt:
        sys.exit(130)

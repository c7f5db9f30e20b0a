"""Batches for PyTorch."""

from __future__ import annotations

import json
import multiprocessing.sharedctypes
import os
import warnings
from typing import Any, Iterator, Sequence

import numpy as np
import torch
from torch.utils.data import IterableDataset, get_worker_info

from .client import Batches


class TorchBatches(IterableDataset):
    """Batches as dicts of tensors; for a plain loop, or for DataLoader(..., batch_size=None) with 0 or 1 workers.

    A pass is an epoch. Beside the tensors, "penstock.size" says how many rows are valid, "penstock.epoch" the epoch, and
    "penstock.resume" the token behind the batch. A loop that is left early continues behind its last batch. With a worker,
    which is ahead of the loop, the next pass begins where that one did.

    With copy=False tensors must not be written to, and are valid until the next is requested; a worker copies them.

    address: what Batches takes, with its options; or Batches or a loader, whose address and options this takes
    """

    def __init__(self, address: str | Sequence[str] | Batches, **options: Any):
        super().__init__()
        self._place = Place()
        self._source = None  # kept open as long as this
        self._comes_back = True
        if isinstance(address, Batches):
            self._source = address
            options = {**address.options, **options}
            self._place.save(address.resume, address.rank)
            self._comes_back = address._comes_back
            address = address.address
        self.address = address
        self.options = options
        Batches(address, **options)  # says now what it does not take
        self._batches: Batches | None = None
        self._process: int | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_batches": None, "_source": None}

    def __len__(self) -> int:
        return len(self._opened())

    @property
    def classes(self) -> list[str]:
        return self._opened().classes

    @property
    def epoch(self) -> int:
        return self._opened().epoch

    def state_dict(self) -> dict[str, Any]:
        """Behind the last batch; with a DataLoader's worker {"resume": batch["penstock.resume"]} is that state."""
        return {"resume": self._place.load().get("resume", self.options.get("resume"))}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        batches = self._opened()
        batches.load_state_dict(state)
        self._place.save(batches.resume, batches.rank)

    def _opened(self) -> Batches:
        if self._batches is None or self._process != os.getpid():  # a worker is a copy of this process
            options = {**self.options, **self._place.load()}
            if get_worker_info() is not None:
                options["copy"] = True
            self._batches, self._process = Batches(self.address, **options), os.getpid()
            self._batches._comes_back = self._comes_back
            if self._source is not None:
                self._batches._require_server = self._source._require_server
        return self._batches

    def __iter__(self) -> Iterator[dict[str, Any]]:
        worker = get_worker_info()
        if worker is not None and worker.num_workers > 1:
            raise ValueError("num_workers must be 0 or 1: each worker would get all batches")
        batches = self._opened()
        place = self._place.load()
        if worker is None and place and place["resume"] != batches.resume:  # a worker had a pass
            batches.load_state_dict(place)
        return _Tensors(batches, self._place, worker is not None)


class _Tensors(Iterator[dict[str, Any]]):
    """The tensors of a pass, which a failure does not end."""

    def __init__(self, batches: Batches, place: Place, in_worker: bool):
        self._batches, self._pass, self._place, self._in_worker = batches, iter(batches), place, in_worker

    def __next__(self) -> dict[str, Any]:
        batch = next(self._pass, None)
        if batch is None or not self._in_worker:  # which is ahead of the loop, and ends with its pass
            self._place.save(self._batches.resume, self._batches.rank)
        if batch is None:
            raise StopIteration
        more = {"penstock.size": batch.size, "penstock.epoch": batch.epoch, "penstock.resume": batch.resume}
        return {**batch.tensors(), **more}


class Place:
    """Where the next pass begins, as worker processes leave it for each other."""

    SIZE = 1 << 13

    def __init__(self, text: bytes = b""):
        self.memory = multiprocessing.sharedctypes.RawArray("c", self.SIZE)
        self.memory.value = text

    def load(self) -> dict[str, Any]:
        return json.loads(self.memory.value) if self.memory.value else {}

    def save(self, resume: str | None, rank: int | None) -> None:
        self.memory.value = json.dumps({"resume": resume, "rank": rank}).encode()

    def __reduce__(self) -> Any:
        if multiprocessing.context.get_spawning_popen() is None:
            return Place, (self.memory.value,)
        return _attached, (self.memory,)


def _attached(memory: Any) -> Place:
    place = Place.__new__(Place)
    place.memory = memory
    return place


def tensor_of(array: np.ndarray, kind: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that shared arrays are read-only
        tensor = torch.from_numpy(array)
    return tensor.view(torch.bfloat16) if kind == "bf16" else tensor

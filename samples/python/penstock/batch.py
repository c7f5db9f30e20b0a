"""A batch, its dtypes, and what can go wrong."""

from __future__ import annotations

from typing import Any

import numpy as np


DTYPES = {
    "bool": np.dtype("?"),
    "u8": np.dtype("u1"),
    "i8": np.dtype("i1"),
    "u16": np.dtype("<u2"),
    "i16": np.dtype("<i2"),
    "u32": np.dtype("<u4"),
    "i32": np.dtype("<i4"),
    "u64": np.dtype("<u8"),
    "i64": np.dtype("<i8"),
    "f16": np.dtype("<f2"),
    "bf16": np.dtype("<u2"),  # numpy has no bfloat16: its bits
    "f32": np.dtype("<f4"),
    "f64": np.dtype("<f8"),
}


class PenstockError(Exception):
    """The server refused, its run failed, or what it sent cannot be read."""

    status: int | None = None  # of the server's answer, if it refused


class EndOfRun(PenstockError):
    """All epochs of the server's run were delivered."""


class Batch(dict[str, np.ndarray]):
    """Arrays by name, [n, ...] each.

    size: how many rows are valid; they come first
    mask: bool[n], which rows are valid
    epoch: counted from 0
    resume: the token to go on with once this batch has been used
    rank: of the consumer
    """

    def __init__(
        self,
        arrays: dict[str, np.ndarray],
        size: int,
        epoch: int,
        resume: str,
        rank: int,
        dtypes: dict[str, str],
    ):
        super().__init__(arrays)
        self.size = size
        self.epoch = epoch
        self.resume = resume
        self.rank = rank
        self.dtypes = dtypes

    @property
    def mask(self) -> np.ndarray:
        rows = max([len(array) for array in self.values()], default=self.size)
        return np.arange(rows) < self.size

    def tensors(self) -> dict[str, Any]:
        """The arrays as PyTorch's tensors, which share their memory. Those of shared memory must not be written to."""
        from .torch_batches import tensor_of

        return {name: tensor_of(array, self.dtypes[name]) for name, array in self.items()}



def array_of(buffer: Any, kind: str, shape: tuple[int, ...], at: int) -> np.ndarray:
    try:
        return np.ndarray(shape, DTYPES[kind], buffer, at)
    except (TypeError, ValueError, OverflowError) as failure:
        raise PenstockError(f"an array of {kind}{list(shape)} does not fit what was sent: {failure}") from failure

"""A batch, its dtypes, and what can go wrong."""

from __future__ import annotations

from typing import Any, NoReturn

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

    def __missing__(self, name: str) -> NoReturn:
        raise KeyError(f"the batch has no field {name!r}, only {', '.join(self)}")

    @property
    def mask(self) -> np.ndarray:
        rows = max([len(array) for array in self.values()], default=self.size)
        return np.arange(rows) < self.size

    def tensors(self) -> dict[str, Any]:
        """The arrays as PyTorch's tensors, which share their memory. With copy=False they must not be written to."""
        from .torch_batches import tensor_of

        return {name: tensor_of(array, self.dtypes[name]) for name, array in self.items()}

    def _give_back(self) -> None:
        """Refuses each later use: the memory of the arrays is about to be another batch."""
        self.clear()
        self.__class__ = _OldBatch


def targets(batch: Any, **fields: str) -> list[dict[str, Any]]:
    """For each sample of a padded batch its boxes and labels, as detectors take them.

    Of arrays or of tensors; each is a view of the batch's own.

    fields: other fields, by the names that they are to have; boxes="boxes", labels="classes" if there are none
    """
    named = fields or {"boxes": "boxes", "labels": "classes"}
    missing = [field for field in named.values() if f"{field}.length" not in batch]
    if missing:
        raise PenstockError(f"the batch has no {missing[0]}.length: targets are made of padded fields, with pad=True")
    size = batch["penstock.size"] if "penstock.size" in batch else batch.size
    return [
        {name: batch[field][row, : int(batch[f"{field}.length"][row])] for name, field in named.items()}
        for row in range(int(size))
    ]


def ragged(batch: Any, field: str = "boxes") -> tuple[Any, Any]:
    """What all samples of a padded batch have of a field, one list after another, and where each list begins and ends.

    Of arrays, as copies. Sample i has values[offsets[i] : offsets[i + 1]].
    """
    lists = [target[field] for target in targets(batch, **{field: field})]
    return np.concatenate(lists or [batch[field][0, :0]]), np.cumsum([0] + [len(each) for each in lists])


class _OldBatch(Batch):
    """A batch whose memory was given back. size, epoch, resume and rank stay."""

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise PenstockError(
            f"the batch of epoch {self.epoch} is no longer there: with copy=False its memory is given back when the next one "
            "is requested or the loop ends; copy the arrays that you keep, or leave out copy=False"
        )

    mask = property(_refuse)  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<batch of epoch {self.epoch}, given back>"


_SAFE = ("__class__", "__getattribute__", "__init__", "__new__", "__repr__", "__setattr__", "__delattr__", "__init_subclass__")
_SAFE += ("__subclasshook__", "__class_getitem__", "__hash__", "__sizeof__", "__dir__", "__str__", "__format__", "__doc__")
for _name in {*dir(dict), "tensors"}.difference(_SAFE):
    setattr(_OldBatch, _name, _OldBatch._refuse)


def array_of(buffer: Any, kind: str, shape: tuple[int, ...], at: int) -> np.ndarray:
    try:
        return np.ndarray(shape, DTYPES[kind], buffer, at)
    except (TypeError, ValueError, OverflowError) as failure:
        raise PenstockError(f"an array of {kind}{list(shape)} does not fit what was sent: {failure}") from failure

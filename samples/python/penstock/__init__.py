"""Batches of Penstock as numpy arrays or PyTorch tensors.

    import penstock

    with penstock.loader("images:photos", resize=224, batch=64) as loader:
        for epoch in range(3):
            for batch in loader:                        # a pass is an epoch
                train(batch["pixels"], batch["label"])  # u8[n, h, w, c] and i32[n]

loader() starts the JVM, shares memory with it, and ends it. fit() finds statistics for it. Batches takes the batches of servers that run already, of one
or of several with the same flags. TorchBatches stands in place of a data set: DataLoader(TorchBatches(...), batch_size=None).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .batch import Batch, EndOfRun, PenstockError, ragged, targets
from .client import Batches
from .loader import Loader, fit, loader

if TYPE_CHECKING:
    from .torch_batches import TorchBatches

__all__ = ["Batch", "Batches", "EndOfRun", "Loader", "PenstockError", "TorchBatches", "fit", "loader", "ragged", "targets"]


def __getattr__(name: str) -> Any:
    if name != "TorchBatches":
        raise AttributeError(f"module 'penstock' has no attribute {name!r}")
    from .torch_batches import TorchBatches

    return TorchBatches

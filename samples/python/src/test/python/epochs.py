"""epochs.py CLIENT_FOLDER ADDRESS MODE PASSES RESUME: says how many batches each pass had, and of which epochs.

MODE: plain, shared, torch or torch-shared; torch-worker has each pass in a process of its own, as a DataLoader's worker.
RESUME: how many batches to take before an object that goes on behind them makes the passes; -1 to leave the first loop after one.
"""

import multiprocessing
import sys
import types

folder, address, mode, passes, taken = sys.argv[1:6]
sys.path.insert(0, folder)
import penstock  # noqa: E402

options = {"shared": "shared" in mode, "patience": 20}


class FakeTorch:
    """As much of PyTorch as the client uses."""

    worker = None

    @staticmethod
    def install():
        torch, utils, data = types.ModuleType("torch"), types.ModuleType("torch.utils"), types.ModuleType("torch.utils.data")
        torch.from_numpy = lambda array: array
        data.IterableDataset = type("IterableDataset", (), {})
        data.get_worker_info = lambda: FakeTorch.worker
        sys.modules.update({"torch": torch, "torch.utils": utils, "torch.utils.data": data})


def one_pass(batches, queue=None):
    if queue is not None:
        FakeTorch.worker = types.SimpleNamespace(num_workers=1)
    try:
        said = str(sum(1 for _ in batches))
    except penstock.EndOfRun as end:
        said = "end: " + str(end)
    if queue is not None:
        queue.put(said)
    return said


def in_worker(batches):
    queue = multiprocessing.get_context("fork").Queue()
    process = multiprocessing.get_context("fork").Process(target=one_pass, args=(batches, queue))
    process.start()
    said = queue.get()
    process.join()
    return said


if mode.startswith("torch"):
    FakeTorch.install()
if int(taken) > 0:
    first = penstock.Batches(address, **options)
    for number, batch in enumerate(first.all(), 1):
        if number == int(taken):
            options["resume"] = batch.resume
            break
    first.close()
batches = (penstock.TorchBatches if mode.startswith("torch") else penstock.Batches)(address, **options)
if int(taken) < 0:
    for _ in batches:
        break
for _ in range(int(passes)):
    print((in_worker if mode == "torch-worker" else one_pass)(batches), flush=True)

"""receive_torch.py CLIENT_FOLDER ADDRESS OUT MODE WORKERS: writes the bytes of each sample that PyTorch's DataLoader brings to OUT."""

import sys

folder, address, out, mode, workers = sys.argv[1:6]
sys.path.insert(0, folder)
import penstock  # noqa: E402
from torch.utils.data import DataLoader  # noqa: E402

batches = penstock.TorchBatches(address, shared=mode == "shared", patience=20)
count = 0
with open(out, "wb") as file:
    for batch in DataLoader(batches, batch_size=None, num_workers=int(workers)):
        assert batch.pop("penstock.resume") and batch.pop("penstock.size") and batch.pop("penstock.epoch") >= 0
        arrays = [tensor.numpy() for tensor in batch.values()]
        file.write(b"".join(array[row].tobytes() for row in range(len(arrays[0])) for array in arrays))
        count += 1
print("done", count)

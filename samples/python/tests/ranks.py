"""ranks.py SOURCE: one rank of torchrun's environment. Trains on an epoch, and prints each rank's rows as rank 0."""

import json
import sys

import torch
import torch.distributed
from pictures import FLAGS, SIDE, rows

import penstock

torch.distributed.init_process_group("gloo")
torch.manual_seed(0)
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(SIDE * SIDE * 3, 3))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
mine = []
with penstock.loader(sys.argv[1], **{**FLAGS, "batch": FLAGS["batch"] // 2}) as loader:
    for batch in loader:
        mine.append(rows(batch))
        tensors = batch.tensors()
        pixels, labels = tensors["pixels"].flatten(1).float() / 255, tensors["label"].long()
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(pixels)[: batch.size], labels[: batch.size]).backward()
        optimizer.step()
everyone = [None, None]
torch.distributed.all_gather_object(everyone, (mine, model.module.weight.sum().item()))
if torch.distributed.get_rank() == 0:
    print(json.dumps(everyone))
torch.distributed.destroy_process_group()  # otherwise threads of gloo may abort the process at its end

"""trainer.py SOURCE OUT STATE WORLD LIMIT: takes batches of a loader a rank, appends each sample's checksum to OUT in the order
of the draws, and saves the state after each step. Kills itself after LIMIT steps; ends after two epochs.
"""

import json
import os
import signal
import sys

from pictures import SIDE, rows

import penstock

source, out, state, world, limit = sys.argv[1:6]
world, limit = int(world), int(limit)
flags = {"resize": SIDE, "augment": "flip", "batch": 8 // world, "remainder": "pad", "epochs": 2}
if world > 1:
    flags["world"] = world
loaders = [penstock.loader(source, **flags, **({"rank": rank} if world > 1 else {})) for rank in range(world)]
if os.path.exists(state):
    with open(state) as file:
        saved = json.load(file)
    for loader in loaders:
        loader.load_state_dict(saved)
steps = 0
with open(out, "a") as file:
    for batches in zip(*(loader.all() for loader in loaders)):
        for step in zip(*(rows(batch) for batch in batches)):
            print(*step, sep="\n", file=file)
        file.flush()
        with open(state + ".new", "w") as new:
            json.dump(loaders[0].state_dict(), new)
        os.replace(state + ".new", state)
        steps += 1
        if steps == limit:
            os.kill(os.getpid(), signal.SIGKILL)
for loader in loaders:
    loader.close()

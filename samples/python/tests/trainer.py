"""trainer.py SOURCE OUT STATE WORLD LIMIT: takes batches of each rank, appends each sample's checksum to OUT in the order of the
draws, and saves the state after each step. Kills itself after LIMIT steps; ends after two epochs.

SOURCE: for a loader a rank, or the address of a server
"""

import itertools
import json
import os
import signal
import sys

from pictures import FLAGS, rows

import penstock

source, out, state, world, limit = sys.argv[1:6]
world, limit = int(world), int(limit)


def rank_of(rank):
    if source.startswith("http"):
        return penstock.Batches(source, rank=rank, shared=True)
    more = {"rank": rank, "world": world} if world > 1 else {}
    return penstock.loader(source, **{**FLAGS, "batch": FLAGS["batch"] // world}, **more)


ranks = [rank_of(rank) for rank in range(world)]
if os.path.exists(state):
    with open(state) as file:
        saved = json.load(file)
    for batches in ranks:
        batches.load_state_dict(saved)
steps = 0
with open(out, "a") as file:
    while ranks[0].epoch < 2:
        for step in zip(*ranks):
            for row in itertools.chain.from_iterable(itertools.zip_longest(*map(rows, step))):
                if row is not None:
                    print(row, file=file)
            file.flush()
            with open(state + ".new", "w") as new:
                json.dump(ranks[-1].state_dict(), new)
            os.replace(state + ".new", state)
            steps += 1
            if steps == limit:
                os.kill(os.getpid(), signal.SIGKILL)
for batches in ranks:
    batches.close()

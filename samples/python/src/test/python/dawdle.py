"""dawdle.py CLIENT_FOLDER ADDRESS: takes a batch, says so, and takes the rest once it is told to."""

import sys

sys.path.insert(0, sys.argv[1])
import penstock  # noqa: E402

batches = iter(penstock.Batches(sys.argv[2], patience=20))
next(batches)
print("took 1", flush=True)
sys.stdin.readline()
print("took", 1 + sum(1 for _ in batches), flush=True)

"""take_served.py ADDRESS…: takes all batches of servers and prints the number of each. `./penstock bench servers` starts it."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import penstock  # noqa: E402

for number, batch in enumerate(penstock.Batches(sys.argv[1:]).all()):
    print(number, flush=True)

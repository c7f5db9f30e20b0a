"""announced.py CLIENT_FOLDER ADDRESS COUNT: takes COUNT batches from shared memory as patiently as it can, and counts its requests for them."""

import itertools
import sys

sys.path.insert(0, sys.argv[1])
import penstock.server  # noqa: E402
import penstock.shared  # noqa: E402

penstock.shared.Board.PATIENCE = 3600
asked = []
ask = penstock.server.Server.ask
penstock.server.Server.ask = lambda self, connection, what: (asked.append(what), ask(self, connection, what))
batches = iter(penstock.Batches(sys.argv[2], shared=True, patience=20))
taken = sum(batch.size for batch in itertools.islice(batches, int(sys.argv[3])))
print("took", taken, "asked", sum("plan" not in what for what in asked))

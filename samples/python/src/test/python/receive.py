"""receive.py CLIENT_FOLDER ADDRESS OUT TOKEN_FILE MODE LIMIT [RANK]: appends each sample's bytes to OUT; dies in cold blood after LIMIT batches."""

import os
import signal
import sys

folder, address, out, token_file, mode, limit = sys.argv[1:7]
sys.path.insert(0, folder)
import penstock  # noqa: E402

resume = open(token_file).read() if os.path.exists(token_file) else None
count = 0
with open(out, "ab", buffering=0) as file:
    for batch in penstock.Batches(address, resume=resume, shared=mode == "shared", patience=20):
        assert batch.mask.sum() == batch.size
        file.write(b"".join(array[row].tobytes() for row in range(batch.size) for array in batch.values()))
        with open(token_file + ".new", "w") as token:
            token.write(batch.resume)
        os.replace(token_file + ".new", token_file)
        count += 1
        if count == int(limit):
            os.kill(os.getpid(), signal.SIGKILL)
print("done", count)

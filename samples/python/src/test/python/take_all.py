"""take_all.py CLIENT_FOLDER ADDRESSES TOKEN: a line for each batch: epoch, rows, digest of its bytes, token. Addresses have commas between."""

import sys
import zlib

folder, addresses, token = sys.argv[1:4]
sys.path.insert(0, folder)
import penstock  # noqa: E402

try:
    for batch in penstock.Batches(addresses.split(","), resume=token or None, patience=20).all():
        print(batch.epoch, batch.size, zlib.crc32(b"".join(array.tobytes() for array in batch.values())), batch.resume, flush=True)
except penstock.PenstockError as failure:
    sys.exit(str(failure))

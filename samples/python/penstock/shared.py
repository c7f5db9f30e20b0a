"""Through shared memory: a ring of messages says where in a file each batch is, and HTTP where it has none."""

from __future__ import annotations

import json
import mmap
import threading
import time
import weakref

import numpy as np

from .batch import DTYPES, Batch, PenstockError, array_of


def shared_batches(batches, connection):
    server, files, board, copies = batches._server, {}, None, Copies()
    server.ask(connection, "/shared" + batches._query(board=1))
    message = json.loads(server.answer(connection).read())
    number = 0
    while not message.get("end"):
        if board is None and "board" in message:
            board = Board(message["board"])
        batch = _shared_batch(message, files, copies if batches.copy else None)
        number += 1
        if batches.copy and board:
            board.give_back(number)
        try:
            yield batch
        finally:
            if not batches.copy:
                batch._give_back()
        message = None
        if board:
            board.give_back(number)
            message = board.wait(number)
        if message is None:
            server.ask(connection, f"/shared?done={number}&next={number}")
            message = json.loads(server.answer(connection).read())


class Board:
    """What the server announces, and what this has done with: two counters and a few messages in a file that both map."""

    PATIENCE = 0.005  # to look for that long costs less than to ask

    def __init__(self, about):
        with open(about["file"], "r+b") as file:
            self.memory = mmap.mmap(file.fileno(), 0)
        self.counters = np.frombuffer(self.memory, "<u8", 9)  # read and written whole, as slices of bytes might not be
        self.messages, self.room = about["messages"], about["room"]
        self.fence = threading.Lock()
        self.usual = 0.0  # how long a batch has been waited for

    def give_back(self, number):
        """Batches before this one are done with."""
        with self.fence:  # where the processor keeps no order of its own, what was read of them was read before
            self.counters[8] = number

    def wait(self, number):
        """The message of a batch, or None if it does not come soon."""
        began = time.perf_counter()
        while int(self.counters[0]) <= number:
            waited = time.perf_counter() - began
            if waited > self.PATIENCE:
                return None
            time.sleep(min(max(self.usual / 4, 50e-6), 1e-3))
        self.usual += (time.perf_counter() - began - self.usual) / 4
        with self.fence:
            at = 4096 + number % self.messages * self.room
            length = int.from_bytes(self.memory[at : at + 4], "little")
        message = json.loads(self.memory[at + 4 : at + 4 + length]) if 0 < length <= self.room - 4 else {}
        return message if message.get("batch") == number else None


class Copies:
    """Memory of copies, used again once no array refers to it: the first use of its pages takes longer than the copy."""

    SPARE = 2  # a loop has a batch in use, and one that comes

    def __init__(self):
        self.spare = []

    def copy(self, data):
        memory = self.spare.pop() if self.spare else None
        if memory is None or len(memory) != len(data):
            memory = mmap.mmap(-1, len(data), flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        lent = np.frombuffer(memory, np.uint8)  # which its arrays refer to, as numpy does not look below a mmap
        np.copyto(lent, data)
        weakref.finalize(lent, self._give_back, memory).atexit = False
        return lent

    def _give_back(self, memory):
        if len(self.spare) < self.SPARE:
            self.spare.append(memory)


def _shared_batch(message, files, copies):
    arrays, dtypes, places = {}, {}, {}
    for field in message["fields"]:
        name, shape, kind = field["name"], tuple(field["shape"]), field["dtype"]
        if kind not in DTYPES:
            raise PenstockError(f"field {name!r} has dtype {kind!r}, which this client does not know")
        size = int(np.prod(shape, dtype=object)) * DTYPES[kind].itemsize
        arrays[name], dtypes[name] = np.empty(shape, DTYPES[kind]) if size == 0 else None, kind
        if size:
            places[name] = field["at"], size, kind, shape
    if places:
        start, end = min(at for at, *_ in places.values()), max(at + size for at, size, *_ in places.values())
        memory = _mapped(message["file"], end, files)
        if copies:  # the fields of a batch lie side by side, so that one copy does
            memory = copies.copy(np.frombuffer(memory, np.uint8, end - start, start))
        for name, (at, _, kind, shape) in places.items():
            arrays[name] = array_of(memory, kind, shape, at - start if copies else at)
    return Batch(arrays, message["size"], message["epoch"], message["resume"], message["rank"], dtypes)


def _mapped(path, end, files):
    if path not in files or len(files[path]) < end:
        files[path] = _map(path)  # the file grows; arrays keep the map that they see
    return files[path]


def _map(path):
    with open(path, "rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)

"""Batches from `penstock serve`, as numpy arrays. One file to copy; needs Python 3.9 and numpy, and torch for TorchBatches.

    import penstock

    batches = penstock.Batches("http://127.0.0.1:8080/")
    for epoch in range(3):
        for batch in batches:                           # a pass is an epoch
            train(batch["pixels"], batch["label"])      # u8[n, h, w, c] and i32[n]
            save(model, batch.resume)                   # Batches(..., resume=...) goes on behind this batch

A pass after the server's last epoch raises EndOfRun. A connection that breaks off is taken up again where it was: no batch is missed and none comes twice.

With a list of addresses, of servers that were started with the same flags, batches come from all of them. Each server can make
any batch: one that is slow or gone costs its share of the speed, and no batch. A token is valid for any number of servers.

    batches = penstock.Batches(["http://10.0.0.1:8080/", "http://10.0.0.2:8080/"])

With shared=True, on the server's machine and where it was started with --shared, the arrays are read-only views of the
server's own memory. They are valid until the next batch is asked for, unless copy=True.

With PyTorch:

    from torch.utils.data import DataLoader
    loader = DataLoader(penstock.TorchBatches("http://127.0.0.1:8080/"), batch_size=None)
"""

import http.client
import json
import mmap
import multiprocessing.sharedctypes
import os
import socket
import ssl
import struct
import sys
import threading
import time
import urllib.parse
import warnings

import numpy as np

__all__ = ["Batch", "Batches", "EndOfRun", "PenstockError", "TorchBatches"]

_DTYPES = {
    "bool": np.dtype("?"),
    "u8": np.dtype("u1"),
    "i8": np.dtype("i1"),
    "u16": np.dtype("<u2"),
    "i16": np.dtype("<i2"),
    "u32": np.dtype("<u4"),
    "i32": np.dtype("<i4"),
    "u64": np.dtype("<u8"),
    "i64": np.dtype("<i8"),
    "f16": np.dtype("<f2"),
    "bf16": np.dtype("<u2"),  # numpy has no bfloat16: its bits
    "f32": np.dtype("<f4"),
    "f64": np.dtype("<f8"),
}
_MASK = "penstock.mask"
_LARGEST_METADATA = 1 << 24
_LARGEST_BODY = 1 << 36
_BROKEN = (OSError, EOFError, http.client.HTTPException)


class PenstockError(Exception):
    """The server refused, its run failed, or what it sent cannot be read."""

    status = None  # of the server's answer, if it refused


class EndOfRun(PenstockError):
    """All epochs of the server's run were delivered."""


class Batch(dict):
    """Arrays by name, [n, ...] each.

    size: how many rows are valid; they come first
    mask: bool[n], which rows are valid
    epoch: counted from 0
    resume: the token to go on with once this batch has been used
    rank: of the consumer
    """

    def __init__(self, arrays, size, epoch, resume, rank, dtypes):
        super().__init__(arrays)
        self.size = size
        self.epoch = epoch
        self.resume = resume
        self.rank = rank
        self.dtypes = dtypes

    @property
    def mask(self):
        rows = max([len(array) for array in self.values()], default=self.size)
        return np.arange(rows) < self.size


class Batches:
    """The batches of a server, from the start or behind a token. Each iteration is an epoch, or the rest of one.

    The first iteration behind a token is the rest of its epoch, as is the next one after a loop that was left early. The
    connection is kept from one epoch to the next. An iteration after the last epoch raises EndOfRun.

    address:  such as http://127.0.0.1:8080/, or a list of those of several servers
    resume:   a token: batch.resume of an earlier run
    rank:     which rank to be, where the server has ranks; else it says one
    token:    the server's bearer token, unless the environment has it as PENSTOCK_TOKEN
    cafile:   certificates to trust, for https with one of your own
    shared:   take batches from shared memory
    copy:     with shared: arrays that stay valid
    patience: seconds to try again for when the server cannot be reached
    """

    def __init__(
        self, address, *, resume=None, rank=None, token=None, cafile=None, shared=False, copy=False, patience=60.0
    ):
        self._servers = [_Server(each, token, cafile) for each in ([address] if isinstance(address, str) else address)]
        if not self._servers:
            raise ValueError("address must be one or more, was an empty list")
        if shared and len(self._servers) > 1:
            raise ValueError("shared memory is that of one server, so it needs one address")
        self._server = self._servers[0]
        self.resume = resume
        self.rank = rank
        self.shared = shared
        self.copy = copy
        self.patience = patience
        self._run = None  # all batches from a place on
        self._first = None  # of the next epoch, which tells that the last one has ended
        self._behind = None  # the token of the last batch that came
        self._place = None  # self.resume as this has set it
        self._over = False

    def __iter__(self):
        """Yields the batches of one epoch."""
        if self.resume != self._place:
            self.close()
        epoch = None
        try:
            while True:
                batch = self._next()
                if batch is None and epoch is None:
                    raise EndOfRun(
                        f"no batch is left: {self._server} has delivered the last of its --epochs; "
                        "start it with more of them, or make another Batches to begin anew"
                    )
                if batch is None:
                    return
                if epoch is not None and batch.epoch != epoch:
                    self._first = batch
                    return
                epoch = batch.epoch
                self.resume, self.rank, self._place = batch.resume, batch.rank, batch.resume
                yield batch
        except GeneratorExit:  # the loop was left early
            self.close()
            raise

    def all(self):
        """Yields the batches of all epochs that are left."""
        try:
            while True:
                yield from self
        except EndOfRun:
            return

    def close(self):
        """Ends the connection. The next iteration goes on behind the last batch that was delivered."""
        run, self._run, self._first, self._place, self._over = self._run, None, None, self.resume, False
        if run is not None:
            run.close()

    def _next(self):
        if self._first is not None:
            batch, self._first = self._first, None
            return batch
        if self._over:
            return None
        if self._run is None:
            self._behind = self.resume
            self._run = self._batches() if len(self._servers) == 1 else _Spread(self).batches()
        batch = next(self._run, None)
        self._over = batch is None
        return batch

    def _batches(self):
        last = time.monotonic()
        wait = 0.05
        while True:
            connection = self._server.connect()
            try:
                given = _shared(self, connection) if self.shared else _streamed(self._server, connection, self._query())
                for batch in given:
                    self._behind, self.rank = batch.resume, batch.rank
                    yield batch
                    last, wait = time.monotonic(), 0.05
                return
            except _Again as refusal:
                reason = refusal
            except ssl.SSLCertVerificationError as failure:
                raise PenstockError(f"{self._server} is not to be trusted: {failure}") from failure
            except _BROKEN as failure:
                reason = failure
            finally:
                connection.close()
            if time.monotonic() - last > self.patience:
                raise PenstockError(f"no batch from {self._server} for {self.patience} s: {reason}") from reason
            time.sleep(wait)
            wait = min(2 * wait, 2.0)

    def _query(self, **more):
        return _query(rank=self.rank, resume=self._behind, **more)


def _query(**asked):
    text = urllib.parse.urlencode({name: value for name, value in asked.items() if value is not None})
    return "?" + text if text else ""


class _Again(Exception):
    """The server cannot now."""


class _Server:
    CONNECT = 10.0

    def __init__(self, address, token, cafile):
        self.parts = urllib.parse.urlsplit(address)
        if self.parts.scheme not in ("http", "https") or not self.parts.hostname:
            raise ValueError(f"address must be http://HOST:PORT/ or https://HOST:PORT/, was {address!r}")
        token = token or os.environ.get("PENSTOCK_TOKEN")
        if token and not (token.isascii() and token.isprintable()):
            raise ValueError("a bearer token must be printable ASCII")
        self.parts.port  # says so now if it is none
        near = self.parts.hostname == "localhost" or self.parts.hostname == "::1" or self.parts.hostname.startswith("127.")
        if token and self.parts.scheme == "http" and not near:
            raise ValueError(f"a bearer token would go to {self.parts.hostname} in clear: use https")
        self.headers = {"Authorization": "Bearer " + token} if token else {}
        self.tls = ssl.create_default_context(cafile=cafile) if self.parts.scheme == "https" else None

    def connect(self):
        if self.tls:
            return http.client.HTTPSConnection(self.parts.hostname, self.parts.port, context=self.tls)
        return http.client.HTTPConnection(self.parts.hostname, self.parts.port)

    def open(self, connection, timeout=None):
        if connection.sock is None:
            connection.timeout = timeout or self.CONNECT
            connection.connect()
            # a batch may take its time, but a server whose machine is gone must be noticed
            connection.sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        connection.sock.settimeout(timeout)

    def ask(self, connection, what):
        if connection.sock is None:
            self.open(connection)
        connection.request("GET", (self.parts.path.rstrip("/") or "") + what, headers=self.headers)

    def answer(self, connection):
        response = connection.getresponse()
        if response.status == 200:
            return response
        text = response.read(1 << 16).decode("utf-8", "replace").strip()
        try:
            text = json.loads(text)["error"]
        except (ValueError, KeyError, TypeError):
            pass
        message = f"{self} answered {response.status}: {text}"
        if response.status == 503:
            raise _Again(message)
        refusal = PenstockError(message)
        refusal.status = response.status
        raise refusal

    def __str__(self):
        return urllib.parse.urlunsplit((self.parts.scheme, self.parts.netloc.rpartition("@")[2], "/", "", ""))


# ---- over HTTP: Arrow's IPC stream format, of which this reads what the server writes


def _streamed(server, connection, query):
    server.ask(connection, "/batches" + query)
    response = server.answer(connection)
    rank = int(response.headers.get("Penstock-Rank", 0))
    fields = None
    ended = False
    while True:
        prefix = _read(response, 8, or_end=ended)
        if prefix is None:
            return
        continuation, length = struct.unpack("<Ii", prefix)
        if continuation != 0xFFFFFFFF or not 0 <= length <= _LARGEST_METADATA:
            raise PenstockError("this is no Arrow stream")
        ended = length == 0
        if ended:
            continue
        message = _Table.root(_read(response, length))
        kind, header, body = message.number(1, "<B"), message.table(2), message.number(3, "<q")
        if not 0 <= body <= _LARGEST_BODY:
            raise PenstockError(f"a message of {body} bytes is too large")
        if kind == 1:
            fields = [_Field(table) for table in header.tables(1)]
        elif kind == 3 and fields is not None:
            yield _arrow_batch(fields, header, message.texts(4), _read(response, body), rank)
        else:
            raise PenstockError(f"an Arrow message of kind {kind} was not expected")


def _read(response, count, or_end=False):
    into = np.empty(count, np.uint8)
    view = memoryview(into)
    have = 0
    while have < count:
        got = response.readinto(view[have:])
        if not got:
            if or_end and have == 0:
                return None
            raise EOFError("the connection was broken off")
        have += got
    return into


class _Table:
    """A table of a flatbuffer: a position in its bytes, and a list of where its fields are."""

    def __init__(self, data, at):
        self.data = data
        self.at = at
        self.slots = at - self._get("<i", at)

    @staticmethod
    def root(data):
        return _Table(data, struct.unpack_from("<I", data)[0])

    def _get(self, form, at):
        if not 0 <= at <= len(self.data) - struct.calcsize(form):
            raise PenstockError("an Arrow message is damaged")
        return struct.unpack_from(form, self.data, at)[0]

    def _field(self, number):
        slot = 4 + 2 * number
        place = self._get("<H", self.slots + slot) if slot < self._get("<H", self.slots) else 0
        return self.at + place if place else None

    def _follow(self, at):
        return at + self._get("<I", at)

    def number(self, number, form):
        at = self._field(number)
        return 0 if at is None else self._get(form, at)

    def table(self, number):
        return _Table(self.data, self._follow(self._field(number) or 0))

    def vector(self, number):
        """Where its elements begin, and how many there are."""
        at = self._field(number)
        if at is None:
            return 0, 0
        start = self._follow(at)
        count = self._get("<I", start)
        if count > len(self.data):
            raise PenstockError("an Arrow message is damaged")
        return start + 4, count

    def tables(self, number):
        start, count = self.vector(number)
        return [_Table(self.data, self._follow(start + 4 * i)) for i in range(count)]

    def text(self, number):
        start, count = self.vector(number)
        return bytes(self.data[start : start + count]).decode("utf-8")

    def texts(self, number):
        return {entry.text(0): entry.text(1) for entry in self.tables(number)}


class _Field:
    def __init__(self, table):
        metadata = table.texts(6)
        self.name = table.text(0)
        self.kind = metadata.get("penstock.dtype", "")
        shape = metadata.get("penstock.shape", "")
        if self.kind not in _DTYPES:
            raise PenstockError(f"field {self.name!r} has dtype {self.kind!r}, which this client does not know")
        self.shape = tuple(int(length) for length in shape.split(",")) if shape else ()
        self.buffers = 3 if self.shape else 2  # bitmaps of what is null, then the data


def _arrow_batch(fields, record, metadata, body, rank):
    if not {"penstock.size", "penstock.epoch", "penstock.resume"} <= metadata.keys():
        raise PenstockError("this is an Arrow stream of another program")
    rows = record.number(0, "<q")
    start, count = record.vector(2)
    if count != sum(field.buffers for field in fields):
        raise PenstockError("an Arrow message does not fit its schema")
    arrays = {}
    place = -1
    for field in fields:
        place += field.buffers
        at, length = record._get("<q", start + 16 * place), record._get("<q", start + 16 * place + 8)
        if at < 0 or length < 0 or at + length > len(body):
            raise PenstockError("an Arrow message is damaged")
        arrays[field.name] = _array(memoryview(body)[at : at + length], field.kind, (rows, *field.shape), 0)
    arrays.pop(_MASK, None)
    dtypes = {field.name: field.kind for field in fields}
    return Batch(
        arrays, int(metadata["penstock.size"]), int(metadata["penstock.epoch"]), metadata["penstock.resume"], rank, dtypes
    )


def _array(buffer, kind, shape, at):
    try:
        return np.ndarray(shape, _DTYPES[kind], buffer, at)
    except (TypeError, ValueError, OverflowError) as failure:
        raise PenstockError(f"an array of {kind}{list(shape)} does not fit what was sent: {failure}") from failure


# ---- through shared memory: a board says where in a file each batch is, and HTTP where nothing is on it


def _shared(batches, connection):
    server, files, board = batches._server, {}, None
    server.ask(connection, "/shared" + batches._query(board=1))
    message = json.loads(server.answer(connection).read())
    number = 0
    while not message.get("end"):
        if board is None and "board" in message:
            board = _Board(message["board"])
        batch = _shared_batch(message, files)
        number += 1
        if batches.copy:
            for name, array in batch.items():
                batch[name] = array.copy()
            if board:
                board.give_back(number)
        yield batch
        message = None
        if board:
            board.give_back(number)
            message = board.wait(number)
        if message is None:
            server.ask(connection, f"/shared?done={number}&next={number}")
            message = json.loads(server.answer(connection).read())


class _Board:
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


def _shared_batch(message, files):
    path = message["file"]
    arrays, dtypes = {}, {}
    for field in message["fields"]:
        shape, kind = tuple(field["shape"]), field["dtype"]
        if kind not in _DTYPES:
            raise PenstockError(f"field {field['name']!r} has dtype {kind!r}, which this client does not know")
        size = int(np.prod(shape, dtype=object)) * _DTYPES[kind].itemsize
        if size == 0:
            arrays[field["name"]] = np.empty(shape, _DTYPES[kind])
        else:
            mapped = files.get(path)
            if mapped is None or len(mapped) < field["at"] + size:
                mapped = files[path] = _map(path)  # the file grows; arrays keep the map that they see
            arrays[field["name"]] = _array(mapped, kind, shape, field["at"])
        dtypes[field["name"]] = kind
    return Batch(arrays, message["size"], message["epoch"], message["resume"], message["rank"], dtypes)


def _map(path):
    with open(path, "rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


# ---- several servers of one plan: any of them can make any batch


class _Member:
    """One of several servers: how long its batches take, and since when it does not answer."""

    FIRST_PAUSE, LONGEST_PAUSE = 0.1, 1.0

    def __init__(self, server):
        self.server = server
        self.since = time.monotonic()
        self.usual = None  # seconds a batch
        self.is_checked = False  # whether it has the plan of the others
        self.is_probed = False
        self.pause, self.until, self.reason = self.FIRST_PAUSE, 0.0, None

    def took(self, seconds):
        self.usual = seconds if self.usual is None else self.usual + (seconds - self.usual) / 4
        self.pause, self.reason = self.FIRST_PAUSE, None

    def is_away(self, now):
        return self.reason is not None or not self.is_checked and now - self.since > 2 * self.FIRST_PAUSE

    def left(self, reason):
        self.is_checked, self.reason = False, reason
        self.until = time.monotonic() + self.pause
        self.pause = min(2 * self.pause, self.LONGEST_PAUSE)


class _Wanted:
    """A batch that the consumer will take."""

    def __init__(self):
        self.batch = None
        self.asked = {}  # when, and on which connection, by member
        self.failed = {}  # how, by member
        self.probe = None  # the member that makes it too, only to be measured


class _Spread:
    """Batches by number from several servers, in order.

    Batch k of an epoch is asked of server k mod n. A server asks for a batch of another one where that is gone or takes longer,
    and where a batch is late. A server that takes much longer than the fastest is only measured, until it is faster.
    """

    AT_ONCE = 2  # requests to a server
    AHEAD = 3  # batches of a server that the consumer has not taken
    LONGER, MUCH_LONGER = 1.3, 3.0  # than the usual time
    BLINK = 0.05
    COLD = 2.0  # what is late where nothing was measured
    PROBE, LONGEST_PROBE = 1.0, 30.0  # between two measurements of a slow server, and for one
    CHECK = 5.0  # for the answer of a server that makes no batch

    def __init__(self, batches):
        self.members = [_Member(server) for server in batches._servers]
        self.asked, self.rank, self.patience = batches._behind, batches.rank, batches.patience
        self.token = None  # the position that a server made of the one asked for
        self.about, self.first = None, None  # the plan, and the server that said it first
        self.changed = threading.Condition()
        self.wanted, self.next, self.failure, self.is_closed = {}, 0, None, False

    def batches(self):
        for member in self.members:
            for _ in range(self.AT_ONCE):
                threading.Thread(target=self._work, args=(member,), daemon=True, name=f"penstock {member.server}").start()
        try:
            while (batch := self._take()) is not None:
                yield batch
        finally:
            with self.changed:
                self.is_closed = True
                for wanted in self.wanted.values():
                    self._cancel(wanted)
                self.changed.notify_all()

    def _take(self):
        began = time.monotonic()
        with self.changed:
            while True:
                if self.failure:
                    raise self.failure
                if self.about and self.next >= self.about["count"]:
                    return None
                wanted = self.wanted.get(self.next)
                if wanted and wanted.batch is not None:
                    del self.wanted[self.next]
                    self.next += 1
                    self.changed.notify_all()
                    return wanted.batch
                away = [member for member in self.members if member.reason or (wanted and member in wanted.failed)]
                if wanted and wanted.failed and len(away) == len(self.members):
                    raise next(iter(wanted.failed.values()))
                if time.monotonic() - began > self.patience and len(away) == len(self.members):
                    reasons = "; ".join(f"{member.server}: {member.reason}" for member in away)
                    raise PenstockError(f"no batch from any server for {self.patience} s: {reasons}")
                self.changed.wait(self.BLINK)

    def _work(self, member):
        connection, wanted = member.server.connect(), None
        while True:
            with self.changed:
                number, wanted = self._choose(member)
                while wanted is None and number is None and not self.is_closed:
                    self.changed.wait(self.BLINK)
                    number, wanted = self._choose(member)
                if self.is_closed:
                    break
                began = time.monotonic()
                if wanted:
                    wanted.asked[member] = began, connection
            try:
                if wanted is None:
                    self._check(member, connection)
                elif not self._came(member, wanted, began, self._batch(member, connection, number, wanted)):
                    connection.close()
            except Exception as failure:  # whatever it is, the consumer must not wait for this thread
                connection.close()
                self._failed(member, wanted, began, failure)
        connection.close()

    def _choose(self, member):
        """The number of the batch that a server is asked for next; -1 and None to check its plan, None and None to wait."""
        now = time.monotonic()
        if now < member.until:
            return None, None
        if not member.is_checked:
            member.until = now + member.LONGEST_PAUSE  # one thread does it
            return -1, None
        known = [each.usual for each in self.members if each.usual is not None and each.reason is None]
        slow = bool(known) and self._is_longer(member.usual, min(known), self.MUCH_LONGER)
        end = min(self.next + self.AHEAD * len(self.members), self.about["count"])
        if slow:
            return self._probe(member, end, now)
        late = self.MUCH_LONGER * sorted(known)[(len(known) - 1) // 2] + self.BLINK if known else self.COLD
        for number in range(self.next, end):
            wanted = self.wanted.setdefault(number, _Wanted())
            if wanted.batch is not None or member in wanted.asked or member in wanted.failed:
                continue
            others = [since for each, (since, _) in wanted.asked.items() if each is not wanted.probe]
            if others:
                if now - max(others) > late * 2 ** (len(others) - 1):
                    return number, wanted
                continue
            home = self._home(number)
            if home is member or home.is_away(now) or home in wanted.failed or self._is_longer(home.usual, member.usual, self.LONGER):
                return number, wanted
        return None, None

    def _is_longer(self, usual, than, times):
        return usual is not None and than is not None and usual > times * than + self.BLINK / 5

    def _probe(self, member, end, now):
        wanted = self.wanted.setdefault(end - 1, _Wanted()) if end > self.next else None
        if member.is_probed or wanted is None or wanted.batch is not None or wanted.asked:
            return None, None
        member.is_probed, member.until, wanted.probe = True, now + self.PROBE, member
        return end - 1, wanted

    def _home(self, number):
        left, epoch = self.about["left"], self.about["epoch"]
        within = epoch - left + number if number < left else (number - left) % epoch
        return self.members[within % len(self.members)]

    def _check(self, member, connection):
        member.server.open(connection, self.CHECK)
        member.server.ask(connection, "/plan" + _query(rank=self.rank, resume=self.asked))
        about = json.loads(member.server.answer(connection).read())
        with self.changed:
            if self.about is None:
                self.about, self.first, self.token = about, member, about["resume"]
            if about["fingerprint"] != self.about["fingerprint"]:
                ours, theirs = self.about["plan"], about["plan"]
                differences = [
                    f"{name} {theirs.get(name)} there, {ours.get(name)} here"
                    for name in sorted({*ours, *theirs})
                    if ours.get(name) != theirs.get(name)
                ]
                raise PenstockError(f"{member.server} has another plan than {self.first.server}: {'; '.join(differences)}")
            member.is_checked, member.until, member.reason = True, 0.0, None
            self.changed.notify_all()

    def _batch(self, member, connection, number, wanted):
        member.server.open(connection, self.LONGEST_PROBE if wanted.probe is member else None)
        query = _query(rank=self.rank, resume=self.token, batch=number, plan=self.about["fingerprint"])
        return list(_streamed(member.server, connection, query))[0]

    def _came(self, member, wanted, began, batch):
        """Whether it is the first that came."""
        with self.changed:
            del wanted.asked[member]
            member.took(time.monotonic() - began)
            if wanted.probe is member:
                member.is_probed = False
            if wanted.batch is None:
                wanted.batch = batch
                self._cancel(wanted)
            self.changed.notify_all()
            return wanted.batch is batch

    def _cancel(self, wanted):
        """Ends the requests of the others for a batch that has come, but for one that measures a server."""
        for member, (_, connection) in wanted.asked.items():
            if connection.sock and (self.is_closed or member is not wanted.probe):
                try:
                    connection.sock.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass  # it is closed already

    def _failed(self, member, wanted, began, failure):
        with self.changed:
            if wanted:
                wanted.asked.pop(member, None)
                if wanted.probe is member:
                    wanted.probe, member.is_probed = None, False
            if wanted and wanted.batch is not None:  # another was first
                member.usual = max(member.usual or 0.0, time.monotonic() - began)
            elif isinstance(failure, (_Again, *_BROKEN)) and not isinstance(failure, ssl.SSLCertVerificationError):
                member.left(failure)
            elif wanted and getattr(failure, "status", None) == 500:
                wanted.failed[member] = failure
            elif getattr(failure, "status", None) == 409:
                member.is_checked = False  # it was started anew, and says what differs
            elif self.failure is None:
                self.failure = failure
            self.changed.notify_all()


# ---- PyTorch


def __getattr__(name):
    if name != "TorchBatches":
        raise AttributeError(name)
    import torch
    from torch.utils.data import IterableDataset, get_worker_info

    class TorchBatches(IterableDataset):
        """Batches as dicts of tensors, with the token as "penstock.resume"; for DataLoader(..., batch_size=None).

        Takes what Batches takes, and like there a pass is an epoch. A loop that is left early goes on behind the last batch
        it had, but with a worker, which is ahead of the loop: the next pass then begins where that one did. With shared=True tensors must not be written to, and are valid until the next is asked
        for; a worker process copies them. One worker at most: each would get all batches.
        """

        def __init__(self, address, **options):
            super().__init__()
            self.address = address
            self.options = options
            self._place = _Place()
            self._batches = None
            self._process = None

        def __getstate__(self):
            return {**self.__dict__, "_batches": None}

        def __iter__(self):
            worker = get_worker_info()
            if worker is not None and worker.num_workers > 1:
                raise ValueError("num_workers must be 0 or 1: each worker would get all batches")
            if self._batches is None or self._process != os.getpid():  # a worker is a copy of this process
                options = {**self.options, **self._place.load()}
                if worker is not None:
                    options["copy"] = True
                self._batches, self._process = Batches(self.address, **options), os.getpid()
            for batch in self._batches:
                if worker is None:
                    self._place.save(batch)
                tensors = {key: _tensor(torch, array, batch.dtypes[key]) for key, array in batch.items()}
                yield {**tensors, "penstock.resume": batch.resume}
            self._place.save(self._batches)  # a worker ends with its pass

    TorchBatches.__qualname__ = "TorchBatches"
    globals()["TorchBatches"] = TorchBatches
    return TorchBatches


class _Place:
    """Where the next pass begins, as worker processes leave it for each other."""

    SIZE = 1 << 13

    def __init__(self, text=b""):
        self.memory = multiprocessing.sharedctypes.RawArray("c", self.SIZE)
        self.memory.value = text

    def load(self):
        return json.loads(self.memory.value) if self.memory.value else {}

    def save(self, at):
        self.memory.value = json.dumps({"resume": at.resume, "rank": at.rank}).encode()

    def __reduce__(self):
        if multiprocessing.context.get_spawning_popen() is None:
            return _Place, (self.memory.value,)
        return _attached, (self.memory,)


def _attached(memory):
    place = _Place.__new__(_Place)
    place.memory = memory
    return place


def _tensor(torch, array, kind):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that shared arrays are read-only
        tensor = torch.from_numpy(array)
    return tensor.view(torch.bfloat16) if kind == "bf16" else tensor


# ---- python3 penstock.py ADDRESS: how fast batches come


def _main():
    import argparse

    arguments = argparse.ArgumentParser(description="Take every batch of a server, and say how fast they came.")
    arguments.add_argument("address", nargs="+")
    arguments.add_argument("--shared", action="store_true", help="through shared memory")
    arguments.add_argument("--copy", action="store_true", help="copy each batch into memory of our own")
    arguments.add_argument("--resume", metavar="TOKEN")
    arguments.add_argument("--rank", type=int)
    arguments.add_argument("--cafile", metavar="PEM", help="certificates to trust")
    given = arguments.parse_args()
    samples = size = 0
    began = time.perf_counter()
    epoch = None
    own = {}

    def report():
        took = time.perf_counter() - began
        # a copy of the same arrays, as many bytes: the limit of any client that has them in memory of its own
        copied = _copies_a_second(own) if own else 0
        line = {"epoch": epoch, "samples": samples, "bytes": size, "seconds": round(took, 6)}
        line["bytes_per_second"] = round(size / took) if took else 0
        line["of_memcpy"] = round(size / took / copied, 3) if took and copied else None
        print(json.dumps(line), flush=True)

    token = None
    try:
        batches = Batches(
            given.address if len(given.address) > 1 else given.address[0],
            shared=given.shared,
            resume=given.resume,
            rank=given.rank,
            cafile=given.cafile,
        )
    except ValueError as mistake:
        sys.exit(_said(mistake, 2))
    for batch in batches.all():
        if epoch is not None and batch.epoch != epoch:
            report()
            samples, size, began = 0, 0, time.perf_counter()
        epoch, token = batch.epoch, batch.resume
        samples += batch.size
        for name, array in batch.items():
            size += array.nbytes
            if name not in own or own[name].shape != array.shape:
                own[name] = np.zeros_like(array)
            if given.copy:
                np.copyto(own[name], array)
    if epoch is not None:
        report()
    print(json.dumps({"resume": token}), flush=True)


def _copies_a_second(arrays, seconds=0.3):
    """Bytes a second that copying into these arrays moves, from memory that no cache holds."""
    size = sum(array.nbytes for array in arrays.values())
    sources = [{name: array.copy() for name, array in arrays.items()} for _ in range(1 + (256 << 20) // max(size, 1 << 20))]
    moved, began, turn = 0, time.perf_counter(), 0
    while time.perf_counter() - began < seconds:
        for name, array in sources[turn % len(sources)].items():
            np.copyto(arrays[name], array)
            moved += array.nbytes
        turn += 1
    return moved / (time.perf_counter() - began)


def _said(failure, status):
    print(f"penstock.py: {failure}", file=sys.stderr)
    return status


if __name__ == "__main__":
    try:
        _main()
    except (PenstockError, OSError) as failure:
        sys.exit(_said(failure, 1))
    except KeyboardInterrupt:
        sys.exit(130)

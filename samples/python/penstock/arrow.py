"""Over HTTP: the part of Arrow's IPC stream format that the server writes."""

from __future__ import annotations

import struct

import numpy as np

from .batch import DTYPES, Batch, PenstockError, array_of
from .server import Server, query


_MASK = "penstock.mask"
_LARGEST_METADATA = 1 << 24
_LARGEST_BODY = 1 << 36


def streamed(server, connection, query):
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
        if self.kind not in DTYPES:
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
        arrays[field.name] = array_of(memoryview(body)[at : at + length], field.kind, (rows, *field.shape), 0)
    arrays.pop(_MASK, None)
    dtypes = {field.name: field.kind for field in fields}
    return Batch(
        arrays, int(metadata["penstock.size"]), int(metadata["penstock.epoch"]), metadata["penstock.resume"], rank, dtypes
    )

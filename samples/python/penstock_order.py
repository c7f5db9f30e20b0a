"""The order in which Penstock draws samples, computed as docs/order.md specifies it. One file to copy; standard library only.

    from penstock_order import draws

    for draw in draws(1000, seed=42, epochs=2, rank=3, world=8):
        print(draw.epoch, draw.index)               # the samples of rank 3, in its order; None is padding

As a program it reads plans from standard input, one JSON object of such arguments a line, and prints the draws of each as
one JSON list of [epoch, index, next epoch, next offset, draws left in the epoch].
"""

import collections
import json
import sys

__all__ = ["Draw", "Permutation", "draws", "fold", "mix", "order"]

_MASK = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15
_BASE = 0x50415254
_FOR_EVER = (1 << 63) - 1

Draw = collections.namedtuple("Draw", "epoch index next_epoch next_offset left")


def mix(z):
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return z ^ (z >> 31)


def fold(state, number):
    """Folds a number, which may be negative, into a state of 64 bits."""
    return mix(((state * 0xD1342543DE82EF95 + _GOLDEN) & _MASK) ^ mix((number + _GOLDEN) & _MASK))


def _scramble(z):
    z = ((z ^ (z >> 32)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 29)) * 0x94D049BB133111EB) & _MASK
    return z >> 32


def _below(word, n):
    """The upper 32 bits of a word as a number below n."""
    return ((word >> 32) * n) >> 32


class Permutation:
    """Of [0, n), by a key of 64 bits: position in, index out."""

    def __init__(self, n, key):
        self._n, self._key = n, key
        dice = mix(key)
        self._flip = dice >> 63
        self._packed = self._shuffled(dice) if n <= 16 else None
        bits = max(2, (n - 1).bit_length() if n > 0 else 0)
        self._rounds = 24 if bits < 9 else 12 if bits < 16 else 6
        self._right_bits = bits // 2
        self._left_mask = (1 << (bits - self._right_bits)) - 1
        self._right_mask = (1 << self._right_bits) - 1

    def _shuffled(self, fraction):
        indices = list(range(self._n))
        for last in range(self._n - 1, 0, -1):
            product = fraction * (last + 1)
            other, fraction = product >> 64, product & _MASK
            indices[last], indices[other] = indices[other], indices[last]
        return indices

    def at(self, position):
        if self._packed is not None:
            return self._packed[position]
        value = position ^ self._flip if position < 2 else position
        while True:
            value = self._encrypt(value)
            if value < self._n:
                return value

    def _encrypt(self, value):
        left, right = value >> self._right_bits, value & self._right_mask
        key = self._key
        for _ in range(0, self._rounds, 2):
            left = (left ^ _scramble(right ^ key)) & self._left_mask
            key = (key + _GOLDEN) & _MASK
            right = (right ^ _scramble(left ^ key)) & self._right_mask
            key = (key + _GOLDEN) & _MASK
        return left << self._right_bits | right


class _Windows:
    def __init__(self, size, window, interleaved, key):
        self._window, self._key, self._turn_key = window, key, fold(key, -3)
        self._windows, self._rest = divmod(size, window)
        groups = max(1, self._windows // interleaved)
        self._each, self._larger = divmod(self._windows, groups)
        self._among = Permutation(self._windows, fold(key, -1))
        rest_group = fold(key, -2) % groups
        self._rest_from = self._before(rest_group) * window if self._rest else size
        self._rest_to = self._before(rest_group + 1) * window + self._rest if self._rest else size

    def _before(self, group):
        return group * self._each + min(group, self._larger)

    def at(self, position):
        if self._rest_from <= position < self._rest_to:
            start, rest = self._rest_from, self._rest
            first = start // self._window
            whole = (self._rest_to - start) // self._window
        else:
            shift, rest = (0 if position < self._rest_from else self._rest), 0
            number = (position - shift) // self._window
            in_larger = self._larger * (self._each + 1)
            if number < in_larger:
                group = number // (self._each + 1)
            else:
                group = self._larger + (number - in_larger) // self._each
            first = self._before(group)
            whole = self._each + (group < self._larger)
            start = first * self._window + shift
        place = position - start
        of_all = rest * (whole + 1)
        lanes, rounds, place = (whole + 1, 0, place) if place < of_all else (whole, rest, place - of_all)
        turn = place % lanes
        within = rounds + place // lanes
        lane = (turn + _below(fold(self._turn_key, position - turn), lanes)) % lanes
        which = self._windows if lane == whole else self._among.at(first + lane)
        length = self._rest if lane == whole else self._window
        return which * self._window + Permutation(length, fold(self._key, which)).at(within)


def _epoch_key(seed, epoch):
    return fold(fold(0, seed), epoch)


def _plain(kind, window, interleaved, size, key):
    if kind == "sequential":
        return lambda position: position
    if kind == "shuffled":
        return Permutation(size, key).at
    return _Windows(size, window, interleaved, key).at


def _partitioned(kind, window, interleaved, size, samples, partitions, base, key):
    each, larger = divmod(samples, partitions)

    def length(part):
        return each + (part < larger)

    orders = {}

    def own(part):
        if part not in orders:
            own_key = fold(key, part)
            if kind == "windowed":
                orders[part] = _Windows(length(part), window, interleaved, own_key)
            else:
                orders[part] = Permutation(length(part), own_key)
        return orders[part]

    def dealt(position):
        row, part = divmod(position, partitions)
        row = own(part).at(row)
        if samples < size:
            return picked.at(row * partitions + part)
        if row == each:
            return row * partitions + part
        return row * partitions + (part + _below(fold(base, row), partitions)) % partitions

    def windowed(position):
        turn, part = divmod(position, partitions)
        start = part * each + min(part, larger)
        before = min(-start % window, length(part))
        within = own(part).at(turn) + before
        in_base = start + (within if within < length(part) else within - length(part))
        which = in_base // window
        return picked.at(which) * window + in_base % window if which < size // window else in_base

    picked = Permutation(size // window if kind == "windowed" else size, base)
    return windowed if kind == "windowed" else dealt


def order(size, seed=0, epoch=0, kind="shuffled", window=1, interleaved=64, shard="global", world=1, limit=None):
    """The global order of an epoch, as a function from positions to indices."""
    samples = size if limit is None else min(limit, size)
    mode, _, number = shard.partition(":")
    key = _epoch_key(seed, epoch)
    if kind == "sequential" or (mode == "global" and limit is None):
        return _plain(kind, window, interleaved, size, key)
    kept = int(mode[len("reshard="):]) if mode.startswith("reshard=") else _FOR_EVER
    partitions = 1 if mode == "global" else int(number or world)
    base = fold(fold(fold(0, seed), _BASE), epoch // kept)
    return _partitioned(kind, window, interleaved, size, samples, partitions, base, key)


def draws(size, seed=0, epochs=1, rank=0, world=1, remainder="pad", start=(0, 0), shard="global", limit=None, **kind):
    """The draws of one rank, from a position on."""
    samples = size if limit is None else min(limit, size)
    for epoch in range(start[0], epochs):
        offset = start[1] if epoch == start[0] else 0
        keeps = shard != "global"
        turn = (rank - offset) % world if keeps else rank
        left = samples - offset
        steps = {"drop": left // world, "pad": -(-left // world), "keep": -((turn - left) // world)}[remainder]
        indices = order(size, seed, epoch, shard=shard, world=world, limit=limit, **kind)
        for step in range(steps):
            position = offset + step * world + turn
            following = (epoch + 1, 0) if step + 1 == steps else (epoch, offset + (step + 1) * world)
            index = indices(position) if position < samples else None
            yield Draw(epoch, index, *following, steps - step - 1)


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(list(draws(**json.loads(line))), separators=(",", ":")), flush=True)

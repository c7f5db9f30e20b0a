"""The order in which Penstock draws samples, computed as docs/order.md specifies it. One file to copy; standard library only.

    from penstock_order import draws

    for draw in draws(1000, seed=42, epochs=2, rank=3, world=8):
        print(draw.epoch, draw.index)               # the samples of rank 3, in its order; None is padding

As a program it reads plans from standard input, one JSON object of such arguments a line, and prints the draws of each as
one JSON list of [epoch, index, next epoch, next offset, draws left in the epoch]. A plan's "mixture" and "weighted" are
objects of the arguments of Mixture and Weighted.
"""

import collections
import fractions
import json
import sys

__all__ = ["Draw", "Mixture", "Permutation", "Weighted", "draws", "fold", "mix", "order"]

_MASK = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15
_BASE = 0x50415254
_MIXED = 0x4D495845
_WEIGHTED = 0x57454947
_PERIOD = 1 << 24
_WHOLE = 13_860_000
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
    number, _, turn = number.partition("x")
    partitions = 1 if mode == "global" else int(number or world)
    base = fold(fold(fold(0, seed), _BASE), epoch // kept)
    alternating = _partitioned(kind, window, interleaved, size, samples, partitions, base, key)
    if not turn:
        return alternating
    many = partitions * int(turn)

    def turns(position):
        within = position % many
        if position >= samples // many * many:
            return alternating(position)
        return alternating(position - within + within % int(turn) * partitions + within // int(turn))

    return turns


def _whole(weights):
    """Weights in whole numbers: of the smallest sum up to 10,000 that gives the shares within 1e-9, else of 2^24."""
    total = 0.0
    for weight in weights:  # sum() adds more exactly
        total += weight
    shares = [weight / total for weight in weights]
    for period in range(len(shares), 10_001):
        whole = [round(share * period) for share in shares]
        fits = all(w > 0 and abs(w / period - share) <= 1e-9 for w, share in zip(whole, shares))
        if fits and sum(whole) == period:
            return whole
    return _rounded([share * _PERIOD for share in shares], _PERIOD)


def _rounded(numbers, total):
    """Whole numbers of this sum: the largest remainders get one more."""
    whole = [int(number) for number in numbers]
    by_remainder = sorted(range(len(numbers)), key=lambda source: whole[source] - numbers[source])
    for source in by_remainder[:total - sum(whole)]:
        whole[source] += 1
    return whole


def _schedule(weights):
    """Of each draw of a period the source, and how often it was drawn before in the period."""
    period, unit = sum(weights), 2 * len(weights) - 2
    sources, before = bytearray(period), [0] * period
    behind, drawn = [0] * len(weights), [0] * len(weights)
    for draw in range(period):
        source = 0
        if unit:
            for each, weight in enumerate(weights):
                behind[each] += unit * weight
            late = [each for each in range(len(weights)) if behind[each] >= period]
            source = late[0]
            for each in late[1:]:
                left, least = (unit - 1) * period - behind[each], (unit - 1) * period - behind[source]
                if left * weights[source] < least * weights[each]:
                    source = each
            behind[source] -= unit * period
        sources[draw], before[draw] = source, drawn[source]
        drawn[source] += 1
    return sources, before


class _Changing:
    """The sources of draws by weights that change, made one after another; thresholds are in multiples of 1 / (2k - 2)."""

    def __init__(self, entries, line, counts):
        self._entries = []
        for draw, weights in entries:
            total = 0.0
            for weight in weights:
                total += weight
            whole = _rounded([weight / total * _WHOLE for weight in weights], _WHOLE)
            self._entries.append((draw, [fractions.Fraction(weight, _WHOLE) for weight in whole]))
        self._line, self._unit, self._drawn = line, 2 * len(counts) - 2, counts
        self._sums = [[fractions.Fraction(0) for _ in counts]]  # of the weights before each draw
        self.sources, self.before, self._first = [], [], sum(counts)

    def _share(self, draw, source):
        at = max(each for each, (first, _) in enumerate(self._entries) if first <= draw)
        first, weights = self._entries[at]
        if not self._line or at + 1 == len(self._entries):
            return weights[source]
        end, other = self._entries[at + 1]
        return weights[source] + (other[source] - weights[source]) * fractions.Fraction(2 * (draw - first) + 1, 2 * (end - first))

    def _sum(self, draw, source):
        while len(self._sums) <= draw:
            last = len(self._sums) - 1
            self._sums.append([total + self._share(last, each) for each, total in enumerate(self._sums[last])])
        return self._sums[draw][source]

    def _end(self, source, draw):
        """The first draw after which the source would be too late."""
        limit = self._drawn[source] + 1 - fractions.Fraction(1, self._unit)
        while self._sum(draw, source) > limit:
            draw -= 1
        last = max(draw, self._entries[-1][0] + 1)
        while draw < last and self._sum(draw + 1, source) <= limit:
            draw += 1
        rest, weight = limit - self._sum(draw, source), self._entries[-1][1][source]
        return draw if draw < last else draw + rest // weight if weight else _FOR_EVER

    def draw(self, number):
        """The source of a draw, and how often it was drawn before."""
        while len(self.sources) <= number - self._first:
            draw = self._first + len(self.sources)
            due = [each for each in range(len(self._drawn))
                   if (self._sum(draw + 1, each) - self._drawn[each]) * self._unit >= 1]
            source = min(due, key=lambda each: self._end(each, draw))
            self.sources.append(source)
            self.before.append(self._drawn[source])
            self._drawn[source] += 1
        return self.sources[number - self._first], self.before[number - self._first]


class Mixture:
    """Several sources, one after another in a data set and drawn by weights.

    An epoch ends when the first source is exhausted, or all are, or after a number of draws. If weights were changed, they
    hold since a position, before which each source was drawn a number of times; until is then the draws of an epoch.
    Weights may change with the number of the draw: weights_at is a list of [draw, weights], from draw 0 on. Weights that are no small fractions take Python minutes.
    """

    def __init__(self, sizes, weights=None, until="first", since=(0, 0), counts=None, weights_at=None, between="step"):
        self._sizes, self._since = sizes, since
        self._counts = counts or [0] * len(sizes)
        if weights_at:
            first = sum(self._counts)
            self._changing = _Changing(weights_at, between == "line", list(self._counts))
            self._draw = lambda number: self._changing.draw(first + number)
        else:
            self._weights = _whole(weights)
            self._sources, self._before = _schedule(self._weights)
            self._draw = self._of_period
        self.draws = self._until(until) if isinstance(until, str) else until

    def _of_period(self, number):
        period, draw = divmod(number, len(self._sources))
        source = self._sources[draw]
        return source, self._counts[source] + period * self._weights[source] + self._before[draw]

    def _until(self, until):
        drawn, number = [0] * len(self._sizes), 0
        while True:
            source, _ = self._draw(number)
            if until == "first" and drawn[source] == self._sizes[source]:
                return number
            drawn[source] += 1
            number += 1
            if until == "all" and all(done >= size for done, size in zip(drawn, self._sizes)):
                return number

    def epoch(self, seed, epoch, kind="shuffled", window=1, interleaved=64):
        """The global order of an epoch, each source in an order of this kind."""
        first = (epoch - self._since[0]) * self.draws - self._since[1]
        passes = {}

        def index(position):
            source, count = self._draw(first + position)
            size = self._sizes[source]
            number, place = divmod(count, size)
            if (source, number) not in passes:
                key = _epoch_key(fold(fold(fold(0, seed), _MIXED), source), number)
                passes[source, number] = _plain(kind, window, interleaved, size, key)
            return sum(self._sizes[:source]) + passes[source, number](place)

        return index


class Weighted:
    """Samples at random by weights, with replacement."""

    def __init__(self, weights, draws=None):
        self.draws = len(weights) if draws is None else draws
        largest, total = max(weights), 0.0
        for weight in weights:
            total += weight / largest
        size = len(weights)
        shares = [weight / largest / total * size for weight in weights]
        self._heights, self._others = [0] * size, list(range(size))
        small = [each for each in reversed(range(size)) if shares[each] < 1]
        large = [each for each in reversed(range(size)) if shares[each] >= 1]
        while small and large:
            filled, filler = small.pop(), large[-1]
            self._fill(filled, shares, filler)
            shares[filler] -= 1 - shares[filled]
            if shares[filler] < 1:
                small.append(large.pop())
        for filled in small:
            self._fill(filled, shares, weights.index(largest))

    def _fill(self, filled, shares, filler):
        self._heights[filled] = int(shares[filled] * 2.0**63) << 1
        self._others[filled] = filler

    def epoch(self, seed, epoch):
        """The global order of an epoch."""
        key = fold(_epoch_key(seed, epoch), _WEIGHTED)

        def index(position):
            column, height = divmod(fold(key, position) * len(self._others), 1 << 64)
            return column if height < self._heights[column] else self._others[column]

        return index


def draws(size=None, seed=0, epochs=1, rank=0, world=1, remainder="pad", start=(0, 0), shard="global", limit=None,
          mixture=None, weighted=None, **kind):
    """The draws of one rank, from a position on; those of a mixture or by weights if there is one."""
    special = mixture or weighted
    samples = special.draws if special else size if limit is None else min(limit, size)
    for epoch in range(start[0], epochs):
        offset = start[1] if epoch == start[0] else 0
        keeps = shard != "global"
        turn = (rank - offset) % world if keeps else rank
        left = samples - offset
        steps = {"drop": left // world, "pad": -(-left // world), "keep": -((turn - left) // world)}[remainder]
        if special:
            indices = special.epoch(seed, epoch, **kind)
        else:
            indices = order(size, seed, epoch, shard=shard, world=world, limit=limit, **kind)
        for step in range(steps):
            position = offset + step * world + turn
            done = offset + (step + 1) * world
            over = done >= samples if remainder == "keep" else step + 1 == steps
            following = (epoch + 1, 0) if over else (epoch, done)
            index = indices(position) if position < samples else None
            yield Draw(epoch, index, *following, steps - step - 1)


if __name__ == "__main__":
    for line in sys.stdin:
        plan = json.loads(line)
        for name, made in (("mixture", Mixture), ("weighted", Weighted)):
            if name in plan:
                plan[name] = made(**plan[name])
        print(json.dumps(list(draws(**plan)), separators=(",", ":")), flush=True)

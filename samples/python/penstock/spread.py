"""Several servers of one plan: any of them can make any batch."""

from __future__ import annotations

import json
import socket
import ssl
import threading
import time

from .arrow import streamed
from .batch import PenstockError
from .server import BROKEN, Again, query


class _Member:
    """One of several servers: how long its batches take, and since when it does not answer."""

    FIRST_PAUSE, LONGEST_PAUSE = 0.1, 1.0

    def __init__(self, server):
        self.server = server
        self.since = time.monotonic()
        self.usual = None  # seconds a batch
        self.is_checked = False  # whether it has the plan of the others
        self.is_probed = False
        self.is_late = False  # another server was asked for its last batch, and was faster
        self.pause, self.until, self.reason = self.FIRST_PAUSE, 0.0, None

    def took(self, seconds):
        self.usual = seconds if self.usual is None or self.is_late else self.usual + (seconds - self.usual) / 4
        self.pause, self.reason, self.is_late = self.FIRST_PAUSE, None, False

    def was_late(self, seconds):
        self.usual, self.is_late = max(self.usual or 0.0, seconds), True

    def is_away(self, now):
        return self.reason is not None or not self.is_checked and now - self.since > 2 * self.FIRST_PAUSE

    def left(self, reason):
        self.is_checked, self.reason = False, reason
        self.usual = None  # what comes back may be another process on another machine
        self.until = time.monotonic() + self.pause
        self.pause = min(2 * self.pause, self.LONGEST_PAUSE)


class _Wanted:
    """A batch that the consumer will take."""

    def __init__(self):
        self.batch = None
        self.asked = {}  # when, and on which connection, by member
        self.failed = {}  # how, by member
        self.probe = None  # the member that makes it too, only to be measured


class Spread:
    """Batches by number from several servers, in order.

    Batch k of an epoch is asked of server k mod n. A server asks for a batch of another one where that is gone or takes longer,
    and where a batch is late. A server that has not answered yet gets one batch. A server that takes much longer than the fastest is only measured, until it is faster.
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
        if member.usual is None and any(member in wanted.asked for wanted in self.wanted.values()):
            return None, None
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
        member.server.ask(connection, "/plan" + query(rank=self.rank, resume=self.asked))
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
        asked = query(rank=self.rank, resume=self.token, batch=number, plan=self.about["fingerprint"])
        return list(streamed(member.server, connection, asked))[0]

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
                member.was_late(time.monotonic() - began)
            elif isinstance(failure, (Again, *BROKEN)) and not isinstance(failure, ssl.SSLCertVerificationError):
                member.left(failure)
            elif wanted and getattr(failure, "status", None) == 500:
                wanted.failed[member] = failure
            elif getattr(failure, "status", None) == 409:
                member.is_checked = False  # it was started anew, and says what differs
            elif self.failure is None:
                self.failure = failure
            self.changed.notify_all()

"""The batches of a server, an epoch a pass."""

from __future__ import annotations

import http.client
import socket
import ssl
import time
from typing import Any, Iterator, Sequence

from .arrow import streamed
from .batch import Batch, EndOfRun, PenstockError
from .server import BROKEN, Again, Server, query
from .shared import shared_batches
from .spread import Spread


class Batches:
    """The batches of a server, from the start or behind a token. Each iteration is an epoch, or the rest of one.

    The first iteration behind a token is the rest of its epoch, as is the next one after a loop that was left early or
    failed. The connection is kept from one epoch to the next. An iteration after the last epoch raises EndOfRun.

    address:  such as http://127.0.0.1:8080/, or a list of those of several servers
    resume:   a token: batch.resume of an earlier run
    rank:     which rank to be, where the server has ranks; else it says one
    token:    the server's bearer token, unless the environment has it as PENSTOCK_TOKEN
    cafile:   certificates to trust, for https with one of your own
    shared:   take batches from shared memory
    copy:     with shared: False gives read-only views, which are valid until the next batch is requested
    patience: seconds to try again for when the server cannot be reached; by default 60, but a server that was never reached
              is an error at once
    """

    def __init__(
        self,
        address: str | Sequence[str],
        *,
        resume: str | None = None,
        rank: int | None = None,
        token: str | None = None,
        cafile: str | None = None,
        shared: bool = False,
        copy: bool = True,
        patience: float | None = None,
    ):
        self.address = address
        self.options = {"rank": rank, "token": token, "cafile": cafile, "shared": shared, "copy": copy, "patience": patience}
        self._servers = [Server(each, token, cafile) for each in ([address] if isinstance(address, str) else address)]
        if not self._servers:
            raise ValueError("address must be one or more, was an empty list")
        if shared and len(self._servers) > 1:
            raise ValueError("shared memory is that of one server, so it needs one address")
        self._server = self._servers[0]
        self.resume = resume
        self.rank = rank
        self.shared = shared
        self.copy = copy
        self.patience = 60.0 if patience is None else patience
        self._waits = patience is not None  # for a server that was never reached
        self._comes_back = True  # whether a server that is gone may
        self._length: int | None = None
        self._run: Any = None  # all batches from a place on
        self._first: Batch | None = None  # of the next epoch, which tells that the last one has ended
        self._behind: str | None = None  # the token of the last batch that came
        self._place: str | None = None  # self.resume as this has set it
        self._over = False
        self._passes = 0  # those that were begun

    def __iter__(self) -> Iterator[Batch]:
        """Yields the batches of one epoch."""
        return Pass(self)

    def __len__(self) -> int:
        """How many batches a whole epoch has; asks the server the first time."""
        if self._length is None:
            if self.rank is None and self._about()["ranks"] > 1:
                raise TypeError("the length is that of a rank: give rank=, or take a batch first")
            about = self._about(rank=self.rank)
            self._length = about["epoch"] or about["left"]
        return self._length

    def __bool__(self) -> bool:
        return True

    @property
    def epoch(self) -> int:
        """The epoch of the next batch, counted from 0; asks the server."""
        return self._about(rank=self.rank or 0, resume=self.resume)["at"]

    @property
    def classes(self) -> list[str]:
        """The names of the classes that labels count; empty where the source has none. Asks the server."""
        return self._about(rank=self.rank or 0)["classes"]

    def state_dict(self) -> dict[str, Any]:
        """Where this is: behind the last batch that was delivered. Valid at another world size too."""
        return {"resume": self.resume}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Makes the next pass begin behind the last batch before state_dict()."""
        if not isinstance(state, dict) or "resume" not in state:
            raise ValueError(f"state must be what state_dict() gave, was {state!r}")
        self._disconnect()
        self.resume = self._place = state["resume"]

    def _about(self, **asked: object) -> dict[str, Any]:
        self._require_server()
        return self._server.plan(**asked)

    def all(self) -> Iterator[Batch]:
        """Yields the batches of all epochs that are left."""
        return Pass(self, of_all=True)

    def __enter__(self) -> Batches:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the connection. The next iteration goes on behind the last batch that was delivered."""
        self._disconnect()

    def _disconnect(self) -> None:
        run, self._run, self._first, self._place, self._over = self._run, None, None, self.resume, False
        if run is not None:
            run.close()

    def _next(self) -> Batch | None:
        if self._first is not None:
            first, self._first = self._first, None
            return first
        if self._over:
            return None
        if self._run is None:
            self._behind = self.resume
            self._run = self._batches() if len(self._servers) == 1 else Spread(self).batches()
        try:
            batch: Batch | None = next(self._run, None)
        except BaseException:
            self._disconnect()  # it is no end: the next call goes on behind the last batch that was delivered
            raise
        self._over = batch is None
        return batch

    def _batches(self) -> Iterator[Batch]:
        reason: Exception
        last = time.monotonic()
        wait = 0.05
        while True:
            self._require_server()
            connection = self._server.connect()
            try:
                given = shared_batches(self, connection) if self.shared else streamed(self._server, connection, self._query())
                for batch in given:
                    self._behind, self.rank, self._waits = batch.resume, batch.rank, self._comes_back
                    yield batch
                    last, wait = time.monotonic(), 0.05
                return
            except Again as refusal:
                reason = refusal
            except ssl.SSLCertVerificationError as failure:
                raise PenstockError(f"{self._server} is not to be trusted: {failure}") from failure
            except BROKEN as failure:
                is_refused = not self._waits and _never_there(failure)
                self._require_server(10.0 if is_refused else 0.0)  # its sockets end before its process does
                if is_refused:
                    raise PenstockError(
                        f"no Penstock server answers at {self._server}: {failure or type(failure).__name__}; "
                        "start ./penstock serve, or give the address that it printed"
                    ) from failure
                reason = failure
            finally:
                connection.close()
            if time.monotonic() - last > self.patience:
                raise PenstockError(f"no batch from {self._server} for {self.patience} s: {reason}") from reason
            time.sleep(wait)
            wait = min(2 * wait, 2.0)

    def _require_server(self, wait: float = 0.0) -> None:
        """Raises an error if the server has ended for good, or does so within that many seconds."""

    def _query(self, **more: object) -> str:
        return query(rank=self.rank, resume=self._behind, **more)


class Pass(Iterator[Batch]):
    """The batches of an epoch or of all. A failure does not end it, as it would end a generator: the next call tries again."""

    def __init__(self, batches: Batches, of_all: bool = False):
        self._batches = batches
        self._of_all = of_all
        self._epoch: int | None = None
        self._number = 0
        self._is_over = False

    def __next__(self) -> Batch:
        batches = self._batches
        if self._is_over:
            raise StopIteration
        if self._epoch is None:
            self._number = batches._passes = batches._passes + 1
            if batches.resume != batches._place:
                batches._disconnect()
        batch = batches._next()
        self._is_over = batch is None or not self._of_all and self._epoch not in (None, batch.epoch)
        if batch is None and self._epoch is None and not self._of_all:
            raise EndOfRun(
                f"no batch is left: {batches._server} has delivered the last of its --epochs; "
                "start it with more of them, or make another Batches to begin anew"
            )
        if batch is None or self._is_over:
            batches._first = batch
            raise StopIteration
        self._epoch = batch.epoch
        batches.resume, batches.rank, batches._place = batch.resume, batch.rank, batch.resume
        return batch

    def __del__(self) -> None:
        if not self._is_over and self._number == self._batches._passes:  # the loop was left early
            self._batches._disconnect()


def _never_there(failure: Exception) -> bool:
    if isinstance(failure, http.client.BadStatusLine):
        return not isinstance(failure, http.client.RemoteDisconnected)
    return isinstance(failure, (ConnectionRefusedError, socket.gaierror))

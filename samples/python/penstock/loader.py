"""A loader with a JVM of its own: starts `penstock serve`, shares memory with it, and ends it."""

from __future__ import annotations

import collections
import difflib
import fcntl
import functools
import itertools
import json
import os
import pathlib
import re
import secrets
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import weakref
from typing import IO, Any, Sequence

import numpy as np

from .batch import PenstockError
from .client import Batches

_OWN = {"source", "port", "host", "token-file", "tls-cert", "tls-key", "consumers", "each-a-rank", "shared", "once", "json"}
_OWN |= {"until-stdin-ends", "resume-file", "help"}
_EPOCHS = 1_000_000  # where the caller says none: a training loop decides when it has had enough
START_LIMIT = 600.0  # seconds until the JVM is ready: a checkout may build first, and a large folder is listed
_GRACE = 10.0  # seconds that the JVM has for its end
_LAST_LINES = 20
_FOLDER = "penstock-loader-"


class Loader(Batches):
    """Batches of a JVM that this has started. Ends with close(), a with statement, or this process, however it ends."""

    def __init__(
        self,
        source: str | Sequence[str],
        *,
        copy: bool = True,
        resume: str | None = None,
        start_limit: float = START_LIMIT,
        **flags: Any,
    ):
        flags = _in_order(flags)
        words = {name: _words(name, value) for name, value in flags.items()}
        if not all(words.values()):
            _refuse_wrong(flags)  # the JVM does not see those that are left out
        differ = ("pad", "mix", "bucket", "batch_tokens", "batch_classes")  # in their sizes: over HTTP
        in_place = not any(flags.get(name) for name in differ)
        secret = secrets.token_hex(16)
        command = [*_command(), "serve", *itertools.chain(*words.values()), "--port", "0", "--until-stdin-ends"]
        command += [word for each in ([source] if isinstance(source, str) else source) for word in ("--source", str(each))]
        if flags.get("epochs") is None:
            command += ["--epochs", str(_EPOCHS)]
        folder = self._folder = _Folder(_memory())
        if in_place:
            command += ["--shared", folder.path]
        try:
            self._process = self._start(command, secret)
        except BaseException:
            folder.remove()
            raise
        said = self._said = collections.deque[str](maxlen=_LAST_LINES)
        self._reader = threading.Thread(
            target=_pass_on, args=(self._process.stderr, said), daemon=True, name="penstock-stderr"
        )
        self._reader.start()
        self._owner = os.getpid()
        self._end = weakref.finalize(self, _end, self._process, self._reader, folder, self._owner)
        try:
            address, late = _address(self._process, start_limit)
        except BaseException:  # an interrupt, whose traceback would keep this
            self._end()
            raise
        if not address.startswith("http"):
            self._end()
            if not late and self._process.returncode == 2:
                _refuse_wrong(flags)
            why = f"no address within start_limit={start_limit:g} s" if late else _ended(self._process.returncode)
            raise PenstockError(f"cannot start penstock: {why}; {_last(said)}")
        super().__init__(address, resume=resume, token=secret, shared=in_place, copy=copy)
        self._comes_back = False

    @staticmethod
    def _start(command: list[str], secret: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,  # ends with this process, even one that is killed
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "PENSTOCK_TOKEN": secret},
            start_new_session=True,  # an interrupt of the notebook is not one of the JVM
            encoding="utf-8",
            errors="replace",
        )

    def close(self) -> None:
        """Ends the connection and the JVM. A later pass is an error."""
        super().close()
        self._end()

    def _require_server(self, wait: float = 0.0) -> None:
        if os.getpid() != self._owner:  # in a copy of this process, which is not the JVM's parent
            return
        if not self._end.alive:
            raise PenstockError("the loader was closed: make another, with resume= to go on behind its last batch")
        try:
            status = self._process.wait(wait)
        except subprocess.TimeoutExpired:
            return
        self._reader.join(_GRACE)
        raise PenstockError(f"the JVM of the loader is gone: {_ended(status)}; {_last(self._said)}")


def loader(
    source: str | Sequence[str],
    *,
    copy: bool = True,
    resume: str | None = None,
    start_limit: float = START_LIMIT,
    **flags: Any,
) -> Loader:
    """Starts a JVM and gives its batches: loader("images:photos", resize=224, augment="flip", batch=64).

    The arrays are the caller's. With copy=False they are read-only views of shared memory, valid until the next batch is
    requested.

    The keywords are the flags of `penstock serve`: cache_ram="4GiB" is --cache-ram 4GiB, True stands for a flag without a
    value, a list for a flag that is repeated; None leaves a flag out, as does False one without a value. shuffle=False is
    --no-shuffle, weights_at={0: (0.9, 0.1), 50_000: (0.5, 0.5)} is --weights-at '0:0.9,0.1;50000:0.5,0.5', and
    window_rows={"length": 24, "features": ["sales", "price"]} is --window-rows length=24,features=sales+price. Epochs do
    not end unless epochs= is given.

    A JVM that is not ready after start_limit seconds is ended, and the error has the last lines of its output.

    The program is that of PENSTOCK_COMMAND, of PENSTOCK_HOME, of the checkout that this file is in, or `penstock` of the path.
    Shared memory is in /dev/shm, unless the environment's PENSTOCK_SHARED_FOLDER names another folder.
    """
    return Loader(source, copy=copy, resume=resume, start_limit=start_limit, **flags)


def fit(source: str | Sequence[str], to: str | os.PathLike[str], **flags: Any) -> dict[str, Any]:
    """Finds the statistics of every field, and writes them to a file for standardise=, fill=, bucketise= and one_hot= of
    loader(): fit("csv:rows.csv#age:double", "fit.json", split="0..0.8"). Returns them by field.

    The keywords are the flags of `penstock fit`, as those of loader() are. A repeated call reads only what has changed.
    """
    words = itertools.chain(*(_words(name, value) for name, value in flags.items()))
    sources = [source] if isinstance(source, str) else source
    command = [*_command(), "fit", *sources, "--to", os.fspath(to), *words]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
    if done.returncode != 0:
        raise PenstockError(f"cannot fit {', '.join(sources)}: {_ended(done.returncode)}; {done.stderr.strip()}")
    fields: dict[str, Any] = json.loads(pathlib.Path(to).read_text(encoding="utf-8"))["fields"]
    return fields


def _address(process: subprocess.Popen[str], limit: float) -> tuple[str, bool]:
    """The first line of the JVM, and whether it was ended because none came in time."""
    late = threading.Event()

    def end() -> None:
        late.set()
        _kill(process)

    timer = threading.Timer(limit, end)
    timer.daemon = True
    timer.start()
    try:
        assert process.stdout is not None
        return process.stdout.readline().strip(), late.is_set()
    finally:
        timer.cancel()


def _kill(process: subprocess.Popen[str]) -> None:
    """Kills the launcher with what it has started, which are in a process group of their own."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass  # it has ended


def _memory() -> str:
    """The folder whose files are shared memory."""
    return os.environ.get("PENSTOCK_SHARED_FOLDER") or ("/dev/shm" if os.path.isdir("/dev/shm") else tempfile.gettempdir())


class _Folder:
    """A folder with a lock that ends with this process. Making one removes those of processes that were killed."""

    def __init__(self, memory: str):
        for name in os.listdir(memory):
            if name.startswith(_FOLDER):
                _remove_unlocked(os.path.join(memory, name))
        made = tempfile.mkdtemp(prefix=".penstock-", dir=memory)  # has its name once it is locked
        self.lock = os.open(made, os.O_RDONLY)
        fcntl.flock(self.lock, fcntl.LOCK_EX)
        self.path = os.path.join(memory, _FOLDER + secrets.token_hex(8))
        os.rename(made, self.path)

    def remove(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)
        os.close(self.lock)


def _remove_unlocked(path: str) -> None:
    try:
        lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return  # another user's, or another process removes it
    try:
        if os.fstat(lock).st_uid == os.getuid():
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(path, ignore_errors=True)
    except BlockingIOError:
        pass  # its process runs
    finally:
        os.close(lock)


def _words(name: str, value: Any) -> list[str]:
    flag = name.replace("_", "-")
    if flag in _OWN:
        raise TypeError(f"{name} is not for loader(), which sets --{flag} itself; start ./penstock serve and use Batches")
    if value is None or value is False:
        return []
    if value is True:
        return ["--" + flag]
    if isinstance(value, dict) and flag == "weights-at":
        value = ";".join(f"{draw}:{','.join(map(str, weights))}" for draw, weights in value.items())
    elif isinstance(value, dict):  # such as window_rows
        value = ",".join(f"{key}={each if isinstance(each, (str, int)) else '+'.join(each)}" for key, each in value.items())
    values = value if isinstance(value, (list, tuple)) else [value]
    return [word for each in values for word in ("--" + flag, str(each))]


def _command() -> list[str]:
    if "PENSTOCK_COMMAND" in os.environ:
        return shlex.split(os.environ["PENSTOCK_COMMAND"])
    home = os.environ.get("PENSTOCK_HOME")
    checkout = pathlib.Path(__file__).resolve().parents[3]
    places = [pathlib.Path(home, "bin/penstock"), pathlib.Path(home, "penstock")] if home else []
    if not home and (checkout / "pipeline-core").is_dir():
        places.append(checkout / "penstock")
    for place in places:
        if os.access(place, os.X_OK) and place.is_file():
            return [str(place)]
    found = None if home else shutil.which("penstock")
    if found is None:
        raise PenstockError(
            f"no launcher in PENSTOCK_HOME {home}"
            if home
            else "penstock is not on the path: set PENSTOCK_HOME to its folder, or PENSTOCK_COMMAND to what starts it"
        )
    return [found]


def _in_order(asked: dict[str, Any]) -> dict[str, Any]:
    """The keywords, with no_shuffle in place of shuffle=False."""
    flags = {name.replace("-", "_"): bool(value) if isinstance(value, np.bool_) else value for name, value in asked.items()}
    shuffle, other = flags.pop("shuffle", None), flags.get("no_shuffle")
    if shuffle is not None and not isinstance(shuffle, bool):
        raise TypeError(f"shuffle must be True or False, was {shuffle!r}")
    if shuffle is not None and shuffle is other:
        raise TypeError(f"shuffle={shuffle} and no_shuffle={other} contradict each other")
    return {**flags, "no_shuffle": True} if shuffle is False else flags


@functools.lru_cache
def _known(command: tuple[str, ...]) -> dict[str, bool]:
    """The names of keywords, and whether each takes a value."""
    asked = subprocess.run([*command, "serve", "--help"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    flags = re.findall(r"^ {2,8}(?:-\w, )?--([a-z-]+)(=?)", asked.stdout, re.MULTILINE)
    return {flag.replace("-", "_"): bool(value) for flag, value in flags}


def _refuse_wrong(flags: dict[str, Any]) -> None:
    """Refuses a keyword that is no flag, with the nearest one, and True or False in place of a value."""
    known = _known(tuple(_command()))
    for name, value in flags.items() if known else ():
        if name not in known:
            words = sorted({*known, "shuffle"} - {word.replace("-", "_") for word in _OWN})
            near = [word for word in words if name.startswith(f"{word}_")] or difflib.get_close_matches(name, words, 1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise TypeError(f"loader() has no keyword {name!r}, for serve has no --{name.replace('_', '-')}{hint}")
        if isinstance(value, bool) and known[name]:
            raise TypeError(f"{name} must be a value, was {value}; None leaves --{name.replace('_', '-')} out")


def _ended(status: int) -> str:
    number = -status if status < 0 else status - 128  # as a shell says it
    try:
        return f"it was ended by signal {number} ({signal.Signals(number).name})"
    except ValueError:
        return f"it ended with status {status}"


def _last(said: collections.deque[str]) -> str:
    return "\n".join(said) or "it printed nothing"


def _pass_on(errors: IO[str], said: collections.deque[str]) -> None:
    for line in errors:
        said.append(line.rstrip("\n"))
        try:
            print(line, end="", file=sys.stderr, flush=True)
        except (OSError, ValueError):
            pass  # standard error is closed: the JVM must not wait for it


def _end(process: subprocess.Popen[str], reader: threading.Thread, folder: _Folder, owner: int) -> None:
    if os.getpid() != owner:  # a copy of this process must not end the JVM of the first
        return
    assert process.stdin is not None and process.stdout is not None and process.stderr is not None
    process.stdin.close()
    try:
        process.wait(_GRACE)
    except subprocess.TimeoutExpired:
        _kill(process)
        process.wait()
    reader.join(_GRACE)
    process.stdout.close()
    process.stderr.close()
    folder.remove()

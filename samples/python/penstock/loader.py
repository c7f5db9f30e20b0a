"""A loader with a JVM of its own: starts `penstock serve`, shares memory with it, and ends it."""

from __future__ import annotations

import collections
import difflib
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

from .batch import PenstockError
from .client import Batches

_OWN = {"source", "port", "host", "token-file", "tls-cert", "tls-key", "consumers", "each-a-rank", "shared", "once", "json"}
_OWN |= {"until-stdin-ends", "resume-file", "help"}
_EPOCHS = 1_000_000  # where the caller says none: a training loop decides when it has had enough
START_LIMIT = 600.0  # seconds until the JVM is ready: a checkout may build first, and a large folder is listed
_GRACE = 10.0  # seconds that the JVM has for its end
_LAST_LINES = 20


class Loader(Batches):
    """Batches of a JVM that this has started. Ends with close(), a with statement, or this process, however it ends."""

    def __init__(
        self,
        source: str | Sequence[str],
        *,
        copy: bool = False,
        resume: str | None = None,
        start_limit: float = START_LIMIT,
        **flags: Any,
    ):
        flags.setdefault("epochs", _EPOCHS)
        words = [word for each in ([source] if isinstance(source, str) else source) for word in ("--source", str(each))]
        for name, value in flags.items():
            words += _words(name, value)
        in_place = _stacks_in_place(flags)
        secret = secrets.token_hex(16)
        folder = os.path.join(_memory(), "penstock-loader-" + secrets.token_hex(8))  # which the JVM makes, and removes
        shared = ["--shared", folder] if in_place else []
        self._process = subprocess.Popen(
            [*_command(), "serve", *words, "--port", "0", *shared, "--until-stdin-ends"],
            stdin=subprocess.PIPE,  # ends with this process, even one that is killed
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "PENSTOCK_TOKEN": secret},
            start_new_session=True,  # an interrupt of the notebook is not one of the JVM
            encoding="utf-8",
            errors="replace",
        )
        said: collections.deque[str] = collections.deque(maxlen=_LAST_LINES)
        reader = threading.Thread(target=_pass_on, args=(self._process.stderr, said), daemon=True, name="penstock-stderr")
        reader.start()
        self._end = weakref.finalize(self, _end, self._process, reader, folder, os.getpid())
        try:
            address, late = _address(self._process, start_limit)
        except BaseException:  # an interrupt, whose traceback would keep this
            self._end()
            raise
        if not address.startswith("http"):
            self._end()
            if not late:
                _explain_unknown(flags, self._process.returncode)
            why = f"no address within start_limit={start_limit:g} s" if late else f"it ended with {self._process.returncode}"
            raise PenstockError(f"cannot start penstock: {why}; " + ("\n".join(said) or "it printed nothing"))
        super().__init__(address, resume=resume, token=secret, shared=in_place, copy=copy)

    def close(self) -> None:
        """Ends the connection and the JVM."""
        super().close()
        self._end()


def loader(
    source: str | Sequence[str],
    *,
    copy: bool = False,
    resume: str | None = None,
    start_limit: float = START_LIMIT,
    **flags: Any,
) -> Loader:
    """Starts a JVM and gives its batches: loader("images:photos", resize=224, augment="flip", batch=64).

    The arrays are read-only views of shared memory, valid until the next batch is requested, unless copy=True.

    The keywords are the flags of `penstock serve`: cache_ram="4GiB" is --cache-ram 4GiB, True stands for a flag without a
    value, a list for a flag that is repeated; None and False leave a flag out. Epochs do not end unless epochs= is given.

    A JVM that is not ready after start_limit seconds is ended, and the error has the last lines of its output.

    The program is that of PENSTOCK_COMMAND, of PENSTOCK_HOME, of the checkout that this file is in, or `penstock` of the path.
    Shared memory is in /dev/shm, unless the environment's PENSTOCK_SHARED_FOLDER names another folder.
    """
    return Loader(source, copy=copy, resume=resume, start_limit=start_limit, **flags)


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


def _stacks_in_place(flags: dict[str, Any]) -> bool:
    """Whether batches are made in shared memory. Those whose size is known only when they are full come over HTTP."""
    return not any(flags.get(name) for name in ("pad", "bucket", "batch_tokens"))


def _words(name: str, value: Any) -> list[str]:
    flag = name.replace("_", "-")
    if flag in _OWN:
        raise TypeError(f"{name} is not for loader(), which sets --{flag} itself; start ./penstock serve and use Batches")
    if value is None or value is False:
        return []
    if value is True:
        return ["--" + flag]
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


def _explain_unknown(flags: dict[str, Any], status: int | None) -> None:
    """Refuses a keyword that is no flag, with the nearest one. Only a start that failed pays for the help text."""
    if status != 2:
        return
    asked = subprocess.run([*_command(), "serve", "--help"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    known = {flag[2:].replace("-", "_") for flag in re.findall(r"^ +(?:-\w, )?(--[a-z-]+)", asked.stdout, re.MULTILINE)}
    for name in flags:
        if known and name not in known:
            near = difflib.get_close_matches(name, sorted(known), 1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise TypeError(f"loader() has no keyword {name!r}, for serve has no --{name.replace('_', '-')}{hint}")


def _pass_on(errors: IO[str], said: collections.deque[str]) -> None:
    for line in errors:
        said.append(line.rstrip("\n"))
        print(line, end="", file=sys.stderr, flush=True)


def _end(process: subprocess.Popen[str], reader: threading.Thread, folder: str, owner: int) -> None:
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
    shutil.rmtree(folder, ignore_errors=True)

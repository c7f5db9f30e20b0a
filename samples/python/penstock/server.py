"""One server: its address, and requests to it."""

from __future__ import annotations

import http.client
import json
import os
import socket
import ssl
import urllib.parse
from typing import Any

from .batch import PenstockError


BROKEN = (OSError, EOFError, http.client.HTTPException)


def query(**asked: object) -> str:
    text = urllib.parse.urlencode({name: value for name, value in asked.items() if value is not None})
    return "?" + text if text else ""


class Again(Exception):
    """The server cannot now."""


class Server:
    CONNECT = 10.0

    def __init__(self, address: str, token: str | None, cafile: str | None):
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
        self.host = self.parts.hostname
        self.headers = {"Authorization": "Bearer " + token} if token else {}
        self.tls = ssl.create_default_context(cafile=cafile) if self.parts.scheme == "https" else None

    def connect(self) -> http.client.HTTPConnection:
        if self.tls:
            return http.client.HTTPSConnection(self.host, self.parts.port, context=self.tls)
        return http.client.HTTPConnection(self.host, self.parts.port)

    def open(self, connection: http.client.HTTPConnection, timeout: float | None = None) -> None:
        sock: Any = connection.sock
        if sock is None:
            connection.timeout = timeout or self.CONNECT
            connection.connect()
            sock = connection.sock
            # a batch may take its time, but a server whose machine is gone must be noticed
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        sock.settimeout(timeout)

    def ask(self, connection: http.client.HTTPConnection, what: str) -> None:
        if connection.sock is None:
            self.open(connection)
        connection.request("GET", (self.parts.path.rstrip("/") or "") + what, headers=self.headers)

    def answer(self, connection: http.client.HTTPConnection) -> http.client.HTTPResponse:
        response = connection.getresponse()
        if response.status == 200:
            return response
        text = response.read(1 << 16).decode("utf-8", "replace").strip()
        try:
            text = json.loads(text)["error"]
        except (ValueError, KeyError, TypeError):
            pass
        # a run that failed has its own sentence
        message = text if response.status == 500 and text else f"{self} answered {response.status}: {text}"
        if response.status == 503:
            raise Again(message)
        refusal = PenstockError(message)
        refusal.status = response.status
        raise refusal

    def plan(self, **asked: object) -> dict[str, Any]:
        """What the server says about its batches behind a token."""
        connection = self.connect()
        try:
            self.open(connection, self.CONNECT)
            self.ask(connection, "/plan" + query(**asked))
            return json.loads(self.answer(connection).read())
        except (ssl.SSLCertVerificationError, *BROKEN) as failure:
            raise PenstockError(f"{self} does not say its plan: {failure or type(failure).__name__}") from failure
        except Again as failure:
            raise PenstockError(str(failure)) from failure
        finally:
            connection.close()

    def __str__(self) -> str:
        return urllib.parse.urlunsplit((self.parts.scheme, self.parts.netloc.rpartition("@")[2], "/", "", ""))

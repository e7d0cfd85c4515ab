"""The channel over HTTP: two threads between the endpoint of the engine and two pipes, which the runner uses as its input and output."""

import http.client
import os
import select
import stat
import sys
import threading
import time
import urllib.parse

_PATH = "/v1/messages"
# Several lines that wait are sent in one request; a single one may be as long as a line can be.
_MAX_BATCH = 1024 * 1024
_CHUNK = 256 * 1024
_CONNECT_SECONDS = 20


class HttpChannel:
    """`reading` and `writing` are what the runner reads and writes. The token leaves the environment of this process."""

    def __init__(self, url: str, token: str):
        self._address = urllib.parse.urlsplit(url)
        self._headers = {"Authorization": f"Bearer {token}"}
        self.reading, self._received = os.pipe()
        self._to_send, self.writing = os.pipe()
        self._attached = threading.Event()
        threading.Thread(target=self._guarded, args=(self._receive,), daemon=True).start()
        self._sender = threading.Thread(target=self._guarded, args=(self._send,), daemon=True)
        self._sender.start()
        if _is_attached_to(0):
            threading.Thread(target=self._guarded, args=(self._watch_input,), daemon=True).start()

    def finish(self) -> None:
        """Waits until all is sent."""
        os.close(self.writing)
        self._sender.join()

    def _receive(self) -> None:
        connection = self._connection()
        connection.request("GET", _PATH, headers=self._headers)
        response = connection.getresponse()
        if response.status != 200:
            raise OSError(f"the endpoint answered {response.status}")
        self._attached.set()
        while chunk := response.read1(_CHUNK):
            _write_all(self._received, chunk)
        os.close(self._received)

    def _send(self) -> None:
        self._attached.wait()
        connection = self._connection()
        waiting = b""
        while chunk := os.read(self._to_send, _CHUNK):
            waiting += chunk
            # Whole lines only: a request that fails may have been read in part.
            end = waiting.rfind(b"\n") + 1
            if end and (end >= _MAX_BATCH or not _readable(self._to_send)):
                self._post(connection, waiting[:end])
                waiting = waiting[end:]
        if waiting:
            self._post(connection, waiting)

    def _post(self, connection: http.client.HTTPConnection, body: bytes) -> None:
        while True:
            connection.request("POST", _PATH, body, self._headers)
            response = connection.getresponse()
            response.read()
            if response.status == 204:
                return
            if response.status != 429:
                raise OSError(f"the endpoint answered {response.status}")
            connection.close()
            time.sleep(float(response.getheader("Retry-After", "1")))

    def _watch_input(self) -> None:
        """The end of the standard input is the end of the container, over HTTP as well."""
        while os.read(0, _CHUNK):
            pass
        os._exit(0)

    def _connection(self) -> http.client.HTTPConnection:
        connection = http.client.HTTPConnection(self._address.hostname, self._address.port, timeout=_CONNECT_SECONDS)
        connection.connect()
        # From now on it may take as long as the code does.
        connection.sock.settimeout(None)
        return connection

    def _guarded(self, part) -> None:
        try:
            part()
        except Exception as error:
            sys.stderr.write(f"the channel to the engine failed: {error}\n")
            sys.stderr.flush()
            os._exit(1)


def _write_all(fd: int, data: bytes) -> None:
    while data:
        data = data[os.write(fd, data) :]


def _readable(fd: int) -> bool:
    return bool(select.select([fd], [], [], 0)[0])


def _is_attached_to(fd: int) -> bool:
    mode = os.fstat(fd).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)

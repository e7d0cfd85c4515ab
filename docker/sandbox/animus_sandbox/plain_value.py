"""Writes a value of the code as JSON, and says in a note what JSON does not have."""

import base64
import collections
import collections.abc
import dataclasses
import datetime
import decimal
import enum
import fractions
import itertools
import json
import math
import os
import types
import uuid
from typing import Any

_MAX_DEPTH = 100
_MAX_ITEMS = 1_000_000
_MAX_NOTES = 5
_MAX_REPR = 1000
_VIEWS = (collections.abc.KeysView, collections.abc.ValuesView, collections.abc.ItemsView)
_AS_TEXT = (decimal.Decimal, uuid.UUID, fractions.Fraction, datetime.tzinfo, complex, os.PathLike)


def value_text(value: Any, limit: int) -> tuple[str, str | None]:
    """The JSON text of a value, at most `limit` bytes, and a note or None. Never raises, whatever the value does."""
    writer = _Writer(limit)
    try:
        text = json.dumps(writer.plain(value, "", 0), ensure_ascii=False, separators=(",", ":"))
        whole = text.encode("utf-8", "replace").decode()
        if whole != text:
            writer.note("halves of surrogate pairs in it were replaced by ?")
            text = whole
    except Exception as error:
        text = json.dumps(_described(value))
        writer.note(f"the value could not be written as JSON ({type(error).__name__}): this is its repr")
    if len(text.encode()) > limit:
        writer.note(
            f"the value has more than {limit} bytes of JSON and was cut to a text with its beginning; "
            "return less, or write it into a file in out/"
        )
        text = _beginning(text, limit)
    return text, writer.notes()


class _Writer:
    def __init__(self, limit: int):
        self._limit = limit
        self._notes: list[str] = []
        self._more = 0
        self._items = 0
        self._open: set[int] = set()

    def note(self, text: str) -> None:
        if text in self._notes:
            return
        if len(self._notes) < _MAX_NOTES:
            self._notes.append(text)
        else:
            self._more += 1

    def notes(self) -> str | None:
        more = [f"{self._more} more remarks of this kind"] if self._more else []
        return "; ".join([*self._notes, *more]) or None

    def plain(self, value: Any, path: str, depth: int) -> Any:
        """`path`: where the value is in the whole, such as [0].name."""
        self._items += 1
        if value is None or value is True or value is False:
            return value
        if isinstance(value, enum.Enum):
            return self.plain(value.value, path, depth + 1)
        if isinstance(value, str):
            # Longer than the whole may be: it will be cut anyway.
            return str.__str__(value)[: self._limit + 1]
        if isinstance(value, int):
            return self._integer(int(value), path)
        if isinstance(value, float):
            return self._float(float(value), path)
        if isinstance(value, (bytes, bytearray, memoryview)):
            return self._bytes(bytes(value[: self._limit + 4]), len(value), path)
        if isinstance(value, (datetime.date, datetime.time)):
            return value.isoformat()
        if isinstance(value, datetime.timedelta):
            self.note(f"{_at(path)} is a timedelta, given in seconds")
            return value.total_seconds()
        if isinstance(value, _AS_TEXT):
            return str(value)
        if isinstance(value, BaseException):
            return f"{type(value).__name__}: {value}"
        return self._container(value, path, depth)

    def _container(self, value: Any, path: str, depth: int) -> Any:
        if id(value) in self._open:
            self.note(f"{_at(path)} contains itself")
            return "[contains itself]"
        if depth >= _MAX_DEPTH:
            self.note(f"{_at(path)[:200]} is nested more than {_MAX_DEPTH} deep: what is deeper is given as text")
            return _described(value)
        self._open.add(id(value))
        try:
            return self._opened(value, path, depth + 1)
        finally:
            self._open.discard(id(value))

    def _opened(self, value: Any, path: str, depth: int) -> Any:
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            fields = {field.name: getattr(value, field.name, None) for field in dataclasses.fields(value)}
            return self._mapping(fields, path, depth)
        if isinstance(value, tuple) and hasattr(value, "_asdict"):
            return self._mapping(value._asdict(), path, depth)
        if isinstance(value, collections.abc.Mapping):
            return self._mapping(value, path, depth)
        if isinstance(value, (set, frozenset)):
            return self._list(_sorted(value), path, depth)
        if isinstance(value, (list, tuple, range, collections.deque, *_VIEWS)):
            return self._list(value, path, depth)
        if isinstance(value, collections.abc.Iterator) and not hasattr(value, "read"):
            self.note(f"{_at(path)} is an iterator, given as a list")
            return self._list(value, path, depth)
        if isinstance(value, types.SimpleNamespace):
            return self._mapping(vars(value), path, depth)
        self.note(f"{_at(path)} is of type {type(value).__name__}, given as its repr")
        return _described(value)

    def _mapping(self, value: collections.abc.Mapping, path: str, depth: int) -> dict[str, Any]:
        plain: dict[str, Any] = {}
        for key, each in itertools.islice(value.items(), self._left(path)):
            name = self._key(key, path)
            if name in plain:
                self.note(f"{_at(path)} has several keys that are {name[:50]!r} as text; the last one counts")
            plain[name] = self.plain(each, f"{path}.{name[:50]}", depth)
        return plain

    def _key(self, key: Any, path: str) -> str:
        if isinstance(key, str):
            return str.__str__(key)
        if isinstance(key, enum.Enum):
            return self._key(key.value, path)
        self.note(f"keys of {_at(path)} that are not text are given as text")
        return key.isoformat() if isinstance(key, datetime.date) else str(key)[:_MAX_REPR]

    def _list(self, values: Any, path: str, depth: int) -> list[Any]:
        return [
            self.plain(each, f"{path}[{index}]", depth)
            for index, each in enumerate(itertools.islice(values, self._left(path)))
        ]

    def _left(self, path: str) -> int:
        """How many more items are written: every item has at least two bytes, so what is beyond could not be kept anyway."""
        left = min(_MAX_ITEMS, self._limit // 2 + 1) - self._items
        if left <= 0:
            self.note(f"{_at(path)[:200]} and what follows have too many items; the value is not complete")
        return max(0, left)

    def _integer(self, value: int, path: str) -> int | str:
        if value.bit_length() <= 13_000:  # Python refuses to write more than 4,300 digits.
            return value
        self.note(f"{_at(path)} is an integer of {value.bit_length()} bits, given in hexadecimal")
        return hex(value)

    def _float(self, value: float, path: str) -> float | str:
        if math.isfinite(value):
            return value
        self.note(f"{_at(path)} is {value}, which JSON does not have, and is given as text")
        return {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}[str(value)]

    def _bytes(self, value: bytes, size: int, path: str) -> str:
        try:
            text = value.decode()
            if "\0" not in text:
                self.note(f"{_at(path)} is bytes, given as the UTF-8 text that it is")
                return text
        except UnicodeDecodeError:
            pass
        self.note(f"{_at(path)} is {size} bytes, given in base64")
        return base64.b64encode(value).decode()


def _at(path: str) -> str:
    return f"value{path}"


def _sorted(value: Any) -> list[Any]:
    try:
        return sorted(value)
    except Exception:
        return list(value)


def _described(value: Any) -> str:
    try:
        text = repr(value)
    except Exception as error:
        text = f"<{type(value).__name__}, whose repr raises {type(error).__name__}>"
    return text if len(text) <= _MAX_REPR else f"{text[:_MAX_REPR]}…"


def _beginning(text: str, limit: int) -> str:
    """The beginning of a text as a JSON string of at most `limit` bytes."""
    head = text.encode()[: max(0, limit - 2)].decode(errors="ignore")
    while len((written := json.dumps(head, ensure_ascii=False)).encode()) > max(limit, 2):
        head = head[: len(head) - max(1, (len(written.encode()) - limit + 1) // 2)]
    return written

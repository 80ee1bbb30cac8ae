# SPDX-License-Identifier: Apache-2.0
"""Protobuf's wire format, as far as the package looks at messages itself."""

from typing import Iterator


def _varint(message: memoryview, at: int) -> "tuple[int, int]":
    """The number there, and where it ends."""
    number = shift = 0
    while message[at] >= 0x80:
        number |= (message[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
    return number | message[at] << shift, at + 1


def fields(of: bytes) -> "Iterator[tuple[int, memoryview, memoryview]]":
    """The fields of a message without faults: the number, the value (of bytes, text and messages) and the whole record, as views."""
    message = memoryview(of)
    at = 0
    while at < len(message):
        begin = at
        tag, at = _varint(message, at)
        value = message[:0]
        if tag & 7 == 0:
            _, at = _varint(message, at)
        elif tag & 7 == 2:
            size, at = _varint(message, at)
            value, at = message[at : at + size], at + size
        else:
            at += 8 if tag & 7 == 1 else 4
        yield tag >> 3, value, message[begin:at]

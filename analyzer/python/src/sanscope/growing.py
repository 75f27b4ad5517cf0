# SPDX-License-Identifier: GPL-3.0-or-later
"""How far a capture that is still being written holds whole packets."""

from __future__ import annotations

import io
import os
import pathlib
import struct
from typing import BinaryIO

from .errors import NothingAnalysed

_PCAP = {b"\xd4\xc3\xb2\xa1": "<", b"\x4d\x3c\xb2\xa1": "<", b"\xa1\xb2\xc3\xd4": ">", b"\xa1\xb2\x3c\x4d": ">"}
_SECTION = b"\x0a\x0d\x0d\x0a"
_PACKET_BLOCKS = (2, 3, 6)  # Packet (obsolete), Simple Packet, Enhanced Packet
_LARGEST = 1 << 28


class GrowingCapture:
    """A pcap or pcapng file stored plain, and the end of the last whole packet in it."""

    def __init__(self, path: pathlib.Path) -> None:
        self.path = path
        self.bytes = 0
        self.packets = 0
        self.damaged = False
        self._order: str | None = None
        self._is_pcap = False

    def look(self) -> bool:
        """Reads what has come; whether there is more than before."""
        before = self.bytes
        try:
            with open(self.path, "rb", buffering=1 << 20) as reader:
                reader.seek(self.bytes)
                while not self.damaged and self._record(reader, os.fstat(reader.fileno()).st_size):
                    pass
        except FileNotFoundError:
            return False
        return self.bytes > before

    def _record(self, reader: BinaryIO, size: int) -> bool:
        """Whether there was another one."""
        if self.bytes == 0 and not self._begin(reader, size):
            return False
        if self._is_pcap:
            header, length_at = 16, 8
        else:
            header, length_at = 12, 4
        begin = reader.read(header)
        if len(begin) < header:
            return False
        if not self._is_pcap and begin[:4] == _SECTION:
            self._order = "<" if begin[8:12] == b"\x4d\x3c\x2b\x1a" else ">"
        length = struct.unpack_from(f"{self._order}I", begin, length_at)[0] + (header if self._is_pcap else 0)
        if length < header or length > _LARGEST:
            self.damaged = True  # which the analysis tells
            self.bytes = size
            return False
        if self.bytes + length > size:
            return False
        if self._is_pcap or struct.unpack_from(f"{self._order}I", begin, 0)[0] in _PACKET_BLOCKS:
            self.packets += 1
        reader.seek(length - header, io.SEEK_CUR)
        self.bytes += length
        return True

    def _begin(self, reader: BinaryIO, size: int) -> bool:
        if size < 24:
            return False
        magic = reader.read(4)
        if magic in _PCAP:
            self._order, self._is_pcap = _PCAP[magic], True
            reader.seek(24)
            self.bytes = 24
            return True
        if magic != _SECTION:
            raise NothingAnalysed(f"{self.path}: only pcap and pcapng that are stored plain can be followed while they grow", exit_status=1)
        reader.seek(0)
        return True


class Prefix(io.RawIOBase):
    """The first bytes of a file."""

    def __init__(self, path: pathlib.Path, size: int) -> None:
        super().__init__()
        self._file = open(path, "rb", buffering=0)
        self._left = size

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1, /) -> bytes:
        piece = self._file.read(self._left if size < 0 else min(size, self._left)) or b""
        self._left -= len(piece)
        return piece

    def close(self) -> None:
        self._file.close()
        super().close()

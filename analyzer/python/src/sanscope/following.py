# SPDX-License-Identifier: GPL-3.0-or-later
"""A recording while it is made."""

from __future__ import annotations

import dataclasses
import os
import pathlib
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence

from .captures import Capture
from .errors import error_of
from .growing import GrowingCapture, Prefix
from .program import FileName, find_program

# An analysis takes at most a fifth of one processor's time.
_SHARE = 5


@dataclasses.dataclass(frozen=True)
class Update:
    """A recording so far."""

    #: All whole packets that there are. What is judged is judged by these alone: a command without an answer may yet get
    #: one, and a finding may go.
    capture: Capture
    packets: int
    #: Those of the update before: `capture.table("commands", where=f"response_packet > {update.packets_before}")` are the
    #: commands answered since then.
    packets_before: int
    #: The recording has ended, and this is all of it.
    ended: bool


def follow(file: FileName | None = None, *, interface: str | None = None, filter: str = "tcp port 3260", every: float = 5.0,
           idle: float | None = None, tables: Sequence[str] = (), decode_as: Sequence[str] = (),
           program: FileName | None = None) -> Iterator[Update]:
    """Updates on a recording while it is made, at most one in `every` seconds; one that has no more packets than the one before
    is left out. The last one has `ended`.

    `file`: a pcap or pcapng that another program writes, stored plain; it is taken to have ended where it has not grown for
    `idle` seconds, without `idle` never: then closing the iterator ends it. `interface`: recorded from by `sanscope capture`
    with this `filter`, into `file`, or where there is none into a temporary one, until the iterator is closed; that needs the
    right to capture (`docs/capture.md`). `tables`: read in one pass for each update, as of read().

    Each update's tables are made from the beginning of the recording, for what a packet means may depend on any before it. So
    that this does not take over the machine, there are fewer updates the longer reading them takes: at most a fifth of the time
    goes into it. For a screen refreshed each second, of a recording of any length: `sanscope capture --report`.

    Raises as read() does, and where the interface cannot be recorded from."""
    if file is None and interface is None:
        raise ValueError("a file or an interface is needed")
    with tempfile.TemporaryDirectory(prefix="sanscope-") as folder:
        path = pathlib.Path(file) if file is not None else pathlib.Path(folder, "recording.pcapng")
        recorder = _Recorder(interface, filter, path, program) if interface is not None else None
        try:
            yield from _updates(path, recorder, every, idle, tables, decode_as, program)
        finally:
            if recorder is not None:
                recorder.stop()


def _updates(path: pathlib.Path, recorder: _Recorder | None, every: float, idle: float | None, tables: Sequence[str],
             decode_as: Sequence[str], program: FileName | None) -> Iterator[Update]:
    growing = GrowingCapture(path)
    options = [word for rule in decode_as for word in ("-d", rule)] + ["--capture-id", os.fspath(path)]
    packets_before = 0
    grew = time.monotonic()
    while True:
        started = time.monotonic()
        over = recorder is not None and recorder.ended()
        if growing.look():
            grew = started
        elif idle is not None and started - grew >= idle:
            over = True
        if growing.packets > packets_before or (over and growing.bytes > 0):
            size = growing.bytes
            capture = Capture(("-",), options, program, tables, lambda: Prefix(path, size))
            yield Update(capture, growing.packets, packets_before, over)
            packets_before = growing.packets
        if over:
            return
        rest = max(every, (time.monotonic() - started) * _SHARE) - (time.monotonic() - started)
        until = time.monotonic() + rest
        while time.monotonic() < until and not (recorder is not None and recorder.ended()):
            time.sleep(min(0.1, max(0.0, until - time.monotonic())))


class _Recorder:
    def __init__(self, interface: str, filter: str, path: pathlib.Path, program: FileName | None) -> None:
        self._errors = tempfile.TemporaryFile()
        self._process = subprocess.Popen(
            [os.fspath(program) if program is not None else find_program(), "capture", "-q", "-i", interface, "-f", filter,
             "-w", str(path)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self._errors)

    def ended(self) -> bool:
        """Raises where it could not record."""
        status = self._process.poll()
        if status is None:
            return False
        if status not in (0, 3, 130):
            self._errors.seek(0)
            raise error_of(status, self._errors.read().decode("utf-8", "replace"))
        return True

    def stop(self) -> None:
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._errors.close()

# SPDX-License-Identifier: GPL-3.0-or-later
"""The command `sanscope archive`."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence

from ..errors import ProgramNotFound

_KINDS = {
    "damaged": "damaged; what lies before the damage is in the lake",
    "not_a_capture": "nothing could be analysed",
    "unreadable": "cannot be read",
    "failed": "failed; another run tries again",
    "growing": "still being written; another run takes it",
}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="sanscope archive", description="Adds the captures of a folder to a lake of Parquet, each exactly once.",
        epilog="Exit status: 0 every capture is in the lake; 3 all but those that are told by name at the end, or that are "
               "damaged, of which all before the damage is; 1 the lake could not be written, or there is no folder; 2 usage; "
               "130 Ctrl-C. What was added before is in the lake in each case, and a later run goes on from there.")
    parser.add_argument("folder", metavar="DIR", help="with captures, at any depth, whatever their names")
    parser.add_argument("--into", metavar="LAKE", required=True, help="the lake's folder, which is made")
    parser.add_argument("--host", help="the partition; by default the folder of DIR that a file lies in, as DIR/HOST/san.pcapng")
    parser.add_argument("--jobs", type=int, help="files read at once; by default one a processor")
    parser.add_argument("--settled", type=float, default=60, metavar="SECONDS",
                        help="leave what was written to in the last %(default)s seconds to another run")
    parser.add_argument("-d", "--decode-as", action="append", default=[], metavar="tcp.port==PORT,PROTOCOL",
                        help="as of the other commands")
    options = parser.parse_args(arguments)
    try:
        from .adding import Outcome, archive
    except ImportError as error:
        print(f"sanscope archive: Python's pyarrow writes the lake, and cannot be loaded ({error}): pip install pyarrow",
              file=sys.stderr)
        return 1
    progress = _Progress() if sys.stderr.isatty() else None
    begin = time.monotonic()
    try:
        outcome: Outcome = archive(options.folder, options.into, host=options.host, jobs=options.jobs, settled=options.settled,
                                   decode_as=options.decode_as, progress=progress)
    except (OSError, ProgramNotFound) as error:
        print(f"sanscope archive: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    if progress is not None:
        progress.end()
    for kind, text in _KINDS.items():
        told = [one for one in outcome.told if one.kind == kind]
        if told:
            print(f"{len(told)} {text}:", file=sys.stderr)
            for one in told:
                file = str(one.file)
                print(f"  {_printable(file)}: {_printable(one.message.removeprefix(file + ': '))}", file=sys.stderr)
    print(f"{outcome.added} captures added in {time.monotonic() - begin:.1f} s, {outcome.known} were there", file=sys.stderr)
    if outcome.given_up:
        print(f"sanscope archive: {_printable(outcome.given_up)}; what was added before is in the lake", file=sys.stderr)
        return 1
    return 3 if outcome.told else 0


def _printable(text: str) -> str:
    """Nothing for a terminal to obey."""
    return "".join(letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in
                   text.encode("utf-8", "replace").decode())


class _Progress:
    def __init__(self) -> None:
        self._said = 0.0

    def __call__(self, outcome: object) -> None:
        if time.monotonic() - self._said > 0.5:
            self._said = time.monotonic()
            added, known = getattr(outcome, "added"), getattr(outcome, "known")
            print(f"\r{added} captures added, {known} were there", end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        print("\r\033[K", end="", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())

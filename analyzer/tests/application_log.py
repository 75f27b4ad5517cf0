# SPDX-License-Identifier: GPL-3.0-or-later
"""Commands as the application that issued them saw them, compared with those found in a capture of its traffic."""

from harness import STATUS_NAMES, number


class LoggedCommand:
    def __init__(self, submit_ns, done_ns, port, itt, bytes_, lba, write, status):
        self.submit_ns = submit_ns  # before the call that queues the command
        self.done_ns = done_ns      # in its completion callback
        self.port = port            # the initiator's
        self.itt = itt
        self.bytes = bytes_
        self.lba = lba
        self.write = write
        self.status = status

    def __str__(self):
        return f"ITT 0x{self.itt:08x} from port {self.port}"


def compare(checks, label, log, connections, commands, cut_short=False):
    """Adds the checks for one capture. It was taken on the machine where the application ran, at either end, so request
    and response lie between the application's moments. `cut_short`: the snap length left out headers, so that what
    stood in them is missing, and whose an answer is may not be known; but no command may have the moment of another's.
    A log rounded to the microsecond gets that much room."""
    port_of = {row["connection"]: int(row["initiator"].rpartition(":")[2]) for row in connections}
    found = {(port_of[row["connection"]], number(row["itt"])): row for row in commands}
    missing, unlike, late, outside = [], [], [], []
    unpaired = 0
    for logged in log:
        row = found.get((logged.port, logged.itt))
        if row is None:
            missing.append(str(logged))
            continue
        seen = {"bytes": number(row["bytes"]), "lba": number(row["lba"]), "status": row["status"],
                "write": None if row["name"] is None else row["name"].startswith("WRITE")}
        told = {"bytes": logged.bytes, "lba": logged.lba, "status": STATUS_NAMES[logged.status], "write": logged.write}
        unlike += [f"{logged}: {key} {seen[key]} instead of {told[key]}" for key in told
                   if seen[key] != told[key] and not (cut_short and seen[key] is None)]
        turnaround, request, response = (number(row[key]) for key in ("turnaround_ns", "request_ns", "response_ns"))
        if cut_short and turnaround is None:
            unpaired += 1
            continue
        longest = logged.done_ns - logged.submit_ns + 1000
        if turnaround is None or not 0 < turnaround <= longest:
            late.append(f"{logged}: turnaround {turnaround} ns, the application waited {longest} ns")
        if (request is None or response is None or
                not logged.submit_ns - 1000 <= request <= response <= logged.done_ns + 1000):
            outside.append(f"{logged}: {request} to {response}, the application {logged.submit_ns} to {logged.done_ns}")
    checks.check(f"{label}: all {len(log)} commands of the application are found", missing)
    if cut_short:
        told = [f"all {len(log)} without a turnaround"] if unpaired == len(log) else []
        checks.check(f"{label}: some of the commands have a turnaround", told)
    checks.check(f"{label}: sizes, addresses and status are those of the application", unlike)
    checks.check(f"{label}: no turnaround is longer than the application waited", late)
    checks.check(f"{label}: request and response lie between submission and completion", outside)

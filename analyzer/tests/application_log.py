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


def compare(checks, label, log, connections, commands, same_clock):
    """Adds the checks for one capture. `same_clock`: captured where the application ran, so that moments compare, not
    only durations. Times in the log that were rounded to the microsecond get that much room."""
    port_of = {row["connection"]: int(row["initiator"].rpartition(":")[2]) for row in connections}
    found = {(port_of[row["connection"]], number(row["itt"])): row for row in commands}
    missing, unlike, late, outside = [], [], [], []
    for logged in log:
        row = found.get((logged.port, logged.itt))
        if row is None:
            missing.append(str(logged))
            continue
        seen = (number(row["bytes"]), number(row["lba"]), row["name"].upper().startswith("WRITE"), row["status"])
        told = (logged.bytes, logged.lba, logged.write, STATUS_NAMES[logged.status])
        if seen != told:
            unlike.append(f"{logged}: bytes, LBA, write, status {seen} instead of {told}")
        turnaround = number(row["turnaround_ns"])
        longest = logged.done_ns - logged.submit_ns + 1000
        if turnaround is None or not 0 < turnaround <= longest:
            late.append(f"{logged}: turnaround {turnaround} ns, the application waited {longest} ns")
        request, response = number(row["request_ns"]), number(row["response_ns"])
        if same_clock and (request is None or response is None or
                           not logged.submit_ns - 1000 <= request <= response <= logged.done_ns + 1000):
            outside.append(f"{logged}: {request} to {response}, the application {logged.submit_ns} to {logged.done_ns}")
    checks.check(f"{label}: all {len(log)} commands of the application are found", missing)
    checks.check(f"{label}: with its sizes, addresses and status", unlike)
    checks.check(f"{label}: no turnaround is longer than the application waited", late)
    if same_clock:
        checks.check(f"{label}: request and response lie between submission and completion", outside)

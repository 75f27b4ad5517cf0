# SPDX-License-Identifier: GPL-3.0-or-later
"""What sanscope says of the senders in a capture: its tables windows, ca_transitions and connections."""

import bisect
import collections
import csv
import io
import subprocess

from .kernel_record import CA_STATES, Transition

SECONDS_A_TABLE = 300


class InferenceError(Exception):
    pass


class Series:
    """Values by time; at a moment the last one told counts. An unknown value leaves the one before it standing."""

    def __init__(self):
        self.times_ns = []
        self.values = []

    def add(self, time_ns, value):
        self.times_ns.append(time_ns)
        self.values.append(value)

    def at(self, time_ns):
        """None before the first."""
        index = bisect.bisect_right(self.times_ns, time_ns)
        return self.values[index - 1] if index else None


class InferredSender:
    """Windows in bytes, times in nanoseconds."""

    def __init__(self):
        self.cwnd = Series()
        self.interval = Series()  # of pairs (low, high)
        self.ssthresh = Series()
        self.srtt_ns = Series()
        self.transitions = []
        self.congestion_control = ""


def inferred_senders(program, capture):
    """By (sender, receiver), each IP:PORT; whoever is asked for and not there is an InferredSender that knows nothing."""
    senders = collections.defaultdict(InferredSender)
    add_windows(senders, table(program, "windows", capture))
    add_transitions(senders, table(program, "ca_transitions", capture))
    add_connections(senders, table(program, "connections", capture))
    return senders


def add_windows(senders, rows):
    last_ns = {}
    for row in rows:
        key = (row["sender"], row["receiver"])
        time_ns = int(row["time_ns"])
        if time_ns < last_ns.get(key, time_ns):
            raise InferenceError(f"windows: the rows of {key[0]} are not in order of time, at packet {row['packet']}")
        last_ns[key] = time_ns
        sender = senders[key]
        for series, cell in ((sender.cwnd, row["cwnd"]), (sender.ssthresh, row["ssthresh"]),
                             (sender.srtt_ns, row["srtt_ns"])):
            if cell:
                series.add(time_ns, int(cell))
        if row["cwnd_low"] and row["cwnd_high"]:
            sender.interval.add(time_ns, (int(row["cwnd_low"]), int(row["cwnd_high"])))


def add_transitions(senders, rows):
    for row in rows:
        if row["to"] not in CA_STATES:
            raise InferenceError(f"ca_transitions: there is no state '{row['to']}'")
        senders[row["sender"], row["receiver"]].transitions.append(
            Transition(int(row["time_ns"]), CA_STATES.index(row["to"])))


def add_connections(senders, rows):
    for row in rows:
        initiator, target = row["initiator"], row["target"]
        senders[initiator, target].congestion_control = row["congestion_control_initiator"]
        senders[target, initiator].congestion_control = row["congestion_control_target"]


def table(program, name, capture):
    try:
        done = subprocess.run([program, "table", name, capture], capture_output=True, check=False,
                              timeout=SECONDS_A_TABLE)
    except subprocess.TimeoutExpired:
        raise InferenceError(f"sanscope table {name} {capture}: took too long") from None
    except OSError as error:
        raise InferenceError(f"{program}: {error.strerror}") from error
    if done.returncode != 0:
        raise InferenceError(f"sanscope table {name} {capture}: exit status {done.returncode}; "
                             f"{done.stderr.decode('utf-8', 'replace').strip()[-400:]}")
    return csv.DictReader(io.StringIO(done.stdout.decode()))

# SPDX-License-Identifier: GPL-3.0-or-later
"""What sanscope says of the senders in a capture: its tables windows, ca_transitions and connections."""

import bisect
import collections
import csv
import io
import operator
import subprocess

from .kernel_record import CA_STATES, Transition

SECONDS_A_TABLE = 300

COLUMNS = {
    "windows": ("sender", "receiver", "time_ns", "cwnd", "cwnd_low", "cwnd_high", "ssthresh", "srtt_ns"),
    "ca_transitions": ("sender", "receiver", "time_ns", "to"),
    "connections": ("initiator", "target", "congestion_control_initiator", "congestion_control_target"),
}


class InferenceError(Exception):
    pass


class Series:
    """Values by time; at a moment the last one told counts."""

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
        self.rows_out_of_order = 0  # of a table, earlier than the one before; they are put where they belong


def inferred_senders(program, capture):
    """By (sender, receiver), each IP:PORT; who is asked for and not there is an InferredSender that knows nothing."""
    senders = collections.defaultdict(InferredSender)
    add_windows(senders, *table(program, "windows", capture))
    add_transitions(senders, *table(program, "ca_transitions", capture))
    add_connections(senders, *table(program, "connections", capture))
    return senders


def by_sender(senders, column, rows):
    """Each sender with its rows and their times, in order of time."""
    sender, receiver, time = column["sender"], column["receiver"], column["time_ns"]
    groups = collections.defaultdict(list)
    for row in rows:
        groups[row[sender], row[receiver]].append(row)
    for key, group in groups.items():
        times_ns = [int(row[time]) for row in group]
        senders[key].rows_out_of_order += sum(map(operator.lt, times_ns[1:], times_ns))
        yield senders[key], sorted(zip(times_ns, group), key=operator.itemgetter(0))


def add_windows(senders, column, rows):
    for sender, timed_rows in by_sender(senders, column, rows):
        for series, name in ((sender.cwnd, "cwnd"), (sender.ssthresh, "ssthresh"), (sender.srtt_ns, "srtt_ns")):
            add_changes(series, timed_rows, [column[name]], int)
        add_changes(sender.interval, timed_rows, [column["cwnd_low"], column["cwnd_high"]],
                    lambda low, high: (int(low), int(high)))


def add_changes(series, timed_rows, numbers, value):
    """Where the cells change. An unknown value leaves the one before it standing."""
    last = None
    for time_ns, row in timed_rows:
        cells = [row[number] for number in numbers]
        if cells != last and all(cells):
            series.add(time_ns, value(*cells))
            last = cells


def add_transitions(senders, column, rows):
    for sender, timed_rows in by_sender(senders, column, rows):
        for time_ns, row in timed_rows:
            state = row[column["to"]]
            if state not in CA_STATES:
                raise InferenceError(f"ca_transitions: there is no state '{state}'")
            sender.transitions.append(Transition(time_ns, CA_STATES.index(state)))


def add_connections(senders, column, rows):
    for row in rows:
        initiator, target = row[column["initiator"]], row[column["target"]]
        senders[initiator, target].congestion_control = row[column["congestion_control_initiator"]]
        senders[target, initiator].congestion_control = row[column["congestion_control_target"]]


def table(program, name, capture):
    """The columns' numbers by name, and the rows."""
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
    rows = csv.reader(io.StringIO(done.stdout.decode()))
    column = {cell: number for number, cell in enumerate(next(rows, []))}
    missing = [cell for cell in COLUMNS[name] if cell not in column]
    if missing:
        raise InferenceError(f"sanscope table {name} {capture}: has no column {', '.join(missing)}")
    return column, rows

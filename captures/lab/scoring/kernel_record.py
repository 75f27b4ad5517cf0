# SPDX-License-Identifier: GPL-3.0-or-later
"""What the kernel held: a recording's truth.csv and states.csv, a KernelSender for each direction of a connection."""

import collections
import csv
import io
import json
import pathlib
import subprocess

CA_STATES = ("Open", "Disorder", "CWR", "Recovery", "Loss")
CLASSES = ("drops", "no_drops", "bbr", "reordering", "ecn", "no_sack")

# TCP_INFINITE_SSTHRESH: the kernel's value while it has none.
NO_SSTHRESH = 0x7FFFFFFF

# A sender of fewer bytes or samples says nothing about windows; one of much fewer bytes than the busiest of the
# recording sends requests or status, not data.
LEAST_BYTES = 100_000
LEAST_SAMPLES = 20
LEAST_SHARE = 1 / 20

# A sender filled its path when at this share of the samples neither the application nor the receiver's window kept it
# from sending more. One that did so for so many round trips can be told by how its window grew.
FILLED_SHARE = 0.5
ENOUGH_ROUND_TRIPS = 50

# The kernel's figures just before it processed an ACK, and those of the next record, which are the ones after. Windows
# in segments; in_flight in bytes; could_send: it had a segment that was not sent yet, and the receiver had room for it.
Sample = collections.namedtuple(
    "Sample",
    "time_ns mss ca_state in_flight could_send cwnd cwnd_after ssthresh ssthresh_after srtt_us srtt_us_after")

# A change of the congestion state: the number of the new one in CA_STATES.
Transition = collections.namedtuple("Transition", "time_ns state")


class RecordingError(Exception):
    pass


class KernelSender:
    """One socket as a sender. `sender` and `receiver` are IP:PORT."""

    def __init__(self, sender, receiver, samples, transitions, acknowledged):
        self.sender = sender
        self.receiver = receiver
        self.samples = samples
        self.transitions = transitions
        self.acknowledged = acknowledged  # bytes

    @property
    def congestion_control_can_be_told(self):
        """Whether it filled its path, for long enough."""
        srtts = sorted(sample.srtt_us for sample in self.samples)
        seconds = (self.samples[-1].time_ns - self.samples[0].time_ns) / 1e9
        round_trips = seconds * 1e6 / max(srtts[len(srtts) // 2], 1)
        filled = sum(sample.could_send for sample in self.samples) / len(self.samples)
        return round_trips > ENOUGH_ROUND_TRIPS and filled >= FILLED_SHARE


class Recording:
    """One folder: two captures, what the kernel recorded, and scenario.json with the settings."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.name = self.folder.resolve().name
        try:
            description = json.loads((self.folder / "scenario.json").read_text())
        except (OSError, ValueError) as error:
            raise RecordingError(f"{self.folder / 'scenario.json'}: {error}") from error
        settings = description["scenario"]
        self.congestion_control = settings["cc"]
        self.initiator_address = settings.get("initiator_address", "10.99.1.1")
        self.scenario_class = settings.get("class") or scenario_class(description)
        if self.scenario_class not in CLASSES:
            raise RecordingError(f"{self.folder}: there is no class {self.scenario_class}")

    def capture(self, side):
        """The path of the capture taken at the initiator or the target."""
        return existing(self.folder / f"{side}.pcap")

    def side_of(self, sender):
        return "initiator" if sender.rpartition(":")[0] == self.initiator_address else "target"

    def kernel_senders(self):
        """Those that sent enough to be scored, the busiest first."""
        transitions = read_transitions(open_text(self.folder / "states.csv"))
        rows = read_rows(open_text(self.folder / "truth.csv"))
        senders = [kernel_sender(*key, rows[key], transitions[key]) for key in rows]
        senders = [sender for sender in senders
                   if sender.acknowledged >= LEAST_BYTES and len(sender.samples) >= LEAST_SAMPLES]
        senders.sort(key=lambda sender: -sender.acknowledged)
        if not senders:
            raise RecordingError(f"{self.folder}: no sender of {LEAST_BYTES} bytes")
        return senders


def busy(senders):
    """Of the senders of a recording those that sent data, not only requests or acknowledgements."""
    return [sender for sender in senders if sender.acknowledged > senders[0].acknowledged * LEAST_SHARE]


def scenario_class(description):
    """What a recording is about, from its settings and from what the link and the kernel counted."""
    settings = description["scenario"]
    sysctls = {**settings.get("sysctl", {}), **settings.get("sysctl_tgt", {}), **settings.get("sysctl_ini", {})}
    if settings["cc"] == "bbr":
        return "bbr"
    if sysctls.get("net.ipv4.tcp_sack") == 0:
        return "no_sack"
    if settings.get("ecn_k"):
        return "ecn"
    if settings.get("reorder") or settings.get("jitter_us") or settings.get("stall_ms"):
        return "reordering"
    lost = sum(count for link in description.get("delaynode", {}).values() if isinstance(link, dict)
               for what, count in link.items() if what.startswith("drop_"))
    resent = sum(flow.get("retrans", 0) for flow in description.get("flows", []))
    return "drops" if lost or resent else "no_drops"


# ---- Files, plain or compressed

def existing(path):
    for candidate in (path, path.with_name(path.name + ".zst")):
        if candidate.exists():
            return candidate
    raise RecordingError(f"{path} is not there, nor is it with .zst")


def open_text(path):
    path = existing(path)
    if path.suffix != ".zst":
        return open(path, newline="")
    done = subprocess.run(["zstd", "-dcq", "--long=27", path], capture_output=True, check=False)
    if done.returncode != 0:
        raise RecordingError(f"{path}: {done.stderr.decode('utf-8', 'replace').strip()}")
    return io.StringIO(done.stdout.decode())


def nanoseconds(seconds):
    """Of decimal digits, exactly."""
    whole, _, fraction = seconds.partition(".")
    return int(whole) * 1_000_000_000 + int((fraction + "0" * 9)[:9])


def endpoints(row, column):
    return (f"{row[column['src']]}:{row[column['sport']]}", f"{row[column['dst']]}:{row[column['dport']]}")


def read_csv(file, path_for_errors):
    """The columns' numbers by name, and an iterator over the rows."""
    rows = csv.reader(file)
    try:
        return {name: number for number, name in enumerate(next(rows))}, rows
    except StopIteration:
        raise RecordingError(f"{path_for_errors} is empty") from None


FIGURES = ("snd_cwnd", "ssthresh", "snd_wnd", "srtt_us", "snd_una", "snd_nxt", "write_seq", "ca_state", "mss")
Figures = collections.namedtuple("Figures", ("time_ns", "is_ack") + FIGURES)


def read_rows(file):
    column, rows = read_csv(file, "truth.csv")
    time, event, figures = column["time"], column["ev"], [column[name] for name in FIGURES]
    result = collections.defaultdict(list)
    for row in rows:
        result[endpoints(row, column)].append(
            Figures(nanoseconds(row[time]), row[event] == "A", *(int(row[figure]) for figure in figures)))
    return result


def read_transitions(file):
    column, rows = read_csv(file, "states.csv")
    result = collections.defaultdict(list)
    for row in rows:
        if row[column["state"]] != row[column["old_state"]]:
            result[endpoints(row, column)].append(
                Transition(nanoseconds(row[column["time"]]), int(row[column["state"]])))
    return result


def distance(earlier, later):
    """Of two sequence numbers."""
    return (later - earlier) & 0xFFFFFFFF


def kernel_sender(sender, receiver, rows, transitions):
    rows.sort(key=lambda row: row.time_ns)
    samples = []
    for row, after in zip(rows, rows[1:] + rows[-1:]):
        if not row.is_ack:
            continue
        in_flight = distance(row.snd_una, row.snd_nxt)
        could_send = distance(row.snd_nxt, row.write_seq) >= row.mss and in_flight + row.mss <= row.snd_wnd
        samples.append(Sample(row.time_ns, row.mss, row.ca_state, in_flight, could_send, row.snd_cwnd, after.snd_cwnd,
                              row.ssthresh, after.ssthresh, row.srtt_us, after.srtt_us))
    acknowledged = distance(rows[0].snd_una, rows[-1].snd_una)
    transitions.sort(key=lambda change: change.time_ns)
    return KernelSender(sender, receiver, samples, transitions, acknowledged)

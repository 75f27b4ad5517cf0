# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenarios for record_faults whose load, path and cause are drawn from a seed: everyday loads that nobody had in mind.

Each depends on the seed and its number alone. Every third has nothing wrong, and the three congestion controls come in
turn. One in ten, drawn by the seed, is unseen(): to be looked at only when nothing is changed any more."""

import random

KIB = 1024
CONTROLS = ("cubic", "reno", "bbr")
MOST_BYTES = 12_000_000
UNSEEN_SHARE = 10  # one in so many
# A path of this round trip or more is worth a word on how many commands are under way over it (shallow_queue), and so
# are less than half of what 1 Gbit/s carries, where commands are under way most of the time.
LONG_PATH_US = 2000
HALF_OF_PLENTY = 62.5e6
BUSY_ENOUGH = 0.6
# With some jitter and the hosts' own time a path is longer than what it was set to.
LEAST_OF_MEASURED = 0.75
# TCP limits nobody who has no more than so many bytes under way.
FEW_BYTES = 8 * 1448
# How `sanscope generate` reads what is on a LUN before it writes.
LOOK_BYTES = 64 * KIB
MORE_THAN_PATHS_HOLD = 2 * KIB * KIB
SLOW = ["slow_commands", "slow_command"]
OF_LOSS = ["congestion_window", "retransmission_timeout", "path_queue", "needless_retransmission", *SLOW]


def draw_load(chance):
    return {
        "size": chance.choice((4, 8, 16, 32, 64, 128, 256)) * KIB,
        "read_percent": chance.choice((100, 100, 0, 70, 50, 30)),
        "depth": chance.choice((1, 2, 4, 8, 16, 32)),
        "sessions": chance.choice((1, 1, 2, 4)),
        "think_us": chance.choice((0, 0, 0, 2000, 15000)),
        "rtt_us": round(200 * 150 ** chance.random()),  # 0.2 to 30 ms
        "random": chance.random() < 0.5,
    }


def options_of(load, serial):
    options = ["--request-size", str(load["size"]), "--queue-depth", str(load["depth"]), "--sessions", str(load["sessions"]),
               "--pattern", "random" if load["random"] else "sequential", "--duration", "2500ms", "--bytes", str(MOST_BYTES)]
    if load["read_percent"] < 100:
        options += ["--allow-writes", serial, "--read-percent", str(load["read_percent"])]
    if load["think_us"]:
        options += ["--think-time", f"{load['think_us']}us"]
    return options


# A load, as draw_load() makes it and causes change it. What a cause may add:
#   rate         commands a second that each session sends at their own times
#   window       commands at once that the target allows a session
#   target_us    what the target takes for a command, by kind: {"read": …, "write": …}

def kinds_of(load):
    return [kind for kind, is_there in (("read", load["read_percent"] > 0), ("write", load["read_percent"] < 100)) if is_there]


def depth_of(load):
    return min(load["depth"], load.get("window", load["depth"]))


def look_of(load):
    """The load that reads what is on the LUN before anything is written; None where nothing is."""
    if load["read_percent"] == 100:
        return None
    return {**load, "size": LOOK_BYTES, "read_percent": 100, "depth": 1, "sessions": 1, "think_us": 0, "rate": None}


def is_shallow(load):
    """Whether more commands at once would move more over a path that nothing else fills."""
    target_us = min(load.get("target_us", {}).get(kind, 0) for kind in kinds_of(load))
    rtt_us = load["rtt_us"] / LEAST_OF_MEASURED
    taken_us = load["rtt_us"] + target_us
    # Else round trips are none of anyone's trouble, or the target has most of each command's time.
    if rtt_us < LONG_PATH_US or target_us > rtt_us:
        return False
    # Of commands with times of their own all that are due are under way: more at once there are none.
    if load.get("rate") and load["rate"] * taken_us / 1e6 < depth_of(load):
        return False
    # Each of `depth` places thinks for a part of its time; where all do most of the time, nobody asks.
    asking = taken_us / (taken_us + load["think_us"])
    if 1 - (1 - asking) ** depth_of(load) < BUSY_ENOUGH:
        return False
    under_way = max(1, depth_of(load) * asking)
    return under_way * load["size"] * 1e6 / rtt_us < HALF_OF_PLENTY


def asks_for_too_much(load):
    """Whether what is asked for at once, beyond what any path of one machine holds, waits in a queue there."""
    at_once = depth_of(load)
    if load.get("rate"):
        at_once = min(at_once, max(1, load["rate"] * load["rtt_us"] / 1e6))
    return load["sessions"] * at_once * load["size"] >= MORE_THAN_PATHS_HOLD


def true_besides(load):
    """The kinds of findings that are true of the load itself, whatever else was done: by what it asks for, how often, and how long the
    path and the target take. Nothing is true of it for the sake of a cause."""
    look = look_of(load)
    true = ["shallow_queue"] if is_shallow(load) or (look and is_shallow(look)) else []
    if asks_for_too_much(load):
        true += ["path_queue", "saturated", *SLOW]
    return true


# Causes that are felt only by those who have much under way.
OF_MUCH = ("loss", "overflow", "deep-queue", "reordering", "small-buffer")


def may_stand_first(name, load):
    """Whether what is true of the load may be told before the cause, or alone."""
    return name == "healthy" or (name in OF_MUCH and depth_of(load) * load["size"] <= FEW_BYTES)


# Each: what was done, whose matter it is, the kinds that name it, true consequences, whose data suffer, and the
# settings of the recording. `data` is the direction that most data take. Those without which nothing would be felt are set in
# `load`; settings with a trace, a play or a whole_load have their own load, and `load` describes that.

def nothing(chance, load, data):
    what, link = chance.choice((
        ("nothing", []), ("nothing", []), ("nothing but jitter that keeps the order", ["--jitter-us", str(load["rtt_us"] // 8)]),
        ("nothing but packets that arrive twice", ["--duplicate", "0.003"]),
        ("nothing: another session's UNMAPs hold up nobody", [])))
    return what, "none", [], [], "", {"link": link, "beside": ["pause:0.3", "unmaps:40:8:0.04", "logout"] if "UNMAP" in what else []}


def loss(chance, load, data):
    share = chance.choice((0.002, 0.005, 0.01))
    return (f"{share:.1%} of the packets with most of the data are lost", "path", ["lost_segments", "retransmission_timeout"], OF_LOSS,
            data, {"link": [f"--{direction(data)}-loss", str(share)]})


def overflow(chance, load, data):
    rate, queue = chance.choice((30, 60, 100)), chance.choice((20, 40, 80))
    several = ["incast"] if load["sessions"] > 2 else []
    return (f"a port of {rate} Mbit/s with a queue of {queue} packets", "path", ["lost_segments", "path_queue", *several], [*OF_LOSS, "saturated"],
            data, {"link": [f"--{direction(data)}-rate-mbit", str(rate), f"--{direction(data)}-queue", str(queue)]})


def deep_queue(chance, load, data):
    rate = chance.choice((30, 60, 100))
    return (f"a port of {rate} Mbit/s with a long queue", "path", ["path_queue", "saturated"], ["congestion_window", *SLOW], data,
            {"link": [f"--{direction(data)}-rate-mbit", str(rate), f"--{direction(data)}-queue", "5000"]})


def reordering(chance, load, data):
    share, late_us = chance.choice((0.005, 0.02)), chance.choice((500, 2000))
    return (f"{share:.1%} of the packets with most of the data come {late_us} us late", "path", ["reordering", "needless_retransmission"],
            ["congestion_window", *SLOW], data,
            {"link": [f"--{direction(data)}-reorder", str(share), f"--{direction(data)}-reorder-us", str(late_us)]})


def slow_target(chance, load, data):
    took, of = chance.choice((4, 8, 15)), chance.choice(("all", "reads" if load["read_percent"] > 50 else "writes"))
    # Where the path is the longer part of a command's time, that may well be said first.
    kinds = {"all": ("read", "write"), "reads": ("read",), "writes": ("write",)}[of]
    load["target_us"] = {kind: 1000 * took for kind in kinds}
    right = ["target_wait", *(["shallow_queue"] if load["rtt_us"] > 1000 * took else [])]
    return (f"the target takes {took} ms for {of if of != 'all' else 'all commands'}", "target", right, [*SLOW, "saturated"], "",
            {"target": ["--latency", f"{took}ms", "--latency-of", of]})


def stall(chance, load, data):
    length = chance.choice((300, 500, 800))
    return (f"the path stands still for {length} ms", "path", ["path_stall"], ["retransmission_timeout", *OF_LOSS], data,
            {"link": [f"--{direction(data)}-stall-at-ms", "500", f"--{direction(data)}-stall-ms", str(length)]})


def small_buffer(chance, load, data):
    size = chance.choice((24, 48))
    return (f"a receive buffer of {size} KiB at the initiator", "initiator", ["receiver_window"], [*SLOW, "zero_window_stall"], "target",
            {"load": ["--receive-buffer", f"{size}K"]})


def incast(chance, load, data):
    load.update(sessions=chance.choice((3, 4, 6)), depth=chance.choice((2, 4, 8)), size=chance.choice((64, 128)) * KIB, read_percent=100)
    rate, queue = chance.choice((60, 100)), chance.choice((20, 40))
    return (f"a port of {rate} Mbit/s with a queue of {queue} packets", "path", ["incast", "lost_segments", "path_queue"], [*OF_LOSS, "saturated"],
            "target", {"link": ["--ba-rate-mbit", str(rate), "--ba-queue", str(queue)]})


def small_command_window(chance, load, data):
    window = chance.choice((1, 2, 4))
    load.update(depth=chance.choice((8, 16, 32)), think_us=0, window=window)
    return (f"a command window of {window}", "target", ["command_window"], SLOW, "",
            {"target": ["--command-window", str(window)]})


def r2t_rounds(chance, load, data):
    load.update(read_percent=chance.choice((0, 0, 30)), size=chance.choice((8, 16, 32, 64)) * KIB)
    return ("each write waits for an R2T", "both", ["r2t_waits"], [], "",
            {"target": ["--initial-r2t", "yes", "--immediate-data", "no"]})


def mtu_hole(chance, load, data):
    size = chance.choice((1300, 1400))
    return (f"the path drops what is larger than {size}", "path", ["mtu_black_hole"],
            ["retransmission_timeout", "unanswered_commands", "aborted_commands", "task_management", "session_reconnect"], "",
            {"link": ["--mtu", str(size)], "load": ["--timeout", "2s"], "expect_failure": True})


# With room for one segment, or for an odd number, what is left waits for the delayed acknowledgement.
def tiny_window(chance, load, data):
    window = chance.choice((1, 3))
    load.update(read_percent=100, size=chance.choice((8, 16)) * KIB, depth=1, sessions=1)
    return (f"a congestion window of {window} segment(s) at the target", "both", ["delayed_ack", "congestion_window"],
            [*SLOW, "target_wait"], "target", {"target_route": ["cwnd", "lock", str(window)]})


# What raw_initiator.py plays.
ONE_AT_A_TIME = {"read_percent": 100, "depth": 1, "sessions": 1, "think_us": 0}


def ping_timeout(chance, load, data):
    wait = chance.choice((2, 3, 5))
    load.update(ONE_AT_A_TIME, size=4 * KIB)
    steps = [f"reads:{chance.choice((5, 10, 20))}", "pings:3", "pause:1.1", "send-ping", f"pause:{wait}", "close", "pause:1.5",
             "login", "reads:1", "logout"]
    if chance.random() < 0.5:
        return (f"the target's process stands still for {wait + 1.5} s under a NOP-Out", "target", ["ping_timeout"], [], "initiator",
                {"play": steps, "stopped_s": wait + 1.5})
    return (f"the path loses everything for {wait + 1.2} s, a NOP-Out with it", "path", ["ping_timeout"],
            ["retransmission_timeout", "lost_segments"], "initiator",
            {"play": steps, "link": ["--outage-at-ms", "1000", "--outage-ms", str(1000 * wait + 1200)], "ends": ["initiator"]})


def split_reads(chance, load, data):
    blocks, piece = chance.choice(((600, 128), (300, 64), (1000, 256), (90, 16)))
    load.update(ONE_AT_A_TIME, size=piece * 512)
    return (f"an application's reads of {blocks} blocks are sent as reads of {piece}, one after the other", "initiator", ["split_requests"],
            [], "", {"play": [f"split-reads:{chance.choice((12, 20, 30))}:{blocks}:{piece}", "logout"]})


# As in record_faults: what waits does so in the target's socket.
def head_of_line(chance, load, data):
    rate, size, each_s = chance.choice(((200, "1M", 8), (100, "512K", 8), (200, "2M", 4)))
    small, small_s = chance.choice((4, 8)), chance.choice((100, 200))
    load.update(ONE_AT_A_TIME, rtt_us=500, size=small * KIB, depth=16, rate=small_s)
    return (f"reads of {small} KiB, {small_s} a second, share a connection with {each_s} reads of {size} a second through {rate} Mbit/s", "both",
            ["head_of_line"], [*SLOW, "path_queue", "congestion_window"], "",
            {"link": ["--ba-rate-mbit", str(rate), "--ba-queue", "4000"], "target_route": ["cwnd", "lock", "40"],
             "trace": [["--request-size", f"{small}K", "--rate", str(small_s), "--queue-depth", "16", "--pattern", "random", "--duration", "1500ms"],
                       ["--request-size", size, "--rate", str(each_s), "--queue-depth", "4", "--duration", "1500ms"]]})


# Reads come at their own times, so that most of those under way are held up, whatever was answered just before. Over a longer path they
# would take no multiple of their usual time.
def stalling_command(chance, load, data):
    step, command = chance.choice((("unmaps", "UNMAP"), ("write-sames", "WRITE SAME"), ("compare-and-writes", "COMPARE AND WRITE")))
    took, times, rate = chance.choice((150, 250, 400)), chance.choice((4, 6)), chance.choice((100, 200))
    load.update(ONE_AT_A_TIME, size=chance.choice((4, 8)) * KIB, depth=64, rate=rate, rtt_us=min(load["rtt_us"], 4000))
    seconds = 1 + times * (took / 1000 + 0.4)
    return (f"the LUN serves nothing else while it takes {took} ms for each of another session's {times} {command}, beside {rate} reads of "
            f"{load['size'] // KIB} KiB a second", "target", ["stalling_command"], [*SLOW, "target_wait", "congestion_window"], "",
            {"target": ["--exclusive-latency", f"{took}ms"], "beside": ["pause:0.3", f"{step}:{times}:8:0.4", "logout"],
             "whole_load": ["--request-size", str(load["size"]), "--rate", str(rate), "--queue-depth", str(load["depth"]), "--pattern", "random",
                            "--duration", f"{round(1000 * seconds)}ms"]})


CAUSES = {"command-window": small_command_window, "head-of-line": head_of_line, "incast": incast, "mtu-hole": mtu_hole, "ping-timeout": ping_timeout,
          "r2t-rounds": r2t_rounds, "split-reads": split_reads, "tiny-window": tiny_window,
          "loss": loss, "overflow": overflow, "deep-queue": deep_queue, "reordering": reordering, "slow-target": slow_target,
          "stall": stall, "stalling-command": stalling_command, "small-buffer": small_buffer}


# By what delay_node counts a cause is known to have met a packet at all.
MET_BY = {"loss": ["lost"], "overflow": ["queue_full"], "incast": ["queue_full"], "reordering": ["reordered"], "stall": ["stalled"]}


def unmet(scenario, met):
    """What is true instead where the cause met no packet, by delay_node's counts: nothing was done."""
    if not scenario["met_by"] or any(met[what] for what in scenario["met_by"]):
        return {}
    besides = scenario["besides"]
    return {"cause": f"nothing, for it met no packet: {scenario['cause']}", "side": "none", "right": [*besides, "nothing_wrong"],
            "also": [*besides, "nothing_wrong"], "sender": ""}


def direction(data):
    """As delay_node has it: a is the initiator's side."""
    return "ba" if data == "target" else "ab"


def drawn(seed, number, serial):
    """Name and settings of one scenario, as record_faults.fault() has them."""
    chance = random.Random(f"{seed}/{number}")
    load = draw_load(chance)
    control = CONTROLS[number // 3 % len(CONTROLS)]
    name = "healthy" if number % 3 == 0 else chance.choice(sorted(CAUSES))
    data = "target" if load["read_percent"] >= 50 else "initiator"
    cause, side, right, also, sender, settings = CAUSES.get(name, nothing)(chance, load, data)
    has_own_load = any(own in settings for own in ("trace", "play", "whole_load"))
    whole_load = settings.pop("whole_load", ["--queue-depth", "32"])
    besides = true_besides(load)
    # Where little is asked, little of a cause is felt, and nothing need be said.
    right = [*right, *(besides if may_stand_first(name, load) else []), "nothing_wrong"]
    setting = [f"net.ipv4.tcp_congestion_control={control}"]
    pace = f", think time {load['think_us']} us" if load["think_us"] else ""
    words = f"{cause}; over {load['rtt_us']} us, {control}" if has_own_load else (
        f"{cause}; {load['read_percent']} % reads of {load['size'] // KIB} KiB, {load['depth']} at a time in {load['sessions']} "
             f"session(s) over {load['rtt_us']} us{pace}, {control}")
    return f"{number:03}-{name}-{control}", {
        "cause": words, "side": side, "advice": "", "right": right, "also": [*also, *besides, "nothing_wrong"], "sender": sender,
        "link": ["--delay-us", str(load["rtt_us"] / 2), *settings.get("link", [])], "target": settings.get("target", []),
        "load": whole_load if has_own_load else [*options_of(load, serial), *settings.get("load", [])],
        **{name: value for name, value in settings.items() if name not in ("link", "target", "load")},
        "initiator_sysctl": setting, "target_sysctl": setting, "met_by": MET_BY.get(name, []), "besides": besides}


def unseen(seed, count):
    return set(random.Random(f"{seed}/unseen").sample(range(count), max(1, count // UNSEEN_SHARE)))

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of what drawn scenarios say is true of their loads, and of the commands that raw_initiator.py makes."""

import contextlib
import io
import pathlib
import struct
import unittest

import drawn_faults
import raw_initiator

KIB = 1024
SERIAL = "FAULTS"


def load(**changed):
    """One read of 4 KiB at a time over 5 ms, one after the other."""
    return {"size": 4 * KIB, "read_percent": 100, "depth": 1, "sessions": 1, "think_us": 0, "rtt_us": 5000, "random": False, **changed}


def is_shallow(**changed):
    return "shallow_queue" in drawn_faults.true_besides(load(**changed))


class Unmet(unittest.TestCase):
    SCENARIO = {"cause": "a short queue", "met_by": ["queue_full"], "besides": ["shallow_queue"]}

    def test_a_cause_that_met_no_packet_was_nothing(self):
        truth = drawn_faults.unmet(self.SCENARIO, {"queue_full": 0, "lost": 3})
        self.assertEqual((truth["side"], truth["right"]), ("none", ["shallow_queue", "nothing_wrong"]))
        self.assertTrue(truth["cause"].startswith("nothing"))

    def test_one_that_met_any_stands(self):
        self.assertEqual(drawn_faults.unmet(self.SCENARIO, {"queue_full": 1, "lost": 0}), {})

    def test_others_are_not_known_by_counts(self):
        self.assertEqual(drawn_faults.unmet({**self.SCENARIO, "met_by": []}, {"queue_full": 0}), {})

    def test_counts_are_those_of_delay_node(self):
        source = (pathlib.Path(__file__).parent / "delay_node.cpp").read_text()
        for names in drawn_faults.MET_BY.values():
            for name in names:
                self.assertTrue(f'return "{name}"' in source or f'\\"{name}\\"' in source, name)


class ShallowQueue(unittest.TestCase):
    def test_few_commands_over_a_long_path(self):
        self.assertTrue(is_shallow())
        self.assertTrue(is_shallow(depth=2))
        self.assertTrue(is_shallow(rtt_us=1600), "which some see as 2 ms")

    def test_not_over_a_short_path(self):
        self.assertFalse(is_shallow(rtt_us=1000))

    def test_not_where_enough_is_under_way(self):
        self.assertFalse(is_shallow(depth=32, size=64 * KIB))
        self.assertTrue(is_shallow(depth=32, size=4 * KIB, rtt_us=30000))

    def test_not_where_the_target_takes_longer_than_the_path(self):
        self.assertTrue(is_shallow(target_us={"read": 1000}))
        self.assertFalse(is_shallow(target_us={"read": 15000}))
        self.assertTrue(is_shallow(target_us={"write": 15000}), "nothing is written")
        self.assertTrue(is_shallow(target_us={"write": 15000}, read_percent=50), "of the reads")

    def test_not_where_the_initiator_thinks(self):
        self.assertTrue(is_shallow(think_us=2000))
        self.assertFalse(is_shallow(think_us=15000))

    def test_not_where_all_that_is_due_is_under_way(self):
        self.assertFalse(is_shallow(rate=20))
        self.assertTrue(is_shallow(rate=1000))
        self.assertFalse(is_shallow(rate=100, depth=64))

    def test_a_command_window_keeps_it_shallow(self):
        self.assertFalse(is_shallow(depth=32, size=64 * KIB))
        self.assertTrue(is_shallow(depth=32, size=64 * KIB, window=1))

    def test_a_look_before_writes_is_a_read_at_a_time(self):
        deep = {"depth": 32, "size": 256 * KIB}
        self.assertFalse(is_shallow(**deep))
        self.assertTrue(is_shallow(**deep, read_percent=0))
        self.assertFalse(is_shallow(**deep, read_percent=0, rtt_us=1000))
        self.assertFalse(is_shallow(**deep, read_percent=0, target_us={"read": 15000, "write": 15000}))


class TooMuchAtOnce(unittest.TestCase):
    QUEUED = {"path_queue", "saturated", "slow_commands", "slow_command"}

    def test_waits_in_a_queue(self):
        self.assertTrue(self.QUEUED <= set(drawn_faults.true_besides(load(depth=32, size=128 * KIB))))
        self.assertTrue(self.QUEUED <= set(drawn_faults.true_besides(load(depth=8, size=128 * KIB, sessions=4))))

    def test_not_of_what_there_is_no_room_or_no_time_for(self):
        for changed in ({"depth": 1}, {"window": 1}, {"rate": 10}):
            self.assertFalse(self.QUEUED & set(drawn_faults.true_besides(load(**{"depth": 32, "size": 128 * KIB, **changed}))), changed)


class Scenarios(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.all = [drawn_faults.drawn(seed, number, SERIAL) for seed in range(6) for number in range(90)]

    def named(self, name):
        found = [settings for title, settings in self.all if title[4:].startswith(name)]
        self.assertTrue(found, name)
        return found

    def test_each_cause_is_drawn(self):
        for name in drawn_faults.CAUSES:
            self.named(name)

    def test_a_shallow_queue_is_only_said_of_a_long_path(self):
        for name, settings in self.all:
            delay_us = float(settings["link"][settings["link"].index("--delay-us") + 1])
            if "shallow_queue" in {*settings["right"], *settings["also"]}:
                self.assertGreaterEqual(2 * delay_us, 1500, name)

    def test_plays_are_one_command_at_a_time(self):
        told = ["shallow_queue" in settings["also"] for settings in self.named("ping-timeout")]
        self.assertIn(True, told)
        self.assertIn(False, told)

    def test_where_little_of_the_cause_is_felt_the_load_may_stand_first(self):
        small = [settings for settings in self.named("small-buffer") if "shallow_queue" in settings["right"]]
        for settings in small:
            self.assertIn("--request-size", settings["load"])
            size = int(settings["load"][settings["load"].index("--request-size") + 1])
            depth = int(settings["load"][settings["load"].index("--queue-depth") + 1])
            self.assertLessEqual(size * depth, drawn_faults.FEW_BYTES)
        for settings in self.named("command-window"):
            self.assertNotIn("shallow_queue", settings["right"])

    def test_a_stalling_command_is_beside_a_load_with_its_own_times(self):
        for settings in self.named("stalling-command"):
            self.assertEqual(settings["right"], ["stalling_command", "nothing_wrong"])
            self.assertIn("--rate", settings["load"])
            self.assertIn("--exclusive-latency", settings["target"])
            self.assertEqual(len(settings["beside"]), 3)
            self.assertNotIn("shallow_queue", settings["also"])

    def test_unmaps_that_hold_up_nobody_look_like_them(self):
        beside = [settings for settings in self.named("healthy") if settings.get("beside")]
        self.assertTrue(beside)
        for settings in beside:
            self.assertEqual(settings["side"], "none")
            self.assertEqual(settings["target"], [])


class FakeInitiator(raw_initiator.Initiator):
    """Keeps what it would send."""

    def __init__(self, serial=SERIAL):
        self.serial = serial
        self.sent = []

    def unit_serial_number(self):
        return self.serial

    def read(self, lba, blocks):
        return 0, raw_initiator.pattern(blocks, 1000 + lba)

    def data_out_command(self, cdb, data):
        self.sent.append((cdb, data))
        return 0


class Changes(unittest.TestCase):
    def play(self, step, allowed=SERIAL):
        initiator = FakeInitiator()
        play = raw_initiator.Play(lambda: initiator, allowed)
        with contextlib.redirect_stdout(io.StringIO()):
            play.perform([step])
        return initiator.sent

    def test_unmap(self):
        (_, _), (cdb, data) = self.play("unmaps:2:8:0")
        self.assertEqual((len(cdb), cdb[0], struct.unpack(">H", cdb[7:9])[0]), (10, 0x42, 24))
        self.assertEqual(struct.unpack(">HH4xQII", data), (22, 16, 8, 8, 0))

    def test_write_same(self):
        (_, _), (cdb, data) = self.play("write-sames:2:8:0")
        self.assertEqual((len(cdb), cdb[0], *struct.unpack(">QI", cdb[2:14])), (16, 0x93, 8, 8))
        self.assertEqual(len(data), 512)

    def test_compare_and_write_compares_with_what_is_there(self):
        (_, _), (cdb, data) = self.play("compare-and-writes:2:4:0")
        self.assertEqual((len(cdb), cdb[0], *struct.unpack(">Q", cdb[2:10]), cdb[13]), (16, 0x89, 4, 4))
        self.assertEqual(data[:4 * 512], raw_initiator.pattern(4, 1004))
        self.assertEqual(len(data), 8 * 512)

    def test_nothing_is_changed_but_what_is_named(self):
        for allowed in (None, "", "OTHER"):
            with self.assertRaises(SystemExit):
                self.play("unmaps:1:8:0", allowed)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of the score, and the score as a test.

scorer      the scorer itself: its definitions on senders made by hand; on the recordings in scored/ what knows
            everything, nothing, or what is wrong; the program with a stand-in for sanscope
inference   sanscope on the recordings in scored/, held to scored/reached.json: the goals, and where a goal
            is not reached, what is: it must not get worse"""

import argparse
import collections
import csv
import io
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

LAB = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(LAB), str(LAB.parent.parent / "analyzer" / "tests")]

from harness import DEFAULT_SANSCOPE, Checks, missing_program  # noqa: E402
from scoring import goals, inference, kernel_record, measures, scoreboard  # noqa: E402
from scoring.inference import InferredSender  # noqa: E402
from scoring.kernel_record import CLASSES, KernelSender, NO_SSTHRESH, Sample, Transition  # noqa: E402

SCORED = LAB / "scored"
GOALS = SCORED / "goals.json"
REACHED = SCORED / "reached.json"
MSS = 1000
MILLISECOND = 1_000_000
OPEN, DISORDER, CWR, RECOVERY, LOSS = range(5)


def folders():
    return sorted(path.parent for path in SCORED.glob("*/scenario.json"))


# ---- Senders made by hand

def sample(at_ms, cwnd=10, after=None, ssthresh=NO_SSTHRESH, srtt_ms=20, state=OPEN, flight=0, could_send=True):
    return Sample(at_ms * MILLISECOND, MSS, state, flight * MSS, could_send, cwnd, cwnd if after is None else after,
                  ssthresh, ssthresh, srtt_ms * 1000, srtt_ms * 1000)


def kernel(samples=None, transitions=()):
    samples = samples or [sample(0), sample(1000)]
    return KernelSender("10.0.0.2:3260", "10.0.0.1:40000", samples,
                        [Transition(at_ms * MILLISECOND, state) for at_ms, state in transitions], 10**6)


def inferred(cwnd=(), interval=(), ssthresh=(), srtt=(), transitions=(), named=""):
    """Series are pairs of milliseconds and bytes (or nanoseconds)."""
    sender = InferredSender()
    for series, pairs in ((sender.cwnd, cwnd), (sender.interval, interval), (sender.ssthresh, ssthresh),
                          (sender.srtt_ns, srtt)):
        for at_ms, value in pairs:
            series.add(at_ms * MILLISECOND, value)
    sender.transitions = [Transition(int(at_ms * MILLISECOND), state) for at_ms, state in transitions]
    sender.congestion_control = named
    return sender


def figures(kernel_sender, inferred_sender, congestion_control="cubic"):
    return measures.score(kernel_sender, inferred_sender, congestion_control)


class Windows(unittest.TestCase):
    def test_an_estimate_between_the_values_before_and_after_the_ack_has_no_error(self):
        truth = kernel([sample(5, cwnd=10, after=12)])
        for segments in (10, 11, 12):
            self.assertEqual(figures(truth, inferred(cwnd=[(5, segments * MSS)]))["cwnd.all.median"], 0)

    def test_an_error_is_the_distance_to_the_nearer_value_divided_by_the_later_one(self):
        grown = kernel([sample(5, cwnd=10, after=12)])
        self.assertAlmostEqual(figures(grown, inferred(cwnd=[(5, 15 * MSS)]))["cwnd.all.median"], 3 / 12)
        self.assertAlmostEqual(figures(grown, inferred(cwnd=[(5, 4 * MSS)]))["cwnd.all.median"], 6 / 12)
        shrunk = kernel([sample(5, cwnd=20, after=10)])
        self.assertAlmostEqual(figures(shrunk, inferred(cwnd=[(5, 21 * MSS)]))["cwnd.all.median"], 1 / 10)

    def test_the_last_estimate_that_is_not_later_than_the_sample_counts(self):
        estimates = inferred(cwnd=[(0, 10 * MSS), (5, 20 * MSS), (6, 40 * MSS)])
        self.assertEqual(figures(kernel([sample(4, cwnd=10)]), estimates)["cwnd.all.median"], 0)
        self.assertEqual(figures(kernel([sample(5, cwnd=20)]), estimates)["cwnd.all.median"], 0)

    def test_no_estimate_yet_is_an_error_of_one(self):
        result = figures(kernel([sample(5), sample(7)]), inferred(cwnd=[(6, 10 * MSS)]))
        self.assertEqual((result["cwnd.all.p90"], result["cwnd.known"]), (1, 0.5))

    def test_samples_are_told_apart_by_what_is_in_flight_and_by_the_state(self):
        truth = kernel([sample(1, cwnd=10, flight=8), sample(2, cwnd=10, flight=7),
                        sample(3, cwnd=10, flight=7, state=RECOVERY)])
        result = figures(truth, inferred(cwnd=[(0, 5 * MSS), (2, 10 * MSS), (3, 20 * MSS)]))
        self.assertEqual(result["cwnd.limited.median"], 0.5)
        self.assertEqual(result["cwnd.recovery.median"], 1)
        self.assertEqual(result["cwnd.application.share"], 2 / 3)
        self.assertEqual(result["cwnd.application.p90"], 1)

    def test_what_has_no_samples_has_no_figure(self):
        result = figures(kernel([sample(1)]), inferred())
        self.assertIsNone(result["cwnd.recovery.median"])
        self.assertIsNone(result["ssthresh.median"])

    def test_ssthresh_is_compared_where_the_kernel_has_one(self):
        truth = kernel([sample(1), sample(2, ssthresh=20)])
        self.assertEqual(figures(truth, inferred(ssthresh=[(0, 25 * MSS)]))["ssthresh.p90"], 0.25)

    def test_the_smoothed_rtt_is_compared_in_nanoseconds(self):
        result = figures(kernel([sample(1, srtt_ms=20)]), inferred(srtt=[(0, 22 * MILLISECOND)]))
        self.assertAlmostEqual(result["srtt.median"], 0.1)

    def test_an_interval_holds_the_truth_when_it_meets_the_range_and_an_absent_one_never(self):
        truth = kernel([sample(1, cwnd=10), sample(3, cwnd=10), sample(5, cwnd=10)])
        result = figures(truth, inferred(interval=[(2, (8 * MSS, 10 * MSS)), (4, (11 * MSS, 13 * MSS))]))
        self.assertAlmostEqual(result["interval.holds"], 1 / 3)
        self.assertAlmostEqual(result["interval.holds_wide"], 1 / 2)
        self.assertAlmostEqual(result["interval.width"], 0.2)


class States(unittest.TestCase):
    TRUTH = ((100, RECOVERY), (200, OPEN))

    def test_each_transition_is_matched_once(self):
        result = figures(kernel(transitions=self.TRUTH),
                         inferred(transitions=[(99, RECOVERY), (100, OPEN), (101, RECOVERY), (200, OPEN)]))
        self.assertEqual((result["states.precision"], result["states.recall"]), (0.5, 1))
        self.assertAlmostEqual(result["states.f1"], 2 / 3)

    def test_one_inferred_transition_matches_one_of_the_kernels_alone(self):
        truth = kernel(transitions=((100, RECOVERY), (102, OPEN), (104, RECOVERY), (500, OPEN)))
        result = figures(truth, inferred(transitions=[(103, RECOVERY), (500, OPEN)]))
        self.assertEqual((result["states.precision"], result["states.recall"]), (1, 0.5))

    def test_a_transition_to_another_state_does_not_match(self):
        result = figures(kernel(transitions=self.TRUTH), inferred(transitions=[(100, LOSS), (200, OPEN)]))
        self.assertEqual((result["states.precision"], result["states.recall"]), (0.5, 0.5))

    def test_the_tolerance_is_the_rtt_but_at_least_ten_milliseconds_or_one(self):
        def f1s(srtt_ms, late_ms):
            result = figures(kernel([sample(0, srtt_ms=srtt_ms), sample(1000)], self.TRUTH),
                             inferred(transitions=[(100 + late_ms, RECOVERY), (200 + late_ms, OPEN)]))
            return [result[f"states.{name}"] for name in ("f1", "f1_rtt", "f1_1ms")]
        self.assertEqual(f1s(srtt_ms=20, late_ms=20), [1, 1, 0])
        self.assertEqual(f1s(srtt_ms=20, late_ms=21), [0, 0, 0])
        self.assertEqual(f1s(srtt_ms=4, late_ms=10), [1, 0, 0])
        self.assertEqual(f1s(srtt_ms=0, late_ms=-1), [1, 1, 1])

    def test_a_transition_to_the_state_that_is_already_there_is_none(self):
        result = figures(kernel(transitions=self.TRUTH),
                         inferred(transitions=[(50, OPEN), (100, RECOVERY), (150, RECOVERY), (200, OPEN)]))
        self.assertEqual((result["states.inferred"], result["states.f1"]), (2, 1))

    def test_without_transitions_only_inferring_none_is_right(self):
        self.assertEqual(figures(kernel(), inferred())["states.f1"], 1)
        self.assertEqual(figures(kernel(), inferred(transitions=[(100, CWR)]))["states.f1"], 0)

    def test_time_counts_while_both_are_in_the_same_state(self):
        result = figures(kernel(transitions=self.TRUTH), inferred(transitions=[(150, RECOVERY), (250, OPEN)]))
        self.assertAlmostEqual(result["states.time"], 0.9)
        self.assertAlmostEqual(result["states.time_not_open"], 50 / 150)


class CongestionControl(unittest.TestCase):
    def test_a_wrong_name_is_worse_than_none(self):
        for named, right, wrong in (("cubic", 1, 0), ("reno", 0, 1), ("", 0, 0), ("unknown", 0, 0)):
            result = figures(kernel(), inferred(named=named))
            self.assertEqual((result["congestion_control.right"], result["congestion_control.wrong"]), (right, wrong))

    def test_a_name_is_due_only_of_a_sender_that_filled_its_path_for_fifty_round_trips(self):
        def told(milliseconds, could_send):
            truth = kernel([sample(at_ms, could_send=could_send) for at_ms in range(0, milliseconds + 1, 10)])
            return figures(truth, inferred())["congestion_control.told"]
        self.assertEqual(told(1010, True), 0)
        self.assertIsNone(told(990, True))
        self.assertIsNone(told(1010, False))


class Quantiles(unittest.TestCase):
    def test_a_quantile_is_the_nearest_sample(self):
        self.assertIsNone(measures.quantile([], 0.5))
        self.assertEqual(measures.quantile([1, 2, 3], 0.5), 2)
        self.assertEqual(measures.quantile([1, 2, 3, 4], 0.5), 3)
        self.assertEqual(measures.quantile(list(range(11)), 0.9), 9)


class KernelRecord(unittest.TestCase):
    HEADER = "time,src,sport,dst,dport,ev,snd_cwnd,ssthresh,snd_wnd,srtt_us,snd_una,snd_nxt,write_seq,ca_state,mss\n"

    def samples(self, *rows):
        """Of (time, event, cwnd, snd_wnd, snd_una, snd_nxt, write_seq)."""
        text = self.HEADER + "".join(
            f"{time},10.0.0.2,3260,10.0.0.1,40000,{event},{cwnd},7,{wnd},20000,{una},{nxt},{write_seq},0,{MSS}\n"
            for time, event, cwnd, wnd, una, nxt, write_seq in rows)
        (key, found), = kernel_record.read_rows(io.StringIO(text)).items()
        self.assertEqual(key, ("10.0.0.2:3260", "10.0.0.1:40000"))
        return kernel_record.kernel_sender(*key, found, []).samples

    def test_a_sample_is_an_ack_and_the_next_record_tells_what_came_of_it(self):
        samples = self.samples(("1.000000003", "A", 12, 0, 0, 0, 0), ("1.000000001", "A", 10, 0, 0, 0, 0),
                               ("1.000000002", "X", 11, 0, 0, 0, 0))
        self.assertEqual([(each.time_ns, each.cwnd, each.cwnd_after) for each in samples],
                         [(1_000_000_001, 10, 11), (1_000_000_003, 12, 12)])

    def test_a_sender_could_send_when_it_has_a_segment_left_that_the_window_takes(self):
        for write_seq, window, could_send in ((3000, 3000, True), (2999, 3000, False), (3000, 2999, False)):
            sample, = self.samples(("1.0", "A", 10, window, 0, 2000, write_seq))
            self.assertEqual(sample.could_send, could_send)

    def test_sequence_numbers_wrap(self):
        sample, = self.samples(("1.0", "A", 10, 9000, 2**32 - 1000, 1000, 2000))
        self.assertEqual((sample.in_flight, sample.could_send), (2000, True))

    def test_the_class_is_told_by_the_settings_then_by_what_was_lost(self):
        def class_of(drops=0, **settings):
            counts = {"b2a": {"drop_queue": drops}, "wakeup_late_us_max": 1.5}
            return kernel_record.scenario_class({"scenario": {"cc": "cubic", **settings}, "delaynode": counts})
        no_sack = {"net.ipv4.tcp_sack": 0}
        self.assertEqual(class_of(), "no_drops")
        self.assertEqual(class_of(drops=1), "drops")
        self.assertEqual(class_of(drops=1, stall_ms=600), "reordering")
        self.assertEqual(class_of(ecn_k=20, reorder=0.01), "ecn")
        self.assertEqual(class_of(ecn_k=20, sysctl=no_sack), "no_sack")
        self.assertEqual(class_of(sysctl_ini=no_sack, cc="bbr"), "bbr")


# ---- Tables, averages and goals

def score_of(recording, value, scenario_class="drops", samples=1, busy=True):
    return scoreboard.Score(recording, scenario_class, "cubic", "a", "b", "sender", busy, samples, 0,
                            {"figure": value}, 0)


class Averages(unittest.TestCase):
    def average(self, *scores):
        return scoreboard.by_class(scores)["drops", "sender"].figures["figure"]

    def test_each_recording_counts_the_same_within_it_each_sender_by_its_samples(self):
        self.assertAlmostEqual(self.average(score_of("one", 1.0, samples=1), score_of("one", 0.0, samples=3),
                                            score_of("two", 0.75, samples=100)), 0.5)

    def test_who_sent_little_does_not_count(self):
        self.assertEqual(self.average(score_of("one", 1.0), score_of("one", 0.0, busy=False)), 1)

    def test_what_was_not_measured_does_not_count(self):
        self.assertEqual(self.average(score_of("one", 1.0), score_of("two", None)), 1)
        self.assertIsNone(self.average(score_of("one", None)))


class Goals(unittest.TestCase):
    def missed(self, text, value, scenario_class="drops"):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "goals.json"
            path.write_text(text if isinstance(text, str) else json.dumps(text))
            scores = scoreboard.by_class([score_of("one", value, scenario_class)])
            return [measured is not None for _, measured in goals.verdicts(goals.read_goals(path), scores)]

    def test_a_bound_itself_is_kept_and_beyond_it_is_missed(self):
        wanted = {"sender": {"drops": {"figure": {"at_least": 0.5, "at_most": 0.75}}}}
        for value, missed in ((0.5, [False, False]), (0.75, [False, False]), (0.49, [True, False]),
                              (0.76, [False, True]), (None, [True, True])):
            self.assertEqual(self.missed(wanted, value), missed)

    def test_what_is_said_of_a_class_goes_before_what_is_said_of_all(self):
        wanted = {"sender": {"*": {"figure": {"at_most": 0.1}}, "ecn": {"figure": {"at_most": 0.5}}}}
        self.assertEqual(self.missed(wanted, 0.2), [True])
        self.assertEqual(self.missed(wanted, 0.2, "ecn"), [False])

    def verdicts_of(self, wanted, *scores):
        return [(claim, measured) for claim, measured in goals.verdicts(wanted, scoreboard.by_class(scores), scores)
                if measured is not None]

    def test_each_sender_is_held_to_its_own_and_no_mean_excuses_it(self):
        wanted = {"sender": {"each": {"figure": {"at_most": 0.5}}}}
        missed = self.verdicts_of(wanted, score_of("good", 0.0, "drops"), score_of("bad", 0.75, "ecn"))
        self.assertEqual(len(missed), 1)
        self.assertIn("bad", missed[0][0])
        self.assertEqual(self.verdicts_of(wanted, score_of("nothing measured", None, "drops")), [])

    def test_over_all_is_the_mean_of_the_recordings_of_every_class(self):
        wanted = {"sender": {"all": {"figure": {"at_most": 0.5}}}}
        scores = [score_of("one", 0.0, "drops"), score_of("two", 0.0, "drops"), score_of("three", 0.9, "ecn")]
        self.assertEqual(self.verdicts_of(wanted, *scores), [])
        self.assertEqual(len(self.verdicts_of(wanted, *scores[1:], score_of("four", 0.9, "bbr"))), 1)

    def test_a_misspelt_goals_file_is_refused(self):
        for text in ("{", "[]", '{"sneder": {}}', '{"sender": {"dorps": {}}}', '{"sender": {"drops": {"figure": 1}}}',
                     '{"sender": {"drops": {"figure": {"most": 1}}}}', '{"sender": {"drops": {"figure": {}}}}'):
            with self.assertRaises(goals.GoalsError, msg=text):
                self.missed(text, 0)

    def test_every_goal_of_the_recordings_is_about_a_figure_there_is(self):
        known = figures(kernel(), inferred())
        for classes in goals.read_goals(GOALS).values():
            for wanted in classes.values():
                self.assertLessEqual(set(wanted), set(known))


WINDOWS = ("connection", "sender", "receiver", "packet", "time_ns", "cwnd", "cwnd_low", "cwnd_high", "ssthresh",
           "srtt_ns")
TRANSITIONS = ("connection", "sender", "receiver", "packet", "time_ns", "from", "to", "cause")
CONNECTIONS = ("connection", "initiator", "target", "congestion_control_initiator", "congestion_control_target")


class Tables(unittest.TestCase):
    def windows(self, *rows):
        """Of (time_ns, cwnd, low, high)."""
        senders = collections.defaultdict(InferredSender)
        column = {name: number for number, name in enumerate(WINDOWS)}
        inference.add_windows(senders, column, [["1", "s", "r", "1", str(time_ns), cwnd, low, high, "", "7"]
                                                for time_ns, cwnd, low, high in rows])
        return senders["s", "r"]

    def test_an_unknown_value_leaves_the_one_before_it_standing(self):
        sender = self.windows((1, "1000", "900", "1100"), (2, "", "800", ""), (3, "3000", "", ""))
        self.assertEqual([sender.cwnd.at(time_ns) for time_ns in (0, 1, 2, 3)], [None, 1000, 1000, 3000])
        self.assertEqual(sender.interval.at(3), (900, 1100))
        self.assertIsNone(sender.ssthresh.at(3))

    def test_of_rows_of_one_time_the_last_counts(self):
        self.assertEqual(self.windows((1, "2000", "", ""), (1, "1000", "", "")).cwnd.at(1), 1000)

    def test_rows_out_of_order_are_put_in_order_and_counted(self):
        sender = self.windows((5, "5000", "", ""), (3, "3000", "", ""), (4, "4000", "", ""))
        self.assertEqual((sender.cwnd.at(4), sender.cwnd.at(9), sender.rows_out_of_order), (4000, 5000, 1))

    def test_a_state_there_is_not_is_refused(self):
        column = {name: number for number, name in enumerate(TRANSITIONS)}
        with self.assertRaises(inference.InferenceError):
            inference.add_transitions(collections.defaultdict(InferredSender), column,
                                      [["1", "s", "r", "1", "5", "Open", "open", ""]])


# ---- What knows everything, nothing, or what is wrong, on the recordings

def oracle(kernel_sender, congestion_control):
    sender = InferredSender()
    for each in kernel_sender.samples:
        cwnd = each.cwnd_after * each.mss
        sender.cwnd.add(each.time_ns, cwnd)
        sender.interval.add(each.time_ns, (cwnd, cwnd))
        sender.ssthresh.add(each.time_ns, each.ssthresh_after * each.mss)
        sender.srtt_ns.add(each.time_ns, each.srtt_us_after * 1000)
    sender.transitions = list(kernel_sender.transitions)
    sender.congestion_control = congestion_control
    return sender


class Recordings(unittest.TestCase):
    """Each claim is checked on every recording."""

    @classmethod
    def setUpClass(cls):
        cls.senders = []  # (name, congestion control, the kernel's busiest sender)
        for folder in folders():
            recording = kernel_record.Recording(folder)
            cls.senders.append((recording.name, recording.congestion_control, recording.kernel_senders()[0]))

    def each(self, claim):
        for name, congestion_control, truth in self.senders:
            with self.subTest(name):
                claim(congestion_control, truth, oracle(truth, congestion_control))

    def test_every_class_has_a_recording(self):
        self.assertEqual({kernel_record.Recording(folder).scenario_class for folder in folders()}, set(CLASSES))

    def test_the_truth_itself_scores_perfectly(self):
        def claim(congestion_control, truth, candidate):
            result = figures(truth, candidate, congestion_control)
            for figure in ("cwnd.all.p90", "cwnd.limited.p90", "cwnd.recovery.p90", "cwnd.application.p90",
                           "ssthresh.p90", "srtt.p90", "interval.width", "congestion_control.wrong"):
                self.assertIn(result[figure], (0, None), figure)
            for figure in ("cwnd.known", "states.precision", "states.recall", "states.f1", "states.f1_rtt",
                           "states.f1_1ms", "states.time", "states.time_not_open", "interval.holds",
                           "congestion_control.right"):
                self.assertEqual(result[figure], 1, figure)
        self.each(claim)

    def test_what_knows_nothing_scores_nothing(self):
        def claim(congestion_control, truth, _):
            result = figures(truth, InferredSender(), congestion_control)
            self.assertEqual((result["cwnd.all.median"], result["srtt.median"]), (1, 1))
            for figure in ("cwnd.known", "interval.holds", "congestion_control.right"):
                self.assertEqual(result[figure], 0, figure)
            if truth.transitions:
                self.assertEqual((result["states.f1"], result["states.time_not_open"]), (0, 0))
        self.each(claim)

    def test_a_window_that_never_moves_is_caught(self):
        def claim(congestion_control, truth, candidate):
            candidate.cwnd = inference.Series()
            candidate.cwnd.add(0, 10 * truth.samples[0].mss)
            result = figures(truth, candidate, congestion_control)
            self.assertGreater(result["cwnd.all.p90"], 0.15)
        self.each(claim)

    def test_a_window_a_fifth_too_large_is_caught(self):
        def claim(congestion_control, truth, candidate):
            candidate.cwnd.values = [1.2 * value for value in candidate.cwnd.values]
            candidate.interval.values = [(1.2 * low, 1.2 * high) for low, high in candidate.interval.values]
            result = figures(truth, candidate, congestion_control)
            self.assertGreater(result["cwnd.all.median"], 0.1)
            self.assertLess(result["cwnd.all.median"], 0.201)
            self.assertLess(result["interval.holds"], 0.5)
        self.each(claim)

    def test_transitions_fifty_milliseconds_late_are_caught(self):
        def claim(congestion_control, truth, candidate):
            if not truth.transitions:
                return
            candidate.transitions = [Transition(change.time_ns + 50 * MILLISECOND, change.state)
                                     for change in candidate.transitions]
            result = figures(truth, candidate, congestion_control)
            self.assertLess(result["states.f1_1ms"], 0.5)
            self.assertLess(result["states.time_not_open"], 0.9)
        self.each(claim)

    def test_an_interval_that_holds_everything_is_seen_to_be_wide(self):
        def claim(congestion_control, truth, candidate):
            candidate.interval.values = [(0, 10 * high) for _, high in candidate.interval.values]
            result = figures(truth, candidate, congestion_control)
            self.assertEqual(result["interval.holds"], 1)
            self.assertGreater(result["interval.width"], 9)
        self.each(claim)


# ---- The program

STAND_IN = """#!/usr/bin/env python3
import pathlib, sys
_, verb, table, capture = sys.argv
side = pathlib.Path(capture).name.split(".")[0]
path = pathlib.Path(__file__).parent / f"{table}.{side}.csv"
if not path.exists():
    sys.exit("no such table")
sys.stdout.write(path.read_text())
"""


class Program(unittest.TestCase):
    """On one recording, with a stand-in that answers `sanscope table` from files made of the truth."""

    def setUp(self):
        self.recording = kernel_record.Recording(SCORED / "cubic-random-loss")
        self.truth = self.recording.kernel_senders()[0]
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.sanscope = self.folder / "sanscope"
        self.sanscope.write_text(STAND_IN)
        self.sanscope.chmod(0o755)
        for side in ("initiator", "target"):
            self.write_tables(side)

    def write_tables(self, side, cwnd_times=1.0):
        ends = ("1", self.truth.sender, self.truth.receiver, "1")
        truth = oracle(self.truth, self.recording.congestion_control)
        self.write("windows", side, WINDOWS, [
            (*ends, each.time_ns, int(cwnd * cwnd_times), low, high, ssthresh, srtt_ns)
            for each, cwnd, (low, high), ssthresh, srtt_ns in zip(
                self.truth.samples, truth.cwnd.values, truth.interval.values, truth.ssthresh.values,
                truth.srtt_ns.values)])
        self.write("ca_transitions", side, TRANSITIONS, [
            (*ends, change.time_ns, "", kernel_record.CA_STATES[change.state], "")
            for change in self.truth.transitions])
        self.write("connections", side, CONNECTIONS, [("1", self.truth.receiver, self.truth.sender, "", "cubic")])

    def write(self, table, side, names, rows):
        with open(self.folder / f"{table}.{side}.csv", "w", newline="") as file:
            csv.writer(file).writerows([names, *rows])

    def run_score(self, *arguments):
        return subprocess.run([LAB / "score", self.recording.folder, "--sanscope", self.sanscope, *arguments],
                              capture_output=True, text=True, check=False)

    def goals(self, limit):
        path = self.folder / "goals.json"
        path.write_text(json.dumps({"sender": {"drops": {"cwnd.all.median": {"at_most": limit}}}}))
        return path

    def test_prints_each_vantage_and_the_class(self):
        done = self.run_score()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, rf"cubic-random-loss \(drops\) +{self.truth.sender} sender's +0\.000 / 0\.000")
        self.assertRegex(done.stdout, rf"\n +{self.truth.sender} receiver's +0\.000 / 0\.000")
        self.assertRegex(done.stdout, r"\ndrops +receiver's +0\.000 / 0\.000")

    def test_judges_one_side_alone_when_asked(self):
        self.write_tables("initiator", cwnd_times=2)
        done = self.run_score("--json", "--side", "initiator")
        senders = json.loads(done.stdout)["senders"]
        self.assertEqual([sender["vantage"] for sender in senders], ["receiver"])
        self.assertAlmostEqual(senders[0]["figures"]["cwnd.all.median"], 1)

    def test_ends_with_1_and_names_the_goal_that_was_missed(self):
        self.assertEqual(self.run_score("--goals", self.goals(0.01)).returncode, 0)
        self.write_tables("target", cwnd_times=1.5)
        done = self.run_score("--goals", self.goals(0.01))
        self.assertEqual(done.returncode, 1)
        self.assertIn("missed: drops, from the sender's capture: cwnd.all.median at most 0.01: 0.5", done.stderr)

    def test_ends_with_1_when_a_scenario_cannot_be_scored(self):
        (self.folder / "windows.target.csv").unlink()
        done = self.run_score()
        self.assertEqual(done.returncode, 1)
        self.assertIn("sanscope table windows", done.stderr)
        self.assertIn("no such table", done.stderr)

    def test_ends_with_2_when_the_goals_cannot_be_read(self):
        self.assertEqual(self.run_score("--goals", self.folder / "absent").returncode, 2)


# ---- Running them

class CheckedResult(unittest.TestResult):
    """Tells each test as a check named after its claim."""

    def __init__(self, checks):
        super().__init__()
        self.checks = checks

    def faults(self):
        lines = [line for test, text in self.failures + self.errors for line in (str(test), *text.splitlines()[-6:])]
        self.failures.clear()
        self.errors.clear()
        return lines

    def stopTest(self, test):
        super().stopTest(test)
        group, name = test.id().split(".")[-2:]
        self.checks.check(f"{group}: {name.removeprefix('test_').replace('_', ' ')}", self.faults())

    def stopTestRun(self):
        lines = self.faults()
        if lines:
            self.checks.fail("what tests share is set up", lines)


def scorer_tests(checks):
    result = CheckedResult(checks)
    unittest.defaultTestLoader.loadTestsFromModule(sys.modules[__name__]).run(result)
    result.stopTestRun()


def inference_tests(checks, sanscope):
    scores = []
    for folder in folders():
        try:
            recorded = scoreboard.score_recording(folder, sanscope)
            checks.check(f"{folder.name} is scored, and its rows are in order",
                         [f"{score.vantage}'s capture: {score.rows_out_of_order} rows are out of order"
                          for score in recorded if score.rows_out_of_order])
            scores += recorded
        except (inference.InferenceError, kernel_record.RecordingError) as error:
            checks.fail(f"{folder.name} is scored", [str(error)])
    for claim, measured in goals.verdicts(goals.read_goals(REACHED), scoreboard.by_class(scores), scores):
        checks.check(claim, [] if measured is None else [measured])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="?", choices=("scorer", "inference"), help="both when none is named")
    parser.add_argument("--sanscope", type=pathlib.Path, default=DEFAULT_SANSCOPE)
    arguments = parser.parse_args()
    checks = Checks()
    if arguments.what != "inference":
        scorer_tests(checks)
    if arguments.what != "scorer":
        reason = missing_program(arguments.sanscope)
        if reason:
            checks.fail("sanscope is there", [reason])
        else:
            inference_tests(checks, arguments.sanscope)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())

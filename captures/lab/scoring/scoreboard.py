# SPDX-License-Identifier: GPL-3.0-or-later
"""Scores of recordings, each sender from the capture taken at its own side and from that at the receiver's, and their
averages by class."""

import collections

from . import inference, kernel_record, measures

# The capture at the sender's own host, and that at the other end.
VANTAGES = ("sender", "receiver")

# One sender of a recording, judged from one capture. A busy one counts for its class.
Score = collections.namedtuple(
    "Score", "recording scenario_class congestion_control sender receiver vantage busy samples acknowledged figures "
             "rows_out_of_order")


def score_recording(folder, program, sides=("initiator", "target")):
    """The scores from the captures of these sides."""
    recording = kernel_record.Recording(folder)
    senders = recording.kernel_senders()
    busy = kernel_record.busy(senders)
    inferred = {side: inference.inferred_senders(program, recording.capture(side)) for side in sides}
    scores = []
    for kernel in senders:
        own_side = recording.side_of(kernel.sender)
        for side in sorted(sides, key=lambda side: side != own_side):
            sender = inferred[side][kernel.sender, kernel.receiver]
            scores.append(Score(
                recording.name, recording.scenario_class, recording.congestion_control, kernel.sender, kernel.receiver,
                VANTAGES[side != own_side], kernel in busy, len(kernel.samples), kernel.acknowledged,
                measures.score(kernel, sender, recording.congestion_control), sender.rows_out_of_order))
    return scores


def mean(scores, weight):
    """Of each figure, over the scores that have it."""
    names = dict.fromkeys(name for score in scores for name in score.figures)
    result = {}
    for name in names:
        known = [(weight(score), score.figures[name]) for score in scores if score.figures[name] is not None]
        total = sum(weight for weight, _ in known)
        result[name] = sum(weight * value for weight, value in known) / total if known else None
    return result


def by_recording(scores):
    """{(class, vantage): [Score]}, one a recording: of its busy senders, each by its samples."""
    senders = collections.defaultdict(list)
    for score in scores:
        if score.busy:
            senders[score.scenario_class, score.vantage, score.recording].append(score)
    recordings = collections.defaultdict(list)
    for (scenario_class, vantage, _), group in senders.items():
        recordings[scenario_class, vantage].append(
            group[0]._replace(figures=mean(group, lambda score: score.samples)))
    return recordings


def mean_score(recordings):
    return recordings[0]._replace(recording="", figures=mean(recordings, lambda score: 1))


def by_class(scores):
    """{(class, vantage): Score}. Each recording counts the same."""
    recordings = by_recording(scores)
    order = [(scenario_class, vantage) for vantage in VANTAGES for scenario_class in kernel_record.CLASSES]
    return {key: mean_score(recordings[key]) for key in order if key in recordings}


def over_all(scores):
    """{vantage: Score}, over the recordings of every class."""
    vantages = collections.defaultdict(list)
    for (_, vantage), group in by_recording(scores).items():
        vantages[vantage] += group
    return {vantage: mean_score(group) for vantage, group in vantages.items()}

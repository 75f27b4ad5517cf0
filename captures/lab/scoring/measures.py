# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures of agreement between an inferred sender and the kernel's. score() tells what each one means."""

import bisect

from .kernel_record import CA_STATES, NO_SSTHRESH

MILLISECOND = 1_000_000


def score(kernel, inferred, congestion_control):
    """A dictionary of figures; None where there was nothing to measure. Errors and widths are relative to the truth.

    The kernel is sampled at each ACK. Whether the moment of the sample comes before or after the ACK took effect
    cannot be told, so an estimate, the last one not later than the sample, errs by its distance to the range between
    the values before and after it, divided by the value after. No estimate yet is an error of 1.

    cwnd.all, .limited, .recovery, .application    .median, .p90 of that error and .share of the samples: all; those
                        in which at most two segments of the window are not in flight; those in which the kernel's
                        state is not Open; those that are not limited
    cwnd.known          share of the samples with an estimate
    ssthresh.median .p90, srtt.median .p90         the same error; ssthresh where the kernel has one
    interval.holds      share of the samples whose range meets [cwnd_low, cwnd_high]; no interval holds nothing
    interval.holds_wide the same, of the intervals that are wider than a segment
    interval.width      median width
    states.precision .recall .f1                   of the transitions, matched one to one by new state within the
                        smoothed RTT, at least 10 ms
    states.f1_rtt .f1_1ms                          the same within the RTT, at least 1 ms, and within 1 ms
    states.kernel .inferred                        how many transitions there are
    states.time         share of the time in which both are in the same state
    states.time_not_open                           the same of the time in which either is not Open
    congestion_control.right .wrong                1 or 0; neither is 1 where sanscope does not name one
    congestion_control.told                        .right, if the sender filled its path for more than 50 round trips
    """
    figures = {}
    figures.update(cwnd_figures(kernel, inferred.cwnd))
    figures.update(ssthresh_figures(kernel, inferred.ssthresh))
    figures.update(srtt_figures(kernel, inferred.srtt_ns))
    figures.update(interval_figures(kernel, inferred.interval))
    figures.update(state_figures(kernel, inferred.transitions))
    named = inferred.congestion_control
    right = float(named == congestion_control)
    figures["congestion_control.right"] = right
    figures["congestion_control.wrong"] = float(named not in ("", "unknown", congestion_control))
    figures["congestion_control.told"] = right if kernel.congestion_control_can_be_told else None
    return figures


def quantile(ordered, fraction):
    """The sample nearest to the place that the fraction of a sorted list has; None of an empty one."""
    return ordered[int(fraction * (len(ordered) - 1) + 0.5)] if ordered else None


def error(estimate, before, after):
    if estimate is None:
        return 1.0
    low, high = min(before, after), max(before, after)
    return max(low - estimate, estimate - high, 0) / max(after, 1)


def median_and_p90(name, errors):
    errors = sorted(errors)
    return {f"{name}.median": quantile(errors, 0.5), f"{name}.p90": quantile(errors, 0.9)}


# ---- Windows

def limited(sample):
    return sample.in_flight >= (sample.cwnd - 2) * sample.mss


def segments(estimate, sample):
    return None if estimate is None else estimate / sample.mss


def cwnd_figures(kernel, series):
    samples = kernel.samples
    estimates = [segments(series.at(sample.time_ns), sample) for sample in samples]
    errors = [error(estimate, sample.cwnd, sample.cwnd_after) for sample, estimate in zip(samples, estimates)]
    figures = {"cwnd.known": sum(estimate is not None for estimate in estimates) / len(samples)}
    for name, belongs in (("all", lambda sample: True), ("limited", limited),
                          ("recovery", lambda sample: sample.ca_state != 0),
                          ("application", lambda sample: not limited(sample))):
        chosen = [each for each, sample in zip(errors, samples) if belongs(sample)]
        figures.update(median_and_p90(f"cwnd.{name}", chosen))
        figures[f"cwnd.{name}.share"] = len(chosen) / len(samples)
    return figures


def ssthresh_figures(kernel, series):
    return median_and_p90("ssthresh", [
        error(segments(series.at(sample.time_ns), sample), sample.ssthresh, sample.ssthresh_after)
        for sample in kernel.samples if max(sample.ssthresh, sample.ssthresh_after) < NO_SSTHRESH])


def srtt_figures(kernel, series):
    return median_and_p90("srtt", [
        error(series.at(sample.time_ns), sample.srtt_us * 1000, sample.srtt_us_after * 1000)
        for sample in kernel.samples])


def interval_figures(kernel, series):
    held = held_wide = wide = 0
    widths = []
    for sample in kernel.samples:
        interval = series.at(sample.time_ns)
        if interval is None:
            continue
        low, high = interval
        truth = sorted((sample.cwnd * sample.mss, sample.cwnd_after * sample.mss))
        holds = low <= truth[1] and high >= truth[0]
        is_wide = high - low > sample.mss
        held += holds
        wide += is_wide
        held_wide += holds and is_wide
        widths.append((high - low) / sample.mss / max(sample.cwnd_after, 1))
    return {"interval.holds": held / len(kernel.samples), "interval.holds_wide": held_wide / wide if wide else None,
            "interval.width": quantile(sorted(widths), 0.5)}


# ---- Congestion states

def state_figures(kernel, transitions):
    inferred = changes_only(transitions)
    precision, recall, f1 = agreement(kernel, inferred, lambda srtt_ns: max(srtt_ns, 10 * MILLISECOND))
    figures = {"states.precision": precision, "states.recall": recall, "states.f1": f1,
               "states.f1_rtt": agreement(kernel, inferred, lambda srtt_ns: max(srtt_ns, MILLISECOND))[2],
               "states.f1_1ms": agreement(kernel, inferred, lambda srtt_ns: MILLISECOND)[2],
               "states.kernel": len(kernel.transitions), "states.inferred": len(inferred)}
    figures.update(time_figures(kernel, inferred))
    return figures


def changes_only(transitions):
    """Without those to the state that is already there; a sender begins in Open."""
    state = 0
    result = []
    for transition in transitions:
        if transition.state != state:
            result.append(transition)
            state = transition.state
    return result


def agreement(kernel, inferred, tolerance_of_srtt):
    matched = sum(matches(kernel, inferred, state, tolerance_of_srtt) for state in range(len(CA_STATES)))
    precision = matched / len(inferred) if inferred else float(not kernel.transitions)
    recall = matched / len(kernel.transitions) if kernel.transitions else 1.0
    return precision, recall, 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def matches(kernel, inferred, state, tolerance_of_srtt):
    """How many of the kernel's transitions to the state have an inferred one of their own; each takes the earliest."""
    sample_times = [sample.time_ns for sample in kernel.samples]
    free = [transition.time_ns for transition in inferred if transition.state == state]
    next_free = matched = 0
    for transition in kernel.transitions:
        if transition.state != state:
            continue
        sample = kernel.samples[max(bisect.bisect_right(sample_times, transition.time_ns) - 1, 0)]
        tolerance = tolerance_of_srtt(sample.srtt_us * 1000)
        while next_free < len(free) and free[next_free] < transition.time_ns - tolerance:
            next_free += 1
        if next_free < len(free) and free[next_free] <= transition.time_ns + tolerance:
            next_free += 1
            matched += 1
    return matched


def time_figures(kernel, inferred):
    start, end = kernel.samples[0].time_ns, kernel.samples[-1].time_ns
    changes = sorted([(transition.time_ns, 0, transition.state) for transition in kernel.transitions] +
                     [(transition.time_ns, 1, transition.state) for transition in inferred])
    state = [0, 0]  # the kernel's, the inferred
    time = start
    same = not_open = same_not_open = 0
    for moment, whose, new_state in changes + [(end, 0, 0)]:
        moment = min(max(moment, time), end)
        passed = moment - time
        agrees = state[0] == state[1]
        same += passed if agrees else 0
        if any(state):
            not_open += passed
            same_not_open += passed if agrees else 0
        time = moment
        state[whose] = new_state
    return {"states.time": same / (end - start) if end > start else 1.0,
            "states.time_not_open": same_not_open / not_open if not_open else 1.0}

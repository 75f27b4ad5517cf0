// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/senders/receive_window_findings.h"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace sanscope {

void add_window_stalls(const OfSender& sender) {
    const SenderFacts& facts = sender.facts;
    const Spells& stalls = facts.stalls;
    const double share = share_of(stalls.total_ns, facts.judged_ns());
    const bool worth_it =
        share >= OfSender::small_share || stalls.longest.length_ns() >= OfSender::long_silence_ns / 10;
    constexpr int64_t nobody_waits_for_ns = 100'000;
    if (stalls.total_ns < nobody_waits_for_ns || !worth_it) return;
    const bool serious =
        share >= OfSender::noticeable_share || stalls.longest.length_ns() >= OfSender::long_silence_ns;
    Finding finding =
        sender.begin(Finding::Kind::zero_window_stall,
                     serious ? Finding::Severity::problem : Finding::Severity::notice, stalls.total_ns);
    place_at(finding, stalls.longest);
    finding.side = facts.is_initiator ? Finding::Side::target : Finding::Side::initiator;
    finding.add_sign(
        fmt::format("its acknowledgements advertised less than a segment {}", counted(stalls.count, "time")));
    finding.add_sign(fmt::format("{} had filled the window, and could not send for {} in all", facts.name(),
                                 human_duration(stalls.total_ns)));
    finding.title =
        fmt::format("The receive window of {} was closed {}: {} in all, {} at the longest",
                    facts.other_name(), stalls.count == 1 ? "once" : human_count(stalls.count) + " times",
                    human_duration(stalls.total_ns), human_duration(stalls.longest.length_ns()));
    finding.explanation = fmt::format(
        "Its program did not read as fast as {} sent. Look at the receiving host: processor, memory, "
        "size of its socket buffer.",
        facts.name());
    sender.list.push_back(std::move(finding));
}

void add_receiver_window(const OfSender& sender) {
    const SenderFacts& facts = sender.facts;
    // A window that grows as it is used, as those of most hosts do, is full now and then on its way: only what it does
    // not grow beyond, round trip after round trip, or shrinks to, is too small.
    const int64_t cost_ns =
        facts.limited_ns(SendLimit::receiver) - facts.stalls.total_ns - facts.receiver_growing_ns;
    if (!facts.is_bulk() || share_of(cost_ns, facts.judged_ns()) < OfSender::noticeable_share) return;
    constexpr uint32_t least_rounds = 8;
    const bool is_shrunk =
        share_of(facts.receiver_shrunk_ns, facts.judged_ns()) >= OfSender::noticeable_share;
    if (facts.receiver_rounds < least_rounds && !is_shrunk) return;
    // What moves as fast as a link of 1 Gbit/s is not in want of a window.
    if (facts.rate() >= OfSender::plenty || facts.widest_window == 0) return;
    const bool serious = share_of(cost_ns, facts.judged_ns()) >= OfSender::serious_share;
    Finding finding = sender.begin(Finding::Kind::receiver_window,
                                   serious ? Finding::Severity::problem : Finding::Severity::notice, cost_ns);
    finding.side = facts.is_initiator ? Finding::Side::target : Finding::Side::initiator;
    finding.add_sign(fmt::format("up to {} were in flight of {} advertised",
                                 human_binary_bytes(facts.outstanding_at_limit),
                                 human_binary_bytes(facts.widest_window)));
    if (facts.cwnd_was_wider) {
        finding.add_sign(fmt::format("its congestion window, up to {}, allowed more",
                                     human_binary_bytes(facts.summary->cwnd_max())));
    }
    place_at(finding, facts.limited[static_cast<size_t>(SendLimit::receiver)]);
    finding.title = fmt::format("{} was limited by the receive window of {} for {} {}", facts.name(),
                                facts.other_name(), sender.share(SendLimit::receiver), sender.of_its_time());
    const int64_t rtt_ns = facts.summary->srtt_mean_ns();
    if (facts.widest_window > 0 && rtt_ns > 0) {
        const double rate = static_cast<double>(facts.widest_window) * 1e9 / static_cast<double>(rtt_ns);
        const bool offers_more = facts.widest_offered > facts.widest_window + facts.widest_window / 8;
        finding.explanation =
            fmt::format("At most {} were advertised{}; with {} that allows {} at the most. ",
                        human_binary_bytes(facts.widest_window),
                        offers_more ? fmt::format(" meanwhile, of up to {} at other times",
                                                  human_binary_bytes(facts.widest_offered))
                                    : "",
                        sender.round_trip(), human_rate(rate));
    }
    finding.explanation +=
        "Let the receiving host take larger socket buffers (tcp_rmem on Linux), and see whether it reads "
        "fast enough.";
    sender.list.push_back(std::move(finding));
}

}  // namespace sanscope

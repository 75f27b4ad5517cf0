// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/senders/path_queue_findings.h"

#include <utility>

namespace sanscope {

void add_path_queue(const OfSender& sender) {
    const SenderFacts& facts = sender.facts;
    Finding finding = sender.begin(Finding::Kind::path_queue, Finding::Severity::notice, facts.queued_ns);
    if (sender.lacks_much()) finding.confidence = Finding::Confidence::possible;
    place_at(finding, facts.queued);
    finding.title = facts.queue_title(facts.queued_rate());
    finding.add_sign(facts.queue_sign());
    finding.add_sign(fmt::format("the throughput was {}, within 25 %, in {} of {} intervals",
                                 human_rate(facts.queued_rate()), facts.queued_stretches_alike,
                                 facts.queued_stretches));
    finding.explanation = fmt::format(
        "For {} of its time more was in flight than the path holds, and the rest waited in a queue. "
        "Either that rate is what this path has (link speed, shaping, other traffic), or a port on it is "
        "slower than it should be.",
        human_percent(facts.queued_share()));
    sender.list.push_back(std::move(finding));
}

}  // namespace sanscope

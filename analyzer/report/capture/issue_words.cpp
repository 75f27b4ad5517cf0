// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/capture/issue_words.h"

namespace sanscope {
namespace {

std::string_view of_one(Issue issue) {
    switch (issue) {
        case Issue::frames_truncated:
            return "packet cut by the snap length before the end of its TCP header";
        case Issue::frames_malformed:
            return "packet whose headers contradict themselves or the frame's length";
        case Issue::fragments_never_completed:
            return "IP datagram with fragments missing";
        case Issue::connections_over_limit:
            return "TCP connection beyond the number that is followed";
        case Issue::bytes_not_captured:
            return "byte of iSCSI streams that is in no captured packet";
        case Issue::holes_not_captured:
            return "hole in iSCSI streams where packets are missing from the capture";
        case Issue::resynchronisations:
            return "time a PDU header was missing and the next one had to be found";
        case Issue::header_digests_bad:
            return "PDU whose header digest is wrong";
        case Issue::data_digests_bad:
            return "PDU whose data digest is wrong";
        case Issue::pdus_incomplete:
            return "PDU that never completed";
        case Issue::retransmissions_not_shown:
            return "retransmission that no packet shows, left out of the losses";
        case Issue::requests_not_seen:
            return "command that CmdSN counts and of which no request was captured or could be inferred";
        case Issue::answers_not_paired:
            return "answer whose header was not captured, of which nobody can say whose it was";
        case Issue::answers_unexplained:
            return "stretch without captured headers whose length no answers under way fill";
        case Issue::answers_acknowledged_before:
            return "answer that came when it had been acknowledged: the first time it came is missing";
        case Issue::captured_after_acknowledgement:
            return "segment captured after its acknowledgement: the clocks of the two directions are apart";
        case Issue::figures_impossible:
            return "figure of commands that cannot be, and was left empty: a time before its request, a "
                   "queue "
                   "deeper than the command window";
        case Issue::statuses_out_of_number:
            return "status whose StatSN is not what the statuses before it allow";
        case Issue::times_set_back:
            return "time the clock went back: what lasted across that is not known";
        case Issue::kernel_truth_damaged:
            return "block of what a kernel told that makes no sense";
        case Issue::kernel_events_lost:
            return "event that a kernel could not tell of its connections";
        case Issue::kernel_sockets_elsewhere:
            return "socket of which a kernel told whose connection is not in the capture";
        case Issue::kernel_sockets_over_limit:
            return "socket of which a kernel told beyond the number that is followed";
    }
    return "";
}

}  // namespace

std::string_view issue_words(Issue issue, uint64_t count) {
    return count == 1 ? of_one(issue) : issue_infos[static_cast<size_t>(issue)].sentence;
}

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/findings_so_far.h"

namespace sanscope {

bool is_never_taken_back(Finding::Kind kind) {
    using Kind = Finding::Kind;
    switch (kind) {
        // Each rests on a PDU or segment that says so itself.
        case Kind::command_status:
        case Kind::target_queue_full:
        case Kind::bad_digest:
        case Kind::rejected_pdu:
        case Kind::async_message:
        case Kind::task_management:
        case Kind::error_recovery:
        case Kind::login_refused:
        case Kind::connection_reset:
            return true;
        // Aborted commands and reconnects may turn out to be steps of an error recovery, or to follow from a ping timeout.
        // All else can turn out otherwise: a loss to be reordering or a needless retransmission once the receiver tells, a
        // SYN unanswered to be answered, a share of the time to be none worth telling.
        default:
            return false;
    }
}

std::vector<Finding> findings_so_far(const FindingsInput& input) {
    std::vector<Finding> all = findings(input);
    std::erase_if(all, [](const Finding& finding) {
        return finding.severity == Finding::Severity::information || !is_never_taken_back(finding.kind);
    });
    return all;
}

}  // namespace sanscope

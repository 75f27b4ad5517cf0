// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/session/inferred/status_count.h"

#include <utility>

#include "analyzer/iscsi/bhs_field_ends.h"

namespace sanscope {

bool takes_stat_sn(const Bhs& bhs) {
    switch (bhs.opcode()) {
        case Opcode::scsi_data_in:
            return bhs.has_status();
        case Opcode::nop_in:
            return bhs.itt() != reserved_tag;
        case Opcode::scsi_response:
        case Opcode::task_management_response:
        case Opcode::text_response:
        case Opcode::login_response:
        case Opcode::logout_response:
        case Opcode::async_message:
        case Opcode::reject:
            return true;
        default:
            return false;
    }
}

StatusCount::Group StatusCount::on_status(const Pdu& pdu) {
    ++statuses_;
    if (pdu.header_captured < stat_sn_end) {
        ++unnumbered_;
        return {};
    }
    const Serial32 now = pdu.bhs().stat_sn();
    Group group{Group::Kind::first, 0, std::exchange(arrival_, pdu.last)};
    if (known_ && !in_number(now)) {
        group.kind = Group::Kind::out_of_number;
    } else if (known_) {
        group.kind = Group::Kind::counted;
        group.unseen = static_cast<uint32_t>(stat_sn_.distance_to(now)) - unnumbered_ - 1;
        statuses_ += group.unseen;
    }
    stat_sn_ = now;
    known_ = true;
    unnumbered_ = 0;
    return group;
}

bool StatusCount::in_number(Serial32 stat_sn) const {
    if (!known_) return true;
    const int32_t passed = stat_sn_.distance_to(stat_sn);
    return passed > 0 && passed <= most_between && static_cast<uint32_t>(passed) > unnumbered_;
}

}  // namespace sanscope

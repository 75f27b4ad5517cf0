// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/points/permission_waits.h"

#include <algorithm>

#include "analyzer/iscsi/bhs.h"

namespace sanscope {
namespace {

uint32_t end_of(const PduRow& row) {
    return static_cast<uint32_t>(row.bhs_offset) + uint32_t{bhs_length} + (row.data_length + 3) / 4 * 4;
}

}  // namespace

PermissionWaits::PermissionWaits(const ResultStore& store) {
    for (const PduRow& row : store.pdus()) {
        if (row.command.value() == 0 || row.last_packet == 0) continue;
        const auto opcode = static_cast<Opcode>(row.opcode);
        if (opcode == Opcode::scsi_command && row.final) {
            // Unsolicited Data-Out PDUs follow a write whose F bit is 0 (RFC 7143 §11.3.1).
            const CommandMarks& marks = store.command_marks()[row.command.index()];
            const uint64_t bytes = store.command(row.command).bytes;
            if (marks.has_data_out && bytes != unknown<uint64_t> && row.data_length < bytes)
                events_.push_back({row.command.value(), marks.request_end, Kind::all_let_sent});
        } else if (opcode == Opcode::scsi_data_out && row.final) {
            events_.push_back({row.command.value(), end_of(row), Kind::sent});
        } else if (opcode == Opcode::r2t) {
            events_.push_back({row.command.value(), end_of(row), Kind::granted});
        }
    }
    std::ranges::stable_sort(events_, {}, &Event::command);
}

std::span<const PermissionWait> PermissionWaits::of(CommandNumber command) {
    waits_.clear();
    uint32_t grants = 0;
    bool out_of_permission = false;
    uint32_t permitted_end = 0;
    for (auto at = std::ranges::lower_bound(events_, command.value(), {}, &Event::command);
         at != events_.end() && at->command == command.value(); ++at) {
        const Event& event = *at;
        if (event.kind == Kind::granted) {
            ++grants;
            if (out_of_permission) waits_.push_back({permitted_end, event.end});
            out_of_permission = false;
            continue;
        }
        if (event.kind == Kind::sent && grants > 0) --grants;
        if (grants > 0) continue;
        out_of_permission = true;
        permitted_end = event.end;
    }
    return waits_;
}

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "analyzer/iscsi/testing/pdu_builder.h"

namespace sanscope::test {

// A PDU of every opcode that RFC 7143 knows, each as a real side would send it; those with data carry some.
inline std::vector<PduBuilder> one_of_every_opcode() {
    const Bytes keys =
        text_keys({"InitiatorName=iqn.2000-01.org.example:i", "TargetName=iqn.2000-01.org.example:t"});
    Bytes extended_cdb = {0, 17, 1, 0};
    extended_cdb.resize(20, 0x5a);
    return {
        PduBuilder(Opcode::nop_out)
            .immediate()
            .flags(0x80)
            .itt(9)
            .ttt(reserved_tag)
            .cmd_sn(4)
            .data(pattern(5)),
        scsi_command(10, 5, Moves::in, 4096, read_10(1, 8)).lun(3),
        scsi_command(11, 6, Moves::out, 1024, write_10(1, 2)).data(pattern(1024)),
        scsi_command(12, 7, Moves::in, 8, {0x7f}).ahs(extended_cdb),
        PduBuilder(Opcode::task_management_request)
            .immediate()
            .flags(0x81)
            .itt(13)
            .referenced_task_tag(10)
            .cmd_sn(8),
        login_request(keys),
        PduBuilder(Opcode::text_request).flags(0x80).itt(14).ttt(reserved_tag).cmd_sn(8).data(keys),
        data_out(11, 77, 0, pattern(512)),
        PduBuilder(Opcode::logout_request).immediate().flags(0x80).itt(15).cmd_sn(9),
        PduBuilder(Opcode::snack_request).flags(0x80).itt(10).ttt(reserved_tag),
        PduBuilder(Opcode::nop_in)
            .flags(0x80)
            .itt(9)
            .ttt(reserved_tag)
            .stat_sn(3)
            .exp_cmd_sn(5)
            .data(pattern(5)),
        scsi_response(11, 2, 4, 7).data(pattern(20)),
        PduBuilder(Opcode::task_management_response).flags(0x80).itt(13).stat_sn(5).exp_cmd_sn(8),
        login_response(keys),
        PduBuilder(Opcode::text_response)
            .flags(0x80)
            .itt(14)
            .ttt(reserved_tag)
            .stat_sn(6)
            .exp_cmd_sn(9)
            .data(keys),
        data_in(10, 0, pattern(513), 6).flags(0x00),
        data_in(10, 516, pattern(511), 6).flags(0x81).stat_sn(7),
        PduBuilder(Opcode::logout_response).flags(0x80).itt(15).stat_sn(8).exp_cmd_sn(9),
        r2t(11, 77, 0, 512, 7),
        PduBuilder(Opcode::async_message).flags(0x80).itt(reserved_tag).stat_sn(9).exp_cmd_sn(9),
        PduBuilder(Opcode::reject)
            .flags(0x80)
            .response(4)
            .itt(reserved_tag)
            .stat_sn(10)
            .exp_cmd_sn(9)
            .data(pattern(48)),
    };
}

}  // namespace sanscope::test

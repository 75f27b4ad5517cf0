// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <epan/expert.h>

#include "dissectors/wireshark_plugin/finding_groups.h"
#include "dissectors/wireshark_version.h"

namespace sanscope::wireshark {

// What the plugin may add to a packet, by the numbers that Wireshark gives it at the start.

struct Fields {
    int connection = -1;
    int vantage = -1;

    int command = -1;
    int session = -1;
    int name = -1;
    int lun = -1;
    int lba = -1;
    int bytes = -1;
    int queue_depth = -1;
    int request_in = -1;
    int first_data_in = -1;
    int last_data_in = -1;
    int response_in = -1;
    int first_data = -1;
    int turnaround = -1;
    int status = -1;
    int outcome = -1;

    int sender = -1;
    int in_flight = -1;
    int cwnd = -1;
    int cwnd_low = -1;
    int cwnd_high = -1;
    int ssthresh = -1;
    int advertised_window = -1;
    int srtt = -1;
    int ca_state = -1;
    int limit = -1;

    int transition_sender = -1;
    int transition_from = -1;
    int transition_to = -1;
    int transition_cause = -1;

    int loss = -1;
    int loss_sender = -1;
    int loss_length = -1;
    int loss_original_in = -1;
    int loss_delay = -1;

    int finding = -1;
    int finding_title = -1;
    int finding_evidence = -1;
    int finding_explanation = -1;
    int finding_confidence = -1;
    int finding_cost = -1;
};

struct Subtrees {
    int sanscope = -1;
    int connection = -1;
    int command = -1;
    int sender = -1;
    int transition = -1;
    int loss = -1;
    int finding = -1;
};

struct ExpertInfos {
    expert_field unanswered = EI_INIT;
    expert_field aborted = EI_INIT;
    expert_field rejected = EI_INIT;
    expert_field slow = EI_INIT;
    expert_field digest_error = EI_INIT;
    expert_field window_stall = EI_INIT;
    // Of findings, by group: filters know them by their severity alone.
    expert_field problems[finding_groups] = {EI_INIT, EI_INIT, EI_INIT, EI_INIT, EI_INIT, EI_INIT};
    expert_field notices[finding_groups] = {EI_INIT, EI_INIT, EI_INIT, EI_INIT, EI_INIT, EI_INIT};
    expert_field informations[finding_groups] = {EI_INIT, EI_INIT, EI_INIT, EI_INIT, EI_INIT, EI_INIT};
};

extern Fields fields;
extern Subtrees subtrees;
extern ExpertInfos expert_infos;

void register_fields(int protocol);

}  // namespace sanscope::wireshark

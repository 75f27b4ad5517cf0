// SPDX-License-Identifier: GPL-3.0-or-later
#include "dissectors/wireshark_plugin/fields.h"

namespace sanscope::wireshark {

Fields fields;
Subtrees subtrees;
ExpertInfos expert_infos;

namespace {

hf_register_info field(int& id, const char* name, const char* filter_name, ftenum_t type,
                       const char* description, const void* strings = nullptr) {
    const bool is_number = type == FT_UINT32 || type == FT_UINT64;
    return {&id, {name, filter_name, type, is_number ? BASE_DEC : BASE_NONE, strings, 0, description, HFILL}};
}

// Kept for as long as the program runs: Wireshark holds pointers into it.
hf_register_info field_infos[] = {
    field(fields.connection, "TCP connection", "sanscope.connection", FT_UINT32,
          "Number of the TCP connection, counted from 1 in order of first packet: row of `connections`"),
    field(fields.vantage, "Captured at", "sanscope.vantage", FT_STRING,
          "Where the capture of this connection was taken, as inferred: initiator, target or middle"),

    field(fields.command, "Command", "sanscope.command", FT_UINT64,
          "Number of the SCSI command, counted from 1 in order of request: row of `commands`"),
    field(fields.session, "iSCSI session", "sanscope.session", FT_UINT32,
          "Number of the iSCSI session, counted from 1: row of `sessions`"),
    field(fields.name, "Operation", "sanscope.name", FT_STRING, "Name of the SCSI command, as in READ(10)"),
    field(fields.lun, "Logical unit", "sanscope.lun", FT_UINT64, "Logical unit number"),
    field(fields.lba, "Logical block", "sanscope.lba", FT_UINT64, "First logical block address"),
    field(fields.bytes, "Bytes", "sanscope.bytes", FT_UINT64, "Expected data transfer length, bytes"),
    field(fields.queue_depth, "Queue depth", "sanscope.queue_depth", FT_UINT32,
          "Commands of the session under way at this request, itself included: requested, and neither "
          "answered nor "
          "aborted nor their tag used again"),
    field(fields.request_in, "Request in", "sanscope.request_in", FT_FRAMENUM,
          "Packet that completes the SCSI Command PDU", FRAMENUM_TYPE(FT_FRAMENUM_REQUEST)),
    field(fields.first_data_in, "First data in", "sanscope.first_data_in", FT_FRAMENUM,
          "Packet that completes the first PDU with data", FRAMENUM_TYPE(FT_FRAMENUM_NONE)),
    field(fields.last_data_in, "Last data in", "sanscope.last_data_in", FT_FRAMENUM,
          "Packet that completes the last PDU with data", FRAMENUM_TYPE(FT_FRAMENUM_NONE)),
    field(fields.response_in, "Response in", "sanscope.response_in", FT_FRAMENUM,
          "Packet that completes the PDU with the status", FRAMENUM_TYPE(FT_FRAMENUM_RESPONSE)),
    field(fields.first_data, "Time to first data", "sanscope.first_data", FT_RELATIVE_TIME,
          "From the packet that completes the request to the one that completes the first PDU with data"),
    field(fields.turnaround, "Turnaround", "sanscope.turnaround", FT_RELATIVE_TIME,
          "From the packet that completes the request to the one that completes the PDU with the status"),
    field(fields.status, "Status", "sanscope.status", FT_STRING,
          "SCSI status as named in SAM, as in CHECK_CONDITION"),
    field(fields.outcome, "Outcome", "sanscope.outcome", FT_STRING,
          "completed, unanswered, aborted, response_only, rejected or terminated"),

    field(fields.sender, "TCP sender", "sanscope.sender", FT_STRING,
          "Address and port of the side whose window it is, IP:PORT or [IPv6]:PORT; the figures are those "
          "after this "
          "packet"),
    field(fields.in_flight, "Bytes in flight", "sanscope.in_flight", FT_UINT32,
          "Bytes sent and neither acknowledged, nor selectively acknowledged, nor held for lost"),
    field(fields.cwnd, "Congestion window", "sanscope.cwnd", FT_UINT32,
          "Congestion window of the sender, bytes, as inferred"),
    field(fields.cwnd_low, "Congestion window, at least", "sanscope.cwnd_low", FT_UINT32,
          "Lower end of the 90 % interval of the congestion window, bytes"),
    field(fields.cwnd_high, "Congestion window, at most", "sanscope.cwnd_high", FT_UINT32,
          "Upper end of the 90 % interval of the congestion window, bytes"),
    field(fields.ssthresh, "Slow start threshold", "sanscope.ssthresh", FT_UINT32,
          "Slow start threshold, bytes, as inferred; absent while there is none"),
    field(fields.advertised_window, "Advertised window", "sanscope.advertised_window", FT_UINT32,
          "Window the receiver last offered, bytes"),
    field(fields.srtt, "Smoothed round trip time", "sanscope.srtt", FT_RELATIVE_TIME,
          "Round trip time as the sender smooths it"),
    field(fields.ca_state, "Congestion state", "sanscope.ca_state", FT_STRING,
          "State of the sender's congestion control: Open, Disorder, CWR, Recovery or Loss"),
    field(fields.limit, "Limited by", "sanscope.limit", FT_STRING,
          "What keeps the sender from sending more: application, receiver, congestion, pacing or recovery"),

    field(fields.transition_sender, "TCP sender", "sanscope.ca_transition.sender", FT_STRING,
          "Address and port of the side whose congestion state changes, IP:PORT or [IPv6]:PORT"),
    field(fields.transition_from, "From", "sanscope.ca_transition.from", FT_STRING,
          "Congestion state before: Open, Disorder, CWR, Recovery or Loss"),
    field(fields.transition_to, "To", "sanscope.ca_transition.to", FT_STRING,
          "Congestion state after: Open, Disorder, CWR, Recovery or Loss"),
    field(fields.transition_cause, "Cause", "sanscope.ca_transition.cause", FT_STRING,
          "What brought it about"),

    field(fields.loss, "Loss", "sanscope.loss", FT_STRING,
          "Bytes sent again, seen again or never seen: fast_retransmit, rto, tlp, spurious, out_of_order, "
          "duplicate, "
          "keep_alive, zero_window_probe or not_captured"),
    field(fields.loss_sender, "TCP sender", "sanscope.loss.sender", FT_STRING,
          "Address and port of the side whose bytes they are, IP:PORT or [IPv6]:PORT"),
    field(fields.loss_length, "Bytes", "sanscope.loss.length", FT_UINT32, "How many bytes"),
    field(fields.loss_original_in, "Original in", "sanscope.loss.original_in", FT_FRAMENUM,
          "Packet that first carried the bytes", FRAMENUM_TYPE(FT_FRAMENUM_RETRANS_PREV)),
    field(fields.loss_delay, "Time since original", "sanscope.loss.delay", FT_RELATIVE_TIME,
          "From the packet that first carried the bytes to this one"),

    field(fields.finding, "Finding", "sanscope.finding", FT_STRING,
          "Kind of a finding that points to this packet, as in `sanscope table findings`"),
    field(fields.finding_title, "Title", "sanscope.finding.title", FT_STRING, "What is found"),
    field(fields.finding_evidence, "Evidence", "sanscope.finding.evidence", FT_STRING,
          "A sign that shows it; a problem has two at least"),
    field(fields.finding_explanation, "Explanation", "sanscope.finding.explanation", FT_STRING,
          "What it means, what to look at or change"),
    field(fields.finding_confidence, "Confidence", "sanscope.finding.confidence", FT_STRING,
          "How sure it is: firm, likely or possible"),
    field(fields.finding_cost, "Cost", "sanscope.finding.cost", FT_RELATIVE_TIME,
          "An estimate of the time lost to it; absent where it costs none, or nobody can tell"),
};

int* subtree_ids[] = {&subtrees.sanscope,   &subtrees.connection, &subtrees.command, &subtrees.sender,
                      &subtrees.transition, &subtrees.loss,       &subtrees.finding};

ei_register_info expert(expert_field& id, const char* filter_name, int group, int severity,
                        const char* summary) {
    return {&id, {filter_name, group, severity, summary, EXPFILL}};
}

ei_register_info expert_registrations[] = {
    expert(expert_infos.unanswered, "sanscope.command.unanswered", PI_SEQUENCE, PI_WARN,
           "SCSI command that was never answered"),
    expert(expert_infos.aborted, "sanscope.command.aborted", PI_SEQUENCE, PI_WARN,
           "SCSI command aborted by task management"),
    expert(expert_infos.rejected, "sanscope.command.rejected", PI_SEQUENCE, PI_WARN,
           "SCSI command that the target rejected, or whose task it terminated"),
    expert(expert_infos.slow, "sanscope.command.slow", PI_RESPONSE_CODE, PI_NOTE,
           "SCSI command answered later than the preference `slow command` allows"),
    expert(expert_infos.digest_error, "sanscope.digest_error", PI_CHECKSUM, PI_ERROR,
           "iSCSI header or data digest that does not fit the bytes"),
    expert(expert_infos.window_stall, "sanscope.window_stall", PI_SEQUENCE, PI_WARN,
           "TCP sender held by a receive window with less room than one segment"),
};

// By FindingGroup.
constexpr int groups_of_findings[finding_groups] = {PI_SEQUENCE, PI_RESPONSE_CODE, PI_PROTOCOL,
                                                    PI_CHECKSUM, PI_MALFORMED,     PI_ASSUMPTION};
ei_register_info finding_registrations[finding_groups * 3];

// Several fields of one name are one to filters.
void register_findings(expert_module_t* experts) {
    for (size_t i = 0; i < finding_groups; ++i) {
        const int group = groups_of_findings[i];
        finding_registrations[3 * i] = expert(expert_infos.problems[i], "sanscope.finding.problem", group,
                                              PI_ERROR, "Finding about the capture: a problem");
        finding_registrations[(3 * i) + 1] = expert(expert_infos.notices[i], "sanscope.finding.notice", group,
                                                    PI_NOTE, "Finding about the capture: a notice");
        finding_registrations[(3 * i) + 2] =
            expert(expert_infos.informations[i], "sanscope.finding.information", group, PI_CHAT,
                   "Finding about the capture: information");
    }
    expert_register_field_array(experts, finding_registrations,
                                static_cast<int>(std::size(finding_registrations)));
}

}  // namespace

void register_fields(int protocol) {
    proto_register_field_array(protocol, field_infos, static_cast<int>(std::size(field_infos)));
    proto_register_subtree_array(subtree_ids, static_cast<int>(std::size(subtree_ids)));
    expert_module_t* const experts = expert_register_protocol(protocol);
    expert_register_field_array(experts, expert_registrations,
                                static_cast<int>(std::size(expert_registrations)));
    register_findings(experts);
}

}  // namespace sanscope::wireshark

// SPDX-License-Identifier: GPL-3.0-or-later
#include "dissectors/wireshark_plugin/tree_writer.h"

#include <cinttypes>
#include <cstdio>
#include <string>
#include <string_view>

#include "analyzer/scsi/status.h"
#include "analyzer/vocabulary/outcome_names.h"
#include "analyzer/vocabulary/sender_names.h"

namespace sanscope::wireshark {
namespace {

constexpr size_t text_size = 240;

// Items of one subtree, all marked as made by us. A value that is unknown (vocabulary/rows.h) makes none.
class Items {
  public:
    Items(const TreeContext& context, proto_tree* tree) : bytes_(context.bytes), tree_(tree) {}

    void number(int field, uint32_t value) const {
        if (value == unknown<uint32_t>) return;
        proto_item_set_generated(proto_tree_add_uint(tree_, field, bytes_, 0, 0, value));
    }
    void big_number(int field, uint64_t value) const {
        if (value == unknown<uint64_t>) return;
        proto_item_set_generated(proto_tree_add_uint64(tree_, field, bytes_, 0, 0, value));
    }
    // The number of a row.
    void row(int field, uint32_t value) const {
        if (value != 0) number(field, value);
    }
    void packet(int field, PacketNumber value) const {
        if (value == 0 || value >= unknown<uint32_t>) return;
        number(field, static_cast<uint32_t>(value));
    }
    void text(int field, std::string_view value) const {
        if (value.empty()) return;
        char terminated[text_size];
        copy(value, terminated);
        proto_item_set_generated(proto_tree_add_string(tree_, field, bytes_, 0, 0, terminated));
    }
    // Longer ones too, which stay where they are.
    void whole_text(int field, const std::string& value) const {
        if (value.empty()) return;
        proto_item_set_generated(proto_tree_add_string(tree_, field, bytes_, 0, 0, value.c_str()));
    }
    void duration(int field, int64_t nanoseconds) const {
        if (nanoseconds == no_time) return;
        constexpr int64_t second = 1'000'000'000;
        nstime_t time;
        time.secs = static_cast<time_t>(nanoseconds / second);
        time.nsecs = static_cast<int>(nanoseconds % second);
        proto_item_set_generated(proto_tree_add_time(tree_, field, bytes_, 0, 0, &time));
    }

    static void copy(std::string_view value, char (&terminated)[text_size]) {
        snprintf(terminated, sizeof terminated, "%.*s", static_cast<int>(value.size()), value.data());
    }

  private:
    tvbuff_t* bytes_;
    proto_tree* tree_;
};

int64_t between(int64_t from_ns, int64_t to_ns) {
    return from_ns == no_time || to_ns == no_time ? no_time : to_ns - from_ns;
}

double milliseconds(int64_t nanoseconds) {
    return static_cast<double>(nanoseconds) / 1e6;
}

// The end of its connection that a row is about, as text.
template <class Row>
std::string_view sender_of(const PacketFeed& feed, const Row& row, char (&buffer)[max_endpoint_text]) {
    if (row.connection == 0 || row.connection > feed.store().connections().size()) return {};
    const Endpoint& end = feed.store().connection(row.connection).endpoint(row.sender);
    return format_endpoint(end.address, end.port, buffer);
}

// ---- Connection

void write_connection(const TreeContext& context, proto_tree* tree) {
    if (context.connection == 0) return;
    const ConnectionRow& row = context.feed.store().connection(context.connection);
    proto_item* item = proto_tree_add_uint(tree, fields.connection, context.bytes, 0, 0, context.connection);
    proto_item_set_generated(item);
    const std::string_view vantage = vantage_names[static_cast<size_t>(row.vantage)];
    Items(context, proto_item_add_subtree(item, subtrees.connection)).text(fields.vantage, vantage);
}

// ---- Commands

void describe_command(const CommandRow& row, bool answered, char (&text)[text_size]) {
    char about[64] = "";
    if (row.bytes != unknown<uint64_t> && row.bytes > 0)
        snprintf(about, sizeof about, ", %" PRIu64 " bytes", row.bytes);
    char took[64] = "";
    if (answered && row.turnaround_ns() != no_time)
        snprintf(took, sizeof took, ", answered after %.3f ms", milliseconds(row.turnaround_ns()));
    const char* name = *row.name != '\0' ? row.name : "operation not known";
    snprintf(text, sizeof text, "%s%s%s", name, about, took);
}

// Texts without figures: Wireshark lists expert infos by text.

const char* operation(const CommandRow& row) {
    return *row.name != '\0' ? row.name : "SCSI command";
}

void write_request(const TreeContext& context, const CommandRow& row, proto_item* item) {
    if (row.outcome == Outcome::aborted) {
        expert_add_info_format(context.packet, item, &expert_infos.aborted,
                               "%s was aborted by task management", operation(row));
    } else if (context.feed.is_final() && ended_without_answer(row.outcome)) {
        expert_add_info_format(context.packet, item, &expert_infos.rejected, "%s was %s by the target",
                               operation(row), row.outcome == Outcome::rejected ? "rejected" : "terminated");
    } else if (context.feed.is_final() && row.outcome == Outcome::unanswered) {
        expert_add_info_format(context.packet, item, &expert_infos.unanswered, "%s was never answered",
                               operation(row));
    }
}

void write_response(const TreeContext& context, const CommandRow& row, proto_item* item) {
    const int64_t turnaround = row.turnaround_ns();
    if (turnaround == no_time || turnaround <= context.slow_ns) return;
    expert_add_info_format(context.packet, item, &expert_infos.slow, "%s took more than %.0f ms",
                           operation(row), milliseconds(context.slow_ns));
}

void write_command(const TreeContext& context, const PacketRows::Command& what, proto_tree* tree) {
    const CommandRow& row = context.feed.store().command(what.number);
    const bool answered = is_answer_known(context.feed, row);
    const bool response = what.response && answered;
    if (!what.request && !what.data && !response) return;

    char text[text_size];
    describe_command(row, answered, text);
    const char* part = response ? "response" : what.request ? "request" : "data";
    proto_item* item =
        proto_tree_add_uint64_format(tree, fields.command, context.bytes, 0, 0, what.number,
                                     "SCSI command %" PRIu64 " (%s): %s", what.number, part, text);
    proto_item_set_generated(item);
    const Items items(context, proto_item_add_subtree(item, subtrees.command));
    if (what.request || response) {
        items.row(fields.session, row.session);
        items.text(fields.name, row.name);
        items.big_number(fields.lun, row.lun);
        items.big_number(fields.lba, row.lba);
        items.big_number(fields.bytes, row.bytes);
    }
    if (what.request) items.number(fields.queue_depth, row.queue_depth);
    if (!what.request) items.packet(fields.request_in, row.request_packet);
    if (answered && (what.request || response)) {
        items.packet(fields.first_data_in, row.first_data_packet);
        items.packet(fields.last_data_in, row.last_data_packet);
    }
    if (answered && !response) items.packet(fields.response_in, row.response_packet);
    if (response) {
        items.duration(fields.first_data, between(row.request_ns, row.first_data_ns));
        items.duration(fields.turnaround, row.turnaround_ns());
        if (row.status != unknown<uint16_t>)
            items.text(fields.status, scsi_status_name(static_cast<uint8_t>(row.status)));
    }
    if (answered && (what.request || response))
        items.text(fields.outcome, outcome_names[static_cast<size_t>(row.outcome)]);

    if (what.request) write_request(context, row, item);
    if (response) write_response(context, row, item);
}

void write_digests(const TreeContext& context, proto_item* item) {
    for (const size_t index : context.rows.pdus) {
        const PduRow& row = context.feed.store().pdus()[index];
        const auto add_expert_info = [&](const char* text) {
            expert_add_info_format(context.packet, item, &expert_infos.digest_error, "%s", text);
        };
        if (row.header_digest == Digest::bad) add_expert_info("Header digest is wrong");
        if (row.data_digest == Digest::bad) add_expert_info("Data digest is wrong");
    }
}

// ---- What the senders' TCP did

void write_window(const TreeContext& context, size_t index, proto_tree* tree) {
    const WindowRow& row = context.feed.store().windows()[index];
    char buffer[max_endpoint_text];
    char sender[text_size];
    Items::copy(sender_of(context.feed, row, buffer), sender);
    proto_item* item = proto_tree_add_string_format(tree, fields.sender, context.bytes, 0, 0, sender,
                                                    "TCP sender %s", sender);
    proto_item_set_generated(item);
    if (row.ca_state_known) proto_item_append_text(item, ": %u bytes in flight", row.in_flight);
    if (row.cwnd != unknown<uint32_t>) proto_item_append_text(item, ", congestion window %u", row.cwnd);
    const Items items(context, proto_item_add_subtree(item, subtrees.sender));
    if (row.ca_state_known) items.number(fields.in_flight, row.in_flight);
    items.number(fields.cwnd, row.cwnd);
    items.number(fields.cwnd_low, row.cwnd_low);
    items.number(fields.cwnd_high, row.cwnd_high);
    items.number(fields.ssthresh, row.ssthresh);
    items.number(fields.advertised_window, row.advertised_window);
    items.duration(fields.srtt, row.srtt_ns);
    if (row.ca_state_known) items.text(fields.ca_state, ca_state_names[static_cast<size_t>(row.ca_state)]);
    items.text(fields.limit, send_limit_names[static_cast<size_t>(row.limit)]);
    if (!context.feed.rows().is_window_stall(index)) return;
    expert_add_info_format(context.packet, item, &expert_infos.window_stall,
                           "%s waits for its receiver's window", sender);
}

void write_transition(const TreeContext& context, size_t index, proto_tree* tree) {
    const ResultStore& store = context.feed.store();
    const CaTransitionRow& row = store.ca_transitions()[index];
    if (!store.connection(row.connection).tcp_is_judged()) return;
    const std::string_view from = ca_state_names[static_cast<size_t>(row.from)];
    const std::string_view to = ca_state_names[static_cast<size_t>(row.to)];
    char buffer[max_endpoint_text];
    proto_item* item = nullptr;
    proto_tree* subtree = proto_tree_add_subtree_format(tree, context.bytes, 0, 0, subtrees.transition, &item,
                                                        "Congestion state from %s to %s: %s", from.data(),
                                                        to.data(), row.cause);
    proto_item_set_generated(item);
    const Items items(context, subtree);
    items.text(fields.transition_sender, sender_of(context.feed, row, buffer));
    items.text(fields.transition_from, from);
    items.text(fields.transition_to, to);
    items.text(fields.transition_cause, row.cause);
}

void write_loss(const TreeContext& context, size_t index, proto_tree* tree) {
    const LossRow& row = context.feed.store().losses()[index];
    // Of what is sent again it may still turn out that this was spurious.
    const bool may_change =
        row.kind == LossKind::fast_retransmit || row.kind == LossKind::rto || row.kind == LossKind::tlp;
    if (may_change && !context.feed.is_final()) return;
    char buffer[max_endpoint_text];
    char kind[text_size];
    Items::copy(loss_kind_names[static_cast<size_t>(row.kind)], kind);
    proto_item* item = proto_tree_add_string(tree, fields.loss, context.bytes, 0, 0, kind);
    proto_item_set_generated(item);
    const Items items(context, proto_item_add_subtree(item, subtrees.loss));
    items.text(fields.loss_sender, sender_of(context.feed, row, buffer));
    items.number(fields.loss_length, row.length);
    items.packet(fields.loss_original_in, row.original_packet);
    items.duration(fields.loss_delay, row.delay_ns);
}

// ---- Findings

expert_field* expert_info_of(const Finding& finding) {
    const auto group = static_cast<size_t>(group_of(finding.kind));
    switch (finding.severity) {
        case Finding::Severity::problem:
            return &expert_infos.problems[group];
        case Finding::Severity::notice:
            return &expert_infos.notices[group];
        case Finding::Severity::information:
            break;
    }
    return &expert_infos.informations[group];
}

void write_finding(const TreeContext& context, const PacketFindings::OfPacket& one, proto_tree* tree) {
    const Finding& finding = one.finding;
    char kind[text_size];
    Items::copy(finding_kind_name(finding.kind), kind);
    proto_item* item = proto_tree_add_string_format(tree, fields.finding, context.bytes, 0, 0, kind, "%s",
                                                    one.label.c_str());
    proto_item_set_generated(item);
    const Items items(context, proto_item_add_subtree(item, subtrees.finding));
    items.whole_text(fields.finding_title, finding.title);
    for (const std::string& sign : finding.evidence) items.whole_text(fields.finding_evidence, sign);
    items.whole_text(fields.finding_explanation, finding.explanation);
    items.text(fields.finding_confidence, finding_confidence_name(finding.confidence));
    if (finding.cost_ns > 0) items.duration(fields.finding_cost, finding.cost_ns);
    expert_add_info_format(context.packet, item, expert_info_of(finding), "%s [%s]", finding.title.c_str(),
                           kind);
}

}  // namespace

bool is_answer_known(const PacketFeed& feed, const CommandRow& row) {
    return feed.is_final() || row.outcome == Outcome::completed || row.outcome == Outcome::aborted;
}

void write_tree(const TreeContext& context, proto_tree* tree) {
    if (context.connection == 0 && context.rows.empty() && context.findings.empty()) return;
    proto_item* item = proto_tree_add_item(tree, context.protocol, context.bytes, 0, 0, ENC_NA);
    proto_item_set_generated(item);
    proto_tree* subtree = proto_item_add_subtree(item, subtrees.sanscope);
    for (const PacketFindings::OfPacket& one : context.findings) write_finding(context, one, subtree);
    for (const PacketRows::Command& command : context.rows.commands) write_command(context, command, subtree);
    write_digests(context, item);
    write_connection(context, subtree);
    for (const size_t index : context.rows.windows) write_window(context, index, subtree);
    for (const size_t index : context.rows.ca_transitions) write_transition(context, index, subtree);
    for (const size_t index : context.rows.losses) write_loss(context, index, subtree);
}

}  // namespace sanscope::wireshark

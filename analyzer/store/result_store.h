// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cassert>
#include <cstdint>
#include <deque>
#include <memory>
#include <memory_resource>
#include <span>
#include <vector>

#include "analyzer/store/access_states.h"
#include "analyzer/store/command_marks.h"
#include "analyzer/store/command_sample.h"
#include "analyzer/store/doubtful_figures.h"
#include "analyzer/store/kernel_score.h"
#include "analyzer/store/live_counts.h"
#include "analyzer/store/network_events.h"
#include "analyzer/store/pdu_pauses.h"
#include "analyzer/store/possible_times.h"
#include "analyzer/store/queue_depth.h"
#include "analyzer/store/send_track.h"
#include "analyzer/store/sender_summary.h"
#include "analyzer/store/session_events.h"
#include "analyzer/store/session_windows.h"
#include "analyzer/store/stored_rows.h"
#include "analyzer/store/summary.h"
#include "analyzer/store/unanswered_pings.h"
#include "analyzer/store/unit_names.h"
#include "analyzer/store/word_pool.h"
#include "analyzer/vocabulary/clock_jump.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// Where the engine puts what it finds. Connections and sessions are always kept; what grows with the packets only where
// asked, since a report of an endless stream needs just the summaries.
class ResultStore {
  public:
    struct Keep {
        bool commands = true;
        bool pdus = true;
        bool windows = true;
        bool ca_transitions = true;
        bool losses = true;
        bool kernel_windows = true;
        bool kernel_ca_transitions = true;
        bool segments = false;         // a row a packet: for views, no table is made of them alone
        bool window_intervals = true;  // of windows: cwnd_low and cwnd_high
        bool budgets = true;       // of commands: what their time budgets rest on; with commands and losses
        bool live_counts = false;  // for whoever asks now and then what came since: live_counts()

        static constexpr Keep nothing() {
            return {false, false, false, false, false, false, false, false, true, false};
        }
        static constexpr Keep everything() {
            return {true, true, true, true, true, true, true, true, true, true};
        }
        static constexpr Keep only(bool Keep::*rows) {
            Keep keep = nothing();
            keep.*rows = true;
            return keep;
        }
    };

    // What grows with the packets lies in `memory`, which must outlive this.
    explicit ResultStore(Keep keep, std::pmr::memory_resource* memory = std::pmr::get_default_resource())
        : keep_(keep),
          commands_(memory),
          pdus_(memory),
          segments_(memory),
          windows_(memory),
          ca_transitions_(memory),
          losses_(memory),
          kernel_windows_(memory),
          kernel_ca_transitions_(memory),
          command_marks_(memory),
          permission_waits_(memory),
          send_words_(memory),
          live_counts_(keep.live_counts ? std::make_unique<LiveCounts>() : nullptr) {}

    // Each returns a fresh row and its 1-based number. Rows of connections and sessions stay where they are;
    // that of a command until end_command().
    ConnectionRow& add_connection(uint32_t& number) {
        number = static_cast<uint32_t>(connections_.size() + 1);
        return connections_.append({});
    }
    SessionRow& add_session(uint32_t& number) {
        number = static_cast<uint32_t>(sessions_.size() + 1);
        return sessions_.append({});
    }
    CommandRow& begin_command(uint64_t& number) {
        number = ++commands_begun_;
        if (keeps_budgets()) command_marks_.append({});
        if (keep_.commands) return commands_.append({});
        if (free_rows_.empty()) free_rows_.push_back(&pool_.emplace_back());
        CommandRow& row = *free_rows_.back();
        free_rows_.pop_back();
        row = CommandRow{};
        if (sample_ != nullptr) [[unlikely]]
            begin_in_sample(number, row);
        return row;
    }
    // The request is in the row.
    void requested(const CommandRow& row) { summary_.on_request(row); }
    // The status of a requested command is in the row.
    void answered(const CommandRow& row) { summary_.on_answer(row); }
    // What ended it came, as far as is known; its outcome will be one without an answer. Then that it goes on all the same.
    void ended_early(const CommandRow& row, int64_t time_ns) { summary_.on_ended_early(row, time_ns); }
    void goes_on(const CommandRow& row) { summary_.on_going_on(row); }
    // So many statuses of commands that were reported came unseen between the two moments; 0: all have been seen by now.
    void counted(uint32_t session, uint32_t unseen, int64_t from_ns, int64_t to_ns) {
        summary_.on_counted(session, unseen, from_ns, to_ns);
    }
    // Of these, those that no row reports.
    void add_unpaired(const UnpairedStatuses& statuses) {
        summary_.on_unpaired(statuses.session, statuses.count);
        if (keep_.commands) unpaired_.push_back(statuses);
    }
    // Requests of which no row shows.
    void add_unlisted(const UnlistedRequests& requests) {
        summary_.on_hidden_requests(requests.session, requests.count);
        if (keep_.commands) unlisted_.push_back(requests);
    }
    void end_command(uint64_t number, CommandRow& row, bool is_read, bool is_write) {
        const uint32_t impossible = clear_impossible_times(row, is_read && !is_write);
        if (impossible > 0) [[unlikely]]
            note_impossible(row.request_packet, impossible);
        summary_.on_end(number, row, is_read, is_write);
        add_turnaround(row, is_read, is_write);
        if (live_counts_ != nullptr) live_counts_->on_end(row);
        if (sample_ != nullptr) [[unlikely]]
            sample_->on_end(number, row);
        if (!keep_.commands) free_rows_.push_back(&row);
    }
    bool keeps_budgets() const { return keep_.budgets && keep_.commands; }
    // Where they are kept; of a command that was begun.
    CommandMarks& command_marks(CommandNumber command) { return command_marks_[command.index()]; }
    // nullptr where they are not kept.
    CommandMarks* marks_of(CommandNumber command) {
        if (keeps_budgets()) return &command_marks(command);
        return sample_ == nullptr ? nullptr : sample_->marks(command);
    }
    // Of one whose marks are kept.
    ConnectionNumber connection_of(CommandNumber command) const {
        return keep_.commands ? commands_[command.index()].connection : sample_->connection_of(command);
    }
    void add_permission_wait(CommandMarks& marks, const PermissionWaitRow& wait) {
        if (!keeps_budgets()) return sample_->add_permission_wait(marks, wait);
        permission_waits_.append(wait);
        marks.last_wait = static_cast<uint32_t>(permission_waits_.size());
    }
    // Returns the row to be filled: the one place it stands in until the next call where PDUs are not kept.
    PduRow& add_pdu() {
        ++pdus_seen_;
        if (keep_.pdus) return pdus_.append({});
        scratch_pdu_ = PduRow{};
        return scratch_pdu_;
    }

    void add_session_event(const SessionEvent& event) { session_events_.add(event); }
    void add_digested(Role sender, uint64_t header_bytes, uint64_t data_bytes) {
        session_events_.add_digested(sender, header_bytes, data_bytes);
    }
    const SessionEvents& session_events() const { return session_events_; }
    void add_unanswered_ping(const UnansweredPing& ping) { unanswered_pings_.add(ping); }
    const UnansweredPings& unanswered_pings() const { return unanswered_pings_; }
    void add_pdu_pause(const PduPause& pause) { pdu_pauses_.add(pause); }
    const PduPauses& pdu_pauses() const { return pdu_pauses_; }
    // The first ones of a capture.
    static constexpr size_t most_clock_jumps = 1024;
    void add_clock_jump(const ClockJump& jump) {
        if (clock_jumps_.size() < most_clock_jumps) clock_jumps_.push_back(jump);
    }
    std::span<const ClockJump> clock_jumps() const { return clock_jumps_; }
    void add_unit_name(uint32_t session, uint64_t lun, const std::string& name) {
        unit_names_.add(session, lun, name);
    }
    const UnitNames& unit_names() const { return unit_names_; }
    // What targets told of asymmetric access: always kept, and bounded.
    AccessStates& access_states() { return access_states_; }
    const AccessStates& access_states() const { return access_states_; }

    // What the network itself said: always kept, and bounded.
    NetworkEvents& network_events() { return network_events_; }
    const NetworkEvents& network_events() const { return network_events_; }

    bool keeps_segments() const { return keep_.segments; }
    // One for each packet of the capture, in order: to be filled before the next one is added.
    SegmentRow& add_segment() { return segments_.append({}); }

    // One side of a connection that sends data. The summary stays where it is.
    SenderSummary& add_sender(uint32_t connection, Side side) {
        SenderSummary& sender = senders_.append(SenderSummary(connection, side));
        if (keeps_budgets()) sender.set_track(send_tracks_.emplace_back(connection, side, send_words_));
        return sender;
    }
    bool keeps_windows() const { return keep_.windows; }
    bool keeps_window_intervals() const { return keep_.windows && keep_.window_intervals; }
    void add_window(SenderSummary& sender, const WindowRow& row) {
        sender.on_window(row);
        if (keep_.windows) windows_.append(row);
        if (sample_ != nullptr) [[unlikely]]
            sample_->on_window(row);
        if (kernel_scores_ != nullptr) [[unlikely]]
            kernel_scores_->of(row.connection, row.sender).on_estimate(row);
    }
    void add_ca_transition(SenderSummary& sender, const CaTransitionRow& row) {
        sender.on_transition();
        if (keep_.ca_transitions) ca_transitions_.append(row);
        if (kernel_scores_ != nullptr) [[unlikely]]
            kernel_scores_->of(row.connection, row.sender).on_transition(row);
    }
    // Returns the row's number, for what is found out of it later.
    uint64_t add_loss(SenderSummary& sender, const LossRow& row) {
        sender.on_loss(row.kind);
        if (keep_.losses) losses_.append(row);
        ++losses_seen_;
        if (live_counts_ != nullptr) live_counts_->on_loss(row.connection, row.sender, row.kind, 1);
        if (sample_ != nullptr) [[unlikely]]
            sample_->on_loss(losses_seen_, row);
        return losses_seen_;
    }
    void reclassify_loss(SenderSummary& sender, uint64_t number, LossKind before, LossKind now) {
        assert(!keep_.losses || losses_[number - 1].kind == before);
        sender.on_reclassified(before, now);
        if (keep_.losses) losses_[number - 1].kind = now;
        if (live_counts_ != nullptr) {
            live_counts_->on_loss(sender.connection(), sender.side(), before, -1);
            live_counts_->on_loss(sender.connection(), sender.side(), now, 1);
        }
        if (sample_ != nullptr) [[unlikely]]
            sample_->on_reclassified(number, now);
    }

    // What came since the last clear(); nullptr unless kept.
    LiveCounts* live_counts() { return live_counts_.get(); }
    // From here on what time budgets rest on is kept of some commands. Only where commands are not kept.
    void begin_sample() {
        if (!keep_.commands) sample_ = std::make_unique<CommandSample>();
    }
    // nullptr: none was begun.
    CommandSample* sample() { return complete_sample_ != nullptr ? complete_sample_.get() : sample_.get(); }
    std::unique_ptr<CommandSample> take_sample() {
        return std::move(complete_sample_ != nullptr ? complete_sample_ : sample_);
    }

    void set_reordering(uint64_t number, Reordering by) {
        if (keep_.losses) losses_[number - 1].reordering = by;
    }

    // From here on what is inferred is held against what a kernel reports.
    void begin_kernel_truth() {
        if (kernel_scores_ == nullptr) kernel_scores_ = std::make_unique<KernelScores>();
    }
    bool keeps_kernel_rows() const { return keep_.kernel_windows || keep_.kernel_ca_transitions; }
    // After begin_kernel_truth(). Those of a sender in order of time.
    KernelScore& kernel_score(uint32_t connection, Side side) { return kernel_scores_->of(connection, side); }
    void add_kernel_window(KernelScore& score, const KernelWindowRow& row) {
        score.on_kernel_window(row);
        if (keep_.kernel_windows) kernel_windows_.append(row);
    }
    void add_kernel_ca_transition(KernelScore& score, const KernelCaTransitionRow& row) {
        score.on_kernel_transition(row);
        if (keep_.kernel_ca_transitions) kernel_ca_transitions_.append(row);
    }
    // nullptr where no kernel reported anything.
    const KernelScores* kernel_scores() const { return kernel_scores_.get(); }
    const ChunkedRows<KernelWindowRow>& kernel_windows() const {
        return kernel_windows_;
    }  // empty unless kept
    const ChunkedRows<KernelCaTransitionRow>& kernel_ca_transitions() const {
        return kernel_ca_transitions_;  // likewise
    }

    // What time budgets rest on; empty unless kept. Marks by command number - 1.
    const ChunkedRows<CommandMarks>& command_marks() const { return command_marks_; }
    const ChunkedRows<PermissionWaitRow>& permission_waits() const { return permission_waits_; }
    const std::deque<SendTrack>& send_tracks() const { return send_tracks_; }

    const ChunkedRows<SenderSummary>& senders() const { return senders_; }
    const StoredRows<WindowRow>& windows() const { return windows_; }  // empty unless kept, as the next two
    const ChunkedRows<CaTransitionRow>& ca_transitions() const { return ca_transitions_; }
    const ChunkedRows<LossRow>& losses() const { return losses_; }
    const ChunkedRows<ConnectionRow>& connections() const { return connections_; }
    const ChunkedRows<SessionRow>& sessions() const { return sessions_; }
    const ChunkedRows<CommandRow>& commands() const { return commands_; }  // empty unless kept
    const StoredRows<PduRow>& pdus() const { return pdus_; }               // empty unless kept
    const StoredRows<SegmentRow>& segments() const {
        return segments_;
    }  // by packet number - 1; empty unless kept
    // Nothing is added any more.
    void finish() {
        finished_ = true;
        std::vector<uint32_t> begun_before;
        for (uint32_t i = 0; i < sessions_.size(); ++i) {
            if (sessions_[i].initiator_name.empty()) begun_before.push_back(i + 1);
        }
        fill_queue_depths(commands_, unpaired_, unlisted_, begun_before);
        const ImpossibleDepths deeper = clear_impossible_depths(commands_, sessions_, unpaired_);
        if (deeper.count > 0) note_impossible(deeper.first_packet, deeper.count);
        commands_comparable_ = !leave_out_doubtful(connections_, commands_, windows_, summary_);
        if (kernel_scores_ != nullptr) kernel_scores_->finish();
        fill_session_windows({windows_, senders_, connections_}, sessions_);
    }

    bool finished() const { return finished_; }
    // Not where the two directions were stamped by clocks so far apart that commands' times were left out.
    bool commands_comparable() const { return commands_comparable_; }

    // By their numbers.
    ConnectionRow& connection(ConnectionNumber number) { return connections_[number.index()]; }
    const ConnectionRow& connection(ConnectionNumber number) const { return connections_[number.index()]; }
    SessionRow& session(SessionNumber number) { return sessions_[number.index()]; }
    const SessionRow& session(SessionNumber number) const { return sessions_[number.index()]; }
    const CommandRow& command(CommandNumber number) const { return commands_[number.index()]; }
    SegmentRow segment(PacketNumber packet) const { return segments_[packet - 1]; }
    const Summary& summary() const { return summary_; }
    // Figures of commands that could not be and were left empty; the first one's packet.
    uint64_t impossible_figures() const { return impossible_figures_; }
    PacketNumber impossible_packet() const { return impossible_packet_; }
    uint64_t pdus_seen() const { return pdus_seen_; }

  private:
    void add_turnaround(const CommandRow& row, bool is_read, bool is_write) {
        if (row.connection == 0 || row.connection > connections_.size()) return;
        ConnectionRow& on = connection(row.connection);
        if (row.ended_nobody_knows_when()) [[unlikely]] {
            const bool untold = row.opcode == unknown<uint16_t>;
            if (is_read || untold) ++on.untimed_reads;
            if (is_write || untold) ++on.untimed_writes;
            return;
        }
        const bool answered = row.response_packet != 0 || row.outcome == Outcome::completed;
        if (!answered || is_read == is_write || row.turnaround_ns() == no_time) return;
        (is_read ? on.read_turnaround : on.write_turnaround).add(static_cast<double>(row.turnaround_ns()));
    }
    // One that is complete waits where it costs nothing; the last PDU of its last command has been entered by now.
    void begin_in_sample(uint64_t number, const CommandRow& row) {
        sample_->on_begin(number, row);
        if (sample_->is_complete()) complete_sample_ = std::move(sample_);
    }
    void note_impossible(PacketNumber packet, uint64_t figures) {
        if (impossible_figures_ == 0) impossible_packet_ = packet;
        impossible_figures_ += figures;
    }

    Keep keep_;
    ChunkedRows<ConnectionRow> connections_;
    ChunkedRows<SessionRow> sessions_;
    ChunkedRows<CommandRow> commands_;
    StoredRows<PduRow> pdus_;
    StoredRows<SegmentRow> segments_;
    ChunkedRows<SenderSummary> senders_;
    StoredRows<WindowRow> windows_;
    ChunkedRows<CaTransitionRow> ca_transitions_;
    ChunkedRows<LossRow> losses_;
    ChunkedRows<KernelWindowRow> kernel_windows_;
    ChunkedRows<KernelCaTransitionRow> kernel_ca_transitions_;
    ChunkedRows<CommandMarks> command_marks_;
    ChunkedRows<PermissionWaitRow> permission_waits_;
    WordPool send_words_;
    std::deque<SendTrack> send_tracks_;
    std::unique_ptr<KernelScores> kernel_scores_;
    Summary summary_;
    SessionEvents session_events_;
    NetworkEvents network_events_;
    UnansweredPings unanswered_pings_;
    PduPauses pdu_pauses_;
    std::vector<ClockJump> clock_jumps_;
    UnitNames unit_names_;
    AccessStates access_states_;
    uint64_t commands_begun_ = 0;
    uint64_t pdus_seen_ = 0;
    uint64_t losses_seen_ = 0;
    std::deque<CommandRow> pool_;
    std::vector<CommandRow*> free_rows_;
    std::vector<UnpairedStatuses> unpaired_;
    std::vector<UnlistedRequests> unlisted_;
    std::unique_ptr<LiveCounts> live_counts_;
    std::unique_ptr<CommandSample> sample_;
    std::unique_ptr<CommandSample> complete_sample_;
    PduRow scratch_pdu_;
    uint64_t impossible_figures_ = 0;
    PacketNumber impossible_packet_ = 0;
    bool finished_ = false;
    bool commands_comparable_ = true;
};

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/budget/command_cut.h"

#include <algorithm>
#include <vector>

#include "analyzer/budget/path_jitter.h"

namespace sanscope {
namespace {

using Part = BudgetPart;

constexpr int64_t usual_segment = 1448;  // bytes

// One way to each end from where the capture was taken, half of the least round trip: how it parts into there and back cannot
// be seen from one place.
struct OneWay {
    int64_t to_initiator_ns = 0;
    int64_t to_target_ns = 0;
    int64_t whole_ns() const { return to_initiator_ns + to_target_ns; }
};

// Bytes of one stream between two places of it: one command's and those of others.
struct Mix {
    int64_t own = 0;
    int64_t others = 0;
    int64_t whole() const { return own + others; }
    // The own ones' share of a time.
    int64_t own_share(int64_t time_ns) const {
        if (others == 0) return time_ns;
        return static_cast<int64_t>(static_cast<double>(time_ns) * static_cast<double>(own) /
                                    static_cast<double>(whole()));
    }
};

int64_t take(int64_t& from_ns, int64_t most_ns) {
    const int64_t taken_ns = std::clamp<int64_t>(most_ns, 0, from_ns);
    from_ns -= taken_ns;
    return taken_ns;
}

// Walks along a command's time at both ends, from the request to the answer, and books what it passes. Moments are those of a
// clock that both ends and the tap share.
class Cutter {
  public:
    explicit Cutter(const CutInput& input, OneWay way)
        : input_(input), way_(way), at_ns_(input.row.request_ns), end_ns_(input.row.response_ns) {}

    CommandBudget cut() {
        if (lacks_bytes()) {
            advance(Part::unknown, end_ns_);
            return budget_;
        }
        const int64_t answered_ns = end_ns_;
        end_ns_ = std::max(at_ns_, answered_ns - way_.to_target_ns);
        if (input_.marks.has_data_out) {
            pass_data_out();
        } else {
            pass_request();
        }
        pass_order();
        pass_target();
        pass_answer();
        end_ns_ = answered_ns;
        advance(Part::return_path, answered_ns);
        return budget_;
    }

    int64_t answer_delay_ns() const {
        const SenderTime* sender = input_.target;
        if (way_.to_target_ns == 0 || sender == nullptr || !marks().has_answer || !marks().has_status)
            return no_time;
        if (sender->captured_out_of_order()) return no_time;
        // Behind the initiator's own data acknowledgements queue as well, so that it is not known when they let the target send.
        if (input_.initiator != nullptr && input_.initiator->queues_at(input_.row.request_ns)) return no_time;
        const int64_t arrival_ns = first_arrival_ns();
        const int64_t begin = answer_begin();
        const int64_t sent_ns = sender->sent_ns(begin + 1);
        const int64_t asked_ns = input_.row.request_ns + way_.to_target_ns;
        if (arrival_ns == input_.row.request_ns || sent_ns == no_time || sent_ns < asked_ns) return no_time;
        const int64_t left_ns = std::max(sent_ns, sender->off_wire_before(begin));
        return std::max<int64_t>(0, arrival_ns - way_.to_target_ns - left_ns);
    }

    RequestArrival request_arrival() const {
        const SenderTime* sender = input_.initiator;
        if (sender == nullptr || !marks().has_request) return {};
        const int64_t sent_ns = input_.row.request_ns - way_.to_initiator_ns;
        const int64_t begin = position(Role::initiator, marks().request_begin, sent_ns);
        const int64_t end = position(Role::initiator, marks().request_end, sent_ns);
        if (sender->lacks(begin, end)) return {};
        const SenderTime::Repaired repaired = sender->repaired(end, sent_ns);
        RequestArrival arrival;
        arrival.shortest_ns = sent_ns + way_.whole_ns();
        arrival.repaired = repaired.time_ns > sent_ns;
        arrival.by_timer = repaired.by_timer;
        int64_t left_ns = repaired.time_ns;
        if (way_.to_target_ns > 0)
            left_ns = std::max(left_ns, sent_ns + sender->queued_before_ns(begin, sent_ns));
        arrival.time_ns = left_ns + way_.whole_ns();
        if (const int64_t acknowledged_ns = sender->acknowledged_ns(end); acknowledged_ns != no_time) {
            arrival.acknowledged_ns = std::max(arrival.shortest_ns, acknowledged_ns - way_.whole_ns());
            if (!arrival.repaired) arrival.time_ns = std::min(arrival.time_ns, arrival.acknowledged_ns);
        }
        return arrival;
    }

  private:
    const CommandMarks& marks() const { return input_.marks; }

    // Bytes of the command's own that nobody captured: when they were sent is not known.
    bool lacks_bytes() const {
        const CommandRow& row = input_.row;
        // Data-Out PDUs that the target must have had.
        if (marks().grants > 0) return true;
        const auto lacks = [&](const SenderTime* sender, Role role, uint32_t from, uint32_t to,
                               int64_t about_ns) {
            if (sender == nullptr || !sender->lacks_any()) return false;
            const int64_t begin = position(role, from, about_ns);
            return sender->lacks(begin, begin + static_cast<uint32_t>(to - from));
        };
        const uint32_t sent_end = marks().has_data_out ? marks().data_out_end : marks().request_end;
        return lacks(input_.initiator, Role::initiator, marks().request_begin, sent_end, row.request_ns) ||
               (marks().has_status && lacks(input_.target, Role::target, marks().answer_begin,
                                            marks().answer_end, row.response_ns));
    }

    void advance(Part part, int64_t to_ns) {
        to_ns = std::min(to_ns, end_ns_);
        if (to_ns <= at_ns_) return;
        budget_[part] += to_ns - at_ns_;
        at_ns_ = to_ns;
    }
    void book(Part part, int64_t time_ns) { budget_[part] += time_ns; }

    int64_t position(Role sender, uint32_t offset, int64_t about_ns) const {
        const Side side = input_.connection.side_of(sender);
        const uint32_t begin = input_.connection.stream_start_seq[index_of(side)];
        const SenderTime* time = sender == Role::initiator ? input_.initiator : input_.target;
        return time->position(Serial32(begin) + offset, about_ns);
    }

    // In the target's stream.
    int64_t answer_begin() const {
        return position(Role::target, marks().answer_begin, input_.row.response_ns);
    }

    // What was sent by `sent_ns`, and ends at that position, waits at the receiver for what was lost of it and before it, which was sent
    // again by the moment that is returned.
    int64_t wait_for_repair(const SenderTime& sender, int64_t end, int64_t sent_ns) {
        const SenderTime::Repaired repaired = sender.repaired(end, sent_ns);
        advance(repaired.by_timer ? Part::timeout : Part::recovery, repaired.time_ns);
        return repaired.time_ns;
    }

    // A command, with its immediate data.
    void pass_request() {
        int64_t sent_ns = at_ns_ - way_.to_initiator_ns;
        if (input_.initiator != nullptr) {
            const Mix mix{marks().request_end - marks().request_begin, 0};
            const int64_t end = position(Role::initiator, marks().request_end, sent_ns);
            const int64_t off_wire_ns = pass_serialisation(
                sent_ns, mix, position(Role::initiator, marks().request_begin, sent_ns), end);
            sent_ns = std::max(off_wire_ns, wait_for_repair(*input_.initiator, end, sent_ns));
        }
        advance(Part::request_path, sent_ns + way_.whole_ns());
    }

    // Data sent at once, between those positions, leave one behind the other, and behind what was sent before and still stands in a
    // queue of the path: when the last of them did, or must have, since the receiver had them.
    int64_t pass_serialisation(int64_t begin_ns, Mix mix, int64_t begin, int64_t end) {
        const SenderTime& sender = *input_.initiator;
        const int64_t queued_ns = way_.to_target_ns > 0 ? sender.queued_before_ns(begin, begin_ns) : 0;
        const int64_t behind_first = std::max<int64_t>(0, mix.whole() - (queued_ns > 0 ? 0 : usual_segment));
        const auto wire_ns = static_cast<int64_t>(static_cast<double>(behind_first) * sender.byte_ns());
        if (wire_ns + queued_ns == 0) return begin_ns;
        const int64_t acknowledged_ns = sender.acknowledged_ns(end);
        int64_t until_ns = begin_ns + queued_ns + wire_ns;
        // The acknowledgement reached the sender a round trip later at least.
        if (acknowledged_ns != no_time) until_ns = std::min(until_ns, acknowledged_ns - 2 * way_.whole_ns());
        // Seen from between the two, that queue may be before the capture.
        const Part queued = way_.to_initiator_ns > 0 ? Part::unknown : Part::behind_others;
        if (queued_ns > 0) advance(queued, std::min(until_ns, begin_ns + queued_ns));
        if (until_ns > at_ns_) {
            advance(Part::wire, at_ns_ + mix.own_share(until_ns - at_ns_));
            advance(Part::behind_others, until_ns);
        }
        return until_ns;
    }

    // Data-Out PDUs, between waits for R2Ts.
    void pass_data_out() {
        const SenderTime* sender = input_.initiator;
        if (sender == nullptr) return advance(Part::unknown, end_ns_);
        const int64_t last = position(Role::initiator, marks().data_out_end, at_ns_);
        const int64_t sent_ns = sender->sent_ns(last);
        if (sent_ns == no_time) return advance(Part::unknown, end_ns_);
        const int64_t bytes = static_cast<uint32_t>(marks().data_out_end - marks().request_end);
        const Mix mix{std::min<int64_t>(marks().bytes_out, bytes),
                      std::max<int64_t>(0, bytes - marks().bytes_out)};
        int64_t burst_ns = at_ns_;
        for (const PermissionWaitRow& wait : waits()) {
            pass_sending(*sender, wait.begin_ns - way_.to_initiator_ns, mix);
            pass_order(way_.whole_ns());
            advance(Part::r2t_wait, std::min(sent_ns, wait.end_ns + way_.to_initiator_ns));
            burst_ns = std::max(burst_ns, at_ns_);
        }
        pass_sending(*sender, sent_ns, mix);
        const int64_t repaired_ns = wait_for_repair(*sender, last, sent_ns);
        const int64_t burst_begin = sender->sent_by(burst_ns - 1);
        const double of_burst =
            bytes > 0 ? static_cast<double>(last - burst_begin) / static_cast<double>(bytes) : 0;
        const double part = std::clamp(of_burst, 0.0, 1.0);
        const int64_t off_wire_ns =
            pass_serialisation(burst_ns,
                               {static_cast<int64_t>(part * static_cast<double>(mix.own)),
                                static_cast<int64_t>(part * static_cast<double>(mix.others))},
                               burst_begin, last);
        const int64_t arrived_ns = std::max({sent_ns, repaired_ns, off_wire_ns}) + way_.whole_ns();
        // Behind the tap they came no sooner than by the shortest way; before it they may have stood in a queue.
        static_assert(no_time < 0);
        advance(Part::request_path, std::max(arrived_ns, last_data_out_ns() + way_.to_target_ns));
    }

    // When the last Data-Out PDU passed the tap; no_time if that is not known, as where Data-In of a bidirectional command came behind.
    int64_t last_data_out_ns() const {
        const int64_t last_ns = input_.row.last_data_ns;
        if (input_.target == nullptr || !marks().has_answer) return last_ns;
        const int64_t begin = answer_begin();
        const int64_t answered_ns = input_.target->sent_ns(begin + 1);
        return answered_ns != no_time && last_ns > answered_ns ? no_time : last_ns;
    }

    std::vector<PermissionWaitRow> waits() const {
        std::vector<PermissionWaitRow> waits;
        for (uint32_t number = marks().last_wait; number != 0; number = waits.back().previous)
            waits.push_back(input_.waits[number - 1]);
        std::ranges::reverse(waits);
        return waits;
    }

    // The target carries it out once it has those before it, which came over other connections. `before_ns`: so much sooner than it does,
    // the wait for its answer began.
    void pass_order(int64_t before_ns = 0) {
        const CommandOrder::Wait* const order = input_.order;
        if (order == nullptr || order->late_ns == 0) return;
        const Part why = !order->repaired  ? Part::behind_others
                         : order->by_timer ? Part::timeout
                                           : Part::recovery;
        advance(why, order->until_ns - before_ns);
    }

    // The initiator sends, or is held back.
    void pass_sending(const SenderTime& sender, int64_t to_ns, Mix mix) {
        to_ns = std::min(to_ns, end_ns_);
        if (to_ns <= at_ns_) return;
        HeldTimes held = sender.held(at_ns_, to_ns);
        book_wire(sender, mix, held, 0, sender.sent_by(to_ns) - sender.sent_by(at_ns_));
        const bool afar = way_.to_initiator_ns > 0;
        book_held(held, mix, afar && input_.is_slow ? Part::unknown : Part::application, afar);
        at_ns_ = to_ns;
    }

    void pass_service(const SenderTime& sender, int64_t to_ns, bool others_sent, Part idle) {
        if (to_ns <= at_ns_) return;
        // An update of a small window may have been lost behind the capture: then it waits for a timer, too.
        const bool may_wait = way_.to_target_ns > 0 && sender.has_small_window();
        book_held(sender.held(at_ns_, to_ns), others_sent ? Mix{0, 1} : Mix{}, idle, may_wait);
        at_ns_ = to_ns;
    }

    // All has arrived. Until the first byte of the answer is sent, the target serves the command, or what it had to say stands
    // behind what others have to be told: from when on cannot be seen, but not before the sender last had nothing to send.
    // While TCP held back the others' data before that, many a target served nobody else.
    void pass_target() {
        const SenderTime* sender = input_.target;
        if (sender == nullptr || !marks().has_answer || !marks().has_status)
            return advance(Part::unknown, end_ns_);
        answer_begin_ = answer_begin();
        const int64_t first_ns = sender->sent_ns(answer_begin_ + 1);
        if (first_ns == no_time) return advance(Part::unknown, end_ns_);
        const int64_t until_ns = std::min(first_ns, end_ns_);
        const bool follows = first_ns >= at_ns_ && !sender->captured_out_of_order();
        // It told others something meanwhile, which is not in the capture: that it seems idle shows nothing.
        if (sender->lacks_any() && sender->lacks_most(at_ns_, answer_begin_))
            return advance(Part::unknown, end_ns_);
        pass_unproven(*sender, until_ns);
        const int64_t begin_ns = at_ns_;
        const int64_t served_before_ns = budget_[Part::target];
        const int64_t in_doubt_ns = std::min(input_.jitter_ns, arrival_in_doubt_ns(until_ns));
        const int64_t idle_until_ns = sender->idle_until(first_ns);
        // What others had sent before may still stand in a queue of the path, and this answer behind it.
        const auto never_idle = [&] {
            return idle_until_ns != no_time && idle_until_ns < begin_ns && sender->queues_at(begin_ns);
        };
        const bool others_sent =
            until_ns > begin_ns && (sender->sent_between(begin_ns, until_ns) || never_idle());
        if (!others_sent) pass_queues(until_ns);
        pass_service(*sender, std::min(until_ns, idle_until_ns), others_sent, Part::target);
        const Part behind = acks_may_queue(begin_ns) ? Part::unknown : Part::behind_others;
        pass_service(*sender, until_ns, others_sent, others_sent ? behind : Part::target);
        pass_way_of_answer(*sender, others_sent, follows);
        // What held up one command alone may be one before it, on another connection.
        const bool may_wait_for_others = input_.order_in_doubt && input_.is_slow;
        doubt_service(served_before_ns, may_wait_for_others ? budget_[Part::target] : in_doubt_ns);
    }

    // Far from the target, the first byte of the answer came later than by the shortest way from when it was sent. Until the path had
    // carried what the target had sent before, it stood behind that. What is left is the target's as long as it is no longer than the
    // moment of sending is known to; else something held it up on the way, or it was sent later.
    void pass_way_of_answer(const SenderTime& target, bool others_sent, bool follows) {
        if (way_.to_target_ns == 0) return;
        const int64_t left_ns = first_arrival_ns() - way_.to_target_ns;
        advance(Part::behind_others,
                others_sent ? left_ns : std::min(left_ns, target.off_wire_before(answer_begin_)));
        advance(follows && left_ns - at_ns_ > PathJitter::least_ns ? Part::unknown : Part::target, left_ns);
    }

    // Behind the initiator's own data, which queue on a path before the capture, acknowledgements queue as well: that data of the target
    // are outstanding for long does not show that those stand in a queue.
    bool acks_may_queue(int64_t at_ns) const {
        return input_.initiator != nullptr && way_.to_initiator_ns > 0 && input_.initiator->queues_at(at_ns);
    }

    // A host acknowledges what has arrived within its delayed-ACK timer, however long the command takes. One that did not may
    // have been busy, or the path may have held what it said: the target's time begins behind that. What held up one command
    // alone may be either until its acknowledgement comes, with the answer too; and where the answer is one that was sent again,
    // the first of which was lost before the capture.
    void pass_unproven(const SenderTime& target, int64_t answered_ns) {
        constexpr int64_t longest_delay_ns = 200'000'000;  // TCP_DELACK_MAX of Linux
        constexpr int64_t host_takes_ns = 1'000'000;
        if (input_.initiator == nullptr || way_.to_target_ns == 0) return;
        const int64_t in_time_ns = input_.is_slow ? way_.whole_ns() + host_takes_ns : longest_delay_ns;
        if (end_ns_ - at_ns_ < in_time_ns) return;
        if (input_.is_slow && target.repaired_unseen(at_ns_, answered_ns))
            return advance(Part::unknown, answered_ns);
        const int64_t acknowledged_ns = arrival_acknowledged_ns();
        if (acknowledged_ns == no_time || acknowledged_ns - at_ns_ < way_.whole_ns() + in_time_ns) return;
        advance(Part::unknown, acknowledged_ns - way_.whole_ns());
    }

    // When the acknowledgement of all that the target needs, of its own and of the commands before it, reached the initiator, which
    // sent something; no_time if none did.
    int64_t arrival_acknowledged_ns() const {
        const uint32_t end = marks().has_data_out ? marks().data_out_end : marks().request_end;
        const int64_t own_ns = input_.initiator->acknowledged_ns(position(Role::initiator, end, at_ns_));
        const CommandOrder::Wait* const order = input_.order;
        if (own_ns == no_time || order == nullptr || order->surely_until_ns == no_time) return own_ns;
        return std::max(own_ns, order->surely_until_ns + way_.whole_ns());
    }

    // There and back.
    int64_t most_queued_ns() const { return 2 * input_.others_queued_ns; }

    // The command may have stood behind what other connections had in a queue of the path, and its answer too.
    void pass_queues(int64_t answered_ns) {
        advance(Part::unknown,
                std::min(answered_ns, at_ns_ + std::min(arrival_in_doubt_ns(answered_ns), most_queued_ns())));
    }

    // How much later than it should have the request may have arrived, for all that acknowledgements say.
    int64_t arrival_in_doubt_ns(int64_t answered_ns) const {
        if (input_.initiator == nullptr || way_.to_target_ns == 0) return 0;
        const int64_t acknowledged_ns = arrival_acknowledged_ns();
        const int64_t arrived_ns =
            acknowledged_ns == no_time ? answered_ns : acknowledged_ns - way_.whole_ns();
        return std::max<int64_t>(0, arrived_ns - at_ns_);
    }

    // Of what the target seems to have taken beyond `before_ns`, so much may have been the request's way.
    void doubt_service(int64_t before_ns, int64_t in_doubt_ns) {
        const int64_t doubtful_ns =
            take(budget_[Part::target], std::min(budget_[Part::target] - before_ns, in_doubt_ns));
        book(Part::unknown, doubtful_ns);
    }

    // When the first byte of the answer came to the tap; at_ns_ where that is not known.
    int64_t first_arrival_ns() const {
        const CommandRow& row = input_.row;
        if (!marks().has_data_out && row.first_byte_ns != no_time) return row.first_byte_ns;
        const int64_t bytes = static_cast<uint32_t>(marks().answer_end - marks().answer_begin);
        if (bytes > usual_segment) return at_ns_;
        // Data-In of a bidirectional command come before its status.
        const int64_t begin = answer_begin();
        const bool at_once = input_.target->sent_ns(begin + 1) == input_.target->sent_ns(begin + bytes);
        return at_once ? row.response_ns : at_ns_;
    }

    // From the first byte of the answer to its last, and on to the initiator.
    void pass_answer() {
        const SenderTime* sender = input_.target;
        if (sender == nullptr || at_ns_ >= end_ns_) return;
        const int64_t bytes = static_cast<uint32_t>(marks().answer_end - marks().answer_begin);
        const int64_t told_ns = sender->sent_ns(answer_begin_ + bytes);
        if (told_ns == no_time) return advance(Part::unknown, end_ns_);
        const int64_t last_ns = std::clamp(told_ns, at_ns_, end_ns_);
        const Mix mix{std::min<int64_t>(marks().bytes_in, bytes),
                      std::max<int64_t>(0, bytes - marks().bytes_in)};
        const bool afar = way_.to_target_ns > 0;
        HeldTimes held = sender->held(at_ns_, last_ns);
        if (afar) {
            const int64_t doubtful_ns = sender->silent_amid_losses(at_ns_, last_ns);
            book(Part::unknown, take(held[static_cast<size_t>(Held::application)],
                                     doubtful_ns + most_queued_ns() + input_.jitter_ns));
        }
        at_ns_ = last_ns;
        const bool repaired = wait_for_repair(*sender, answer_begin_ + bytes, last_ns) > last_ns;
        // What was sent again may have been lost once more, and a timer have expired, which nobody saw.
        if (afar && repaired && end_ns_ - at_ns_ >= SendTrack::long_silence_ns)
            advance(Part::unknown, end_ns_);
        // What is left of the way took longer than the shortest one did: it stood in queues, its own among them.
        at_ns_ += book_wire(*sender, mix, held, end_ns_ - at_ns_, mix.whole());
        book_held(held, mix, afar && input_.is_slow ? Part::unknown : Part::target, afar);
    }

    // Takes from `queued_ns`, and from when the sender was held back, what so many bytes take at the path's rate, and books it.
    // How much of the former.
    int64_t book_wire(const SenderTime& sender, Mix mix, HeldTimes& held, int64_t queued_ns, int64_t bytes) {
        const auto behind_first = static_cast<double>(std::max<int64_t>(0, bytes - usual_segment));
        const auto wire_ns = static_cast<int64_t>(behind_first * sender.byte_ns());
        const int64_t from_queue_ns = take(queued_ns, wire_ns);
        int64_t taken_ns = from_queue_ns;
        for (const Held from : {Held::application, Held::cwnd, Held::pacing, Held::unclear, Held::unknown})
            taken_ns += take(held[static_cast<size_t>(from)], wire_ns - taken_ns);
        const int64_t own_ns = mix.own_share(taken_ns);
        book(Part::wire, own_ns);
        book(Part::behind_others, taken_ns - own_ns);
        return from_queue_ns;
    }

    // Recovery, timeouts and a shut receiver window stop all data alike; of the congestion window and pacing the bytes of
    // others had their share. `idle`: where nothing held it back. `afar`: in the midst of data, seen from the other end; who is silent
    // there for long may have sent what was lost, all of it.
    void book_held(const HeldTimes& held, Mix mix, Part idle, bool afar) {
        const auto of = [&](Held kind) { return held[static_cast<size_t>(kind)]; };
        book(idle, of(Held::application));
        book(afar ? Part::unknown : idle, of(Held::silent));
        book(Part::receiver_window, of(Held::receiver_window));
        book(Part::recovery, of(Held::recovery));
        book(Part::timeout, of(Held::timeout));
        // Behind others it was either way.
        book(idle == Part::behind_others ? idle : Part::unknown, of(Held::unclear));
        book(Part::unknown, of(Held::unknown));
        const auto shared = [&](Part part, int64_t time_ns) {
            const int64_t own_ns = mix.own_share(time_ns);
            book(part, own_ns);
            book(Part::behind_others, time_ns - own_ns);
        };
        shared(Part::cwnd, of(Held::cwnd));
        shared(Part::pacing, of(Held::pacing));
    }

    const CutInput& input_;
    OneWay way_;
    int64_t at_ns_;
    int64_t end_ns_;            // no part but the return path goes on behind it
    int64_t answer_begin_ = 0;  // in the target's stream
    CommandBudget budget_;
};

// Where the capture was taken, from both ends; false where that is not known.
bool find_way(const ConnectionRow& connection, int64_t turnaround_ns, OneWay& way) {
    const auto half = [](int64_t round_trip_ns) { return std::max<int64_t>(0, round_trip_ns) / 2; };
    switch (connection.vantage) {
        case Vantage::initiator:
            if (connection.rtt_min_ns == no_time) return false;
            way.to_target_ns = half(connection.rtt_min_ns);
            return true;
        case Vantage::target:
            if (connection.rtt_min_ns == no_time) return false;
            way.to_initiator_ns = half(connection.rtt_min_ns);
            return true;
        case Vantage::middle:
            if (connection.rtt_to_initiator_ns == no_time || connection.rtt_to_target_ns == no_time)
                return false;
            way.to_initiator_ns = half(connection.rtt_to_initiator_ns);
            way.to_target_ns = half(connection.rtt_to_target_ns);
            return true;
        case Vantage::unknown:
            break;
    }
    // Over so short a path it does not matter much.
    constexpr int64_t negligible_part = 20;
    return connection.rtt_min_ns != no_time && connection.rtt_min_ns < turnaround_ns / negligible_part;
}

bool streams_known(const CutInput& input) {
    const ConnectionRow& connection = input.connection;
    return !input.marks.doubtful && connection.stream_start_known[0] && connection.stream_start_known[1];
}

}  // namespace

int64_t answer_delay_ns(const CutInput& input) {
    OneWay way;
    if (!streams_known(input) || !find_way(input.connection, input.row.turnaround_ns(), way)) return no_time;
    return Cutter(input, way).answer_delay_ns();
}

RequestArrival request_arrival(const CutInput& input) {
    OneWay way;
    if (!streams_known(input) || input.row.request_ns == no_time ||
        !find_way(input.connection, std::max<int64_t>(0, input.row.turnaround_ns()), way))
        return {};
    return Cutter(input, way).request_arrival();
}

CommandBudget cut_turnaround(const CutInput& input) {
    OneWay way;
    if (!streams_known(input) || !find_way(input.connection, input.row.turnaround_ns(), way)) {
        CommandBudget budget;
        budget[Part::unknown] = input.row.turnaround_ns();
        return budget;
    }
    return Cutter(input, way).cut();
}

}  // namespace sanscope

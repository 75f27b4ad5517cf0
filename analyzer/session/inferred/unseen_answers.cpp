// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/session/inferred/unseen_answers.h"

#include <algorithm>
#include <limits>

namespace sanscope {
namespace {

// How much of a header must have been captured for a field to be there.
constexpr size_t stat_sn_end = 28;
constexpr size_t buffer_offset_end = 44;

constexpr uint64_t first_other = uint64_t{1} << 63;  // numbers of what is no SCSI command
constexpr int32_t most_between = 1 << 16;            // statuses between two that were seen
constexpr double as_good_as_certain = 0.999;
constexpr PacketNumber never = std::numeric_limits<PacketNumber>::max();

uint32_t padded(uint32_t bytes) {
    return (bytes + 3) & ~uint32_t{3};
}

// Whether the PDU takes a StatSN of its own (RFC 7143 §11.4 to §11.19).
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

}  // namespace

UnseenAnswers::Run& UnseenAnswers::open_run(uint64_t offset) {
    if (!run_is_open_) {
        runs_.emplace_back();
        runs_.back().begin = runs_.back().end = offset;
        run_is_open_ = true;
    }
    Run& run = runs_.back();
    // Something between was not followed.
    if (run.end != offset) run.run.explicable = false;
    if (run.marks.size() > max_moments) {
        // Longer than anybody would explain.
        run.run.explicable = false;
        run.marks.erase(run.marks.begin() + 1, run.marks.end() - 1);
        run.boundaries.clear();
    }
    return run;
}

void UnseenAnswers::add_stretch(const UnseenStretch& stretch, bool in_place) {
    Run& run = open_run(stretch.begin);
    run.run.explicable = run.run.explicable && in_place;
    run.end = stretch.end;
    moments_ += stretch.marks.size();
    run.marks.insert(run.marks.end(), stretch.marks.begin(), stretch.marks.end());
}

void UnseenAnswers::add_partial(const Pdu& pdu, const AnswerShape& shape) {
    const Bhs bhs = pdu.bhs();
    Run& run = open_run(pdu.offset);
    const uint32_t data = bhs.data_segment_length();
    run.boundaries.push_back({pdu.offset, {0, bhs.opcode(), data}});
    run.end = pdu.offset + shape.header_length + padded(data) + (data > 0 ? shape.data_digest_length : 0);
    run.marks.push_back({run.end, pdu.last, pdu.damaged || pdu.last.packet == 0});
    ++moments_;
}

void UnseenAnswers::on_other_request(const Pdu& pdu) {
    const Bhs bhs = pdu.bhs();
    if (bhs.itt() == reserved_tag) return;
    const bool echoes = bhs.opcode() == Opcode::nop_out;
    if (others_.size() >= max_others) others_.erase(others_.begin());
    const uint32_t data = echoes ? padded(bhs.data_segment_length()) : 0;
    others_.push_back({bhs.immediate(), bhs.itt(),
                       shape_.header_length + data + (data > 0 ? shape_.data_digest_length : 0),
                       pdu.last.packet, first_other + ++others_seen_});
}

void UnseenAnswers::before_seen(const Pdu& pdu, const AnswerShape& shape, InferredCommands& commands,
                                uint32_t session) {
    shape_ = shape;
    session_ = session;
    if (run_is_open_) close_run(&pdu, shape, commands);
    // Where all is seen, nobody asks in which order.
    answering_.reset();
    if (any_unseen_ && !strict_.broken() && takes_stat_sn(pdu.bhs()))
        answering_ = commands.tracker().answer_so_far(pdu).cmd_sn;
}

void UnseenAnswers::after_seen(const Pdu& pdu, uint64_t command, InferredCommands& commands) {
    const Bhs bhs = pdu.bhs();
    if (!others_.empty()) {
        std::erase_if(others_, [&](const Other& other) {
            const bool answered = other.itt == bhs.itt();
            if (answered && other.immediate) ++others_answered_;
            return answered;
        });
    }
    const bool data = bhs.opcode() == Opcode::scsi_data_in;
    if (data && under_way_.command != 0 && under_way_.command != command && under_way_.left > 0)
        interleaves_ = true;
    if (data || bhs.opcode() == Opcode::scsi_response) under_way_ = {};
    if (data && !bhs.has_status() && command != 0) {
        const auto [passed, expected] = commands.tracker().data_in_of(command);
        under_way_ = {command, bhs.itt(), expected - std::min(passed, expected), passed};
    }
    if (!takes_stat_sn(bhs)) return;
    count(pdu);
    if (answering_) note_order(commands);
    if (lost_ && statuses_ >= lost_until_) {
        commands.end_given_up(connection_);
        lost_ = false;
    }
    if (!runs_.empty()) settle_if_ready(commands);
}

void UnseenAnswers::finish(const AnswerShape& shape, InferredCommands& commands, uint32_t session) {
    shape_ = shape;
    session_ = session;
    if (run_is_open_) close_run(nullptr, shape, commands);
    if (runs_.empty() || runs_.back().ends_group) {
        store_->counted(session_, 0, no_time, no_time);
    }
    if (runs_.empty()) return drop_held(commands);
    if (statuses_ < lost_until_) {
        drop_held(commands);
        return lose(commands);
    }
    settle(runs_.size(), commands);
    drop_held(commands);
    if (trusting_) return;
    for (const PairingStart& start : starts_) {
        for (const uint64_t number : start.answered) commands.give_up(number);
    }
}

Arrival UnseenAnswers::arrival_at(const Run& run, uint64_t end, bool& captured) {
    const auto mark = std::ranges::lower_bound(run.marks, end, {}, &UnseenStretch::Mark::end);
    captured = mark != run.marks.end() && !mark->not_captured;
    return mark == run.marks.end() ? Arrival{} : mark->delivered;
}

// The header behind it is known, or there is none to come.
void UnseenAnswers::close_run(const Pdu* next, const AnswerShape& shape, InferredCommands& commands) {
    run_is_open_ = false;
    if (!waiting_) commands.in_flight().begin_waiting();
    waiting_ = any_unseen_ = true;
    if (runs_.size() > 4 * max_runs || moments_ > 4 * max_moments) {
        runs_.back().marks.clear();
        lose(commands);
        return;
    }
    Run& run = runs_.back();
    if (next != nullptr && run.end != next->offset) run.run.explicable = false;
    if (run.marks.size() >= UnseenStretch::max_marks) run.run.explicable = false;
    if (run.end - run.begin > std::numeric_limits<uint32_t>::max()) run.run.explicable = false;
    if (!run.marks.empty()) {
        run.first_packet = run.marks.front().delivered.packet;
        run.last_packet = run.marks.back().delivered.packet;
    }
    // What a read that is under way has to come is in it, or more of it than the run is long.
    if (under_way_.command != 0) {
        const bool goes_on = next != nullptr && next->bhs().itt() == under_way_.itt;
        if (goes_on) {
            run.begin = run.end;
            run.run.explicable = true;
        } else {
            cut_head(run, shape, commands);
        }
        under_way_ = {};
    }
    if (next != nullptr && run.begin < run.end) cut_tail(run, *next, shape, commands);
    if (run.run.explicable) {
        run.run.length = static_cast<uint32_t>(run.end - run.begin);
        const auto place = [&](uint64_t offset) {
            return static_cast<uint32_t>(std::min(offset, run.end) - std::min(run.begin, offset));
        };
        for (const UnseenStretch::Mark& mark : run.marks) {
            if (mark.end > run.begin)
                run.run.moments.push_back({place(mark.end), mark.delivered, !mark.not_captured});
        }
        for (const auto& [offset, boundary] : run.boundaries) {
            if (offset < run.begin || offset >= run.end) continue;
            run.run.boundaries.push_back(boundary);
            run.run.boundaries.back().at = place(offset);
        }
    } else if (!run.marks.empty()) {
        run.run.moments.push_back({0, run.marks.back().delivered, false});
    }
    run.marks = {};
    run.boundaries = {};
    run.closed_at = statuses_;
}

void UnseenAnswers::cut_head(Run& run, const AnswerShape& shape, InferredCommands& commands) {
    const ResponseProfile& profile = commands.tracker().profile();
    const bool apart = profile.statuses_apart > 0;
    const bool either = apart && profile.statuses_with_data > 0;
    if (interleaves_ || (either && under_way_.left > 0)) {
        run.run.explicable = false;
        return;
    }
    const uint32_t rest =
        under_way_.left > 0
            ? data_bytes(under_way_.passed, under_way_.passed + under_way_.left, shape, profile) +
                  (apart ? shape.header_length : 0)
            : shape.header_length;
    if (rest > run.end - run.begin || !run.run.explicable) {
        run.run.explicable = false;
        return;
    }
    bool captured = false;
    const Arrival arrival = arrival_at(run, run.begin + rest, captured);
    run.begin += rest;
    ++paired_at_once_;
    if (captured && commands.answer_unseen(under_way_.command, arrival)) return;
    commands.end_unseen(under_way_.command);
    store_->add_unpaired({session_, 1, run.first_packet, run.last_packet});
}

// Of the answer that the header behind the run belongs to, what came before it.
void UnseenAnswers::cut_tail(Run& run, const Pdu& next, const AnswerShape& shape,
                             const InferredCommands& commands) {
    const Bhs bhs = next.bhs();
    const bool data = bhs.opcode() == Opcode::scsi_data_in;
    if (!data && bhs.opcode() != Opcode::scsi_response) return;
    const auto [command, passed, expected, cmd_sn] = commands.tracker().answer_so_far(next);
    uint32_t before = 0;
    if (data && next.header_captured >= buffer_offset_end) {
        before = bhs.buffer_offset();
    } else if (data) {
        const bool whole = command != 0 && bhs.data_segment_length() >= expected;
        if (!whole) run.run.explicable = false;
    } else if (command != 0 && expected > 0 && commands.tracker().profile().statuses_apart > 0) {
        before = expected;
    }
    if (before <= passed) return;
    if (command == 0 && !data) return;
    const uint32_t bytes = data_bytes(passed, before, shape, commands.tracker().profile());
    if (bytes > run.end - run.begin || interleaves_) {
        run.run.explicable = false;
        return;
    }
    run.end -= bytes;
}

// How long the Data-In PDUs of a read are that one does not hold.
uint32_t UnseenAnswers::pdu_limit(const AnswerShape& shape, const ResponseProfile& profile) const {
    if (profile.split_length > 0) return profile.split_length;
    return shape.declared_limit > 0 ? std::max(shape.declared_limit, profile.longest_data_in)
                                    : max_data_segment_length;
}

uint32_t UnseenAnswers::data_bytes(uint32_t from, uint32_t to, const AnswerShape& shape,
                                   const ResponseProfile& profile) const {
    const uint32_t limit = pdu_limit(shape, profile);
    const uint32_t data = to - from;
    const uint32_t whole = data / limit;
    const uint32_t rest = data % limit;
    const uint32_t beside = shape.header_length + shape.data_digest_length;
    const uint64_t bytes =
        uint64_t{whole} * (beside + padded(limit)) + (rest > 0 ? beside + padded(rest) : 0);
    return static_cast<uint32_t>(std::min<uint64_t>(bytes, std::numeric_limits<uint32_t>::max() / 2));
}

bool UnseenAnswers::in_number(Serial32 stat_sn) const {
    if (!stat_sn_known_) return true;
    const int32_t passed = stat_sn_.distance_to(stat_sn);
    return passed > 0 && passed <= most_between && static_cast<uint32_t>(passed) > unnumbered_;
}

// How many statuses there were since the one before, by their numbers.
void UnseenAnswers::count(const Pdu& pdu) {
    if (pdu.header_captured < stat_sn_end) {
        ++unnumbered_;
        ++statuses_;
        return;
    }
    const Serial32 now = pdu.bhs().stat_sn();
    const int32_t passed = stat_sn_.distance_to(now);
    const bool known = stat_sn_known_;
    const bool sensible = known && in_number(now);
    if (known && !sensible) issues_->add(Issue::statuses_out_of_number, pdu.last.packet);
    if (known && !sensible) strict_.on_contradiction();
    stat_sn_ = now;
    stat_sn_known_ = true;
    const uint32_t unnumbered = unnumbered_;
    unnumbered_ = 0;
    ++statuses_;
    if (sensible) return end_group(static_cast<uint32_t>(passed) - unnumbered - 1, pdu.last);
    const bool run_waits = !runs_.empty() && !runs_.back().ends_group;
    if (run_waits) {
        runs_.back().ends_group = true;
        runs_.back().count_known = false;
    }
    paired_at_once_ = 0;
    counted_from_ = pdu.last;
}

void UnseenAnswers::end_group(uint32_t unseen, Arrival now) {
    statuses_ += unseen;
    store_->counted(session_, unseen, counted_from_.time_ns, now.time_ns);
    const uint32_t rest = unseen - std::min(unseen, paired_at_once_);
    paired_at_once_ = 0;
    if (!runs_.empty() && !runs_.back().ends_group) {
        Run& run = runs_.back();
        run.ends_group = run.count_known = true;
        run.unseen = rest;
        run.stat_sn_behind = stat_sn_;
        run.closed_at = statuses_;
    } else if (rest > 0) {
        store_->add_unpaired({session_, rest, counted_from_.packet, now.packet});
    }
    counted_from_ = now;
}

void UnseenAnswers::list_open(InferredCommands& commands, bool status_with_data) {
    commands.in_flight().list_awaited(connection_, runs_.back().last_packet, AnswerPairings::max_open,
                                      awaited_);
    open_.clear();
    const ResponseProfile& profile = commands.tracker().profile();
    const uint32_t limit = pdu_limit(shape_, profile);
    for (const AwaitedCommand& command : awaited_) {
        OpenCommand& open = open_.emplace_back();
        open.number = command.command;
        open.request_packet = command.request_packet;
        open.kind = command.kind;
        open.cmd_sn = command.cmd_sn;
        open.answer_bytes = shape_.header_length;
        if (command.data_expected == 0) continue;
        open.answer_bytes = data_bytes(0, command.data_expected, shape_, profile) +
                            (status_with_data ? 0 : shape_.header_length);
        open.first_data = std::min(command.data_expected, limit);
        open.pdu_bytes = shape_.header_length + padded(limit) + shape_.data_digest_length;
    }
    for (const Other& other : others_) {
        if (other.packet >= runs_.back().last_packet) continue;
        OpenCommand open;
        open.number = other.number;
        open.request_packet = other.packet;
        open.answer_bytes = other.answer_bytes;
        const auto place = std::ranges::upper_bound(open_, other.packet, {}, &OpenCommand::request_packet);
        open_.insert(place, open);
    }
}

void UnseenAnswers::settle_if_ready(InferredCommands& commands) {
    if (run_is_open_ || !runs_.back().ends_group || statuses_ < look_again_at_) return;
    if (statuses_ < lost_until_) return lose(commands);
    const uint64_t age = statuses_ - runs_.back().closed_at;
    if (age >= long_enough) return settle(runs_.size(), commands);
    uint64_t waiting = 0;
    for (const Run& run : runs_) waiting += run.unseen;
    if (waiting > max_statuses || runs_.size() > max_runs || moments_ > max_moments) {
        size_t counting = 0;
        for (size_t i = 0; i < runs_.size(); ++i) {
            if (runs_[i].ends_group && runs_[i].closed_at + near_enough <= statuses_) counting = i + 1;
        }
        const bool too_many =
            waiting > size_t{4} * max_statuses || runs_.size() > 2 * max_runs || moments_ > 2 * max_moments;
        if (counting == 0 && too_many) counting = runs_.size();
        if (counting > 0) return settle(counting, commands);
        look_again_at_ = statuses_ + near_enough / 4;
        return;
    }
    look_again_at_ = statuses_ + std::max<uint64_t>(age, 1);
    list_open(commands, true);
    const size_t doubtful = starts_.empty() ? 0 : starts_.front().answered.size();
    if (open_.size() == waiting + doubtful) settle(runs_.size(), commands);
}

void UnseenAnswers::settle(size_t counting, InferredCommands& commands) {
    look_again_at_ = 0;
    laid_out_.clear();
    if (!strict_.broken() && strict_.anchored() && !lay_out(counting, commands)) {
        strict_.on_contradiction();
        if (order_broke(commands)) return lose(commands);
    }
    if (trusting_ || strict_.believed()) return hold_all(counting, commands);
    if (weigh(counting, commands)) {
        take_pairings(counting, commands);
        return drop_runs(counting, commands);
    }
    if (laid_out_.empty()) return lose(commands);
    hold_all(counting, commands);
}

void UnseenAnswers::drop_runs(size_t count, InferredCommands& commands) {
    for (size_t i = 0; i < count; ++i) moments_ -= std::min(moments_, runs_[i].run.moments.size());
    runs_.erase(runs_.begin(), runs_.begin() + static_cast<std::ptrdiff_t>(count));
    if (!runs_.empty()) return;
    moments_ = 0;
    if (waiting_) commands.in_flight().end_waiting();
    waiting_ = false;
}

// Whose the answers in the runs are if this target answers strictly in order of request: the next command's, at the
// place that its CmdSN gives, and so long that they fill the bytes. False where that cannot be.
bool UnseenAnswers::lay_out(size_t counting, InferredCommands& commands) {
    const ResponseProfile& profile = commands.tracker().profile();
    const bool usually_with_data = profile.statuses_with_data >= profile.statuses_apart;
    for (const bool with_data : {usually_with_data, !usually_with_data}) {
        list_open(commands, with_data);
        laid_out_ = pending_;
        size_t next = 0;
        for (; next < pending_.size(); ++next) {
            if (next == open_.size() || open_[next].number != pending_[next].command) break;
        }
        if (next < pending_.size()) continue;
        bool fills = true;
        for (size_t first = 0; fills && first < counting;) {
            size_t end = first;
            while (end < runs_.size() && !runs_[end].ends_group) ++end;
            if (end >= counting || !runs_[end].count_known) break;
            fills = lay_out_group(first, end, next);
            first = end + 1;
        }
        if (fills) return true;
    }
    laid_out_.clear();
    return false;
}

bool UnseenAnswers::lay_out_group(size_t first, size_t end, size_t& next) {
    uint32_t statuses = 0;
    const uint64_t before = runs_[end].closed_at - runs_[end].unseen - others_answered_;
    for (size_t i = first; i <= end; ++i) {
        const UnseenRun& run = runs_[i].run;
        if (!run.explicable) return false;
        for (uint32_t at = 0; at < run.length; ++next, ++statuses) {
            if (next == open_.size()) return false;
            const OpenCommand& command = open_[next];
            if (command.answer_bytes == 0 || command.answer_bytes > run.length - at) return false;
            const uint32_t behind = at + command.answer_bytes;
            const UnseenRun::Moment* const done = AnswerPairings::moment(run, behind);
            const bool requested = done != nullptr && command.request_packet < done->delivered.packet;
            const bool its_turn = command.cmd_sn && *command.cmd_sn == strict_.turn_of(before + statuses);
            if (!requested || !its_turn || !AnswerPairings::fits(command, at, run)) return false;
            laid_out_.push_back({command.number, done->captured ? done->delivered : Arrival{},
                                 runs_[first].first_packet, runs_[end].last_packet});
            at = behind;
        }
    }
    return statuses == runs_[end].unseen;
}

const UnseenAnswers::Held* UnseenAnswers::in_order(uint64_t command) const {
    const auto found = std::ranges::find(laid_out_, command, &Held::command);
    return found == laid_out_.end() || found->arrival.packet == 0 ? nullptr : &*found;
}

bool UnseenAnswers::hold(const Held& held, InferredCommands& commands) {
    if (!commands.hold_answered(held.command)) return false;
    if (held_.empty()) commands.in_flight().begin_waiting();
    held_.push_back(held);
    return true;
}

// From here on nothing but the order says who is left.
void UnseenAnswers::hold_all(size_t counting, InferredCommands& commands) {
    trusting_ = true;
    for (const Held& held : laid_out_) {
        if (held.arrival.packet != 0 && hold(held, commands)) continue;
        commands.end_unseen(held.command);
        store_->add_unpaired({session_, 1, held.first_packet, held.last_packet});
    }
    for (size_t i = 0; i < counting; ++i) {
        const bool counted = runs_[i].count_known || (!runs_[i].ends_group && i + 1 < runs_.size());
        if (counted || open_.empty()) continue;
        store_->add_unpaired({session_, 1, runs_[i].first_packet, never});
        commands.in_flight().note_unpaired(runs_[i].last_packet);
    }
    pending_.clear();
    starts_.clear();
    drop_runs(counting, commands);
    if (strict_.believed()) return settle_held(commands);
    if (held_.size() <= max_held) return;
    strict_.on_contradiction();
    order_broke(commands);
}

void UnseenAnswers::settle_held(InferredCommands& commands) {
    if (held_.empty()) return;
    for (const Held& held : held_) {
        if (!commands.settle_held(held.command, held.arrival))
            store_->add_unpaired({session_, 1, held.first_packet, held.last_packet});
    }
    held_.clear();
    commands.in_flight().end_waiting();
}

void UnseenAnswers::drop_held(InferredCommands& commands) {
    pending_.clear();
    laid_out_.clear();
    if (held_.empty()) return;
    for (const Held& held : held_) {
        commands.end_held(held.command);
        store_->add_unpaired({session_, 1, held.first_packet, held.last_packet});
        issues_->add(Issue::answers_not_paired, held.first_packet);
    }
    commands.in_flight().note_unpaired(held_.back().last_packet);
    held_.clear();
    commands.in_flight().end_waiting();
}

// What was held for the order's sake is not reported. True if it had been trusted in who is left: nobody knows that now.
bool UnseenAnswers::order_broke(InferredCommands& commands) {
    drop_held(commands);
    if (!trusting_) return false;
    trusting_ = false;
    commands.in_flight().list_awaited(connection_, never, AnswerPairings::max_open, awaited_);
    for (const AwaitedCommand& command : awaited_) commands.give_up(command.command);
    lost_ = true;
    lost_until_ = statuses_ + std::max<uint64_t>(long_enough, 2 * awaited_.size());
    return true;
}

// A status was seen: is it the one whose turn it was?
void UnseenAnswers::note_order(InferredCommands& commands) {
    strict_.on_status(*answering_, statuses_ - others_answered_);
    answering_.reset();
    if (strict_.broken()) {
        order_broke(commands);
    } else if (strict_.believed()) {
        settle_held(commands);
    }
}

// Weighs the ways through all runs that wait. What cannot be explained by its bytes is taken by its count.
bool UnseenAnswers::weigh(size_t counting, InferredCommands& commands) {
    batch_.clear();
    std::optional<uint32_t> statuses = 0;
    for (Run& run : runs_) {
        batch_.push_back(run.run);
        if (!run.ends_group) continue;
        if (!run.count_known) statuses.reset();
        if (statuses) *statuses += run.unseen;
        batch_.back().statuses = statuses;
    }
    const ResponseProfile& profile = commands.tracker().profile();
    const bool usually_with_data = profile.statuses_with_data >= profile.statuses_apart;
    const bool always = (profile.statuses_with_data == 0) != (profile.statuses_apart == 0);
    constexpr int most_tries = 6;
    for (int tries = 0; tries < most_tries; ++tries) {
        for (const bool with_data : {usually_with_data, !usually_with_data}) {
            if (with_data != usually_with_data && always) continue;
            list_open(commands, with_data);
            if (pairings_->weigh(open_, batch_, counting, starts_, commands.tracker().order())) return true;
            if (pairings_->gave_up()) return false;
        }
        UnseenRun& unexplained = batch_[pairings_->failed_run()];
        if (!unexplained.explicable) return false;
        unexplained.explicable = false;
        issues_->add(Issue::answers_unexplained,
                     unexplained.moments.empty() ? 0 : unexplained.moments.front().delivered.packet);
    }
    return false;
}

void UnseenAnswers::take_pairings(size_t counting, InferredCommands& commands) {
    const std::vector<Pairing>& pairings = pairings_->pairings();
    std::vector<std::pair<double, size_t>> order;
    for (size_t i = 0; i < pairings.size(); ++i) {
        if (pairings[i].answered >= as_good_as_certain)
            order.emplace_back(std::max(0.0, 1 - pairings[i].likeliest), i);
    }
    std::ranges::sort(order);
    risk_left_ += risk_per_status * static_cast<double>(statuses_ - risked_until_);
    risked_until_ = statuses_;
    paired_.assign(runs_.size(), 0);
    for (const auto& [risk, i] : order) {
        const uint64_t number = open_[i].number;
        if (number >= first_other) {
            std::erase_if(others_, [&](const Other& other) { return other.number == number; });
            ++paired_[pairings[i].run];
            continue;
        }
        const bool certain = risk <= no_risk;
        const bool worth_it = certain || (risk <= greatest_risk && risk <= risk_left_);
        if (worth_it && pairings[i].arrival.packet != 0 && may_bring(pairings[i]) &&
            commands.answer_unseen(number, pairings[i].arrival)) {
            if (!certain) risk_left_ -= risk;
            ++paired_[pairings[i].run];
        } else if (const Held* const held = in_order(number); held != nullptr && hold(*held, commands)) {
            ++paired_[pairings[i].run];
        } else {
            commands.end_unseen(number);
            issues_->add(Issue::answers_not_paired, runs_.front().first_packet);
        }
    }
    report_unpaired(counting, commands);
    pending_.clear();
    for (const Held& held : laid_out_) {
        if (std::ranges::none_of(order,
                                 [&](const auto& one) { return open_[one.second].number == held.command; }))
            pending_.push_back(held);
    }

    // What may have been answered, or not, is looked at again with the next runs.
    starts_ = pairings_->ends();
    std::ranges::sort(starts_, std::greater(), &PairingStart::weight);
    constexpr size_t most_starts = 64;
    if (starts_.size() > most_starts) starts_.resize(most_starts);
    bool any = false;
    double sum = 0;
    for (PairingStart& start : starts_) {
        std::erase_if(start.answered, [&](uint64_t number) {
            return std::ranges::any_of(order,
                                       [&](const auto& one) { return open_[one.second].number == number; });
        });
        any = any || !start.answered.empty();
        sum += start.weight;
    }
    if (!any) starts_.clear();
    for (PairingStart& start : starts_) start.weight /= sum;
}

// Not where all statuses of the run's group had been acknowledged before: what brings them there is sent again, and the
// first is missing.
bool UnseenAnswers::may_bring(const Pairing& pairing) const {
    size_t end = pairing.run;
    while (end < runs_.size() && !runs_[end].ends_group) ++end;
    if (end == runs_.size() || !runs_[end].count_known) return true;
    const Serial32 latest(runs_[end].stat_sn_behind.value - 1);
    if (!acknowledged_->before(latest, pairing.arrival.packet)) return true;
    issues_->add(Issue::answers_acknowledged_before, pairing.arrival.packet);
    return false;
}

// For the runs settled, how many statuses stay without a command.
void UnseenAnswers::report_unpaired(size_t counting, InferredCommands& commands) {
    size_t first = 0;
    uint32_t paired = 0;
    for (size_t i = 0; i < counting; ++i) {
        paired += paired_[i];
        const bool last = i + 1 == runs_.size();
        if (!runs_[i].ends_group && !last) continue;
        if (!runs_[i].count_known) {
            // Of none that was requested before, if none is open.
            if (!open_.empty()) {
                store_->add_unpaired({session_, 1, runs_[first].first_packet, never});
                commands.in_flight().note_unpaired(runs_[i].last_packet);
            }
            first = i + 1;
            paired = 0;
            continue;
        }
        const uint32_t unseen = runs_[i].unseen;
        if (paired < unseen) {
            store_->add_unpaired(
                {session_, unseen - paired, runs_[first].first_packet, runs_[i].last_packet});
            commands.in_flight().note_unpaired(runs_[i].last_packet);
        }
        first = i + 1;
        // Which group it was of may not be certain, but there was one.
        paired -= std::min(paired, unseen);
    }
}

// Who was answered in the runs that wait is not known, nor, for a while, in the next ones.
void UnseenAnswers::lose(InferredCommands& commands) {
    pending_.clear();
    list_open(commands, true);
    uint64_t lost = 0;
    for (const OpenCommand& open : open_) {
        if (open.number < first_other) {
            commands.give_up(open.number);
            ++lost;
        }
    }
    for (const Run& run : runs_) {
        if (run.unseen > 0) issues_->add(Issue::answers_not_paired, run.first_packet, run.unseen);
    }
    paired_.assign(runs_.size(), 0);
    report_unpaired(runs_.size(), commands);
    starts_.clear();
    drop_runs(runs_.size(), commands);
    lost_ = true;
    lost_until_ = statuses_ + std::max<uint64_t>(long_enough, 2 * lost);
}

}  // namespace sanscope

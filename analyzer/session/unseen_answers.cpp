// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/session/unseen_answers.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace sanscope {
namespace {

constexpr size_t max_awaited = 512;
constexpr size_t max_answers = 1024;
constexpr size_t max_order_choices = 6;  // commands that may be answered next, counted from the oldest

// Depth-first over what may come next, most likely first.
class Search {
  public:
    Search(uint32_t length, std::span<const AwaitedCommand> awaited, const AnswerHabits& habits,
           const SeenNext& next, bool status_with_data, uint32_t effort)
        : length_(length),
          habits_(habits),
          next_(next),
          status_with_data_(status_with_data),
          steps_left_(effort) {
        for (const AwaitedCommand& command : awaited.first(std::min(awaited.size(), max_awaited))) {
            states_.push_back({&command, command.data_passed, false});
            under_way_ += states_.back().under_way() ? 1u : 0u;
        }
    }

    bool run() { return from(0, 0); }
    std::vector<UnseenAnswer> answers() { return std::move(answers_); }

  private:
    struct State {
        const AwaitedCommand* command;
        uint32_t passed;
        bool done;
        bool due() const { return !done && passed < command->data_expected; }
        bool under_way() const { return passed > 0 && due(); }
    };

    void move(State& state, uint32_t passed, bool done) {
        under_way_ -= state.under_way() ? 1u : 0u;
        state.passed = passed;
        state.done = done;
        under_way_ += state.under_way() ? 1u : 0u;
        if (!done) first_open_ = std::min(first_open_, static_cast<size_t>(&state - states_.data()));
    }

    bool from(uint32_t at, uint32_t statuses) {
        if (at == length_) return agrees_with_next(statuses);
        if (steps_left_ == 0 || answers_.size() >= max_answers) return false;
        --steps_left_;
        if (next_.statuses_known && statuses > next_.statuses) return false;

        // A read under way goes on before another begins.
        while (first_open_ < states_.size() && states_[first_open_].done) ++first_open_;
        const std::span<State> open = std::span(states_).subspan(first_open_);
        if (under_way_ > 0) {
            const auto state =
                std::find_if(open.begin(), open.end(), [](const State& s) { return s.under_way(); });
            return data_in(*state, at, statuses);
        }
        size_t choices = 0;
        std::array<const State*, max_order_choices> failed{};
        for (State& state : open) {
            if (state.done) continue;
            if (++choices > max_order_choices) break;
            failed[choices - 1] = &state;
            const auto alike = [&](const State* other) { return is_alike(state, *other); };
            if (std::any_of(failed.begin(), failed.begin() + static_cast<ptrdiff_t>(choices) - 1, alike))
                continue;
            const bool reads = state.command->data_expected > 0;
            if (reads && state.due()) {
                if (data_in(state, at, statuses)) return true;
            } else if (response(state, at, statuses)) {
                return true;
            }
        }
        return false;
    }

    // Where one leads nowhere, the other does not either.
    bool is_alike(const State& one, const State& other) const {
        if (next_.has_itt && (one.command->itt == next_.itt || other.command->itt == next_.itt)) return false;
        return one.command->data_expected == other.command->data_expected &&
               one.command->data_passed == other.command->data_passed && one.passed == other.passed;
    }

    bool data_in(State& state, uint32_t at, uint32_t statuses) {
        const uint32_t due = state.command->data_expected - state.passed;
        const uint32_t habitual = std::min(due, habits_.longest_data_in);
        const uint32_t largest = std::min(due, habits_.declared_limit);
        // The longest seen says more than what a target may do.
        if (habitual > 0 && data_in_of(state, habitual, at, statuses)) return true;
        if (due != habitual && data_in_of(state, due, at, statuses)) return true;
        const bool tried = largest == 0 || largest == habitual || largest == due;
        return !tried && data_in_of(state, largest, at, statuses);
    }

    bool data_in_of(State& state, uint32_t data, uint32_t at, uint32_t statuses) {
        const uint64_t pdu = uint64_t{habits_.header_length} + ((uint64_t{data} + 3) & ~uint64_t{3}) +
                             habits_.data_digest_length;
        if (pdu > length_ - at) return false;
        const bool last = state.passed + data == state.command->data_expected;
        const bool status = last && status_with_data_;
        using Kind = UnseenAnswer::Kind;
        const auto end = static_cast<uint32_t>(at + pdu);
        answers_.push_back({status ? Kind::data_in_with_status : Kind::data_in, state.command->itt,
                            state.passed, data, at, end, state.command->command});
        const uint32_t passed = state.passed;
        move(state, passed + data, status);
        if (from(end, statuses + (status ? 1 : 0))) return true;
        move(state, passed, false);
        answers_.pop_back();
        return false;
    }

    bool response(State& state, uint32_t at, uint32_t statuses) {
        if (habits_.header_length > length_ - at) return false;
        const uint32_t end = at + habits_.header_length;
        answers_.push_back(
            {UnseenAnswer::Kind::response, state.command->itt, 0, 0, at, end, state.command->command});
        move(state, state.passed, true);
        if (from(end, statuses + 1)) return true;
        move(state, state.passed, false);
        answers_.pop_back();
        return false;
    }

    bool agrees_with_next(uint32_t statuses) const {
        if (next_.statuses_known && statuses != next_.statuses) return false;
        if (!next_.has_itt || (!next_.is_data_in && !next_.is_response)) return true;
        for (const State& state : states_) {
            if (state.command->itt != next_.itt) {
                // Nobody else may be in the middle of its data.
                if (next_.is_data_in && state.due() && state.passed > state.command->data_passed)
                    return false;
                continue;
            }
            if (state.done) return false;
            if (next_.is_data_in && next_.has_buffer_offset && state.passed != next_.buffer_offset)
                return false;
            if (next_.is_response && state.due()) return false;
        }
        return true;
    }

    uint32_t length_;
    const AnswerHabits& habits_;
    const SeenNext& next_;
    bool status_with_data_;
    std::vector<State> states_;
    size_t first_open_ = 0;  // all before it are done
    size_t under_way_ = 0;   // reads of which some data have gone by, and some have not
    std::vector<UnseenAnswer> answers_;
    uint32_t steps_left_;
};

}  // namespace

std::vector<UnseenAnswer> explain_unseen_answers(uint32_t length, std::span<const AwaitedCommand> awaited,
                                                 const AnswerHabits& habits, const SeenNext& next,
                                                 uint32_t effort) {
    const bool usually_with_data = habits.statuses_with_data >= habits.statuses_apart;
    for (const bool status_with_data : {usually_with_data, !usually_with_data}) {
        Search search(length, awaited, habits, next, status_with_data, effort);
        if (search.run()) return search.answers();
    }
    return {};
}

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/session/inferred/run_pairings.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>

namespace sanscope {

// What cannot be explained by its bytes is taken by its count.
bool RunPairings::weigh(const UnseenRuns& runs, size_t counting, const AnswerShape& shape,
                        InferredCommands& commands) {
    batch_.clear();
    std::optional<uint32_t> statuses = 0;
    for (const UnseenRuns::Run& run : runs) {
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
            awaited_->list(runs.back().last_packet, with_data, shape, commands);
            if (pairings_->weigh(awaited_->open(), batch_, counting, starts_, commands.tracker().order()))
                return true;
            if (pairings_->gave_up()) return false;
        }
        UnseenRun& unexplained = batch_[pairings_->failed_run()];
        if (!unexplained.explicable) return false;
        unexplained.explicable = false;
        of_->issues->add(Issue::answers_unexplained,
                         unexplained.moments.empty() ? 0 : unexplained.moments.front().delivered.packet);
    }
    return false;
}

void RunPairings::take(const UnseenRuns& runs, size_t counting, uint64_t statuses, OrderedAnswers& ordered,
                       InferredCommands& commands) {
    list_settled();
    risk_left_ += risk_per_status * static_cast<double>(statuses - risked_until_);
    risked_until_ = statuses;
    paired_.assign(runs.size(), 0);
    for (const auto& [risk, i] : settled_) pair(i, risk, runs, ordered, commands);
    report_unpaired(runs, counting, commands);
    ordered.keep_pending([this](uint64_t number) { return is_settled(number); });
    keep_ends();
}

void RunPairings::list_settled() {
    const std::vector<Pairing>& pairings = pairings_->pairings();
    settled_.clear();
    for (size_t i = 0; i < pairings.size(); ++i) {
        if (pairings[i].answered >= as_good_as_certain)
            settled_.emplace_back(std::max(0.0, 1 - pairings[i].likeliest), i);
    }
    std::ranges::sort(settled_);
}

bool RunPairings::is_settled(uint64_t number) const {
    return std::ranges::any_of(
        settled_, [&](const auto& one) { return awaited_->open()[one.second].number == number; });
}

// One command that was answered in the runs.
void RunPairings::pair(size_t i, double risk, const UnseenRuns& runs, OrderedAnswers& ordered,
                       InferredCommands& commands) {
    const Pairing& pairing = pairings_->pairings()[i];
    const uint64_t number = awaited_->open()[i].number;
    if (!AwaitedAnswers::is_command(number)) {
        awaited_->end_other(number);
        ++paired_[pairing.run];
        return;
    }
    const bool certain = risk <= no_risk;
    const bool worth_it = certain || (risk <= greatest_risk && risk <= risk_left_);
    if (worth_it && pairing.arrival.packet != 0 && may_bring(pairing, runs) &&
        commands.answer_unseen(number, pairing.arrival)) {
        if (!certain) risk_left_ -= risk;
        ++paired_[pairing.run];
    } else if (ordered.hold(number, commands)) {
        ++paired_[pairing.run];
    } else {
        commands.end_unseen(number);
        of_->issues->add(Issue::answers_not_paired, runs.front().first_packet);
    }
}

// Not where all statuses of the run's group had been acknowledged before: what brings them there is sent again, and the
// first is missing.
bool RunPairings::may_bring(const Pairing& pairing, const UnseenRuns& runs) const {
    const size_t end = runs.group_end(pairing.run);
    if (end == runs.size() || !runs[end].count_known) return true;
    const Serial32 latest(runs[end].stat_sn_behind.value - 1);
    if (!acknowledged_->before(latest, pairing.arrival)) return true;
    of_->issues->add(Issue::answers_acknowledged_before, pairing.arrival.packet);
    return false;
}

// What may have been answered, or not, is looked at again with the next runs.
void RunPairings::keep_ends() {
    starts_ = pairings_->ends();
    std::ranges::sort(starts_, std::greater(), &PairingStart::weight);
    constexpr size_t most_starts = 64;
    if (starts_.size() > most_starts) starts_.resize(most_starts);
    bool any = false;
    double sum = 0;
    for (PairingStart& start : starts_) {
        std::erase_if(start.answered, [this](uint64_t number) { return is_settled(number); });
        any = any || !start.answered.empty();
        sum += start.weight;
    }
    if (!any) starts_.clear();
    for (PairingStart& start : starts_) start.weight /= sum;
}

void RunPairings::take_none(const UnseenRuns& runs, InferredCommands& commands) {
    for (const UnseenRuns::Run& run : runs) {
        if (run.unseen > 0) of_->issues->add(Issue::answers_not_paired, run.first_packet, run.unseen);
    }
    paired_.assign(runs.size(), 0);
    report_unpaired(runs, runs.size(), commands);
    starts_.clear();
}

// For the runs settled, how many statuses stay without a command.
void RunPairings::report_unpaired(const UnseenRuns& runs, size_t counting, InferredCommands& commands) const {
    constexpr PacketNumber never = std::numeric_limits<PacketNumber>::max();
    size_t first = 0;
    uint32_t paired = 0;
    for (size_t i = 0; i < counting; ++i) {
        paired += paired_[i];
        const bool last = i + 1 == runs.size();
        if (!runs[i].ends_group && !last) continue;
        if (!runs[i].count_known) {
            // Of none that was requested before, if none is open.
            if (!awaited_->open().empty()) {
                of_->add_unpaired(1, runs[first].first_packet, never);
                commands.in_flight().note_unpaired(runs[i].last_packet);
            }
            first = i + 1;
            paired = 0;
            continue;
        }
        const uint32_t unseen = runs[i].unseen;
        if (paired < unseen) {
            of_->add_unpaired(unseen - paired, runs[first].first_packet, runs[i].last_packet);
            commands.in_flight().note_unpaired(runs[i].last_packet);
        }
        first = i + 1;
        // Which group it was of may not be certain, but there was one.
        paired -= std::min(paired, unseen);
    }
}

void RunPairings::give_up_doubtful(InferredCommands& commands) const {
    for (const PairingStart& start : starts_) {
        for (const uint64_t number : start.answered) commands.give_up(number);
    }
}

}  // namespace sanscope

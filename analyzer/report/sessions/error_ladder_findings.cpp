// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/sessions/error_ladder_findings.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/base/time_spans.h"
#include "analyzer/iscsi/bhs.h"
#include "analyzer/iscsi/pdu_codes.h"
#include "analyzer/report/capture/capture_gaps.h"
#include "analyzer/report/sessions/connection_closing.h"
#include "analyzer/report/sessions/session_ending.h"
#include "analyzer/report/sessions/task_management_words.h"

namespace sanscope {
namespace {

using task_management::logical_unit_reset;
using task_management::target_cold_reset;
constexpr size_t most_ladders = 64;

bool is_reset(uint16_t function) {
    return function >= logical_unit_reset && function <= target_cold_reset;
}

// One request, and how it was answered: unknown where it was not.
struct Step {
    SessionEvent request;
    uint16_t response = unknown<uint16_t>;
    int64_t response_ns = no_time;
    PacketNumber response_packet = 0;
    bool too_late = false;  // when the connection had been closed

    bool succeeded() const {
        if (too_late) return false;
        // A task that is not there any more has just been answered.
        return response == task_management::function_complete ||
               (request.code == task_management::abort_task &&
                response == task_management::task_does_not_exist);
    }
};

// What was done in one session until it dropped, or until the recovery went no further.
struct Ladder {
    std::vector<Step> steps;
    uint32_t connection = 0;
    uint32_t session = 0;
    std::optional<Closing> drop;
    bool whole_session = true;         // it has no other connection
    int64_t known_until_ns = no_time;  // all events are kept until then
    bool known_to_end = true;          // of the capture

    const Step* first_reset() const {
        const auto reset =
            std::ranges::find_if(steps, [](const Step& step) { return is_reset(step.request.code); });
        return reset == steps.end() ? nullptr : &*reset;
    }
    const Step& first() const { return steps.front(); }
    bool has_failed(const Step& step) const {
        // Sooner no initiator goes on to the next step; so long is no success however it is answered.
        constexpr int64_t long_answer_ns = 5'000'000'000;
        if (step.response != unknown<uint16_t>) {
            return !step.succeeded() || elapsed_ns(step.request.time_ns, step.response_ns) >= long_answer_ns;
        }
        const bool went_on = std::ranges::any_of(steps, [&](const Step& other) {
            return other.request.packet > step.request.packet && other.request.code != step.request.code;
        });
        return went_on || drop || elapsed_ns(step.request.time_ns, known_until_ns) >= long_answer_ns;
    }
    bool failed() const {
        return std::ranges::any_of(steps, [this](const Step& step) { return has_failed(step); });
    }
    int64_t end_ns() const { return drop ? drop->time_ns : steps.back().request.time_ns; }
};

// The commands under way when the ladder's first rung was climbed, and those a reset took with it.
struct Victims {
    uint64_t at_first = 0;
    uint64_t at_reset = 0;
    uint64_t oldest_command = 0;  // row
    CommandRow oldest;            // of those at the first rung, or the one to be aborted
    bool named = false;           // that one
};

// What lies farther apart is another story.
constexpr int64_t longest_between_ns = 120'000'000'000;
// No initiator gives up so soon; a program that tries what task management does may.
constexpr int64_t least_age_ns = 500'000'000;

// Of the commands of what a step, or the drop behind the last one, is about: what tells whether it goes on with the steps before.
struct Between {
    bool still_waiting = false;  // one that was under way at the step before is under way yet
    bool waiting = false;        // one is under way, and has been for long
    bool answered = false;       // one that was sent behind the step before has been answered
};

// All steps of one session in order, and the end of the connection of the last one.
struct Course {
    std::vector<Step> steps;
    std::vector<uint64_t> luns;    // that each step is about, and the drop: unknown for any
    std::vector<Between> between;  // before each step, and before the drop
    std::optional<Closing> drop;

    int64_t time_ns(size_t i) const {
        return i < steps.size() ? steps[i].request.time_ns : drop ? drop->time_ns : no_time;
    }
    bool had_succeeded(size_t i, int64_t by_ns) const {
        return steps[i].succeeded() && steps[i].response_ns <= by_ns;
    }
    // Whether step `i`, or the drop, belongs to what the steps before it began.
    bool goes_on(size_t i) const {
        const int64_t before_ns = steps[i - 1].request.time_ns;
        if (time_ns(i) == no_time || elapsed_ns(before_ns, time_ns(i)) > longest_between_ns) return false;
        if (between[i].still_waiting && !had_succeeded(i - 1, time_ns(i))) return true;
        return between[i].waiting && !between[i].answered;
    }
};

using Courses = std::map<uint32_t, Course>;               // by session
using Ladders = std::map<uint32_t, std::vector<Ladder>>;  // by session

void add_response(Course& course, const SessionEvent& event) {
    const auto step = std::ranges::find_if(course.steps, [&](const Step& one) {
        return one.request.itt == event.itt && one.response == unknown<uint16_t>;
    });
    if (step == course.steps.end()) return;
    step->response = event.code;
    step->response_ns = event.time_ns;
    step->response_packet = event.packet;
}

// A session that its initiator logs out of, or that goes on, was not dropped.
std::optional<Closing> drop_behind(const Step& last, const ResultStore& store) {
    if (is_closed_by_logout(store, last.request.connection) ||
        may_be_logged_out_elsewhere(store, last.request.connection))
        return std::nullopt;
    const std::optional<Closing> closing = first_closing(store.connection(last.request.connection));
    if (!closing || closing->time_ns < last.request.time_ns) return std::nullopt;
    return closing;
}

// Of a reset of the target, the logical unit that the steps before it were about.
void find_luns(Course& course) {
    uint64_t latest = unknown<uint64_t>;
    for (const Step& step : course.steps) {
        const bool of_target = is_reset(step.request.code) && step.request.code != logical_unit_reset;
        if (!of_target) latest = step.request.lun;
        course.luns.push_back(latest);
    }
    course.luns.push_back(latest);
}

Courses courses_of(const ResultStore& store) {
    constexpr size_t most_steps = 1024;
    Courses courses;
    for (const SessionEvent& event : store.session_events().first_ones()) {
        const bool known = event.session != 0 && event.connection != 0 &&
                           event.connection <= store.connections().size() && !event.bad_digest;
        if (!known) continue;
        const Opcode opcode{event.opcode};
        if (opcode == Opcode::task_management_request) {
            Course& course = courses[event.session];
            if (course.steps.size() < most_steps) course.steps.push_back({.request = event});
        }
        if (opcode != Opcode::task_management_response) continue;
        const auto course = courses.find(event.session);
        if (course != courses.end()) add_response(course->second, event);
    }
    for (auto& [session, course] : courses) {
        course.drop = drop_behind(course.steps.back(), store);
        course.between.resize(course.steps.size() + 1);
        find_luns(course);
    }
    return courses;
}

bool is_under_way(const CommandRow& row, int64_t time_ns, PacketNumber packet);

bool is_under_way(const CommandRow& row, const Course& course, size_t i) {
    if (i < course.steps.size()) {
        const SessionEvent& request = course.steps[i].request;
        return is_under_way(row, request.time_ns, request.packet);
    }
    if (!course.drop || row.request_ns == no_time || row.request_ns >= course.drop->time_ns) return false;
    if (row.outcome != Outcome::aborted) {
        return row.response_ns == no_time ? row.outcome == Outcome::unanswered
                                          : row.response_ns > course.drop->time_ns;
    }
    // Aborted by an answer that came when all was over.
    const auto step = std::ranges::find(course.steps, row.aborted_packet, &Step::response_packet);
    return step != course.steps.end() && step->response_ns > course.drop->time_ns;
}

// What one command tells of the steps that it was there between.
void note_between(Course& course, const CommandRow& row) {
    if (row.request_ns == no_time) return;
    const size_t all = course.steps.size();
    const auto later = std::ranges::upper_bound(course.steps, row.request_ns, {},
                                                [](const Step& step) { return step.request.time_ns; });
    const auto first = static_cast<size_t>(later - course.steps.begin());
    for (size_t i = first; i <= all && is_under_way(row, course, i); ++i) {
        const bool concerned = course.luns[i] == unknown<uint64_t> || course.luns[i] == row.lun;
        if (!concerned || i == 0) continue;
        Between& between = course.between[i];
        between.waiting |= elapsed_ns(row.request_ns, course.time_ns(i)) >= least_age_ns;
        between.still_waiting |= i > first;
    }
    // Sent between two steps, and answered before the later one.
    if (first == 0 || row.response_ns == no_time || course.time_ns(first) == no_time) return;
    const Step& before = course.steps[first - 1];
    const bool behind = before.response_ns == no_time || row.request_ns >= before.response_ns;
    const bool concerned = course.luns[first] == unknown<uint64_t> || course.luns[first] == row.lun;
    if (behind && concerned && row.response_ns < course.time_ns(first)) course.between[first].answered = true;
}

Ladders ladders_of(const Courses& courses) {
    Ladders ladders;
    size_t count = 0;
    for (const auto& [session, course] : courses) {
        std::vector<Ladder>& of_session = ladders[session];
        for (size_t i = 0; i < course.steps.size(); ++i) {
            const Step& step = course.steps[i];
            if (i == 0 || !course.goes_on(i)) {
                if (count == most_ladders) return ladders;
                ++count;
                Ladder& begun = of_session.emplace_back();
                begun.session = session;
                begun.connection = step.request.connection;
            }
            of_session.back().steps.push_back(step);
        }
    }
    return ladders;
}

void note_drop(Ladder& ladder, const Course& course) {
    // A Logout or answers before it may be among the events that are not kept.
    if (!course.drop || course.drop->time_ns > ladder.known_until_ns) return;
    if (!course.goes_on(course.steps.size())) return;
    ladder.drop = course.drop;
    for (Step& step : ladder.steps)
        step.too_late = step.response_ns != no_time && step.response_ns > course.drop->time_ns;
}

bool is_under_way(const CommandRow& row, int64_t time_ns, PacketNumber packet) {
    if (row.request_ns == no_time || row.request_ns >= time_ns || row.request_packet >= packet) return false;
    if (ended_without_answer(row.outcome)) return row.aborted_packet >= packet;
    return row.response_packet == 0 ? row.outcome == Outcome::unanswered : row.response_packet > packet;
}

bool concerns(const Step& step, const CommandRow& row) {
    const uint16_t function = step.request.code;
    if (is_reset(function) && function != logical_unit_reset) return true;
    return row.lun == step.request.lun;
}

void count_victim(Victims& victims, const Ladder& ladder, uint64_t number, const CommandRow& row) {
    const Step& first = ladder.first();
    const Step* reset = ladder.first_reset();
    if (reset != nullptr && concerns(*reset, row) &&
        is_under_way(row, reset->request.time_ns, reset->request.packet))
        ++victims.at_reset;
    if (!concerns(first, row) || !is_under_way(row, first.request.time_ns, first.request.packet)) return;
    ++victims.at_first;
    const bool named =
        first.request.code == task_management::abort_task && row.itt == first.request.referenced_itt;
    if (victims.oldest_command != 0 && !named &&
        (victims.named || row.request_ns >= victims.oldest.request_ns))
        return;
    victims.oldest_command = number;
    victims.oldest = row;
    victims.named = named;
}

// Neither a command that was aborted and that was all, nor a reset that nobody waited behind.
bool is_ladder(const Ladder& ladder, const Victims& victims) {
    if (victims.at_first == 0) return false;
    if (elapsed_ns(victims.oldest.request_ns, ladder.first().request.time_ns) < least_age_ns) return false;
    const Step* reset = ladder.first_reset();
    if (reset != nullptr) return reset != &ladder.first() || ladder.failed() || ladder.drop.has_value();
    return ladder.failed() && ladder.drop.has_value();
}

// What is known of the answer to a step.
std::string answer_in_words(const Step& step, const Ladder& ladder, bool lacks_packets) {
    if (step.response != unknown<uint16_t>)
        return fmt::format("response {}: {}", step.response, response_words(step.response));
    if (lacks_packets) return "no answer was captured";
    if (ladder.drop) return "not answered";
    const std::string waited = human_duration(elapsed_ns(step.request.time_ns, ladder.known_until_ns));
    return ladder.known_to_end ? fmt::format("no answer until the capture ends, {} later", waited)
                               : fmt::format("no answer within {}; what came later is not known", waited);
}

// "3 x ABORT TASK (function complete)"
std::vector<std::string> steps_in_words(const Ladder& ladder, bool lacks_packets) {
    std::vector<std::string> words;
    const std::vector<Step>& steps = ladder.steps;
    for (size_t i = 0; i < steps.size();) {
        size_t next = i + 1;
        while (next < steps.size() && steps[next].request.code == steps[i].request.code &&
               steps[next].response == steps[i].response && steps[next].too_late == steps[i].too_late)
            ++next;
        const std::string times = next - i == 1 ? "" : fmt::format("{} x ", next - i);
        const std::string answer = answer_in_words(steps[i], ladder, lacks_packets);
        const std::string_view late = steps[i].too_late ? ", when the connection had been closed" : "";
        words.push_back(fmt::format("{}{} in packet {}: {}{}", times, function_words(steps[i].request.code),
                                    steps[i].request.packet, answer, late));
        i = next;
    }
    return words;
}

// "ABORT TASK, LOGICAL UNIT RESET, session dropped"
std::string short_story(const Ladder& ladder) {
    std::string story;
    uint16_t before = unknown<uint16_t>;
    for (const Step& step : ladder.steps) {
        if (step.request.code == before) continue;
        before = step.request.code;
        story += fmt::format("{}{}", story.empty() ? "" : ", ", function_words(before));
    }
    if (!ladder.drop) return story;
    return story + (ladder.whole_session ? ", then the session was dropped"
                                         : ", then one connection of the session was dropped");
}

// While the first command waited for its answer, a retransmission timer of one of the two sides ran out: so long nothing that it
// had sent was acknowledged.
int64_t stood_still_ns(const Ladder& ladder, const Victims& victims, std::span<const SenderFacts> senders) {
    int64_t longest_ns = 0;
    for (const SenderFacts& sender : senders) {
        if (sender.number != ladder.connection) continue;
        longest_ns = std::max(longest_ns, sender.timeouts.spans.overlap_ns(victims.oldest.request_ns,
                                                                           ladder.first().request.time_ns));
    }
    return longest_ns;
}

void explain(Finding& finding, const Ladder& ladder, const Victims& victims, const ResultStore& store,
             std::span<const SenderFacts> senders) {
    const SentDataRow& sent = store.connection(ladder.connection).out;
    const SentDataRow& answers = store.connection(ladder.connection).in;
    const int64_t request_ns = finding.begin_ns;
    const bool reached = sent.unacknowledged == 0 && elapsed_ns(request_ns, sent.acknowledged_ns) > 0;
    finding.explanation =
        "The initiator gave up waiting, and each step of its error recovery took more with it. ";
    const bool too_late = std::ranges::any_of(ladder.steps, [](const Step& step) { return step.too_late; });
    const bool refused = store.connection(ladder.connection).out.reset;
    // What is on its way when the capture ends of a session that goes on says nothing of that time.
    const bool never_arrived = ladder.drop && answers.unacknowledged > 0;
    const int64_t still_ns = stood_still_ns(ladder, victims, senders);
    if (still_ns >= elapsed_ns(victims.oldest.request_ns, ladder.first().request.time_ns) / 2 &&
        still_ns > 0) {
        finding.side = Finding::Side::path;
        finding.confidence = Finding::Confidence::likely;
        finding.add_sign(fmt::format(
            "a retransmission timer ran out while the command waited: for {} nothing new was acknowledged",
            human_duration(still_ns)));
        finding.explanation +=
            "Meanwhile TCP itself stood still: the path was lost, or the whole host at its other end was; "
            "look at links and switches, and whether others reached that host.";
    } else if (never_arrived && !too_late && !refused) {
        finding.side = Finding::Side::path;
        finding.add_sign(fmt::format("the initiator never acknowledged {} of the target",
                                     counted(answers.unacknowledged, "byte")));
        finding.explanation +=
            "The target sent data that did not arrive: look at the path from it to the initiator.";
    } else if (reached && (too_late || !never_arrived)) {
        finding.side = Finding::Side::target;
        finding.add_sign("the TCP of the target acknowledged all that was sent: it was reached");
        finding.explanation +=
            "What is to be mended is what the first command waited for: look at the target's log and disks "
            "at that moment, not at the aborts.";
    } else {
        finding.explanation +=
            "What is to be mended is what the first command waited for: whether the target or the path, is "
            "not to be seen here.";
    }
}

Finding told(const Ladder& ladder, const Victims& victims, const ResultStore& store,
             std::span<const SenderFacts> senders) {
    const bool incomplete = lacks_packets(store, ladder.connection);
    Finding finding;
    finding.kind = Finding::Kind::error_recovery;
    finding.severity = Finding::Severity::problem;
    finding.connection = ladder.connection;
    finding.session = ladder.session;
    const bool of_lun = ladder.first().request.code <= logical_unit_reset;
    finding.lun = of_lun ? ladder.first().request.lun : unknown<uint64_t>;
    finding.command = victims.oldest_command;
    finding.packet = ladder.first().request.packet;
    finding.begin_ns = victims.oldest.request_ns;
    finding.end_ns = ladder.end_ns();
    finding.cost_ns = elapsed_ns(finding.begin_ns, finding.end_ns);
    const int64_t age_ns = elapsed_ns(victims.oldest.request_ns, ladder.first().request.time_ns);
    finding.title =
        fmt::format("Error recovery{}: {} waited {}, {}",
                    of_lun && finding.lun != unknown<uint64_t> ? fmt::format(" on LUN {}", finding.lun) : "",
                    victims.oldest.name[0] == '\0' ? "a command" : victims.oldest.name,
                    human_duration(age_ns), short_story(ladder));
    finding.add_sign(
        fmt::format("{} outstanding at the first step, {} for {}", counted(victims.at_first, "command"),
                    victims.named ? "the one to be aborted" : "the oldest", human_duration(age_ns)));
    constexpr size_t most_told = 6;
    std::vector<std::string> words = steps_in_words(ladder, incomplete);
    const size_t left_out = words.size() > most_told ? words.size() - most_told : 0;
    if (left_out > 0) words.resize(most_told);
    for (const std::string& step : words) finding.add_sign(step);
    if (left_out > 0) finding.add_sign(fmt::format("and {} more", counted(left_out, "step")));
    if (victims.at_reset > 0) {
        finding.add_sign(
            fmt::format("{} outstanding when the reset was sent", counted(victims.at_reset, "command")));
    }
    if (ladder.drop) {
        const uint32_t anew = login_anew(store, ladder.connection, ladder.drop->time_ns);
        finding.connections = {ladder.connection, anew == 0 ? ladder.connection : anew};
        finding.add_sign(fmt::format(
            "the {} closed the connection ({}) {} after the last of it{}",
            ladder.drop->by_target ? "target" : "initiator", ladder.drop->reset ? "RST" : "FIN",
            human_duration(elapsed_ns(ladder.steps.back().request.time_ns, ladder.drop->time_ns)),
            anew == 0 ? ""
                      : fmt::format("; the initiator connects anew {} later",
                                    human_duration(
                                        elapsed_ns(ladder.drop->time_ns, store.connection(anew).start_ns)))));
    }
    // What is not in the capture may be the answers.
    finding.confidence = incomplete ? Finding::Confidence::likely : Finding::Confidence::firm;
    explain(finding, ladder, victims, store, senders);
    return finding;
}

// What its target answered is not in a capture of the other direction alone.
bool is_one_way(const Ladder& ladder, const ResultStore& store) {
    return store.connection(ladder.connection).packets_in == 0;
}

}  // namespace

void add_error_ladders(FindingList& list, const FindingsInput& input, std::span<const SenderFacts> senders,
                       const Stop& stop) {
    if (!input.issues.times_in_order()) return;
    Courses courses = courses_of(input.store);
    if (courses.empty()) return;
    uint64_t row_number = 0;
    for (const CommandRow& row : input.store.commands()) {
        if (stop.asked_at(row_number++)) return;
        const auto course = courses.find(row.session);
        if (course != courses.end()) note_between(course->second, row);
    }
    Ladders ladders = ladders_of(courses);
    const int64_t known_until_ns = events_known_until_ns(input.store, input.totals.last_ns);
    for (auto& [session, of_session] : ladders) {
        for (Ladder& ladder : of_session) {
            const int64_t seen_ns = seen_until_ns(input.totals, ladder.end_ns());
            ladder.known_until_ns = std::min(known_until_ns, seen_ns);
            ladder.known_to_end = known_until_ns == input.totals.last_ns && seen_ns == known_until_ns;
            ladder.whole_session = input.store.session(session).connections <= 1;
        }
        if (!of_session.empty()) note_drop(of_session.back(), courses.at(session));
    }
    std::map<uint32_t, std::vector<Victims>> victims;
    for (const auto& [session, of_session] : ladders) victims[session].resize(of_session.size());
    uint64_t number = 0;
    for (const CommandRow& row : input.store.commands()) {
        if (stop.asked_at(number++)) return;
        const auto found = ladders.find(row.session);
        if (found == ladders.end()) continue;
        for (size_t i = 0; i < found->second.size(); ++i)
            count_victim(victims[row.session][i], found->second[i], number, row);
    }
    for (const auto& [session, of_session] : ladders) {
        for (size_t i = 0; i < of_session.size(); ++i) {
            const Victims& own = victims[session][i];
            if (!is_ladder(of_session[i], own) || is_one_way(of_session[i], input.store)) continue;
            list.push_back(told(of_session[i], own, input.store, senders));
        }
    }
}

}  // namespace sanscope

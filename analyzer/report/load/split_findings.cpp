// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/load/split_findings.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "analyzer/base/time_spans.h"
#include "analyzer/scsi/opcodes.h"

namespace sanscope {
namespace {

constexpr size_t most_streams = 1024;
constexpr size_t most_lengths = 256;

// Runs of contiguous commands, one at a time, each sent at once behind the answer to the one before.
struct Runs {
    uint64_t count = 0;      // of two pieces and more
    uint64_t pieces = 0;     // in them
    int64_t total_ns = 0;    // from their first requests to their last answers
    int64_t between_ns = 0;  // of that, between an answer and the next request
    std::map<uint64_t, uint64_t> lengths;
    uint64_t alone = 0;    // commands of the greatest size until then, in no run
    uint64_t went_on = 0;  // runs that ended in a smaller piece, and the next one began where it ended
    uint64_t longest = 0;  // pieces
    CommandRow first_of_longest;
    uint64_t command_of_longest = 0;  // row
};

// From an answer to the request behind it, as the capture has them.
struct Gap {
    int64_t least_ns = 0;    // sooner, the initiator did not have the answer yet
    int64_t longest_ns = 0;  // later, it did something else meanwhile
};

class Stream {
  public:
    void on_command(uint64_t number, const CommandRow& row, Gap gap) {
        ++commands_;
        bytes_max_ = std::max(bytes_max_, row.bytes);
        if (begun_ && row.request_ns < answered_ns_ + gap.least_ns) ++together_;
        const bool goes_on = begun_ && is_next(row, gap);
        const bool tail_before = goes_on && last_.bytes < first_.bytes;
        if (goes_on && !tail_before && row.bytes <= first_.bytes) {
            ++length_;
            between_ns_ += elapsed_ns(last_.response_ns, row.request_ns);
        } else {
            if (tail_before && length_ > 1) ++runs_.went_on;
            end_run();
            begin_run(number, row);
        }
        last_ = row;
        answered_ns_ = std::max(answered_ns_, row.response_ns);
    }
    void finish() { end_run(); }

    const Runs& runs() const { return runs_; }
    uint64_t commands() const { return commands_; }
    uint64_t bytes_max() const { return bytes_max_; }
    // Nearly no command was sent before the one before it was answered.
    bool is_one_at_a_time() const { return together_ * 20 <= commands_; }

  private:
    bool is_next(const CommandRow& row, Gap gap) const {
        if (row.lba != last_.lba + last_.blocks || row.request_ns < last_.response_ns) return false;
        const int64_t gap_ns = elapsed_ns(last_.response_ns, row.request_ns);
        return gap_ns >= gap.least_ns && gap_ns <= gap.longest_ns;
    }
    void begin_run(uint64_t number, const CommandRow& row) {
        begun_ = true;
        first_ = row;
        command_ = number;
        length_ = 1;
        between_ns_ = 0;
    }
    void end_run() {
        if (begun_ && length_ == 1 && first_.bytes == bytes_max_) ++runs_.alone;
        if (!begun_ || length_ < 2) return;
        ++runs_.count;
        runs_.pieces += length_;
        runs_.total_ns += elapsed_ns(first_.request_ns, last_.response_ns);
        runs_.between_ns += between_ns_;
        if (runs_.lengths.size() < most_lengths || runs_.lengths.contains(length_)) ++runs_.lengths[length_];
        if (length_ <= runs_.longest) return;
        runs_.longest = length_;
        runs_.first_of_longest = first_;
        runs_.command_of_longest = command_;
    }

    bool begun_ = false;
    CommandRow first_;
    CommandRow last_;
    uint64_t command_ = 0;
    uint64_t length_ = 0;
    int64_t between_ns_ = 0;
    uint64_t commands_ = 0;
    uint64_t together_ = 0;  // of these, sent while another was under way
    int64_t answered_ns_ = no_time;
    uint64_t bytes_max_ = 0;
    Runs runs_;
};

struct StreamKey {
    uint32_t session = 0;
    uint64_t lun = 0;
    bool reads = false;
    bool operator==(const StreamKey&) const = default;
    bool operator<(const StreamKey& other) const {
        return std::tie(session, lun, reads) < std::tie(other.session, other.lun, other.reads);
    }
};

bool blocks_and_times_known(const CommandRow& row) {
    return row.session != 0 && row.lun != unknown<uint64_t> && row.lba != unknown<uint64_t> &&
           row.blocks != unknown<uint64_t> && row.blocks != 0 && row.bytes != unknown<uint64_t> &&
           row.request_ns != no_time && row.response_ns != no_time && !row.inferred;
}

class OfStream {
  public:
    // `at_target`: the path's part of a command is between two of them, rather than in its turnaround.
    OfStream(const StreamKey& key, const Stream& stream, int64_t rtt_ns, bool at_target)
        : key_(key), stream_(stream), runs_(stream.runs()), rtt_ns_(rtt_ns), at_target_(at_target) {}

    void add(FindingList& list) const {
        if (!stream_.is_one_at_a_time() || 2 * runs_.pieces < stream_.commands()) return;
        if (are_few() && !are_long_and_alike()) return;
        if (runs_.first_of_longest.bytes != stream_.bytes_max()) return;
        // What a command costs but for its data: the path, and the initiator's own time between two.
        const auto saved = static_cast<int64_t>(runs_.pieces - runs_.count);
        const int64_t saved_ns = (at_target_ ? 0 : saved * rtt_ns_) + runs_.between_ns;
        constexpr double worth_it = 0.2;
        if (share_of(saved_ns, runs_.total_ns) < worth_it) return;
        list.push_back(told(saved_ns));
    }

  private:
    // Too few pieces to say what cut them.
    bool are_few() const {
        constexpr uint64_t least_pieces = 100;
        return runs_.pieces < least_pieces;
    }
    // The same again and again: chance, or a program that happened to ask so, does not.
    bool are_long_and_alike() const {
        constexpr uint64_t least_runs = 4;
        constexpr uint64_t least_length = 4;
        const uint64_t length = most_common_length();
        return runs_.count >= least_runs && length >= least_length &&
               runs_.lengths.at(length) * 10 >= runs_.count * 8;
    }
    uint64_t most_common_length() const {
        const auto most = std::ranges::max_element(runs_.lengths, {},
                                                   [](const auto& of_length) { return of_length.second; });
        return most == runs_.lengths.end() ? 0 : most->first;
    }
    // The most common number of pieces, where nearly all runs have as many.
    uint64_t regular_length() const {
        constexpr uint64_t least_runs = 8;
        if (runs_.count < least_runs || (are_few() && !goes_on_behind_tails())) return 0;
        // What is cut leaves hardly a piece of full size by itself: where many are, two in a row are chance.
        if (5 * runs_.alone > runs_.count) return 0;
        const uint64_t length = most_common_length();
        return runs_.lengths.at(length) * 10 >= runs_.count * 8 ? length : 0;
    }
    // A reader of whole files leaves a smaller piece at the end of each, and goes on elsewhere.
    bool goes_on_behind_tails() const { return 2 * runs_.went_on >= runs_.count; }

    Finding told(int64_t saved_ns) const {
        const uint64_t pieces = regular_length();
        const bool by_a_layer = pieces != 0 && goes_on_behind_tails();
        const CommandRow& first = runs_.first_of_longest;
        Finding finding;
        finding.kind = Finding::Kind::split_requests;
        finding.severity = pieces != 0 ? Finding::Severity::notice : Finding::Severity::information;
        finding.confidence = by_a_layer ? Finding::Confidence::likely : Finding::Confidence::possible;
        finding.side = Finding::Side::initiator;
        finding.session = key_.session;
        finding.connection = first.connection;
        finding.lun = key_.lun;
        finding.command = runs_.command_of_longest;
        finding.packet = first.request_packet;
        finding.begin_ns = first.request_ns;
        finding.cost_ns = saved_ns;
        const std::string_view what = key_.reads ? "read" : "write";
        const std::string size = human_binary_bytes(first.bytes);
        finding.title =
            pieces != 0
                ? fmt::format("Requests on LUN {} come in {} of at most {}, one after the other", key_.lun,
                              counted_exactly(pieces, what), size)
                : fmt::format(
                      "Contiguous {}s of {} on LUN {}, one after the other: larger ones save round trips",
                      what, size, key_.lun);
        finding.explanation = fmt::format(
            "Each {} waits a round trip for the one before it. With the same data in larger commands, up to "
            "{} of "
            "{} would be saved: the round trips, and what the initiator itself takes between two. {}",
            what, human_duration(saved_ns), human_duration(runs_.total_ns), advice(pieces));
        finding.add_sign(
            fmt::format("{} of {} begin where the one before ended, and were sent within a "
                        "moment of its answer",
                        human_count(runs_.pieces - runs_.count), counted(stream_.commands(), what)));
        finding.add_sign(
            fmt::format("none is larger than {}; the round-trip time is {}", size, human_duration(rtt_ns_)));
        if (pieces != 0 || are_few()) {
            const uint64_t length = most_common_length();
            finding.add_sign(fmt::format("{}, {} of them of {} pieces", counted(runs_.count, "run"),
                                         human_count(runs_.lengths.at(length)), length));
        }
        if (by_a_layer) finding.add_sign("runs end with a smaller piece, behind which the next run goes on");
        return finding;
    }

    static std::string advice(uint64_t pieces) {
        if (pieces == 0) {
            return "The packets do not tell whether the application asks for that size, or a layer below "
                   "splits "
                   "what it asks for: see max_sectors_kb and the application's block size.";
        }
        return "Raise the largest transfer of the initiator (max_sectors_kb on Linux, MaxTransferLength on "
               "Windows) or the application's block size, or let it read ahead.";
    }

    const StreamKey& key_;
    const Stream& stream_;
    const Runs& runs_;
    int64_t rtt_ns_;
    bool at_target_;
};

struct OfPath {
    Stream stream;
    int64_t rtt_ns = 0;
    bool at_target = false;
    bool known = false;  // where it was captured, and how long the path is
};

void note_path(OfPath& of, const ResultStore& store, uint32_t connection) {
    if (connection == 0 || connection > store.connections().size()) return;
    const ConnectionRow& row = store.connection(connection);
    of.at_target = row.vantage == Vantage::target;
    of.known = row.rtt_min_ns != no_time && (of.at_target || row.vantage == Vantage::initiator);
    of.rtt_ns = of.known ? round_trip_ns(row.rtt_min_ns) : 0;
}

Gap gap_of(const OfPath& of) {
    constexpr int64_t at_once_ns = 1'000'000;
    // At the target the request behind an answer comes a round trip after it.
    if (!of.at_target) return {0, at_once_ns};
    return {of.rtt_ns / 5 * 4, 2 * of.rtt_ns + at_once_ns};
}

}  // namespace

void add_split_findings(FindingList& list, const ResultStore& store, const Stop& stop) {
    std::map<StreamKey, OfPath> streams;
    std::pair<const StreamKey, OfPath>* latest = nullptr;
    uint64_t number = 0;
    std::map<uint32_t, uint64_t> of_session;  // commands
    uint64_t all = 0;
    for (const CommandRow& row : store.commands()) {
        if (stop.asked_at(number++)) return;
        const bool reads = is_read_opcode(row.opcode);
        if ((!reads && !is_write_opcode(row.opcode)) || !blocks_and_times_known(row)) continue;
        const StreamKey key{row.session, row.lun, reads};
        if (latest == nullptr || latest->first != key) {
            if (streams.size() >= most_streams && !streams.contains(key)) continue;
            latest = &*streams.try_emplace(key).first;
            note_path(latest->second, store, row.connection);
        }
        latest->second.stream.on_command(number, row, gap_of(latest->second));
    }
    for (auto& [key, of] : streams) {
        of_session[key.session] += of.stream.commands();
        all += of.stream.commands();
    }
    for (auto& [key, of] : streams) {
        of.stream.finish();
        // What is done besides the load nobody waits for.
        const uint64_t commands = of.stream.commands();
        if (!of.known || 2 * commands < of_session[key.session] || 10 * commands < all) continue;
        OfStream(key, of.stream, of.rtt_ns, of.at_target).add(list);
    }
}

}  // namespace sanscope

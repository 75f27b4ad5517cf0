// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "analyzer/iscsi/pdu_framer.h"
#include "analyzer/session/inferred/answer_pairings.h"
#include "analyzer/session/inferred/answer_shape.h"
#include "analyzer/session/inferred/read_under_way.h"

namespace sanscope {

// The runs of a target's stream in which the capture has no header up to its tag, framed: without the rest of a read
// that began before, and without the beginning of the answer whose last PDU was seen behind. What is left of a run are
// whole answers, and the StatSN behind a group of runs says how many (RFC 7143 §4.2.2.2).
//
// In: stretches without headers, and PDUs of which no more than opcode and lengths were captured. When the header behind
// is known: close(), cut_head(), cut_tail(), place() and drop_if_empty(), in that order; when its StatSN is: end_group().
class UnseenRuns {
  public:
    struct Run {
        UnseenRun run;
        uint64_t begin = 0;  // offsets in the stream; the places of `run` count from here once it is closed
        uint64_t end = 0;
        std::vector<UnseenStretch::Mark> marks;
        std::vector<std::pair<uint64_t, UnseenRun::Boundary>> boundaries;
        uint64_t closed_at = 0;  // how many statuses there had been then
        PacketNumber first_packet = 0;
        PacketNumber last_packet = 0;
        uint32_t unseen = 0;      // statuses since the group before; of a group's last run
        Serial32 stat_sn_behind;  // of the status seen behind a group
        bool ends_group = false;
        bool count_known = false;
    };

    void add_stretch(const UnseenStretch& stretch, bool in_place);
    void add_partial(const Pdu& pdu, const AnswerShape& shape);
    bool is_open() const { return open_; }

    // The header behind the run is known, or there is none to come. False: more wait than anybody would explain.
    bool close(const Pdu* next);
    // The packet with which the read that was under way ended in the run, if it did.
    struct ReadEnd {
        Arrival arrival;
        bool captured = false;
    };
    std::optional<ReadEnd> cut_head(const ReadUnderWay& read, const Pdu* next, const AnswerShape& shape,
                                    const ResponseProfile& profile);
    // Of the answer that the header behind the run belongs to, what came before it.
    void cut_tail(const Pdu& next, const CommandTracker::AnswerSoFar& answer, bool interleaves,
                  const AnswerShape& shape, const ResponseProfile& profile);
    // Its places from its beginning on, once both ends are cut; so many statuses came so far.
    void place(uint64_t statuses);
    // Takes the run back, of which the cuts have left nothing: no answer of its own lies in it.
    bool drop_if_empty();

    // A status was seen behind the runs, `statuses` in all: with that StatSN, and so many came unseen since the group
    // before; returns how many of them lie in no run. Or their number is not known.
    uint32_t end_group(uint32_t unseen, Serial32 stat_sn, uint64_t statuses);
    void end_uncounted_group();

    bool empty() const { return runs_.empty(); }
    size_t size() const { return runs_.size(); }
    const Run& operator[](size_t i) const { return runs_[i]; }
    const Run& front() const { return runs_.front(); }
    const Run& back() const { return runs_.back(); }
    auto begin() const { return runs_.begin(); }
    auto end() const { return runs_.end(); }
    // The last run of the group that this one is of; size() if no status was seen behind it.
    size_t group_end(size_t i) const;

    // Statuses in all that wait; whether they, or the runs, are more than should, or than may.
    uint64_t unseen() const;
    bool many() const { return unseen() > max_statuses || crowd(1); }
    bool too_many() const { return unseen() > uint64_t{4} * max_statuses || crowd(2); }
    // How many runs lie in groups that ended by then.
    size_t ended_by(uint64_t statuses) const;
    // The first ones are done with.
    void drop(size_t count);

  private:
    static constexpr size_t max_runs = 256;
    static constexpr size_t max_moments = 65536;   // of all runs
    static constexpr uint32_t max_statuses = 192;  // that wait for being paired

    Run& open_run(uint64_t offset);
    void widen_group();
    // The first run of the group that this one is of.
    size_t group_begin(size_t i) const;
    bool crowd(size_t times) const {
        return runs_.size() > times * max_runs || moments_ > times * max_moments;
    }

    std::deque<Run> runs_;
    bool open_ = false;            // the last one
    size_t moments_ = 0;           // of all
    PacketNumber group_from_ = 0;  // of the group at hand, the first that was dropped; 0: none
    uint32_t reads_ended_ = 0;     // in the group at hand: their statuses are in no run any more
};

}  // namespace sanscope

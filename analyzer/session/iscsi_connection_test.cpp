// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/session/iscsi_connection.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <span>
#include <vector>

#include "analyzer/iscsi/testing/pdu_builder.h"

namespace sanscope {
namespace {

using test::Bytes;
using test::Moves;
using test::pattern;
using test::PduBuilder;
using testing::ElementsAreArray;

enum class Tags : uint8_t { counted, of_slots };
enum class Order : uint8_t { of_request, seldom_mixed, mixed };

// A connection, of which the capture has only the first bytes of each packet's data.
class CutCapture {
  public:
    explicit CutCapture(uint32_t snapped) : snapped_(snapped) {}

    ResultStore store{{}};
    Issues issues;
    SessionTracker sessions{store};
    IscsiConnection connection{add_connection(), sessions, store, issues};

  protected:
    static constexpr int64_t step = 10'000;

    static void append(Bytes& bytes, const Bytes& pdu) { bytes.insert(bytes.end(), pdu.begin(), pdu.end()); }
    void packet(bool from_target, const Bytes& bytes) {
        ++packets_;
        StreamPiece piece;
        piece.data = bytes.data();
        piece.captured = std::min<uint32_t>(snapped_, static_cast<uint32_t>(bytes.size()));
        piece.length = static_cast<uint32_t>(bytes.size());
        piece.offset = offsets_[from_target ? 1 : 0];
        piece.carried = piece.delivered = {packets_, time_ns()};
        offsets_[from_target ? 1 : 0] += bytes.size();
        connection.consume(from_target, piece);
    }
    int64_t time_ns() const { return static_cast<int64_t>(packets_) * step; }
    uint64_t sent(bool from_target) const { return offsets_[from_target ? 1 : 0]; }
    void finish() {
        connection.finish();
        sessions.finish();
        store.finish();
    }

  private:
    uint32_t add_connection() {
        uint32_t number = 0;
        store.add_connection(number);
        return number;
    }

    uint32_t snapped_;
    uint64_t packets_ = 0;
    uint64_t offsets_[2] = {0, 0};
};

// Reads of two Data-In PDUs, one after the other. The first packet of each answer begins with a header; the second one's,
// which has the status, lies within the second packet.
class LongReads : public CutCapture {
  public:
    explicit LongReads(uint32_t count) : CutCapture(100) {
        constexpr size_t half = 8192;
        constexpr std::ptrdiff_t segment = 6000;
        for (uint32_t i = 1; i <= count; ++i) {
            packet(false, test::scsi_command(i, i, Moves::in, 2 * half, test::read_10(0, 32)).bytes());
            Bytes answer = test::data_in(i, 0, pattern(half), i + 1).flags(0).bytes();
            append(answer, test::data_in(i, half, pattern(half), i + 1).flags(0x81).stat_sn(i).bytes());
            packet(true, {answer.begin(), answer.begin() + segment});
            packet(true, {answer.begin() + segment, answer.end()});
        }
        finish();
    }
};

// Reads of 4 KiB, of which several PDUs lie in one packet as they do with segmentation offload.
class CutReads : public CutCapture {
  public:
    CutReads(unsigned seed, Tags tags, uint32_t depth, uint32_t snapped, Order order = Order::mixed)
        : CutCapture(snapped), random_(seed), tags_(tags), order_(order), generation_(depth) {
        for (uint32_t slot = 0; slot < depth; ++slot) free_.push_back(slot);
        // One after the other, as a probe does, shows how the tags are counted.
        for (unsigned i = 0; i < 8; ++i) {
            send_requests(1);
            answer(1);
        }
    }

    void run(unsigned commands) {
        while (requests_ns.size() < commands) {
            if (!free_.empty() && (under_way_.empty() || one_of(2) == 0)) {
                send_requests(1 + one_of(std::min<uint32_t>(5, static_cast<uint32_t>(free_.size()))));
            } else {
                answer(1 + one_of(std::min<uint32_t>(4, static_cast<uint32_t>(under_way_.size()))));
            }
        }
        while (!under_way_.empty()) answer(1);
        send_requests(1);
        answer(1);
        finish();
    }

    int64_t answer_of(uint32_t cmd_sn) const { return answers_ns_.at(cmd_sn); }
    uint32_t depth_of(uint32_t cmd_sn) const { return depths_.at(cmd_sn); }

    std::vector<int64_t> requests_ns;

  private:
    static constexpr uint32_t size = 4096;
    struct Task {
        uint32_t slot;
        uint32_t itt;
        uint32_t cmd_sn;
    };
    std::map<uint32_t, int64_t> answers_ns_;  // by CmdSN, as the next
    std::map<uint32_t, uint32_t> depths_;

    uint32_t one_of(uint32_t count) { return std::uniform_int_distribution<uint32_t>(0, count - 1)(random_); }

    void send_requests(uint32_t count) {
        Bytes bytes;
        for (uint32_t i = 0; i < count; ++i) {
            const uint32_t slot = free_.front();
            free_.erase(free_.begin());
            const uint32_t itt = tags_ == Tags::counted ? cmd_sn_ + 1000 : ++generation_[slot] << 16 | slot;
            const uint32_t cmd_sn = cmd_sn_++;
            append(bytes, test::scsi_command(itt, cmd_sn, Moves::in, size, test::read_10(0, 8))
                              .exp_stat_sn(stat_sn_)
                              .bytes());
            under_way_.push_back({slot, itt, cmd_sn});
            depths_[cmd_sn] = static_cast<uint32_t>(under_way_.size());
            requests_ns.push_back(time_ns() + step);
        }
        packet(false, bytes);
    }

    void answer(uint32_t count) {
        Bytes bytes;
        for (uint32_t i = 0; i < count; ++i) {
            // Most answers in order, some not.
            const uint32_t one_in = order_ == Order::mixed ? 4 : 20;
            const bool next = order_ == Order::of_request || one_of(one_in) != 0;
            const size_t place = !next ? one_of(static_cast<uint32_t>(under_way_.size())) : 0;
            const Task task = under_way_[place];
            under_way_.erase(under_way_.begin() + static_cast<std::ptrdiff_t>(place));
            free_.push_back(task.slot);
            append(
                bytes,
                test::data_in(task.itt, 0, pattern(size), cmd_sn_).flags(0x81).stat_sn(stat_sn_++).bytes());
            answers_ns_[task.cmd_sn] = time_ns() + step;
        }
        packet(true, bytes);
    }

    std::mt19937 random_;
    Tags tags_;
    Order order_;
    std::vector<uint32_t> generation_;
    std::vector<uint32_t> free_;
    std::vector<Task> under_way_;
    uint32_t cmd_sn_ = 1;
    uint32_t stat_sn_ = 1;
};

// No status of theirs is seen, and so none is counted: however many they are, each ends with its last byte.
TEST(CutLongReads, AreAnsweredWithTheirLastPacketHoweverMany) {
    constexpr uint32_t many = 3000;  // more than runs without headers may wait
    const LongReads reads(many);
    ASSERT_EQ(reads.store.commands().size(), many);
    for (uint32_t i = 0; i < many; ++i) {
        const CommandRow& row = reads.store.commands()[i];
        ASSERT_EQ(row.response_packet, 3 * (i + 1)) << "command " << i;
        ASSERT_EQ(row.queue_depth, 1u) << "command " << i;
        EXPECT_TRUE(row.inferred);
    }
}

class CutConnection : public testing::TestWithParam<std::tuple<uint32_t, uint32_t>> {};

// Of the commands whose tags are known: how many got the moment of their own answer, of another's, or none.
struct Told {
    size_t right = 0;
    size_t wrong = 0;
    size_t open = 0;

    void add(const CutReads& reads) {
        for (const CommandRow& row : reads.store.commands()) {
            if (row.response_ns == no_time) {
                ++open;
            } else if (row.response_ns == reads.answer_of(row.cmd_sn)) {
                ++right;
            } else {
                ++wrong;
            }
        }
    }
    size_t all() const { return right + wrong + open; }
};

TEST_P(CutConnection, EveryRequestIsFoundAndNoneGetsTheAnswerOfAnother) {
    const auto [depth, snapped] = GetParam();
    Told told;
    for (unsigned seed = 1; seed <= 20; ++seed) {
        CutReads reads(seed, Tags::counted, depth, snapped);
        reads.run(400);
        std::vector<int64_t> requests_ns;
        for (const CommandRow& row : reads.store.commands()) {
            requests_ns.push_back(row.request_ns);
            EXPECT_EQ(row.itt, row.cmd_sn + 1000) << seed;
            EXPECT_TRUE(row.outcome == Outcome::completed || row.outcome == Outcome::unknown) << seed;
            if (row.queue_depth != unknown<uint32_t>) {
                EXPECT_EQ(row.queue_depth, reads.depth_of(row.cmd_sn)) << seed;
            }
        }
        std::ranges::sort(requests_ns);
        EXPECT_THAT(requests_ns, ElementsAreArray(reads.requests_ns)) << seed;
        told.add(reads);
        if (HasFailure()) return;
    }
    EXPECT_LE(told.wrong * 1000, told.all());
    EXPECT_LE(told.open, depth == 1 ? 0 : told.all());
}

// Headers of neighbours are seldom seen in the longer queue. But each status that is seen comes when it is its turn.
TEST_P(CutConnection, MostFindTheirAnswersWhereTheTargetKeepsToTheOrder) {
    const auto [depth, snapped] = GetParam();
    Told told;
    for (unsigned seed = 1; seed <= 3; ++seed) {
        CutReads reads(seed, Tags::counted, depth, snapped, Order::of_request);
        reads.run(4000);
        told.add(reads);
    }
    EXPECT_LE(told.wrong * 1000, told.all());
    EXPECT_GE(told.right * 100, told.all() * 95);
}

// As good as in order: the statuses seen out of their turn tell that the order alone is nothing to go by.
TEST_P(CutConnection, FewFindTheAnswersOfAnotherWhereTheTargetSeldomLeavesTheOrder) {
    const auto [depth, snapped] = GetParam();
    Told told;
    for (unsigned seed = 1; seed <= 10; ++seed) {
        CutReads reads(seed, Tags::counted, depth, snapped, Order::seldom_mixed);
        reads.run(2000);
        told.add(reads);
    }
    EXPECT_LE(told.wrong * 1000, told.all());
}

// A read of which hardly any header is seen: in a short capture nothing says that the target keeps to the order.
TEST(CutConnection, TheOrderIsNotBelievedOfFewStatuses) {
    CutReads reads(1, Tags::counted, 32, 62, Order::of_request);
    reads.run(80);
    Told told;
    told.add(reads);
    EXPECT_EQ(told.wrong, 0u);
    EXPECT_GT(told.open, 0u);
}

// Which request an answer with a tag that was not seen belongs to is not always known.
TEST_P(CutConnection, EveryRequestIsFoundWhereTagsAreNotCounted) {
    const auto [depth, snapped] = GetParam();
    for (unsigned seed = 1; seed <= 20; ++seed) {
        CutReads reads(seed, Tags::of_slots, depth, snapped);
        reads.run(400);
        std::vector<int64_t> requests_ns;
        for (const CommandRow& row : reads.store.commands()) {
            if (row.request_packet != 0) requests_ns.push_back(row.request_ns);
            EXPECT_NE(row.outcome, Outcome::unanswered) << seed;
        }
        std::ranges::sort(requests_ns);
        EXPECT_THAT(requests_ns, ElementsAreArray(reads.requests_ns)) << seed;
    }
}

// 62 bytes are what 128 of a packet leave behind Ethernet, IPv4 and TCP with time stamps: a header, and the lengths of
// the next.
INSTANTIATE_TEST_SUITE_P(Cuts, CutConnection,
                         testing::Combine(testing::Values(1u, 4u, 32u), testing::Values(48u, 62u, 4144u)));

TEST(CutConnection, TagsThatAreCountedAreToldWhereTheCutTookThem) {
    CutReads reads(1, Tags::counted, 16, 48);
    reads.run(300);
    uint32_t inferred = 0;
    for (const CommandRow& row : reads.store.commands()) {
        EXPECT_EQ(row.itt, row.cmd_sn + 1000);
        inferred += row.inferred ? 1 : 0;
    }
    EXPECT_GT(inferred, 100u);
}

TEST(CutConnection, OfTagsThatAreNotCountedNoneIsInvented) {
    CutReads reads(1, Tags::of_slots, 16, 48);
    reads.run(300);
    uint32_t nameless = 0;
    for (const CommandRow& row : reads.store.commands()) {
        if (row.itt == unknown<uint32_t>) {
            ++nameless;
        } else {
            EXPECT_LT(row.itt & 0xffff, 16u);
            EXPECT_LT(row.itt >> 16, 300u);
        }
    }
    EXPECT_GT(nameless, 0u);
    EXPECT_LT(nameless, 200u);
}

// Writes whose data come with them, in segments of a full Ethernet frame of which 62 bytes are kept: few headers are.
class CutWrites {
  public:
    explicit CutWrites(std::vector<uint32_t> sizes) : sizes_(std::move(sizes)) {
        uint32_t number = 0;
        store.add_connection(number);
    }

    void run(uint32_t commands) {
        // One after the other, as a probe does, shows how the tags are counted.
        constexpr uint32_t probes = 8;
        for (uint32_t i = 0; i < probes; ++i) {
            packet(false,
                   test::scsi_command(1000 + i, 1 + i, Moves::nothing, 0, Bytes(16)).exp_stat_sn(1).bytes(),
                   bhs_length);
            requests_ns.push_back(time_ns_);
        }
        Bytes stream;
        std::vector<uint64_t> ends;
        for (uint32_t i = probes; i < commands; ++i) {
            const uint32_t size = sizes_[i % sizes_.size()];
            const Bytes pdu = test::scsi_command(1000 + i, 1 + i, Moves::out, size, test::write_10(0, 8))
                                  .exp_stat_sn(1)
                                  .data(pattern(size))
                                  .bytes();
            stream.insert(stream.end(), pdu.begin(), pdu.end());
            ends.push_back(stream.size());
        }
        constexpr size_t segment = 1448;
        for (size_t at = 0; at < stream.size(); at += segment) {
            const size_t length = std::min(segment, stream.size() - at);
            packet(false, {stream.data() + at, length}, 62);
            for (const uint64_t end : ends) {
                if (end > at && end <= at + length) requests_ns.push_back(time_ns_);
            }
        }
        for (uint32_t i = 0; i < commands; ++i) {
            packet(true, test::scsi_response(1000 + i, 0, 1 + i, 1 + commands).bytes(), bhs_length);
            responses_ns.push_back(time_ns_);
        }
        connection.finish();
        sessions.finish();
        store.finish();
    }

    ResultStore store{{}};
    Issues issues;
    SessionTracker sessions{store};
    IscsiConnection connection{1, sessions, store, issues};
    std::vector<int64_t> requests_ns;
    std::vector<int64_t> responses_ns;

  private:
    void packet(bool from_target, std::span<const uint8_t> bytes, size_t kept) {
        time_ns_ += 10'000;
        StreamPiece piece;
        piece.data = bytes.data();
        piece.captured = static_cast<uint32_t>(std::min(kept, bytes.size()));
        piece.length = static_cast<uint32_t>(bytes.size());
        piece.offset = offsets_[from_target ? 1 : 0];
        piece.carried = piece.delivered = {++packets_, time_ns_};
        offsets_[from_target ? 1 : 0] += bytes.size();
        connection.consume(from_target, piece);
    }

    std::vector<uint32_t> sizes_;
    uint64_t packets_ = 0;
    int64_t time_ns_ = 0;
    uint64_t offsets_[2] = {0, 0};
};

// Commands without data, each answered at once with the StatSN given; captured whole.
class Answered {
  public:
    explicit Answered(const std::vector<uint32_t>& stat_sns) {
        uint32_t number = 0;
        store.add_connection(number);
        uint32_t cmd_sn = 1;
        for (const uint32_t stat_sn : stat_sns) {
            packet(false, test::scsi_command(100 + cmd_sn, cmd_sn, Moves::nothing, 0, Bytes(16))
                              .exp_stat_sn(stat_sns.front())
                              .bytes());
            packet(true, test::scsi_response(100 + cmd_sn, 0, stat_sn, cmd_sn + 1).bytes());
            ++cmd_sn;
        }
        connection.finish();
        sessions.finish();
        store.finish();
    }
    // By command: whether it is told when it was answered.
    std::vector<bool> times_known() const {
        std::vector<bool> known;
        for (const CommandRow& row : store.commands()) {
            EXPECT_EQ(row.outcome, Outcome::completed);
            known.push_back(row.response_ns != no_time && row.turnaround_ns() != no_time);
        }
        return known;
    }

    ResultStore store{{}};
    Issues issues;
    SessionTracker sessions{store};
    IscsiConnection connection{1, sessions, store, issues};

  private:
    void packet(bool from_target, const Bytes& bytes) {
        ++packets_;
        StreamPiece piece;
        piece.data = bytes.data();
        piece.captured = piece.length = static_cast<uint32_t>(bytes.size());
        piece.offset = offsets_[from_target ? 1 : 0];
        piece.carried = piece.delivered = {packets_, static_cast<int64_t>(packets_) * 10'000};
        offsets_[from_target ? 1 : 0] += bytes.size();
        connection.consume(from_target, piece);
    }
    uint64_t packets_ = 0;
    uint64_t offsets_[2] = {0, 0};
};

// Of two statuses with one StatSN nobody knows which is true: there are no more statuses than the number advanced by.
TEST(StatusNumbers, AStatusMoreThanStatSnAdvancedByTellsNoTime) {
    const Answered answered({7, 8, 8, 9});
    EXPECT_EQ(answered.times_known(), std::vector({true, true, false, true}));
    EXPECT_EQ(answered.issues[Issue::statuses_out_of_number].count, 1u);
    EXPECT_EQ(answered.issues[Issue::statuses_out_of_number].first_packet, 6u);
}

TEST(StatusNumbers, ANumberThatGoesBackTellsNoTime) {
    const Answered answered({7, 8, 5, 6});
    EXPECT_EQ(answered.times_known(), std::vector({true, true, false, true}));
    EXPECT_EQ(answered.issues[Issue::statuses_out_of_number].count, 1u);
}

TEST(StatusNumbers, WhatGoesOnOrSkipsStatusesThatWereNotSeenIsAsItMustBe) {
    const Answered answered({0xfffffffe, 0xffffffff, 0, 1, 40, 41});
    EXPECT_EQ(answered.times_known(), std::vector<bool>(6, true));
    EXPECT_EQ(answered.issues[Issue::statuses_out_of_number].count, 0u);
}

// RFC 7143 §11.16: with a SNACK Request an initiator asks for a status again.
class Snacked : public CutCapture {
  public:
    explicit Snacked(bool asks) : CutCapture(4096) {
        answered(1);
        if (asks) packet(false, PduBuilder(Opcode::snack_request).flags(0x81).itt(reserved_tag).bytes());
        packet(true, test::scsi_response(101, 0, 7, 2).bytes());
        answered(2);
        finish();
    }

  private:
    void answered(uint32_t cmd_sn) {
        packet(false,
               test::scsi_command(100 + cmd_sn, cmd_sn, Moves::nothing, 0, Bytes(16)).exp_stat_sn(7).bytes());
        packet(true, test::scsi_response(100 + cmd_sn, 0, 6 + cmd_sn, cmd_sn + 1).bytes());
    }
};

TEST(StatusNumbers, AStatusThatASnackAskedForAgainIsNoCommandsOfItsOwn) {
    const Snacked snacked(true);
    ASSERT_EQ(snacked.store.commands().size(), 2u);
    for (const CommandRow& row : snacked.store.commands()) EXPECT_EQ(row.outcome, Outcome::completed);
    EXPECT_EQ(Snacked(false).store.commands().size(), 3u) << "nobody asked: whose it is is not known";
}

// A command and its Data-In PDU with status, the data in segments of 1400 bytes.
// A write whose header the cut took, and whose data are those of a capture file: they begin with an earlier request.
class CaptureFileWritten : public CutCapture {
  public:
    CaptureFileWritten() : CutCapture(100) {
        for (uint32_t number = first; number < written; ++number) {
            packet(false, request(number).bytes());
            packet(true, test::scsi_response(number, 0, number - first + 1, number + 1).bytes());
        }
        Bytes cut = request(written).bytes();
        append(cut, request(written + 1).bytes());
        Bytes data = request(first).bytes();
        append(data, pattern(512 - bhs_length));
        append(cut,
               test::scsi_command(written + 2, written + 2, Moves::out, 512, test::write_10(8, 1)).header());
        packet(false, cut);
        packet(false, data);
        packet(false, request(written + 3).bytes());
        finish();
    }

    static constexpr uint32_t first = 100;
    static constexpr uint32_t written = 104;

  private:
    static PduBuilder request(uint32_t number) {
        return test::scsi_command(number, number, Moves::in, 512, test::read_10(number, 1));
    }
};

TEST(CutConnection, ARequestOutOfOrderIsNone) {
    const CaptureFileWritten capture;
    std::vector<uint32_t> numbers;
    for (const CommandRow& row : capture.store.commands()) numbers.push_back(row.cmd_sn);
    std::ranges::sort(numbers);
    EXPECT_THAT(numbers, testing::ElementsAre(100, 101, 102, 103, 104, 105, 107));
    EXPECT_EQ(capture.issues[Issue::requests_not_seen].count, 1u) << "the write";
}

// A session with a login, whose reads are answered one by one, each with a header in the part of the first packet that is there.
// Then a request that the cut took, if one is `hidden`, and two reads: the header of the second one's answer is cut off, and its
// data begin a packet of their own.
class HeaderInReadData : public CutCapture {
  public:
    enum class Requests : uint8_t { all_seen, one_hidden, half_answered };
    enum class Tags : uint8_t { counted, of_slots };

    explicit HeaderInReadData(Requests requests, Tags tags = Tags::of_slots) : CutCapture(100), tags_(tags) {
        packet(false, test::login_request({}).bytes());
        packet(true, test::login_response({}).bytes());
        for (uint32_t i = 0; i < 90; ++i) {
            request();
            respond();
        }
        if (requests == Requests::one_hidden) {
            Bytes cut = read(cmd_sn_++);
            append(cut, read(cmd_sn_++));
            append(cut, read(cmd_sn_++));
            packet(false, cut);
            packet(true, answer(cmd_sn_ - 3).bytes());
            ++stat_sn_;
        }
        request();
        request();
        if (requests == Requests::half_answered)
            packet(true, test::data_in(tag(latest()), 0, pattern(length / 2), cmd_sn_).bytes());
        Bytes first = answer(cmd_sn_ - 2).bytes();
        ++stat_sn_;
        append(first, answer(cmd_sn_ - 1).header());
        packet(true, first);
    }
    // What they read begins with these bytes. Whether they were taken for a header.
    bool finds(const Bytes& header) {
        Bytes data = header;
        append(data, pattern(length - header.size()));
        const uint64_t at = sent(true);
        packet(true, data);
        request();
        respond();
        finish();
        return std::ranges::any_of(store.pdus(), [&](const PduRow& row) {
            return row.sender == Role::target && row.bhs_offset == at && !row.inferred;
        });
    }

    uint32_t latest() const { return cmd_sn_ - 1; }
    uint32_t next_stat_sn() const { return stat_sn_; }
    uint32_t tag(uint32_t cmd_sn) const {
        return tags_ == Tags::counted ? 7000 + cmd_sn : cmd_sn * cmd_sn * 31;
    }
    // As the target would send it now: of the command with that CmdSN, or of one with that tag.
    PduBuilder answer(uint32_t cmd_sn) const { return answer_with_tag(tag(cmd_sn)); }
    PduBuilder answer_with_tag(uint32_t itt) const {
        return test::data_in(itt, 0, pattern(length), cmd_sn_).flags(0x81).stat_sn(stat_sn_);
    }
    PduBuilder strange_answer() const { return answer_with_tag(0x12345678); }

    static constexpr uint32_t length = 512;

  private:
    Bytes read(uint32_t cmd_sn) const {
        return test::scsi_command(tag(cmd_sn), cmd_sn, Moves::in, length, test::read_10(cmd_sn, 1))
            .exp_stat_sn(stat_sn_)
            .bytes();
    }
    void request() {
        packet(false, read(cmd_sn_));
        ++cmd_sn_;
    }
    void respond() {
        packet(true, answer(cmd_sn_ - 1).bytes());
        ++stat_sn_;
    }

    Tags tags_;
    uint32_t stat_sn_ = 50'000;
    uint32_t cmd_sn_ = 100'000;
};

using ReadData = HeaderInReadData;

// The control for those below: what differs there in one point.
TEST(HeaderInReadData, IsOneWhereARequestWasNotSeenThatItMayAnswer) {
    ReadData capture(ReadData::Requests::one_hidden);
    EXPECT_TRUE(capture.finds(capture.strange_answer().header()));
}

TEST(HeaderInReadData, IsOneOfTheCommandThatWaits) {
    ReadData capture(ReadData::Requests::all_seen);
    EXPECT_TRUE(capture.finds(capture.answer(capture.latest()).header()));
}

TEST(HeaderInReadData, IsNoneWhereEveryRequestWasSeenAndNoneHadItsTag) {
    ReadData capture(ReadData::Requests::all_seen);
    EXPECT_FALSE(capture.finds(capture.strange_answer().header()));
}

TEST(HeaderInReadData, IsNoneOfACommandThatHasEnded) {
    ReadData capture(ReadData::Requests::all_seen);
    EXPECT_FALSE(capture.finds(capture.answer(100'004).header()));
}

TEST(HeaderInReadData, IsNoneWithMoreThanTheCommandReads) {
    ReadData capture(ReadData::Requests::all_seen);
    EXPECT_FALSE(capture.finds(capture.answer(capture.latest()).data_length(ReadData::length + 4).header()));
}

TEST(HeaderInReadData, IsNoneWithAStatusBeforeTheLastOfTheData) {
    ReadData capture(ReadData::Requests::all_seen);
    EXPECT_FALSE(capture.finds(capture.answer(capture.latest()).data_length(ReadData::length - 4).header()));
}

TEST(HeaderInReadData, IsNoneOfDataThatHaveCome) {
    const auto rest = [](uint32_t from) {
        ReadData capture(ReadData::Requests::half_answered);
        return capture.finds(capture.answer(capture.latest())
                                 .buffer_offset(from)
                                 .data_length(ReadData::length - from)
                                 .header());
    };
    EXPECT_TRUE(rest(ReadData::length / 2));
    EXPECT_FALSE(rest(0));
}

TEST(HeaderInReadData, IsNoR2tForARead) {
    ReadData capture(ReadData::Requests::all_seen);
    const uint32_t now = capture.latest() + 1;
    EXPECT_FALSE(capture.finds(
        test::r2t(capture.tag(now - 1), 1, 0, 512, now).stat_sn(capture.next_stat_sn()).header()));
}

TEST(HeaderInReadData, IsNoneFromBeforeTheTargetHadReceivedTheCommand) {
    ReadData capture(ReadData::Requests::all_seen);
    const uint32_t latest = capture.latest();
    EXPECT_FALSE(capture.finds(capture.answer(latest).exp_cmd_sn(latest).header()));
}

TEST(HeaderInReadData, IsNoneWhoseTagIsNotAsThisInitiatorCountsThem) {
    ReadData capture(ReadData::Requests::one_hidden, ReadData::Tags::counted);
    EXPECT_FALSE(capture.finds(capture.answer_with_tag(50'000'000).header()));
}

// Records of a few small numbers, as file systems and databases keep them.
TEST(HeaderInReadData, IsNoneOfZerosWithAnOpcodeAndALength) {
    ReadData capture(ReadData::Requests::one_hidden);
    Bytes zeros =
        capture.strange_answer().exp_cmd_sn(capture.latest() + 1).flags(0).ttt(0).stat_sn(0).header();
    EXPECT_FALSE(capture.finds(zeros));
    ReadData another(ReadData::Requests::one_hidden);
    const PduBuilder text =
        PduBuilder(Opcode::text_response).stat_sn(another.next_stat_sn()).exp_cmd_sn(another.latest() + 1);
    EXPECT_FALSE(another.finds(text.header())) << "nobody asked";
}

TEST(HeaderInReadData, IsNoneOfAnEarlierMomentOfTheSession) {
    ReadData capture(ReadData::Requests::one_hidden);
    EXPECT_FALSE(capture.finds(capture.strange_answer().exp_cmd_sn(99'000).header()));
    ReadData another(ReadData::Requests::one_hidden);
    EXPECT_FALSE(another.finds(another.strange_answer().stat_sn(49'000).header()));
}

// One connection of several (MC/S): of the numbers, each third is its own. Behind `seen` requests the cut takes one with
// its data.
class ThirdOfASession : public CutCapture {
  public:
    ThirdOfASession(uint32_t seen, uint32_t connections) : CutCapture(100) {
        for (uint32_t i = 0; i < seen; ++i) {
            const uint32_t number = 100 + 3 * i;
            packet(false, read(number).bytes());
            packet(true, test::scsi_response(number, 0, i + 1, number + 1).bytes());
            store.session(SessionNumber(1)).connections = connections;
        }
        const uint32_t next = 100 + 3 * seen;
        Bytes cut = test::data_out(7, 7, 0, pattern(96)).header();
        append(cut, pattern(96));
        append(
            cut,
            test::scsi_command(next, next, Moves::out, 100, test::write_10(8, 1)).data(pattern(100)).bytes());
        append(cut, read(next + 3).bytes());
        packet(false, cut);
        packet(false, read(next + 6).bytes());
        finish();
    }

    std::vector<uint32_t> numbers() const {
        std::vector<uint32_t> numbers;
        for (const CommandRow& row : store.commands()) numbers.push_back(row.cmd_sn);
        std::ranges::sort(numbers);
        return numbers;
    }

  private:
    static PduBuilder read(uint32_t number) {
        return test::scsi_command(number, number, Moves::in, 512, test::read_10(number, 1));
    }
};

TEST(CutConnection, NumbersOfOtherConnectionsAreNoRequestsOfThisOne) {
    using testing::ElementsAre;
    EXPECT_THAT(ThirdOfASession(1, 3).numbers(), ElementsAre(100, 109)) << "its logins show the session";
    EXPECT_THAT(ThirdOfASession(2, 1).numbers(), ElementsAre(100, 103, 112)) << "numbers were skipped before";
}

class UnitData {
  public:
    UnitData() {
        uint32_t number = 0;
        store.add_connection(number);
    }
    void ask(uint32_t number, const Bytes& cdb, const Bytes& data) {
        feed(false,
             test::scsi_command(number, number, Moves::in, 65536, cdb).lun(3).exp_stat_sn(number).bytes());
        feed(true, test::data_in(number, 0, data, number + 1).flags(0x81).stat_sn(number).bytes());
    }
    // Its data in PDUs of `most` bytes.
    void ask_in_parts(uint32_t number, const Bytes& cdb, const Bytes& data, size_t most) {
        feed(false,
             test::scsi_command(number, number, Moves::in, 65536, cdb).lun(3).exp_stat_sn(number).bytes());
        for (size_t at = 0; at < data.size(); at += most) {
            const size_t end = std::min(at + most, data.size());
            test::PduBuilder part = test::data_in(number, static_cast<uint32_t>(at),
                                                  Bytes(data.begin() + static_cast<std::ptrdiff_t>(at),
                                                        data.begin() + static_cast<std::ptrdiff_t>(end)),
                                                  number + 1);
            if (end == data.size()) part.flags(0x81).stat_sn(number);
            feed(true, part.bytes());
        }
    }

    ResultStore store{{}};
    Issues issues;
    SessionTracker sessions{store};
    IscsiConnection connection{1, sessions, store, issues};

  private:
    void feed(bool from_target, const Bytes& stream) {
        constexpr size_t segment = 1400;
        uint64_t& offset = offsets_[from_target ? 1 : 0];
        for (size_t at = 0; at < stream.size(); at += segment) {
            ++packets_;
            const Bytes part(
                stream.begin() + static_cast<std::ptrdiff_t>(at),
                stream.begin() + static_cast<std::ptrdiff_t>(std::min(stream.size(), at + segment)));
            StreamPiece piece;
            piece.data = part.data();
            piece.captured = piece.length = static_cast<uint32_t>(part.size());
            piece.offset = offset;
            piece.carried = piece.delivered = {packets_, static_cast<int64_t>(packets_) * 1000};
            offset += part.size();
            connection.consume(from_target, piece);
        }
    }

    uint64_t packets_ = 0;
    uint64_t offsets_[2] = {0, 0};
};

// 24 groups of a big cluster, and the rest of what the initiator had room for, as some targets send it.
Bytes many_groups(size_t room) {
    Bytes report(4);
    for (uint8_t number = 1; number <= 24; ++number) {
        const Bytes group = {1, 0, 0, number, 0, 0, 0, 5};
        report.insert(report.end(), group.begin(), group.end());
        for (uint8_t port = 0; port < 5; ++port) {
            const Bytes descriptor = {0, 0, 0, static_cast<uint8_t>(5 * number + port)};
            report.insert(report.end(), descriptor.begin(), descriptor.end());
        }
    }
    const size_t told = report.size() - 4;
    report[2] = static_cast<uint8_t>(told >> 8);
    report[3] = static_cast<uint8_t>(told);
    report.resize(std::max(room, report.size()));
    return report;
}

TEST(IscsiConnection, LearnsAccessStatesFromAReportOfAnyLengthThatAPduMayHave) {
    for (const size_t room : {0u, 1024u, 65536u}) {
        UnitData asked;
        asked.ask(1, {0x12, 1, 0x83, 0, 0xff, 0},
                  {0, 0x83, 0, 16, 0x51, 0x94, 0, 4, 0, 0, 0, 9, 0x51, 0x95, 0, 4, 0, 0, 0, 20});
        asked.ask(2, {0xa3, 0x0a, 0, 0, 0, 0, 0, 1, 0, 0}, many_groups(room));
        const AccessStates& states = asked.store.access_states();
        const AccessReading reading = states.reading_of({1, 3}, 20);
        EXPECT_NE(reading.packet, 0u) << room;
        EXPECT_EQ(reading.state, AccessState::active_non_optimized) << room;
    }
}

// Longer than what is kept of any PDU, of initiators whose MaxRecvDataSegmentLength is small.
TEST(IscsiConnection, LearnsAccessStatesFromAReportInSeveralPdus) {
    UnitData asked;
    asked.ask(1, {0x12, 1, 0x83, 0, 0xff, 0},
              {0, 0x83, 0, 16, 0x51, 0x94, 0, 4, 0, 0, 0, 9, 0x51, 0x95, 0, 4, 0, 0, 0, 20});
    asked.ask_in_parts(2, {0xa3, 0x0a, 0, 0, 0, 0, 0, 1, 0, 0}, many_groups(4096), 600);
    const AccessReading reading = asked.store.access_states().reading_of({1, 3}, 20);
    EXPECT_NE(reading.packet, 0u);
    EXPECT_EQ(reading.state, AccessState::active_non_optimized);
}

TEST(CutConnection, WritesOfOneLengthAreFoundBehindTheCut) {
    CutWrites writes({4096});
    writes.run(2000);
    uint32_t found = 0;
    uint32_t inferred = 0;
    for (const CommandRow& row : writes.store.commands()) {
        if (row.request_packet == 0) continue;
        ++found;
        inferred += row.inferred ? 1 : 0;
        ASSERT_EQ(row.itt, row.cmd_sn + 999);
        EXPECT_EQ(row.request_ns, writes.requests_ns[row.cmd_sn - 1]);
        EXPECT_EQ(row.response_ns, writes.responses_ns[row.cmd_sn - 1]);
    }
    EXPECT_GT(inferred, 1000u);
    EXPECT_GE(found, 1800u) << "all but the first, until their length is known";
}

TEST(CutConnection, OfWritesOfManyLengthsNoneGetsTheMomentOfAnother) {
    CutWrites writes({4096, 512, 8192, 16384, 4096, 4096, 1024});
    writes.run(2000);
    uint32_t found = 0;
    uint32_t first = 0xffffffff;
    uint32_t last = 0;
    for (const CommandRow& row : writes.store.commands()) {
        if (row.request_packet == 0) continue;
        EXPECT_EQ(row.request_ns, writes.requests_ns[row.cmd_sn - 1]);
        EXPECT_EQ(row.response_ns, writes.responses_ns[row.cmd_sn - 1]);
        ++found;
        first = std::min(first, row.cmd_sn);
        last = std::max(last, row.cmd_sn);
    }
    // What nobody can say more of is counted: CmdSN leaves none out.
    EXPECT_LT(found, 1000u);
    EXPECT_EQ(writes.store.summary().sessions()[0].hidden, last - first + 1 - found);
}

}  // namespace
}  // namespace sanscope

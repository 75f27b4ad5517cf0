// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/findings.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "analyzer/base/reachable_time.h"
#include "analyzer/base/testing/durations.h"
#include "analyzer/report/command_facts.h"
#include "analyzer/report/sender_facts.h"

namespace sanscope {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

using Kind = Finding::Kind;

using test::ms;
constexpr uint32_t mss = 1000;
constexpr uint16_t read_16 = 0x88;
constexpr uint16_t write_16 = 0x8a;

// A store of made-up rows: one session with one connection unless more are added, 1 s long, captured at the initiator.
class Findings : public testing::Test {
  protected:
    explicit Findings(ResultStore::Keep keep = {}) : store(keep) {
        uint32_t session = 0;
        store.add_session(session).connections = 1;
        add_connection(session);
    }

    ConnectionRow& add_connection(uint32_t session) {
        uint32_t number = 0;
        ConnectionRow& row = store.add_connection(number);
        const std::array<uint8_t, 4> initiator = {10, 0, 0, 1};
        const std::array<uint8_t, 4> target = {10, 0, 0, 2};
        row.initiator = {IpAddress::from_v4(initiator.data()), static_cast<uint16_t>(50000 + number)};
        row.target = {IpAddress::from_v4(target.data()), 3260};
        row.first_packet = 100 * number;
        row.start_ns = 0;
        row.end_ns = 1000 * ms;
        row.bytes_out = row.bytes_in = 5'000'000;
        row.packets_out = row.packets_in = 5'000;
        row.mss = mss;
        row.rtt_min_ns = 2 * ms;
        row.vantage = Vantage::initiator;
        row.session = session;
        row.iscsi = true;
        return row;
    }

    SenderSummary& add_target() { return store.add_sender(1, Side::b); }
    SenderSummary& add_initiator() { return store.add_sender(1, Side::a); }

    // The sender's figures from `begin_ms` on; `window` has what is not usual.
    void add_window(SenderSummary& sender, int64_t begin_ms, WindowRow window) {
        window.connection = sender.connection();
        window.sender = sender.side();
        window.time_ns = begin_ms * ms;
        window.packet = static_cast<PacketNumber>(begin_ms) + 1;
        if (window.srtt_ns == no_time) window.srtt_ns = 2 * ms;
        if (window.cwnd == unknown<uint32_t>) window.cwnd = 100'000;
        store.add_window(sender, window);
    }

    // A packet of one byte every 0.1 ms, with always as much in flight, which its application limits.
    void add_flow(SenderSummary& sender, uint32_t packets, uint32_t in_flight = 1,
                  uint32_t advertised_window = 1'000'000) {
        for (uint32_t i = 0; i < packets; ++i) {
            WindowRow row{.snd_una = i, .snd_nxt = i + 1};
            row.connection = sender.connection();
            row.sender = sender.side();
            row.time_ns = int64_t{i} * 100'000;
            row.srtt_ns = 2 * ms;
            row.in_flight = in_flight;
            row.advertised_window = advertised_window;
            row.cwnd = 100'000;
            row.limit = SendLimit::application;
            store.add_window(sender, row);
        }
    }

    void add_loss(SenderSummary& sender, LossKind kind, int64_t time_ms, PacketNumber packet = 7) {
        store.add_loss(sender, {.packet = packet,
                                .time_ns = time_ms * ms,
                                .delay_ns = 3 * ms,
                                .connection = sender.connection(),
                                .length = mss,
                                .kind = kind,
                                .sender = sender.side()});
    }

    uint64_t add_command(CommandRow values) {
        uint64_t number = 0;
        CommandRow& row = store.begin_command(number);
        if (values.connection == 0) values.connection = 1;
        values.session = 1;
        if (values.request_packet == 0) values.request_packet = 1000 + 2 * number;
        values.itt = static_cast<uint32_t>(number);
        row = values;
        store.requested(row);
        if (row.response_packet != 0) store.answered(row);
        store.end_command(number, row, values.opcode == read_16, values.opcode == write_16);
        return number;
    }

    // A good READ(16) of 64 KiB: its data come `wait_ms` after its request and take `data_ms`.
    uint64_t add_read(int64_t begin_ms, int64_t wait_ms, int64_t data_ms = 0) {
        const PacketNumber packet = 1000 + 2 * static_cast<PacketNumber>(begin_ms);
        return add_command({.bytes = 65536,
                            .request_packet = packet,
                            .response_packet = packet + 2 * static_cast<PacketNumber>(wait_ms + data_ms),
                            .request_ns = begin_ms * ms,
                            .first_data_ns = (begin_ms + wait_ms) * ms,
                            .last_data_ns = (begin_ms + wait_ms + data_ms) * ms,
                            .response_ns = (begin_ms + wait_ms + data_ms) * ms,
                            .name = "READ(16)",
                            .opcode = read_16,
                            .status = 0,
                            .outcome = Outcome::completed});
    }

    uint64_t add_failed(uint16_t opcode, uint16_t status, uint16_t key = unknown<uint16_t>,
                        uint16_t asc = unknown<uint16_t>, uint16_t ascq = unknown<uint16_t>) {
        return add_command({.bytes = 4096,
                            .response_packet = 5000,
                            .request_ns = 10 * ms,
                            .response_ns = 11 * ms,
                            .name = opcode == read_16 ? "READ(16)" : "TEST UNIT READY",
                            .opcode = opcode,
                            .status = status,
                            .sense_key = key,
                            .asc = asc,
                            .ascq = ascq,
                            .outcome = Outcome::completed});
    }

    std::vector<Finding> find() {
        store.finish();
        return findings({store, totals, issues, damage, interfaces, stop, between});
    }
    // Those of one kind.
    std::vector<Finding> find(Kind kind) {
        std::vector<Finding> found = find();
        std::erase_if(found, [=](const Finding& finding) { return finding.kind != kind; });
        return found;
    }
    Finding find_one(Kind kind) {
        const std::vector<Finding> found = find(kind);
        EXPECT_EQ(found.size(), 1u) << finding_kind_name(kind);
        return found.empty() ? Finding{} : found.front();
    }

    ResultStore store;
    Engine::Totals totals{.packets = 10'000, .first_ns = 0, .last_ns = 2000 * ms};
    Issues issues;
    std::vector<Damage> damage;
    std::vector<CaptureInterface> interfaces;
    const std::atomic<bool>* stop = nullptr;
    std::function<void()> between;
};

class FindingsWithoutRows : public Findings {
  protected:
    FindingsWithoutRows() : Findings(ResultStore::Keep::nothing()) {}
};

TEST_F(Findings, kinds_have_names_that_differ) {
    std::set<std::string_view> names;
    for (size_t i = 0; i <= static_cast<size_t>(Kind::nothing_wrong); ++i) {
        names.insert(finding_kind_name(static_cast<Kind>(i)));
    }
    EXPECT_EQ(names.size(), static_cast<size_t>(Kind::nothing_wrong) + 1);
    EXPECT_EQ(finding_kind_name(Kind::zero_window_stall), "zero_window_stall");
}

TEST_F(Findings, where_nothing_is_wrong_that_is_said_with_figures) {
    for (int64_t i = 0; i < 100; ++i) add_read(10 * i, 1);
    const Finding finding = find_one(Kind::nothing_wrong);
    EXPECT_EQ(finding.severity, Finding::Severity::information);
    EXPECT_THAT(finding.title, HasSubstr("100 commands in 991 ms, 6.61 MB/s"));
    EXPECT_THAT(finding.explanation, HasSubstr("Of 100 READ(16) half took"));
    EXPECT_THAT(find_one(Kind::vantage).title, HasSubstr("Captured at the initiator"));
    ASSERT_EQ(find().size(), 2u);
    EXPECT_EQ(find().front().kind, Kind::nothing_wrong);
}

// Captures of two places put together: the engine knows by the time between a packet and its copy.
TEST_F(Findings, captured_in_two_places_is_told_as_such) {
    for (int64_t i = 0; i < 100; ++i) add_read(10 * i, 1);
    ConnectionRow& row = store.connection(1);
    row.vantage = Vantage::unknown;
    row.rtt_min_ns = 2 * ms;
    SenderSummary& target = add_target();
    add_window(target, 0, {});
    add_window(target, 1000, {});
    EXPECT_TRUE(find(Kind::vantage).empty());
    for (int64_t i = 0; i < 500; ++i) add_loss(target, LossKind::duplicate, 100 + i);
    EXPECT_TRUE(find(Kind::vantage).empty()) << "a port that is mirrored twice is one place";
    row.in_two_places = true;
    const Finding finding = find_one(Kind::vantage);
    EXPECT_THAT(finding.title, HasSubstr("Captured in two places, which do not agree"));
    EXPECT_EQ(finding.confidence, Finding::Confidence::possible);
}

// Requests that were lost on their way to it leave nothing in a capture at the target but the time without them.
TEST_F(Findings, where_no_request_came_for_long_to_a_capture_at_the_target_not_all_is_known) {
    for (int64_t i = 0; i < 100; ++i) add_read((i < 60 ? 5 : 9) * i, 1);
    EXPECT_THAT(find_one(Kind::nothing_wrong).explanation, HasSubstr("none stood out"));
    store.connection(1).vantage = Vantage::target;
    const Finding finding = find_one(Kind::nothing_wrong);
    EXPECT_THAT(finding.title, HasSubstr("Nothing wrong is seen of 100 commands"));
    EXPECT_EQ(finding.confidence, Finding::Confidence::possible);
    EXPECT_THAT(finding.explanation,
                AllOf(HasSubstr("No request came for 245 ms once"), Not(HasSubstr("none stood out"))));
}

TEST_F(Findings, pauses_that_a_load_makes_again_and_again_are_no_lost_requests) {
    for (int64_t i = 0; i < 100; ++i) add_read((5 * i) + (i / 20 * 100), 1);
    store.connection(1).vantage = Vantage::target;
    EXPECT_THAT(find_one(Kind::nothing_wrong).explanation, HasSubstr("none stood out"));
}

TEST_F(Findings, a_single_command_that_took_long_is_not_said_to_be_like_the_others) {
    for (int64_t i = 0; i < 100; ++i) add_read(5 * i, i == 50 ? 60 : 1);
    const Finding finding = find_one(Kind::nothing_wrong);
    EXPECT_THAT(finding.title, HasSubstr("Nothing wrong is seen of"));
    EXPECT_THAT(finding.explanation, AllOf(HasSubstr("longest"), Not(HasSubstr("none stood out"))));
}

// Each takes forty round trips at a fraction of a link's rate, and nothing that is looked for is found.
TEST_F(Findings, a_load_whose_usual_command_takes_long_is_not_said_to_be_well_for_sure) {
    SenderSummary& target = add_target();
    add_window(target, 0, {.limit = SendLimit::application});
    add_window(target, 10'000, {});
    for (int64_t i = 0; i < 100; ++i) add_read(100 * i, 2, 78);
    const Finding finding = find_one(Kind::nothing_wrong);
    EXPECT_THAT(finding.title, HasSubstr("Nothing wrong is seen of 100 commands"));
    EXPECT_EQ(finding.confidence, Finding::Confidence::possible);
    EXPECT_THAT(finding.explanation, HasSubstr("Nothing that was found explains"));
}

TEST_F(Findings, where_commands_are_missing_the_rate_is_at_least_that_of_the_others) {
    for (int64_t i = 0; i < 100; ++i) add_read(10 * i, 1);
    store.add_unlisted({1, 3, 1});
    EXPECT_THAT(find_one(Kind::nothing_wrong).title, HasSubstr("100 commands in 991 ms, at least 6.61 MB/s"));
}

// Their answers lie where nobody looks; the reason is told as far as it is known.
TEST_F(Findings, of_commands_that_ended_nobody_knows_when_nothing_is_said) {
    for (int64_t i = 0; i < 40; ++i) add_read(20 * i, 2);
    EXPECT_THAT(find_one(Kind::nothing_wrong).explanation, HasSubstr("All commands were answered"));
    add_command({.bytes = 65536,
                 .request_ns = 810 * ms,
                 .name = "READ(16)",
                 .opcode = read_16,
                 .outcome = Outcome::unknown});
    const Finding finding = find_one(Kind::nothing_wrong);
    EXPECT_THAT(finding.title, HasSubstr("Nothing wrong is seen of 41 commands"));
    EXPECT_EQ(finding.confidence, Finding::Confidence::possible);
    EXPECT_THAT(finding.explanation, HasSubstr("Of 40 READ(16) whose times are known half took"));
    EXPECT_THAT(
        finding.explanation,
        HasSubstr("1 was answered, or may have been, in headers the capture lacks: of how long it took "
                  "nothing is said. All others were answered"));
    issues.add(Issue::times_set_back, 701);
    EXPECT_THAT(find_one(Kind::nothing_wrong).explanation,
                HasSubstr("while the capture's clock was set back, or"));
}

TEST_F(Findings, where_something_is_wrong_it_is_not_said_that_nothing_is) {
    add_failed(read_16, 2, 3, 0x11, 0);
    EXPECT_TRUE(find(Kind::nothing_wrong).empty());
}

TEST_F(Findings, a_stop_finds_nothing) {
    add_read(0, 1);
    const std::atomic<bool> stopped = true;
    stop = &stopped;
    EXPECT_TRUE(find().empty());
}

TEST_F(Findings, a_store_may_grow_between_rows) {
    constexpr int rows = 200'000;
    const auto grow = [&] {
        uint32_t number = 0;
        store.add_session(number).connections = 2;
        add_connection(number);
        ConnectionRow& connection = add_connection(number);
        SenderSummary& sender = store.add_sender(static_cast<uint32_t>(store.connections().size()), Side::b);
        connection.bytes_in = 10'000'000;
        for (int i = 0; i < rows; ++i) {
            add_window(sender, i, {.snd_una = static_cast<uint32_t>(i), .limit = SendLimit::application});
            store.add_pdu() = {.connection = sender.connection(), .opcode = 0x06};
            if (i % 4 == 0) add_loss(sender, LossKind::fast_retransmit, i);
            if (i % 4 == 0) add_read(i, 1);
        }
    };
    grow();
    const size_t before = find().size();
    EXPECT_GT(before, 0u);
    size_t times = 0;
    between = [&] {
        if (times++ < 6) grow();
    };
    EXPECT_GT(find().size(), 0u);
    EXPECT_GT(times, 6u);
}

TEST_F(Findings, a_shut_window_is_told_with_its_longest_stall) {
    SenderSummary& target = add_target();
    add_window(target, 0, {.limit = SendLimit::congestion});
    add_window(target, 100, {.advertised_window = 0, .limit = SendLimit::receiver});
    add_window(target, 120, {.advertised_window = 60'000, .limit = SendLimit::application});
    add_window(target, 500, {.advertised_window = mss - 1, .limit = SendLimit::receiver});
    add_window(target, 510, {.advertised_window = 0, .limit = SendLimit::receiver});
    add_window(target, 650, {.advertised_window = 60'000, .limit = SendLimit::application});
    add_window(target, 1000, {});
    const Finding finding = find_one(Kind::zero_window_stall);
    EXPECT_EQ(finding.severity, Finding::Severity::problem);
    EXPECT_THAT(
        finding.title,
        HasSubstr(
            "window of initiator 10.0.0.1:50001 was closed 2 times: 170 ms in all, 150 ms at the longest"));
    EXPECT_EQ(finding.packet, 501u);
    EXPECT_EQ(finding.begin_ns, 500 * ms);
    EXPECT_EQ(finding.end_ns, 650 * ms);
    EXPECT_EQ(finding.cost_ns, 170 * ms);
    EXPECT_EQ(finding.connection, 1u);
    EXPECT_EQ(finding.sender, Finding::Sender::target);
}

// Open again in the moment that it closed, or closed by the last packet: nobody waited.
TEST_F(Findings, a_window_that_was_shut_for_no_time_at_all_is_not_counted) {
    SenderSummary& target = add_target();
    add_window(target, 100, {.advertised_window = 0, .limit = SendLimit::receiver});
    add_window(target, 150, {.advertised_window = 60'000, .limit = SendLimit::application});
    for (const int64_t time_ms : {200, 300, 400}) {
        add_window(target, time_ms, {.advertised_window = 0, .limit = SendLimit::receiver});
        add_window(target, time_ms, {.advertised_window = 60'000, .limit = SendLimit::application});
    }
    add_window(target, 1000, {.advertised_window = 0, .limit = SendLimit::receiver});
    const Finding finding = find_one(Kind::zero_window_stall);
    EXPECT_THAT(finding.title, HasSubstr("was closed once: 50.0 ms in all, 50.0 ms at the longest"));
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("advertised less than a segment 1 time")));
}

// On a loopback interface a segment may be as long as the window; the sender makes shorter ones then.
TEST_F(Findings, a_window_with_room_for_half_of_its_widest_is_open) {
    constexpr uint32_t loopback_mss = 65'483;
    SenderSummary& target = add_target();
    store.connection(ConnectionNumber(1)).mss = loopback_mss;
    add_window(target, 0, {.advertised_window = 65'536, .limit = SendLimit::application});
    add_window(target, 100, {.advertised_window = 40'000, .limit = SendLimit::receiver});
    add_window(target, 300, {.advertised_window = 65'536, .limit = SendLimit::application});
    add_window(target, 400, {.advertised_window = 20'000, .limit = SendLimit::receiver});
    add_window(target, 450, {.advertised_window = 65'536, .limit = SendLimit::application});
    add_window(target, 1000, {});
    EXPECT_THAT(find_one(Kind::zero_window_stall).title,
                HasSubstr("was closed once: 50.0 ms in all, 50.0 ms at the longest"));
}

// Of a connection that took a millisecond, and yet nobody's time.
TEST_F(Findings, a_window_that_was_shut_for_microseconds_is_not_told) {
    SenderSummary& target = add_target();
    store.connection(ConnectionNumber(1)).end_ns = store.connection(ConnectionNumber(1)).start_ns + ms;
    const auto add = [&](int64_t time_ns, uint32_t window) {
        WindowRow row{.advertised_window = window,
                      .limit = window == 0 ? SendLimit::receiver : SendLimit::application};
        row.connection = 1;
        row.sender = Side::b;
        row.time_ns = time_ns;
        row.packet = 1;
        store.add_window(target, row);
    };
    add(0, 60'000);
    add(500'000, 0);
    add(590'000, 60'000);
    add(ms, 60'000);
    EXPECT_TRUE(find(Kind::zero_window_stall).empty());
}

TEST_F(Findings, a_window_that_was_shut_for_a_noticeable_part_of_a_short_connection_is_told) {
    SenderSummary& target = add_target();
    store.connection(ConnectionNumber(1)).end_ns = store.connection(ConnectionNumber(1)).start_ns + 3 * ms;
    add_window(target, 0, {.advertised_window = 60'000, .limit = SendLimit::application});
    add_window(target, 1, {.advertised_window = 0, .limit = SendLimit::receiver});
    add_window(target, 2, {.advertised_window = 60'000, .limit = SendLimit::application});
    add_window(target, 3, {});
    EXPECT_THAT(find_one(Kind::zero_window_stall).title, HasSubstr("closed once: 1.00 ms in all"));
}

TEST_F(Findings, a_window_that_is_small_but_open_is_no_stall) {
    SenderSummary& target = add_target();
    for (uint32_t i = 0; i < 20; ++i) {
        add_window(target, 50 * int64_t{i},
                   {.snd_una = i * mss,
                    .snd_nxt = (i + 3) * mss,
                    .advertised_window = 4 * mss,
                    .limit = SendLimit::receiver});
    }
    add_window(target, 1000, {});
    EXPECT_TRUE(find(Kind::zero_window_stall).empty());
    const Finding finding = find_one(Kind::receiver_window);
    EXPECT_THAT(finding.title, HasSubstr("100 % of its time"));
    EXPECT_THAT(finding.explanation,
                HasSubstr("with a round trip (SRTT 2.00 ms) that allows 2.00 MB/s at the most"));
}

TEST_F(Findings, a_window_that_was_never_filled_held_nobody_back) {
    SenderSummary& target = add_target();
    add_window(target, 0, {.snd_nxt = 65'584, .advertised_window = 80'512, .limit = SendLimit::receiver});
    add_window(target, 1000, {});
    EXPECT_TRUE(find(Kind::receiver_window).empty());
}

// What most hosts' windows do (tcp_rcv_space_adjust()): full while they grow, and never again.
TEST_F(Findings, a_window_that_grows_as_it_is_used_is_not_too_small) {
    SenderSummary& target = add_target();
    for (uint32_t i = 0; i < 40; ++i) {
        const uint32_t window = 20'000 + 20'000 * std::min(i / 2, 10u);
        add_window(target, 10 * int64_t{i},
                   {.snd_una = i,
                    .snd_nxt = i + window - mss,
                    .advertised_window = window,
                    .limit = i < 20 ? SendLimit::receiver : SendLimit::application});
    }
    add_window(target, 400, {});
    EXPECT_TRUE(find(Kind::receiver_window).empty());
}

TEST_F(Findings, a_window_that_shrinks_because_nobody_reads_is_told) {
    SenderSummary& target = add_target();
    add_window(target, 0, {.snd_nxt = 10'000, .advertised_window = 200'000, .limit = SendLimit::application});
    for (uint32_t i = 1; i < 40; ++i) {
        add_window(target, 10 * int64_t{i},
                   {.snd_una = i * mss,
                    .snd_nxt = (i + 9) * mss,
                    .advertised_window = 10 * mss,
                    .limit = SendLimit::receiver});
    }
    add_window(target, 400, {});
    EXPECT_THAT(find_one(Kind::receiver_window).evidence,
                Contains(HasSubstr("up to 8.79 KiB were in flight of 9.77 KiB advertised")));
}

// At the sender what is under way is exact: more than a window has room for shows that it knew of a wider one.
TEST_F(Findings, a_window_that_was_exceeded_held_nobody_back) {
    add_connection(1).vantage = Vantage::target;
    SenderSummary& target = store.add_sender(2, Side::b);
    for (uint32_t i = 0; i < 40; ++i) {
        add_window(target, 10 * int64_t{i},
                   {.snd_una = i * mss,
                    .snd_nxt = (i + 20) * mss,
                    .advertised_window = 10 * mss,
                    .limit = SendLimit::receiver});
    }
    add_window(target, 400, {});
    EXPECT_TRUE(find(Kind::receiver_window).empty());
}

class PathStall : public Findings {
  protected:
    // Captured at the initiator, whose timer sends again in packet 350; nothing passes from 10 to 1000 ms else. The target's
    // packet `first` comes again in packet 400, sent 300 ms later.
    Finding stall(PacketNumber first) {
        SenderSummary& initiator = add_initiator();
        SenderSummary& target = add_target();
        add_window(target, 0, {.snd_una = 1, .snd_nxt = 1});
        const auto passed = [&](PacketNumber packet, int64_t at_ms, uint32_t una,
                                CaState state = CaState::open) {
            WindowRow row{.packet = packet, .time_ns = at_ms * ms, .srtt_ns = 2 * ms};
            row.connection = 1;
            row.sender = Side::a;
            row.snd_una = una;
            row.snd_nxt = 10'000;
            row.ca_state = state;
            store.add_window(initiator, row);
        };
        passed(299, 9, 1);
        passed(301, 10, 1);
        passed(350, 500, 1, CaState::loss);
        passed(389, 1000, 10'000);
        passed(399, 1000, 10'000);
        passed(401, 1001, 10'000);
        add_loss(initiator, LossKind::spurious, 500, 350);
        store.add_loss(target, {.packet = 400,
                                .original_packet = first,
                                .time_ns = 600 * ms,
                                .delay_ns = 300 * ms,
                                .connection = 1,
                                .length = mss,
                                .kind = LossKind::spurious,
                                .sender = Side::b});
        return find_one(Kind::path_stall);
    }
};

TEST_F(PathStall, is_of_the_side_whose_data_came_when_it_was_over) {
    const Finding finding = stall(390);
    EXPECT_EQ(finding.sender, Finding::Sender::target);
    EXPECT_THAT(finding.evidence,
                Contains(HasSubstr("had not reached the capture until the stall was over")));
}

TEST_F(PathStall, is_of_the_other_side_where_data_had_come_in_time) {
    const Finding finding = stall(300);
    EXPECT_EQ(finding.sender, Finding::Sender::initiator);
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("had reached the capture before")));
}

// The capture has an acknowledgement, and 212 ms later what it acknowledges again: no stall of the path.
TEST_F(Findings, an_acknowledgement_that_was_lost_is_told_where_a_command_waited_for_it) {
    add_read(10, 300);
    SenderSummary& target = add_target();
    add_window(target, 0, {.snd_una = 1, .snd_nxt = 1});
    add_window(target, 20, {.snd_una = 1, .snd_nxt = 1449});
    add_window(target, 21, {.snd_una = 1449, .snd_nxt = 1449});
    store.add_loss(target, {.packet = 40,
                            .time_ns = 233 * ms,
                            .connection = 1,
                            .length = 1448,
                            .kind = LossKind::spurious,
                            .sender = Side::b});
    add_window(target, 300, {.snd_una = 2897, .snd_nxt = 2897});
    const Finding finding = find_one(Kind::retransmission_timeout);
    EXPECT_EQ(finding.severity, Finding::Severity::problem);
    EXPECT_THAT(finding.title, HasSubstr("Acknowledgements to target 10.0.0.2:3260 were lost or delayed: it "
                                         "waited 212 ms for its retransmission timeout"));
    EXPECT_GE(finding.evidence.size(), 2u);
    EXPECT_TRUE(find(Kind::path_stall).empty());
    EXPECT_TRUE(find(Kind::nothing_wrong).empty());
}

// Nothing but a clock that is set ahead makes a first timer run for five seconds.
TEST_F(Findings, what_is_sent_again_behind_a_clock_that_was_set_ahead_waited_for_no_timer) {
    add_read(10, 5300);
    SenderSummary& target = add_target();
    add_window(target, 0, {.snd_una = 1, .snd_nxt = 1});
    add_window(target, 20, {.snd_una = 1, .snd_nxt = 1449});
    add_window(target, 21, {.snd_una = 1449, .snd_nxt = 1449});
    store.add_loss(target, {.packet = 5200,
                            .time_ns = 5041 * ms,
                            .connection = 1,
                            .length = 1448,
                            .kind = LossKind::spurious,
                            .sender = Side::b});
    add_window(target, 5300, {.snd_una = 2897, .snd_nxt = 2897});
    EXPECT_TRUE(find(Kind::retransmission_timeout).empty());
}

TEST_F(Findings, an_acknowledgement_that_was_lost_while_nobody_waited_is_not_told) {
    add_read(10, 12);
    SenderSummary& target = add_target();
    add_window(target, 20, {.snd_una = 1, .snd_nxt = 1449});
    add_window(target, 21, {.snd_una = 1449, .snd_nxt = 1449});
    store.add_loss(target, {.packet = 40,
                            .time_ns = 233 * ms,
                            .connection = 1,
                            .length = 1448,
                            .kind = LossKind::spurious,
                            .sender = Side::b});
    add_window(target, 300, {.snd_una = 2897, .snd_nxt = 2897});
    EXPECT_TRUE(find(Kind::retransmission_timeout).empty());
}

class TimeoutOfAWrite : public Findings {
  protected:
    // Writes that take 500 ms each, one of them with a retransmission timeout meanwhile; that one may take longer.
    void write(int64_t held_ms, uint32_t others = 5) {
        totals.last_ns = 10'000 * ms;
        store.connection(1).end_ns = 10'000 * ms;
        SenderSummary& initiator = add_initiator();
        for (int64_t i = 0; i <= others; ++i) {
            const int64_t begin_ms = 1000 * i + 1;
            const auto una = static_cast<uint32_t>(i);
            const int64_t took_ms = i == 1 ? held_ms : 500;
            add_command({.lun = 0,
                         .bytes = 1024,
                         .response_packet = 5000,
                         .request_ns = begin_ms * ms,
                         .response_ns = (begin_ms + took_ms) * ms,
                         .name = "WRITE(16)",
                         .opcode = write_16,
                         .status = 0,
                         .outcome = Outcome::completed});
            add_window(initiator, begin_ms,
                       {.snd_una = una, .snd_nxt = una + 1, .limit = SendLimit::application});
            if (i == 1) {
                add_window(initiator, begin_ms + 210,
                           {.snd_una = una, .snd_nxt = una + 1, .ca_state = CaState::loss});
                add_loss(initiator, LossKind::rto, begin_ms + 210);
            }
            add_window(initiator, begin_ms + (i == 1 ? 213 : 2), {.snd_una = una + 1, .snd_nxt = una + 1});
        }
    }
};

TEST_F(TimeoutOfAWrite, that_took_no_longer_than_others_delayed_nothing_and_the_target_is_slow) {
    write(500);
    const Finding timeout = find_one(Kind::retransmission_timeout);
    EXPECT_EQ(timeout.severity, Finding::Severity::information);
    EXPECT_THAT(timeout.evidence, Contains(HasSubstr("took no longer than others of their kind")));
    const Finding finding = find().front();
    EXPECT_EQ(finding.kind, Kind::target_wait);
    EXPECT_EQ(finding.side, Finding::Side::target);
}

TEST_F(TimeoutOfAWrite, that_took_longer_than_others_is_a_problem) {
    write(720);
    EXPECT_EQ(find_one(Kind::retransmission_timeout).severity, Finding::Severity::problem);
}

TEST_F(TimeoutOfAWrite, that_nothing_can_be_held_against_is_a_problem) {
    write(500, 2);
    EXPECT_EQ(find_one(Kind::retransmission_timeout).severity, Finding::Severity::problem);
}

TEST_F(TimeoutOfAWrite, is_the_paths_where_other_data_stood_still_at_once) {
    write(720);
    store.connection(1).vantage = Vantage::initiator;
    // It was answered a round trip after the timer, as where one acknowledgement was lost; but so was the other side's.
    SenderSummary& target = add_target();
    add_window(target, 1002, {.snd_una = 1, .snd_nxt = 9});
    add_window(target, 1210, {.snd_una = 1, .snd_nxt = 9, .ca_state = CaState::loss});
    add_window(target, 1212, {.snd_una = 9, .snd_nxt = 9});
    const std::vector<Finding> stalls = find(Kind::retransmission_timeout);
    for (const Finding& stall : stalls)
        EXPECT_THAT(stall.evidence, Not(Contains(HasSubstr("first acknowledgement was lost"))));
}

// A far path and a target that is slow beside: the path takes the greater part.
class SlowTargetFarAway : public Findings {
  protected:
    SlowTargetFarAway() {
        store.connection(1).rtt_min_ns = 20 * ms;
        for (SenderSummary* sender : {&add_target(), &add_initiator()}) {
            add_window(*sender, 0, {.srtt_ns = 20 * ms, .limit = SendLimit::application});
            add_window(*sender, 1000, {.srtt_ns = 20 * ms});
        }
    }
};

TEST_F(SlowTargetFarAway, is_told_where_all_commands_wait_for_it) {
    for (int64_t i = 0; i < 40; ++i) add_read(30 * i, 28);
    const Finding finding = find_one(Kind::target_wait);
    EXPECT_THAT(finding.title, HasSubstr("Half of the reads wait 8."));
    EXPECT_NE(finding.severity, Finding::Severity::information);
    EXPECT_TRUE(find(Kind::shallow_queue).empty());
}

TEST_F(SlowTargetFarAway, is_not_told_where_only_some_commands_take_longer_than_the_path) {
    for (int64_t i = 0; i < 40; ++i) add_read(30 * i, i % 4 == 0 ? 21 : 28);
    EXPECT_TRUE(find(Kind::target_wait).empty()) << "as jitter of the path makes it";
}

TEST_F(Findings, a_few_commands_that_all_took_long_waited_for_the_target) {
    for (SenderSummary* sender : {&add_target(), &add_initiator()}) {
        add_window(*sender, 0, {.limit = SendLimit::application});
        add_window(*sender, 1000, {});
    }
    for (int64_t i = 0; i < 6; ++i) add_read(150 * i, 120);
    EXPECT_EQ(find_one(Kind::target_wait).severity, Finding::Severity::problem);
}

TEST_F(Findings, a_few_commands_of_which_one_was_fast_tell_nothing_of_the_target) {
    for (SenderSummary* sender : {&add_target(), &add_initiator()}) {
        add_window(*sender, 0, {.limit = SendLimit::application});
        add_window(*sender, 1000, {});
    }
    for (int64_t i = 0; i < 6; ++i) add_read(150 * i, i == 3 ? 5 : 120);
    EXPECT_TRUE(find(Kind::target_wait).empty());
}

TEST_F(Findings, a_timeout_lasts_from_the_last_progress_to_the_next) {
    SenderSummary& target = add_target();
    add_window(target, 0, {.snd_una = 1, .snd_nxt = 9000});
    add_window(target, 100, {.snd_una = 5000, .snd_nxt = 9000});
    add_window(target, 300, {.snd_una = 5000, .snd_nxt = 9000, .ca_state = CaState::loss});
    add_window(target, 305, {.snd_una = 5000, .snd_nxt = 9000, .ca_state = CaState::loss});
    add_window(target, 320, {.snd_una = 9000, .snd_nxt = 9000});
    add_window(target, 1000, {.snd_una = 9000, .snd_nxt = 9000});
    add_loss(target, LossKind::rto, 300);
    const Finding finding = find_one(Kind::retransmission_timeout);
    EXPECT_THAT(finding.title, HasSubstr("Target 10.0.0.2:3260 waited for a retransmission timeout (RTO)"));
    EXPECT_THAT(finding.title, HasSubstr("once: 220 ms"));
    EXPECT_EQ(finding.begin_ns, 100 * ms);
    EXPECT_EQ(finding.end_ns, 320 * ms);
    EXPECT_EQ(finding.packet, 301u);
}

TEST_F(Findings, timeouts_of_both_sides_at_once_are_told_once) {
    SenderSummary* senders[] = {&add_target(), &add_initiator()};
    for (SenderSummary* sender : senders) {
        const bool longer = sender == senders[0];
        add_window(*sender, longer ? 100 : 110, {.snd_una = 1, .snd_nxt = 9});
        add_window(*sender, 300, {.snd_una = 1, .snd_nxt = 9, .ca_state = CaState::loss});
        add_window(*sender, 500, {.snd_una = 9, .snd_nxt = 9});
        add_loss(*sender, LossKind::spurious, 300);
    }
    const Finding finding = find_one(Kind::path_stall);
    EXPECT_EQ(finding.cost_ns, 400 * ms);
    EXPECT_THAT(
        finding.title,
        HasSubstr("between target 10.0.0.2:3260 and initiator 10.0.0.1:50001 stood still once: 400 ms"));
    EXPECT_EQ(finding.sender, Finding::Sender::unknown) << "nothing tells which way";
    EXPECT_TRUE(find(Kind::retransmission_timeout).empty());
}

// One sender alone, whose last acknowledgements may be what was lost.
class OneSenderStandsStill : public Findings {
  protected:
    OneSenderStandsStill() : target(add_target()) {
        add_window(target, 100, {.snd_una = 1, .snd_nxt = 9});
        add_window(target, 300, {.snd_una = 1, .snd_nxt = 9, .ca_state = CaState::loss});
        add_window(target, 400, {.snd_una = 9, .snd_nxt = 9});
        add_loss(target, LossKind::spurious, 300);
    }
    SenderSummary& target;
};

TEST_F(OneSenderStandsStill, and_its_path_is_said_to_but_where_that_loses_segments) {
    EXPECT_EQ(find_one(Kind::path_stall).confidence, Finding::Confidence::firm);
    for (int64_t i = 0; i < 3; ++i) add_loss(target, LossKind::fast_retransmit, 20 + i);
    const Finding finding = find_one(Kind::path_stall);
    EXPECT_EQ(finding.severity, Finding::Severity::notice);
    EXPECT_EQ(finding.confidence, Finding::Confidence::possible);
    EXPECT_THAT(finding.explanation, HasSubstr("only acknowledgements were lost"));
}

TEST_F(OneSenderStandsStill, until_what_was_lost_before_is_repaired_on_no_path_that_held_it) {
    store.add_loss(target, {.packet = 9,
                            .time_ns = 400 * ms,
                            .delay_ns = 300 * ms,
                            .connection = 1,
                            .length = mss,
                            .kind = LossKind::fast_retransmit,
                            .sender = target.side()});
    EXPECT_TRUE(find(Kind::path_stall).empty());
    EXPECT_THAT(find_one(Kind::retransmission_timeout).evidence,
                Contains(HasSubstr("what had been lost before")));
}

TEST_F(Findings, losses_are_told_with_their_rate_and_the_worst_burst) {
    SenderSummary& target = add_target();
    add_window(target, 0, {.ca_state = CaState::recovery, .limit = SendLimit::recovery});
    add_window(target, 300, {.limit = SendLimit::application});
    add_window(target, 1000, {});
    for (int64_t i = 0; i < 10; ++i) add_loss(target, LossKind::fast_retransmit, 20 + 10 * i, 50);
    for (int64_t i = 0; i < 5; ++i) add_loss(target, LossKind::fast_retransmit, 200 + i, 60);
    add_loss(target, LossKind::tlp, 900, 70);
    const Finding finding = find_one(Kind::lost_segments);
    EXPECT_EQ(finding.severity, Finding::Severity::problem);
    EXPECT_THAT(finding.title, HasSubstr("16 segments of target 10.0.0.2:3260 lost on the path (0.32 %); "
                                         "loss recovery took 30 % of its time"));
    EXPECT_THAT(finding.explanation,
                AllOf(HasSubstr("15 were recovered by fast retransmit, 1 by tail loss probe"),
                      HasSubstr("The worst burst: 5 in 4.00 ms")));
    EXPECT_EQ(finding.packet, 60u);
    EXPECT_EQ(finding.begin_ns, 200 * ms);
}

TEST_F(Findings, a_loss_or_two_that_cost_nothing_are_not_told) {
    SenderSummary& target = add_target();
    add_window(target, 0, {.limit = SendLimit::application});
    add_window(target, 1000, {});
    add_loss(target, LossKind::fast_retransmit, 100);
    EXPECT_TRUE(find(Kind::lost_segments).empty());
}

TEST_F(Findings, segments_sent_again_needlessly_are_told_with_the_reordering_that_made_them) {
    SenderSummary& target = add_target();
    add_window(target, 0, {.limit = SendLimit::application});
    add_window(target, 1000, {});
    for (int64_t i = 0; i < 12; ++i) add_loss(target, LossKind::spurious, 100 + i);
    EXPECT_TRUE(find(Kind::needless_retransmission).empty()) << "which cost nothing";
    add_window(target, 1001, {.ca_state = CaState::recovery, .limit = SendLimit::application});
    add_window(target, 1100, {.limit = SendLimit::application});
    const Finding needless = find_one(Kind::needless_retransmission);
    EXPECT_THAT(needless.title, HasSubstr("retransmitted 12 segments"));
    EXPECT_THAT(needless.explanation, HasSubstr("or their acknowledgements were lost"));
    for (int64_t i = 0; i < 20; ++i) {
        add_loss(target, LossKind::out_of_order, 100 + i, 90);
        store.add_ca_transition(target, {.connection = 1, .to = CaState::disorder, .sender = target.side()});
    }
    EXPECT_TRUE(find(Kind::needless_retransmission).empty());
    const Finding finding = find_one(Kind::reordering);
    EXPECT_THAT(finding.title, HasSubstr("20 segments"));
    EXPECT_THAT(finding.explanation, HasSubstr("TCP retransmitted 12 segments"));
    EXPECT_EQ(finding.packet, 90u);
}

// A few deep holes hold all that is late: what the receiver SACKed says how many.
// What the two never agreed on cannot have shown it.
TEST_F(Findings, that_segments_had_arrived_is_shown_by_what_the_connection_has) {
    SenderSummary& target = add_target();
    add_window(target, 0, {.ca_state = CaState::recovery, .limit = SendLimit::application});
    add_window(target, 1000, {});
    for (int64_t i = 0; i < 12; ++i) add_loss(target, LossKind::spurious, 100 + i);
    const auto sign = [&] { return find_one(Kind::needless_retransmission).evidence; };
    EXPECT_THAT(sign(), Contains(HasSubstr("TCP timestamps, D-SACK or earlier acknowledgements show")));
    ConnectionRow& row = store.connection(1);
    row.out.syn = row.in.syn = {.known = true, .window_scaling = true, .mss = mss};
    EXPECT_THAT(sign(), Contains(HasSubstr("Earlier acknowledgements show that 12 segments")));
    row.out.syn.sack_permitted = row.in.syn.sack_permitted = true;
    EXPECT_THAT(sign(), Contains(HasSubstr("D-SACK or earlier acknowledgements show")));
    row.out.syn.timestamps = row.in.syn.timestamps = true;
    row.in.syn.sack_permitted = false;
    EXPECT_THAT(sign(), Contains(HasSubstr("TCP timestamps or earlier acknowledgements show")));
}

TEST_F(Findings, the_receivers_word_makes_reordering_however_few_its_disorders) {
    SenderSummary& target = add_target();
    add_window(target, 0, {});
    add_window(target, 1000, {});
    for (int i = 0; i < 60; ++i) target.on_reordered(Reordering::path);
    const Finding finding = find_one(Kind::reordering);
    EXPECT_THAT(finding.title, HasSubstr("60 segments of target 10.0.0.2:3260 arrived out of order"));
    EXPECT_NE(finding.confidence, Finding::Confidence::possible);
    for (int64_t i = 0; i < 300; ++i) add_loss(target, LossKind::not_captured, 100 + i);
    EXPECT_EQ(find_one(Kind::reordering).confidence, Finding::Confidence::possible)
        << "what filled the gaps may be among what was not captured";
}

TEST_F(Findings, reordering_is_in_doubt_where_the_captures_times_go_back_again_and_again) {
    SenderSummary& target = add_target();
    add_window(target, 0, {});
    add_window(target, 1000, {});
    for (int i = 0; i < 60; ++i) target.on_reordered(Reordering::path);
    issues.add(Issue::times_set_back, 7, most_set_back);
    EXPECT_NE(find_one(Kind::reordering).confidence, Finding::Confidence::possible);
    issues.add(Issue::times_set_back, 8);
    const Finding finding = find_one(Kind::reordering);
    EXPECT_EQ(finding.confidence, Finding::Confidence::possible);
    EXPECT_THAT(finding.explanation, HasSubstr("out of order in the capture alone"));
}

TEST_F(Findings, segments_that_only_the_capture_has_out_of_order_are_no_reordering) {
    SenderSummary& target = add_target();
    add_window(target, 0, {.limit = SendLimit::application});
    add_window(target, 1000, {});
    for (int64_t i = 0; i < 40; ++i) add_loss(target, LossKind::out_of_order, 100 + i, 90);
    store.add_ca_transition(target, {.connection = 1, .to = CaState::disorder, .sender = target.side()});
    EXPECT_TRUE(find(Kind::reordering).empty());
}

TEST_F(Findings, a_round_trip_that_grows_without_a_steady_rate_is_no_bottleneck) {
    SenderSummary& target = add_target();
    uint32_t una = 0;
    for (int64_t i = 0; i <= 100; ++i) {
        una += i / 3 % 2 == 0 ? 180'000 : 20'000;
        WindowRow row{.srtt_ns = 10 * ms, .snd_una = una, .in_flight = 90'000};
        row.limit = SendLimit::application;
        add_window(target, 10 * i, row);
    }
    EXPECT_TRUE(find(Kind::path_queue).empty());
}

TEST_F(Findings, a_congestion_window_that_holds_back_is_told_where_it_does) {
    SenderSummary& target = add_target();
    add_window(target, 0, {.limit = SendLimit::application});
    add_window(target, 400, {.limit = SendLimit::congestion});
    add_window(target, 800, {.limit = SendLimit::application});
    add_window(target, 1000, {});
    const Finding finding = find_one(Kind::congestion_window);
    EXPECT_THAT(finding.title, HasSubstr("was limited by its congestion window 40 % of its time"));
    EXPECT_NEAR(static_cast<double>(finding.begin_ns), 400e6, 5e6);
    EXPECT_NEAR(static_cast<double>(finding.end_ns), 800e6, 5e6);
    EXPECT_TRUE(find(Kind::path_queue).empty());
}

TEST_F(Findings, a_queue_on_the_path_is_told_of_the_side_that_fills_it_and_instead_of_its_window) {
    SenderSummary& target = add_target();
    SenderSummary& initiator = add_initiator();
    for (int64_t i = 0; i <= 100; ++i) {
        WindowRow row{.srtt_ns = 10 * ms, .snd_una = static_cast<uint32_t>(i) * 100'000, .in_flight = 90'000};
        row.limit = SendLimit::congestion;
        add_window(target, 10 * i, row);
        row.snd_una /= 2;
        add_window(initiator, 10 * i, row);
    }
    const Finding finding = find_one(Kind::path_queue);
    EXPECT_THAT(finding.title, HasSubstr("Data of target 10.0.0.2:3260 queued on the path at 10.0 MB/s: "
                                         "round-trip time 10.0 ms under load, 2.00 ms without"));
    EXPECT_THAT(finding.evidence,
                Contains("the smoothed round-trip time (SRTT) was 10.0 ms on average, the minimum 2.00 ms"));
    EXPECT_EQ(finding.cost_ns, 1000 * ms);
    EXPECT_TRUE(find(Kind::congestion_window).empty());
}

// An acknowledgement across the jump makes a round trip of it.
TEST_F(Findings, a_queue_on_the_path_does_not_hold_a_jump_of_the_clock) {
    SenderSummary& target = add_target();
    int64_t srtt_ns = 10 * ms;
    for (int64_t i = 0; i <= 100; ++i) {
        if (i == 50) srtt_ns += 50 * ms;
        if (i > 50) srtt_ns -= (srtt_ns - 10 * ms) / 8;
        WindowRow row{.srtt_ns = srtt_ns, .snd_una = static_cast<uint32_t>(i) * 60'000, .in_flight = 90'000};
        row.limit = SendLimit::congestion;
        add_window(target, (6 * i) + (i < 50 ? 0 : 400), row);
    }
    EXPECT_THAT(find_one(Kind::path_queue).title, Not(HasSubstr("10.1 ms under load")));
    store.add_clock_jump({.connection = 1, .begin_ns = 300 * ms, .end_ns = 700 * ms, .packet = 700});
    EXPECT_THAT(find_one(Kind::path_queue).title, HasSubstr("round-trip time 10.1 ms under load"));
}

// Of a capture that was cut, only some of the commands are known: what is under way shows that the sender had not rested.
TEST_F(Findings, a_queue_on_the_path_is_told_where_most_commands_are_hidden) {
    SenderSummary& target = add_target();
    for (int64_t i = 0; i < 50; ++i) add_read(20 * i, 1);
    for (int64_t i = 0; i <= 1000; ++i) {
        WindowRow row{.srtt_ns = 10 * ms, .snd_una = static_cast<uint32_t>(i) * 10'000, .in_flight = 90'000};
        row.limit = SendLimit::congestion;
        add_window(target, i, row);
    }
    EXPECT_THAT(find_one(Kind::path_queue).title, HasSubstr("queued on the path at 10.0 MB/s"));
}

// The same rate over 20 ms and more, but nine tenths of it in a tenth of the time: an application's pace, not a port's.
TEST_F(Findings, bursts_faster_than_the_rate_show_that_the_path_carries_more) {
    SenderSummary& target = add_target();
    for (int64_t i = 0; i <= 100; ++i) {
        for (int64_t k = 0; k < 3; ++k) {
            WindowRow row{.srtt_ns = 10 * ms,
                          .snd_una = static_cast<uint32_t>(100'000 * i + 45'000 * k),
                          .snd_nxt = static_cast<uint32_t>(100'000 * i + 100'000),
                          .in_flight = 90'000};
            row.limit = SendLimit::congestion;
            add_window(target, 10 * i + k, row);
        }
    }
    EXPECT_TRUE(find(Kind::path_queue).empty());
}

TEST_F(Findings, a_window_that_a_loss_made_small_is_told_as_the_loss) {
    SenderSummary& target = add_target();
    add_window(target, 0, {.limit = SendLimit::application});
    add_loss(target, LossKind::fast_retransmit, 300);
    add_window(target, 400, {.limit = SendLimit::congestion});
    add_window(target, 1000, {});
    const Finding finding = find_one(Kind::lost_segments);
    EXPECT_THAT(finding.title,
                HasSubstr("1 segment of target 10.0.0.2:3260 lost on the path kept its congestion"));
    EXPECT_THAT(finding.explanation, HasSubstr("Reno's by half and CUBIC's by 30 %"));
    EXPECT_EQ(finding.severity, Finding::Severity::notice);
    EXPECT_TRUE(find(Kind::congestion_window).empty());
}

TEST_F(Findings, a_window_that_marks_keep_small_is_told_however_short_the_path_is) {
    store.connection(1).rtt_min_ns = ms / 2;
    SenderSummary& target = add_target();
    add_window(target, 0, {.srtt_ns = ms / 2, .limit = SendLimit::congestion});
    add_window(target, 1000, {.srtt_ns = ms / 2});
    EXPECT_TRUE(find(Kind::congestion_window).empty());
    for (int i = 0; i < 3; ++i) {
        CaTransitionRow row{.connection = 1, .to = CaState::cwr, .sender = target.side()};
        row.cause = "ECN echo";
        store.add_ca_transition(target, row);
    }
    const Finding finding = find_one(Kind::congestion_window);
    EXPECT_EQ(finding.severity, Finding::Severity::notice);
    EXPECT_THAT(finding.explanation,
                HasSubstr("marked packets (ECN), and the congestion window was reduced 3 times"));
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("echoed marks (ECE)")));
}

TEST_F(Findings, a_window_that_has_yet_to_grow_is_no_trouble) {
    SenderSummary& target = add_target();
    add_window(target, 0, {.limit = SendLimit::congestion});
    add_window(target, 1000, {});
    EXPECT_EQ(find_one(Kind::congestion_window).severity, Finding::Severity::information);
}

// A control that goes by delay, or that shares its window, keeps it where it is: that is no slow start.
TEST_F(Findings, a_window_that_does_not_grow_over_many_round_trips_is_in_no_slow_start) {
    SenderSummary& target = add_target();
    add_window(target, 0, {.limit = SendLimit::congestion});
    add_window(target, 55, {.limit = SendLimit::application});
    add_window(target, 100, {});
    EXPECT_THAT(find_one(Kind::congestion_window).explanation, HasSubstr("slow start), as on every"));
    add_window(target, 101, {.limit = SendLimit::congestion});
    add_window(target, 1000, {});
    const Finding finding = find_one(Kind::congestion_window);
    EXPECT_EQ(finding.severity, Finding::Severity::information);
    EXPECT_EQ(finding.confidence, Finding::Confidence::possible);
    EXPECT_THAT(finding.explanation, AllOf(HasSubstr("does not show what keeps it there"),
                                           Not(HasSubstr("as on every connection"))));
}

TEST_F(Findings, what_made_a_window_smaller_is_counted) {
    SenderSummary& target = add_target();
    add_window(target, 0, {.ca_state = CaState::recovery, .limit = SendLimit::recovery});
    add_window(target, 300, {.limit = SendLimit::congestion});
    add_window(target, 1000, {});
    for (int64_t i = 0; i < 3; ++i) add_loss(target, LossKind::fast_retransmit, 100 + i);
    EXPECT_THAT(find_one(Kind::congestion_window).explanation,
                HasSubstr("3 losses made the congestion window smaller"));
}

// Whether it is its congestion control that paces is known of BBR alone.
TEST_F(Findings, pacing_is_the_congestion_controls_where_that_is_known) {
    SenderSummary& target = add_target();
    add_window(target, 0, {.limit = SendLimit::pacing});
    add_window(target, 500, {.limit = SendLimit::application});
    add_window(target, 1000, {});
    Finding finding = find_one(Kind::pacing);
    EXPECT_EQ(finding.confidence, Finding::Confidence::possible);
    EXPECT_THAT(finding.explanation, HasSubstr("or its application writes so"));
    target.set_congestion_control("bbr");
    finding = find_one(Kind::pacing);
    EXPECT_EQ(finding.confidence, Finding::Confidence::firm);
    EXPECT_THAT(finding.explanation, HasSubstr("BBR, sends at a rate that it measured"));
    store.connection(1).kernel_congestion_control[index_of(target.side())] = "cubic";
    EXPECT_EQ(find_one(Kind::pacing).confidence, Finding::Confidence::possible) << "the kernel knows better";
}

TEST_F(Findings, a_connection_that_stands_still_when_its_work_is_done_keeps_nobody_waiting) {
    SenderSummary& target = add_target();
    add_window(target, 0, {.snd_una = 5, .snd_nxt = 9});
    add_window(target, 650, {.snd_una = 5, .snd_nxt = 9, .ca_state = CaState::loss});
    add_window(target, 690, {.snd_una = 9, .snd_nxt = 9});
    add_loss(target, LossKind::rto, 650);
    EXPECT_EQ(find_one(Kind::retransmission_timeout).severity, Finding::Severity::problem);
    store.connection(1).in.fin = true;
    store.connection(1).in.fin_ns = 1 * ms;
    EXPECT_EQ(find_one(Kind::retransmission_timeout).severity, Finding::Severity::information);
}

TEST_F(Findings, a_timeout_that_is_never_over_is_no_burst_of_losses) {
    SenderSummary& target = add_target();
    add_window(target, 0, {.snd_una = 5, .snd_nxt = 9});
    add_window(target, 250, {.snd_una = 5, .snd_nxt = 9, .ca_state = CaState::loss});
    add_window(target, 900, {.snd_una = 5, .snd_nxt = 9, .ca_state = CaState::loss});
    add_loss(target, LossKind::rto, 250);
    add_loss(target, LossKind::rto, 900);
    EXPECT_THAT(find_one(Kind::retransmission_timeout).explanation,
                AllOf(HasSubstr("Nothing that it sent was acknowledged from then on"),
                      Not(HasSubstr("lost at once"))));
    add_window(target, 950, {.snd_una = 9, .snd_nxt = 9});
    EXPECT_THAT(find_one(Kind::retransmission_timeout).explanation, HasSubstr("lost at once"));
}

TEST_F(Findings, where_most_of_what_was_sent_again_had_arrived_nothing_is_called_lost) {
    SenderSummary& target = add_target();
    add_window(target, 0, {});
    add_window(target, 1000, {});
    for (int64_t i = 0; i < 20; ++i) add_loss(target, LossKind::fast_retransmit, 100 + i);
    EXPECT_EQ(find(Kind::lost_segments).size(), 1u);
    for (int64_t i = 0; i < 12; ++i) add_loss(target, LossKind::spurious, 200 + i);
    EXPECT_TRUE(find(Kind::lost_segments).empty());
}

// What was retransmitted came twice, without a D-SACK to say so.
class MaybeLate : public Findings {
  protected:
    MaybeLate() {
        ConnectionRow& row = store.connection(1);
        row.vantage = Vantage::target;
        row.out.syn = row.in.syn = {.known = true, .sack_permitted = true, .timestamps = true};
        add_window(target, 0, {.ca_state = CaState::recovery, .limit = SendLimit::recovery});
        add_window(target, 300, {.limit = SendLimit::application});
        add_window(target, 1000, {});
        for (int64_t i = 0; i < 16; ++i) {
            add_loss(target, LossKind::fast_retransmit, 20 + 10 * i, 50);
            target.on_sent_again(1);
        }
    }
    SenderSummary& target = add_target();
};

TEST_F(MaybeLate, is_what_the_receiver_answers_as_something_it_has) {
    for (int i = 0; i < 3; ++i) target.on_unasked_ack();
    EXPECT_EQ(find_one(Kind::lost_segments).confidence, Finding::Confidence::firm) << "most were lost";
    for (int i = 0; i < 9; ++i) target.on_unasked_ack();
    const Finding finding = find_one(Kind::lost_segments);
    EXPECT_EQ(finding.severity, Finding::Severity::notice);
    EXPECT_EQ(finding.confidence, Finding::Confidence::possible);
    EXPECT_THAT(finding.title,
                HasSubstr("16 segments of target 10.0.0.2:3260 lost on the path, or late (0.32 %)"));
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("answered 12 segments as it does what it has already")));
    store.connection(1).vantage = Vantage::initiator;
    EXPECT_EQ(find_one(Kind::lost_segments).confidence, Finding::Confidence::firm)
        << "there each is seen that arrives";
}

TEST_F(MaybeLate, is_what_is_repaired_without_sack_where_others_are_late) {
    for (int i = 0; i < 8; ++i) target.on_reordered(Reordering::path);
    EXPECT_EQ(find_one(Kind::lost_segments).confidence, Finding::Confidence::firm);
    store.connection(1).in.syn.sack_permitted = false;
    const Finding finding = find_one(Kind::lost_segments);
    EXPECT_EQ(finding.confidence, Finding::Confidence::possible);
    EXPECT_THAT(finding.evidence,
                Contains(HasSubstr("duplicate ACKs reported 8 gaps that late segments filled")));
}

TEST_F(Findings, a_few_lost_among_many_that_overtook_each_other_are_not_told_as_losses) {
    SenderSummary& target = add_target();
    add_window(target, 0, {.ca_state = CaState::recovery, .limit = SendLimit::recovery});
    add_window(target, 300, {.limit = SendLimit::application});
    add_window(target, 1000, {});
    for (int64_t i = 0; i < 5; ++i) add_loss(target, LossKind::fast_retransmit, 100 + i);
    EXPECT_EQ(find(Kind::lost_segments).size(), 1u);
    for (int64_t i = 0; i < 60; ++i) {
        add_loss(target, LossKind::spurious, 200 + i);
        target.on_reordered(Reordering::path);
    }
    EXPECT_TRUE(find(Kind::lost_segments).empty()) << "recovery was for nothing";
    EXPECT_EQ(find(Kind::reordering).size(), 1u);
}

TEST_F(Findings, one_command_at_a_time_over_a_long_path_is_told_with_what_it_can_do_at_most) {
    store.connection(1).rtt_min_ns = 20 * ms;
    SenderSummary& target = add_target();
    add_window(target, 0, {.limit = SendLimit::application});
    add_window(target, 1000, {});
    for (int64_t i = 0; i < 40; ++i) add_read(22 * i, 21, 1);
    const Finding finding = find_one(Kind::shallow_queue);
    EXPECT_THAT(
        finding.title,
        HasSubstr("Reads of 64 KiB at queue depth 1 over a round trip of 20.0 ms: at most 3.28 MB/s"));
    EXPECT_THAT(finding.explanation,
                AllOf(HasSubstr("Session 1 moved 2.98 MB/s"), HasSubstr("39 of this size fill 1 Gbit/s")));
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("91 %")));
    EXPECT_EQ(finding.side, Finding::Side::initiator);
    EXPECT_EQ(finding.session, 1u);
    EXPECT_TRUE(find(Kind::target_wait).empty());
}

// An application that asks so many times a second goes on while the target stalls: its queue is as deep as it wants it.
TEST_F(Findings, requests_that_come_while_others_wait_are_not_held_back_by_a_shallow_queue) {
    store.connection(1).rtt_min_ns = 20 * ms;
    SenderSummary& target = add_target();
    add_window(target, 0, {.limit = SendLimit::application});
    add_window(target, 1000, {});
    for (int64_t i = 0; i < 90; ++i) add_read(22 * i, 21, 1);
    EXPECT_EQ(find(Kind::shallow_queue).size(), 1u);
    for (int64_t i = 0; i < 10; ++i) add_read(22 * 90 + i, 60, 1);
    EXPECT_TRUE(find(Kind::shallow_queue).empty());
}

// Most of the commands are hidden: what is known of the rest is neither the depth nor the rate.
TEST_F(Findings, the_load_is_not_judged_where_much_of_it_is_hidden) {
    store.connection(1).rtt_min_ns = 20 * ms;
    SenderSummary& target = add_target();
    add_window(target, 0, {.limit = SendLimit::application});
    add_window(target, 1000, {});
    for (int64_t i = 0; i < 40; ++i) add_read(22 * i, 21, 1);
    EXPECT_EQ(find(Kind::shallow_queue).size(), 1u);
    for (int64_t i = 0; i < 50; ++i) {
        add_command({.response_packet = 5000,
                     .request_ns = 22 * i * ms,
                     .response_ns = (22 * i + 1) * ms,
                     .outcome = Outcome::completed});
    }
    EXPECT_TRUE(find(Kind::shallow_queue).empty());
}

TEST_F(Findings, on_a_short_path_one_command_at_a_time_waits_for_the_target) {
    SenderSummary& target = add_target();
    add_window(target, 0, {.limit = SendLimit::application});
    add_window(target, 1000, {});
    for (int64_t i = 0; i < 40; ++i) add_read(22 * i, 21, 1);
    EXPECT_TRUE(find(Kind::shallow_queue).empty());
    const Finding finding = find_one(Kind::target_wait);
    EXPECT_THAT(finding.title, HasSubstr("Half of the reads wait 19."));
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("round-trip time is 2.00 ms")));
    EXPECT_EQ(finding.side, Finding::Side::target);
}

TEST_F(Findings, a_target_is_not_blamed_for_what_its_tcp_held_back) {
    SenderSummary& target = add_target();
    add_window(target, 0, {.limit = SendLimit::congestion});
    add_window(target, 1000, {});
    for (int64_t i = 0; i < 40; ++i) add_read(22 * i, 21, 1);
    EXPECT_TRUE(find(Kind::target_wait).empty());
}

TEST_F(Findings, what_is_always_under_way_in_the_same_amount_looks_like_a_send_buffer) {
    SenderSummary& target = add_target();
    add_flow(target, 9500, 30'000);
    for (int64_t i = 0; i < 200; ++i) add_read(i / 5, 900);
    const Finding finding = find_one(Kind::send_buffer);
    EXPECT_THAT(
        finding.title,
        HasSubstr("never has much more than 28.7 kB in flight, with 100 reads of 64 KiB outstanding"));
    EXPECT_TRUE(find(Kind::target_wait).empty());
}

TEST_F(Findings, what_fills_the_receivers_window_is_no_send_buffer) {
    add_flow(add_target(), 9500, 30'000, 34'000);
    for (int64_t i = 0; i < 200; ++i) add_read(i / 5, 900);
    EXPECT_TRUE(find(Kind::send_buffer).empty());
}

TEST_F(Findings, what_is_under_way_where_the_receivers_window_is_not_known_is_no_send_buffer) {
    add_flow(add_target(), 9500, 30'000, unknown<uint32_t>);
    for (int64_t i = 0; i < 200; ++i) add_read(i / 5, 900);
    EXPECT_TRUE(find(Kind::send_buffer).empty());
}

// A write that the target asks for data after `asked_ms`, which come `answered_ms` later and take 1 ms; its status comes
// `status_ms` behind them.
class FindingsOfR2ts : public Findings {
  protected:
    uint64_t add_write(int64_t begin_ms, int64_t asked_ms, int64_t answered_ms, int64_t status_ms) {
        const int64_t first_ms = begin_ms + asked_ms + answered_ms;
        const PacketNumber packet = 1000 + (2 * static_cast<PacketNumber>(begin_ms));
        const uint64_t number = add_command({.bytes = 65536,
                                             .request_packet = packet,
                                             .response_packet = packet + 1,
                                             .request_ns = begin_ms * ms,
                                             .first_data_ns = first_ms * ms,
                                             .last_data_ns = (first_ms + 1) * ms,
                                             .response_ns = (first_ms + 1 + status_ms) * ms,
                                             .name = "WRITE(16)",
                                             .r2ts = 1,
                                             .pdus = 4,
                                             .opcode = write_16,
                                             .status = 0,
                                             .outcome = Outcome::completed});
        store.add_permission_wait(store.command_marks(CommandNumber(number)),
                                  {begin_ms * ms, (begin_ms + asked_ms) * ms, 0});
        return number;
    }
    void add_writes(int64_t asked_ms, int64_t answered_ms, int64_t status_ms) {
        add_flow(add_initiator(), 9500);
        for (int64_t i = 0; i < 30; ++i) add_write(30 * i, asked_ms, answered_ms, status_ms);
    }
};

TEST_F(FindingsOfR2ts, an_initiator_that_answers_them_late_is_no_slow_target) {
    add_writes(3, 22, 3);
    EXPECT_TRUE(find(Kind::target_wait).empty());
    const Finding found = find_one(Kind::initiator_wait);
    EXPECT_EQ(found.title, "Half of the writes wait 22.0 ms or more for the initiator's data");
    EXPECT_EQ(found.side, Finding::Side::initiator);
    EXPECT_EQ(found.severity, Finding::Severity::problem);
    EXPECT_EQ(found.confidence, Finding::Confidence::likely);
    EXPECT_TRUE(find(Kind::nothing_wrong).empty());
}

// Far from the initiator, a round trip lies between an R2T and its data; and whoever held them is not seen.
TEST_F(FindingsOfR2ts, seen_at_the_target_may_have_been_held_on_the_path) {
    store.connection(1).vantage = Vantage::target;
    add_writes(3, 22, 3);
    const Finding found = find_one(Kind::initiator_wait);
    EXPECT_EQ(found.title,
              "Half of the writes wait 20.0 ms or more for the initiator's data, or on the path");
    EXPECT_EQ(found.side, Finding::Side::none);
    EXPECT_EQ(found.severity, Finding::Severity::notice);
    EXPECT_EQ(found.confidence, Finding::Confidence::possible);
}

TEST_F(FindingsOfR2ts, answered_at_once_leave_nothing_to_the_initiator) {
    add_writes(3, 1, 3);
    EXPECT_TRUE(find(Kind::initiator_wait).empty());
}

// What a target takes to ask for data is its own time.
TEST_F(FindingsOfR2ts, that_come_late_are_the_targets) {
    add_writes(24, 0, 2);
    EXPECT_TRUE(find(Kind::initiator_wait).empty());
    EXPECT_THAT(find_one(Kind::target_wait).evidence,
                Contains(HasSubstr("from the request to the first R2T")));
}

TEST_F(FindingsOfR2ts, and_statuses_that_come_late_are_told_of_both) {
    add_writes(12, 0, 12);
    EXPECT_THAT(find_one(Kind::target_wait).evidence,
                Contains(HasSubstr("to the first R2T, and from the last data to the status")));
}

TEST_F(FindingsOfR2ts, one_that_the_initiator_answered_late_made_its_command_slow) {
    add_flow(add_initiator(), 9500);
    for (int64_t i = 0; i < 60; ++i) add_write(10 * i, 3, 0, 2);
    add_write(610, 3, 300, 2);
    const Finding found = find_one(Kind::slow_commands);
    EXPECT_EQ(found.side, Finding::Side::initiator);
    EXPECT_THAT(found.explanation,
                HasSubstr("the initiator took 300 ms to send the first data that an R2T asked for"));
    store.connection(1).vantage = Vantage::target;
    EXPECT_EQ(find_one(Kind::slow_commands).confidence, Finding::Confidence::possible);
    EXPECT_EQ(find_one(Kind::slow_commands).side, Finding::Side::none);
}

// RFC 7143 §7.2.1: which of the two the target got, and when, is not known.
TEST_F(Findings, the_time_of_a_command_that_was_retried_is_not_laid_to_the_target) {
    add_flow(add_target(), 9500);
    for (int64_t i = 0; i < 60; ++i) add_read(10 * i, 3);
    const uint64_t number = add_read(610, 300);
    EXPECT_EQ(find_one(Kind::slow_commands).side, Finding::Side::target);
    store.command_marks(CommandNumber(number)).retried = true;
    const Finding found = find_one(Kind::slow_commands);
    EXPECT_EQ(found.side, Finding::Side::none);
    EXPECT_EQ(found.confidence, Finding::Confidence::possible);
    EXPECT_THAT(found.explanation, HasSubstr("the capture does not tell what held it up"));
}

// Likewise of a command without data.
TEST_F(Findings, a_command_without_data_may_wait_for_a_longer_path_of_its_session) {
    add_flow(add_target(), 9500);
    add_flow(add_initiator(), 9500);
    const auto add_flush = [&](int64_t begin_ms, int64_t took_ms) {
        add_command({.bytes = 0,
                     .response_packet = 5000,
                     .request_ns = begin_ms * ms,
                     .response_ns = (begin_ms + took_ms) * ms,
                     .name = "SYNCHRONIZE CACHE(10)",
                     .opcode = 0x35,
                     .status = 0,
                     .outcome = Outcome::completed});
    };
    for (int64_t i = 0; i < 60; ++i) add_flush(10 * i, 3);
    add_flush(610, 40);
    EXPECT_EQ(find_one(Kind::slow_commands).side, Finding::Side::target);
    store.session(1).connections = 2;
    add_connection(1).rtt_min_ns = 50 * ms;
    SenderSummary& other = store.add_sender(2, Side::a);
    add_window(other, 0, {.srtt_ns = 50 * ms});
    add_window(other, 1000, {.srtt_ns = 50 * ms});
    EXPECT_EQ(find_one(Kind::slow_commands).side, Finding::Side::none);
}

// RFC 7143 §4.2.2.1: commands are carried out in the order of CmdSN, whichever connection they come over.
TEST_F(Findings, a_wait_as_long_as_a_longer_path_of_the_session_is_not_laid_to_the_target) {
    add_flow(add_target(), 9500);
    add_flow(add_initiator(), 9500);
    for (int64_t i = 0; i < 60; ++i) add_read(30 * i, 28);
    EXPECT_THAT(find(Kind::target_wait), SizeIs(1));
    store.session(1).connections = 2;
    add_connection(1).rtt_min_ns = 50 * ms;
    SenderSummary& other = store.add_sender(2, Side::a);
    add_window(other, 0, {.srtt_ns = 50 * ms});
    add_window(other, 1000, {.srtt_ns = 50 * ms});
    EXPECT_TRUE(find(Kind::target_wait).empty());
}

TEST_F(Findings, waits_for_r2ts_are_told_as_a_share_of_the_writes_time) {
    add_window(add_initiator(), 0, {});
    for (int64_t i = 0; i < 30; ++i) {
        add_command({.bytes = 65536,
                     .response_packet = 5000,
                     .request_ns = 10 * i * ms,
                     .response_ns = (10 * i + 8) * ms,
                     .name = "WRITE(16)",
                     .r2ts = 2,
                     .opcode = write_16,
                     .status = 0,
                     .outcome = Outcome::completed});
    }
    EXPECT_THAT(find_one(Kind::r2t_waits).title, HasSubstr("waited for 2.0 R2Ts each: 50 % of their time"));
}

// RFC 7143 §13.17: R2Ts that are outstanding at once cost one round trip together.
TEST_F(Findings, r2ts_at_once_cost_one_round_trip) {
    SenderSummary& initiator = add_initiator();
    add_window(initiator, 0, {.limit = SendLimit::application});
    add_window(initiator, 1000, {});
    for (int64_t i = 0; i < 30; ++i) {
        add_command({.bytes = 1 << 20,
                     .response_packet = 5000,
                     .request_ns = 20 * i * ms,
                     .response_ns = (20 * i + 10) * ms,
                     .name = "WRITE(16)",
                     .r2ts = 4,
                     .opcode = write_16,
                     .status = 0,
                     .outcome = Outcome::completed});
    }
    EXPECT_THAT(find_one(Kind::r2t_waits).title, HasSubstr("waited for 4.0 R2Ts each: 80 % of their time"));
    store.session(1).max_outstanding_r2t = 2;
    const Finding finding = find_one(Kind::r2t_waits);
    EXPECT_THAT(finding.title, HasSubstr("waited for 4.0 R2Ts each: 40 % of their time"));
    EXPECT_THAT(finding.explanation, HasSubstr("up to 2 at once"));
    store.session(1).max_outstanding_r2t = 8;
    EXPECT_TRUE(find(Kind::r2t_waits).empty());
}

// Large writes now and then among small ones that wait for no R2T.
TEST_F(Findings, r2ts_of_a_few_writes_are_no_share_of_the_others_time) {
    SenderSummary& initiator = add_initiator();
    add_window(initiator, 0, {.limit = SendLimit::application});
    add_window(initiator, 1000, {});
    for (int64_t i = 0; i < 30; ++i) {
        const bool large = i % 10 == 0;
        add_command({.bytes = large ? 1u << 20 : 4096u,
                     .response_packet = 5000,
                     .request_ns = 20 * i * ms,
                     .response_ns = (20 * i + (large ? 14 : 3)) * ms,
                     .name = "WRITE(16)",
                     .r2ts = large ? 6u : 0u,
                     .opcode = write_16,
                     .status = 0,
                     .outcome = Outcome::completed});
    }
    EXPECT_TRUE(find(Kind::r2t_waits).empty());
}

// Thirty reads of 2 ms, and one of 202 ms that begins at 500 ms.
class OneSlowRead : public Findings {
  protected:
    OneSlowRead() : target(add_target()) {
        for (int64_t i = 0; i < 30; ++i) add_read(10 * i, 2);
        slow = add_read(500, 202);
        add_window(target, 0, {.snd_una = 1, .snd_nxt = 9, .limit = SendLimit::application});
        add_window(target, 2, {.snd_una = 9, .snd_nxt = 9, .limit = SendLimit::application});
    }
    Finding find_slow() {
        add_window(target, 1000, {.snd_una = 9, .snd_nxt = 9});
        return find_one(Kind::slow_commands);
    }
    SenderSummary& target;
    uint64_t slow = 0;
};

TEST_F(OneSlowRead, waits_for_the_target_where_tcp_did_nothing) {
    const Finding finding = find_slow();
    EXPECT_THAT(finding.title,
                HasSubstr("1 of 31 commands took over 3 times the median of their kind, 202 ms"));
    EXPECT_THAT(finding.explanation, HasSubstr("the target took 200 ms to send the first data"));
    EXPECT_EQ(finding.command, slow);
    EXPECT_EQ(finding.packet, 2000u);
    EXPECT_EQ(finding.begin_ns, 500 * ms);
    EXPECT_EQ(finding.severity, Finding::Severity::problem);
}

// What a capture claims may be more than 292 years together.
TEST_F(OneSlowRead, of_any_length_has_a_cost_that_is_not_negative) {
    constexpr int64_t half_of_all_ms = INT64_MAX / ms / 2;
    for (int64_t i = 0; i < 5; ++i) add_read(600 + i, half_of_all_ms);
    add_window(target, 1000, {.snd_una = 9, .snd_nxt = 9});
    for (const Finding& finding : find()) EXPECT_GE(finding.cost_ns, 0) << finding.title;
}

TEST_F(OneSlowRead, is_in_doubt_where_the_clock_was_set_back) {
    issues.add(Issue::times_set_back, 701);
    const Finding finding = find_slow();
    EXPECT_EQ(finding.severity, Finding::Severity::information);
    EXPECT_EQ(finding.confidence, Finding::Confidence::possible);
    EXPECT_THAT(finding.explanation, HasSubstr("clock was set back"));
}

// A host, the path or the capturing machine's clock: all stands still for 300 ms with data on their way, and no timer runs out.
TEST_F(Findings, a_silence_with_data_unacknowledged_is_not_held_against_the_target) {
    SenderSummary& target = add_target();
    for (int64_t i = 0; i < 30; ++i) add_read(10 * i, 2);
    add_read(500, 302);
    add_window(target, 0, {.snd_una = 1, .snd_nxt = 1, .limit = SendLimit::application});
    add_window(target, 500, {.snd_una = 1, .snd_nxt = 9, .limit = SendLimit::application});
    add_window(target, 801, {.snd_una = 9, .snd_nxt = 9, .limit = SendLimit::application});
    add_window(target, 1000, {.snd_una = 9, .snd_nxt = 9});
    const Finding finding = find_one(Kind::slow_commands);
    EXPECT_EQ(finding.severity, Finding::Severity::notice);
    EXPECT_EQ(finding.side, Finding::Side::none);
    EXPECT_THAT(finding.explanation, HasSubstr("waited for the target, or on the path"));
}

// The initiator's capture: the request leaves at 500 ms.
class OneSlowReadFromAfar : public OneSlowRead {
  protected:
    OneSlowReadFromAfar() {
        SenderSummary& initiator = add_initiator();
        add_window(initiator, 0, {.snd_una = 1, .snd_nxt = 1, .limit = SendLimit::application});
        add_window(initiator, 500, {.snd_una = 1, .snd_nxt = 49, .limit = SendLimit::application});
        asker = &initiator;
    }
    void acknowledge(int64_t time_ms) { add_window(*asker, time_ms, {.snd_una = 49, .snd_nxt = 49}); }
    SenderSummary* asker = nullptr;
};

TEST_F(OneSlowReadFromAfar, is_the_targets_where_its_tcp_had_acknowledged_the_request) {
    acknowledge(503);
    add_window(target, 702, {.snd_una = 9, .snd_nxt = 99});
    const Finding finding = find_slow();
    EXPECT_THAT(finding.explanation, HasSubstr("the target took 200 ms to send the first data"));
    EXPECT_EQ(finding.side, Finding::Side::target);
    EXPECT_EQ(finding.severity, Finding::Severity::problem);
}

TEST_F(OneSlowReadFromAfar, may_be_the_paths_where_the_answer_is_the_first_that_acknowledges_the_request) {
    for (const bool answer_first : {true, false}) {
        if (answer_first) add_window(target, 702, {.snd_una = 9, .snd_nxt = 99});
        acknowledge(702);
        if (!answer_first) add_window(target, 702, {.snd_una = 9, .snd_nxt = 99});
        const Finding finding = find_slow();
        EXPECT_THAT(finding.explanation, HasSubstr("it waited for the target, or on the path"));
        EXPECT_EQ(finding.side, Finding::Side::none);
        EXPECT_EQ(finding.severity, Finding::Severity::notice);
        EXPECT_EQ(finding.confidence, Finding::Confidence::possible);
    }
}

// What is asked without data is answered over the same path.
TEST_F(Findings, a_question_without_data_may_wait_on_the_path_as_well) {
    const auto ask = [&](int64_t begin_ms, int64_t took_ms) {
        add_command({.bytes = 0,
                     .response_packet = 5000,
                     .request_ns = begin_ms * ms,
                     .response_ns = (begin_ms + took_ms) * ms,
                     .name = "TEST UNIT READY",
                     .opcode = 0x00,
                     .status = 0,
                     .outcome = Outcome::completed});
    };
    for (int64_t i = 0; i < 30; ++i) ask(10 * i, 2);
    ask(500, 202);
    SenderSummary& target = add_target();
    SenderSummary& initiator = add_initiator();
    add_window(target, 0, {.snd_una = 1, .snd_nxt = 9, .limit = SendLimit::application});
    add_window(target, 2, {.snd_una = 9, .snd_nxt = 9, .limit = SendLimit::application});
    add_window(initiator, 0, {.snd_una = 1, .snd_nxt = 1, .limit = SendLimit::application});
    add_window(initiator, 500, {.snd_una = 1, .snd_nxt = 49, .limit = SendLimit::application});
    add_window(target, 702, {.snd_una = 9, .snd_nxt = 99});
    add_window(initiator, 702, {.snd_una = 49, .snd_nxt = 49});
    add_window(target, 1000, {.snd_una = 9, .snd_nxt = 9});
    const Finding finding = find_one(Kind::slow_commands);
    EXPECT_THAT(finding.explanation, HasSubstr("it waited for the target, or on the path"));
    EXPECT_EQ(finding.side, Finding::Side::none);
}

// The last segment of an answer, lost before the tap, comes when the target's timer has run out.
TEST_F(OneSlowRead, may_be_a_lost_answer_where_the_path_before_the_tap_loses) {
    for (int64_t i = 0; i < 3; ++i) add_loss(target, LossKind::fast_retransmit, 100 + i);
    EXPECT_THAT(find_slow().explanation, HasSubstr("it waited for the target, or on the path"));
    store.connection(1).vantage = Vantage::target;
    EXPECT_THAT(find_slow().explanation, HasSubstr("the target took"));
}

// Of two lost segments each may have held up two commands for a tail loss probe's few milliseconds, and left nothing to see.
TEST_F(Findings, waits_that_are_no_more_than_what_was_lost_are_not_held_against_the_target) {
    SenderSummary& target = add_target();
    for (int64_t i = 0; i < 30; ++i) add_read(10 * i, 2);
    for (int64_t i = 0; i < 6; ++i) add_read(500 + (100 * i), 42);
    add_window(target, 0, {.snd_una = 1, .snd_nxt = 9, .limit = SendLimit::application});
    add_window(target, 2, {.snd_una = 9, .snd_nxt = 9, .limit = SendLimit::application});
    add_window(target, 1300, {.snd_una = 9, .snd_nxt = 9});
    EXPECT_THAT(find_one(Kind::slow_commands).explanation, HasSubstr("the target took"));
    for (int64_t i = 0; i < 3; ++i) add_loss(target, LossKind::fast_retransmit, 100 + i);
    const Finding finding = find_one(Kind::slow_commands);
    EXPECT_EQ(finding.side, Finding::Side::none);
    EXPECT_EQ(finding.confidence, Finding::Confidence::possible);
    EXPECT_THAT(finding.explanation, AllOf(HasSubstr("waited for the target, or on the path"),
                                           HasSubstr("The path loses segments, and no more")));
    add_read(1100, 42);
    EXPECT_THAT(find_one(Kind::slow_commands).explanation, HasSubstr("the target took"));
}

TEST_F(OneSlowRead, is_explained_by_a_timeout_within_its_time) {
    add_window(target, 510, {.snd_una = 5, .snd_nxt = 9});
    add_window(target, 650, {.snd_una = 5, .snd_nxt = 9, .ca_state = CaState::loss});
    add_window(target, 690, {.snd_una = 9, .snd_nxt = 9});
    EXPECT_THAT(find_slow().explanation, HasSubstr("waited for a retransmission timeout"));
}

TEST_F(OneSlowRead, whose_connection_lost_nothing_did_not_wait_for_a_repair) {
    add_window(target, 520, {.snd_una = 5, .snd_nxt = 9, .limit = SendLimit::recovery});
    add_window(target, 690, {.snd_una = 9, .snd_nxt = 9, .limit = SendLimit::application});
    add_loss(target, LossKind::spurious, 520);
    const Finding finding = find_slow();
    EXPECT_EQ(finding.confidence, Finding::Confidence::possible);
    EXPECT_THAT(finding.explanation, AllOf(HasSubstr("only late"), Not(HasSubstr("were lost"))));
}

TEST_F(OneSlowRead, is_explained_by_the_repair_of_a_loss) {
    add_window(target, 520, {.snd_una = 5, .snd_nxt = 9, .limit = SendLimit::recovery});
    add_window(target, 690, {.snd_una = 9, .snd_nxt = 9, .limit = SendLimit::application});
    EXPECT_THAT(find_slow().explanation, HasSubstr("were lost and had to be retransmitted"));
}

TEST_F(OneSlowRead, is_not_explained_by_a_loss_that_took_but_a_moment_of_it) {
    add_loss(target, LossKind::fast_retransmit, 600);
    EXPECT_THAT(find_slow().explanation, HasSubstr("the target took"));
}

TEST_F(OneSlowRead, is_explained_by_a_shut_window) {
    add_window(target, 520, {.advertised_window = 0, .limit = SendLimit::receiver});
    add_window(target, 690, {.limit = SendLimit::application});
    EXPECT_THAT(find_slow().explanation, HasSubstr("a receive window of its connection was closed"));
}

TEST_F(OneSlowRead, is_not_told_among_too_few_of_its_kind) {
    Findings::add_command({.bytes = 4096,
                           .response_packet = 9000,
                           .request_ns = 0,
                           .response_ns = 900 * ms,
                           .name = "READ(10)",
                           .opcode = 0x28,
                           .status = 0,
                           .outcome = Outcome::completed});
    EXPECT_THAT(find_slow().title, HasSubstr("1 of 31"));
}

TEST_F(Findings, statuses_are_told_by_kind_with_the_first_of_each) {
    add_failed(0x00, 2, 6, 0x29, 0);
    const uint64_t first = add_failed(read_16, 2, 3, 0x11, 0);
    add_failed(read_16, 2, 3, 0x11, 0);
    const std::vector<Finding> found = find(Kind::command_status);
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].severity, Finding::Severity::problem);
    EXPECT_THAT(found[0].title, HasSubstr("2 commands: CHECK CONDITION, MEDIUM ERROR"));
    EXPECT_EQ(found[0].command, first);
    EXPECT_EQ(found[1].severity, Finding::Severity::information);
    EXPECT_THAT(found[1].title, HasSubstr("UNIT ATTENTION"));
}

TEST_F(Findings, a_target_that_is_full_is_told) {
    add_failed(read_16, 0x28);
    EXPECT_THAT(find_one(Kind::target_queue_full).title, HasSubstr("turned 1 command away as TASK SET FULL"));
    EXPECT_TRUE(find(Kind::command_status).empty());
}

TEST_F(Findings, commands_whose_connection_ended_were_never_answered) {
    for (int64_t i = 0; i < 10; ++i) add_read(10 * i, 5);
    const uint64_t first = add_command({.request_ns = 900 * ms, .name = "READ(16)", .opcode = read_16});
    add_command({.request_ns = 950 * ms, .name = "READ(16)", .opcode = read_16});
    const Finding finding = find_one(Kind::unanswered_commands);
    EXPECT_THAT(finding.title, HasSubstr("2 commands not answered before the capture ends"));
    EXPECT_THAT(finding.explanation, HasSubstr("waited 1.10 s for its answer, until the capture ends"));
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("goes on for 1.00 s without another packet")));
    EXPECT_EQ(finding.command, first);
    EXPECT_EQ(finding.severity, Finding::Severity::problem);
}

TEST_F(Findings, commands_under_way_when_the_capture_ends_are_no_trouble) {
    for (int64_t i = 0; i < 10; ++i) add_read(10 * i, 5);
    add_command({.request_ns = totals.last_ns - 4 * ms, .name = "READ(16)", .opcode = read_16});
    EXPECT_TRUE(find(Kind::unanswered_commands).empty());
    EXPECT_EQ(find_one(Kind::under_way_at_end).severity, Finding::Severity::information);
}

TEST_F(Findings, answers_that_a_leaking_capture_missed_are_not_held_against_the_target) {
    SenderSummary& target = add_target();
    add_command({.request_ns = 10 * ms, .name = "READ(16)", .opcode = read_16});
    for (int64_t i = 0; i < 10; ++i) add_read(20 + 10 * i, 5);
    EXPECT_EQ(find(Kind::unanswered_commands).size(), 1u);
    add_loss(target, LossKind::not_captured, 12);
    EXPECT_TRUE(find(Kind::unanswered_commands).empty());
    EXPECT_EQ(find(Kind::unseen_answers).size(), 1u);
}

TEST_F(Findings, answers_beyond_the_cut_are_not_held_against_the_target) {
    add_command({.request_ns = 10 * ms, .name = "READ(16)", .opcode = read_16});
    for (int64_t i = 0; i < 10; ++i) add_read(20 + 10 * i, 5);
    totals.cut_packets = 10;
    totals.cut_at = 128;
    EXPECT_EQ(find(Kind::unanswered_commands).size(), 1u);
    issues.add(Issue::resynchronisations, 7);
    EXPECT_TRUE(find(Kind::unanswered_commands).empty());
    EXPECT_THAT(find_one(Kind::unseen_answers).explanation, HasSubstr("beyond the cut"));
    EXPECT_EQ(find_one(Kind::unseen_answers).severity, Finding::Severity::information)
        << "that packets were cut is no fault";
}

TEST_F(Findings, aborted_commands_are_told) {
    add_command({.request_ns = 10 * ms, .name = "WRITE(10)", .outcome = Outcome::aborted});
    EXPECT_THAT(find_one(Kind::aborted_commands).title, HasSubstr("1 command aborted"));
}

TEST_F(Findings, a_session_that_comes_back_without_logout_is_told_and_one_that_logged_out_is_not) {
    const auto name = [&](uint32_t number) {
        store.session(number).initiator_name = "iqn.i";
        store.session(number).target_name = "iqn.t";
    };
    store.connection(1).end_ns = 300 * ms;
    uint32_t session = 0;
    store.add_session(session);
    ConnectionRow& again = add_connection(session);
    again.start_ns = 800 * ms;
    name(1);
    name(2);
    const Finding finding = find_one(Kind::session_reconnect);
    EXPECT_THAT(finding.title, HasSubstr("once: 500 ms between the two"));
    EXPECT_EQ(finding.session, 2u);
    EXPECT_EQ(finding.packet, again.first_packet);
    EXPECT_EQ(finding.severity, Finding::Severity::information) << "it may have done its work";
    store.connection(1).out.reset = true;
    EXPECT_EQ(find_one(Kind::session_reconnect).severity, Finding::Severity::notice);
    store.add_session_event({.packet = 6, .connection = 1, .opcode = 0x06});
    EXPECT_TRUE(find(Kind::session_reconnect).empty());
}

TEST_F(Findings, sessions_at_the_same_time_are_no_reconnect) {
    uint32_t session = 0;
    store.add_session(session);
    add_connection(session).start_ns = 800 * ms;
    for (const uint32_t number : {1u, 2u}) {
        store.session(number).initiator_name = "iqn.i";
        store.session(number).target_name = "iqn.t";
    }
    EXPECT_TRUE(find(Kind::session_reconnect).empty());
}

TEST_F(Findings, bad_digests_lead_to_the_first_one) {
    issues.add(Issue::data_digests_bad, 44, 3);
    store.add_session_event(
        {.packet = 44, .command = 9, .connection = 1, .session = 1, .opcode = 0x25, .bad_digest = true});
    const Finding finding = find_one(Kind::bad_digest);
    EXPECT_THAT(finding.title, HasSubstr("3 PDUs with a wrong digest: 0 of headers, 3 of data"));
    EXPECT_EQ(finding.packet, 44u);
    EXPECT_EQ(finding.command, 9u);
    EXPECT_EQ(finding.session, 1u);
}

TEST_F(Findings, rejects_messages_and_task_management_are_told) {
    for (const uint8_t opcode : {uint8_t{0x3f}, uint8_t{0x32}, uint8_t{0x02}}) {
        store.add_session_event({.packet = opcode, .connection = 1, .opcode = opcode});
    }
    EXPECT_EQ(find_one(Kind::rejected_pdu).packet, 0x3fu);
    EXPECT_EQ(find_one(Kind::async_message).packet, 0x32u);
    EXPECT_EQ(find_one(Kind::task_management).packet, 0x02u);
}

// RFC 7143 §11.9.1: 2 drops the connection, 3 all of the session, 5 ends the tasks of a logical unit.
class MessageOfTheTarget : public Findings, public testing::WithParamInterface<uint16_t> {};

TEST_P(MessageOfTheTarget, is_a_problem_where_it_ends_something) {
    SessionEvent event{.packet = 3, .connection = 1, .opcode = 0x32};
    event.code = GetParam();
    store.add_session_event(event);
    const bool ends = event.code == 2 || event.code == 3 || event.code == 5;
    EXPECT_EQ(find_one(Kind::async_message).severity,
              ends ? Finding::Severity::problem : Finding::Severity::notice);
}

INSTANTIATE_TEST_SUITE_P(Events, MessageOfTheTarget, testing::Values(0, 1, 2, 3, 4, 5, 255));

// Statuses and sense data that healthy hosts make: COMPARE AND WRITE of a lock that another has, PRE-FETCH, reservations that a
// cluster's hosts ask about.
TEST_F(Findings, what_a_healthy_cluster_shows_is_no_trouble) {
    add_failed(0x89, 2, 0xe, 0x1d, 0);
    add_failed(0x34, 4);
    add_failed(0x00, 0x18);
    const std::vector<Finding> found = find(Kind::command_status);
    ASSERT_EQ(found.size(), 3u);
    for (const Finding& finding : found)
        EXPECT_EQ(finding.severity, Finding::Severity::information) << finding.title;
}

TEST_F(Findings, a_read_that_a_reservation_refuses_is_a_problem) {
    add_failed(read_16, 0x18);
    EXPECT_EQ(find_one(Kind::command_status).severity, Finding::Severity::problem);
}

TEST_F(Findings, connections_that_share_unequally_are_told) {
    store.session(1).connections = 2;
    add_connection(1);
    for (int64_t i = 0; i < 90; ++i) add_read(10 * i, 2);
    for (int64_t i = 0; i < 10; ++i) add_command({.request_ns = i, .name = "READ(16)", .connection = 2});
    EXPECT_THAT(find_one(Kind::connection_imbalance).title,
                HasSubstr("One of 2 connections of session 1 carried 90 %"));
}

TEST_F(Findings, a_connection_that_takes_the_place_of_another_shares_nothing_with_it) {
    store.session(1).connections = 2;
    add_connection(1);
    store.connection(1).end_ns = 900 * ms;
    store.connection(2).start_ns = 890 * ms;
    for (int64_t i = 0; i < 90; ++i) add_read(10 * i, 2);
    for (int64_t i = 0; i < 10; ++i)
        add_command({.request_ns = (900 + i) * ms, .name = "READ(16)", .connection = 2});
    EXPECT_TRUE(find(Kind::connection_imbalance).empty());
}

TEST_F(Findings, what_a_cut_hides_is_no_fault) {
    add_read(20, 5);
    issues.add(Issue::answers_not_paired, 33, 40);
    EXPECT_EQ(find_one(Kind::capture_issue).severity, Finding::Severity::notice);
    totals.cut_packets = 12;
    totals.cut_at = 96;
    EXPECT_EQ(find_one(Kind::capture_issue).severity, Finding::Severity::information);
}

TEST_F(Findings, what_the_capture_lacks_is_told) {
    SenderSummary& target = add_target();
    add_loss(target, LossKind::not_captured, 12, 33);
    add_loss(target, LossKind::duplicate, 13, 34);
    issues.add(Issue::bytes_not_captured, 33, 4000);
    issues.add(Issue::fragments_never_completed, 35, 2);
    damage.push_back({"cut.pcap", 1234, "the file is cut off inside a packet record"});
    interfaces.push_back({.file = "cut.pcap", .name = "eth0", .snap_length = 128, .dropped = 17});
    // A snap length that cut nothing is not told of.
    EXPECT_TRUE(find(Kind::snap_length).empty());
    totals.cut_packets = 12;
    totals.cut_at = 96;
    EXPECT_THAT(find_one(Kind::capture_damaged).title,
                "cut.pcap: the file is cut off inside a packet record at byte 1234");
    totals.packets = 17 * 999;
    EXPECT_THAT(find_one(Kind::capture_drops).title, HasSubstr("17 packets, 0.1 % of what came"));
    EXPECT_EQ(find_one(Kind::capture_drops).severity, Finding::Severity::notice);
    totals.packets = 17;
    EXPECT_THAT(find_one(Kind::capture_drops).title, HasSubstr("50 % of what came"));
    EXPECT_EQ(find_one(Kind::capture_drops).severity, Finding::Severity::problem);
    EXPECT_EQ(find_one(Kind::snap_length).title, "12 packets were cut at 96 bytes (snap length)");
    EXPECT_THAT(find_one(Kind::snap_length).explanation, HasSubstr("What TCP did is seen in full"));
    totals.cut_at = 80;
    EXPECT_THAT(find_one(Kind::snap_length).explanation, HasSubstr("what TCP did is less certain"));
    EXPECT_THAT(find_one(Kind::not_captured).title, HasSubstr("4.00 kB of iSCSI"));
    EXPECT_THAT(find_one(Kind::not_captured).explanation, HasSubstr("or they took another way"));
    EXPECT_EQ(find_one(Kind::not_captured).packet, 33u);
    EXPECT_EQ(find_one(Kind::captured_twice).packet, 34u);
    EXPECT_THAT(find_one(Kind::capture_issue).title, HasSubstr("2 IP datagrams with fragments missing"));
}

TEST_F(Findings, come_with_failures_before_slowness_and_the_costliest_first) {
    SenderSummary& target = add_target();
    add_window(target, 0, {.advertised_window = 0, .limit = SendLimit::receiver});
    add_window(target, 200, {.ca_state = CaState::recovery, .limit = SendLimit::recovery});
    add_window(target, 900, {.limit = SendLimit::application});
    add_window(target, 1000, {});
    for (int64_t i = 0; i < 10; ++i) add_loss(target, LossKind::fast_retransmit, 200 + i);
    add_read(0, 950);
    add_failed(read_16, 2, 3, 0x11, 0);
    interfaces.push_back({.file = "some.pcap", .name = "", .dropped = 1});
    std::vector<Kind> order;
    for (const Finding& finding : find()) order.push_back(finding.kind);
    EXPECT_THAT(order, testing::ElementsAre(Kind::command_status, Kind::lost_segments,
                                            Kind::zero_window_stall, Kind::capture_drops, Kind::vantage));
}

TEST_F(Findings, that_cost_about_the_same_stand_in_the_order_of_their_kinds) {
    // Two captures of one thing differ by some hundredths: the order must not.
    SenderSummary& target = add_target();
    add_window(target, 0, {.ca_state = CaState::recovery, .limit = SendLimit::recovery});
    add_window(target, 400, {.advertised_window = 0, .limit = SendLimit::receiver});
    add_window(target, 900, {.limit = SendLimit::application});
    add_window(target, 1000, {});
    for (int64_t i = 0; i < 20; ++i) add_loss(target, LossKind::fast_retransmit, 200 + i);
    std::vector<Kind> order;
    for (const Finding& finding : find()) order.push_back(finding.kind);
    EXPECT_THAT(order, testing::ElementsAre(Kind::lost_segments, Kind::zero_window_stall, Kind::vantage));
}

TEST_F(Findings, how_it_was_used_stands_behind_what_was_wrong) {
    store.connection(1).rtt_min_ns = 20 * ms;
    SenderSummary& target = add_target();
    add_window(target, 0, {.limit = SendLimit::application});
    add_window(target, 1000, {});
    for (int64_t i = 0; i < 40; ++i) add_read(22 * i, 21, 1);
    for (int64_t i = 0; i < 20; ++i) add_loss(target, LossKind::out_of_order, 20 * i);
    store.add_ca_transition(target, {.connection = 1, .from = CaState::open, .to = CaState::disorder});
    std::vector<Kind> order;
    for (const Finding& finding : find())
        if (finding.severity != Finding::Severity::information) order.push_back(finding.kind);
    EXPECT_EQ(order.back(), Kind::shallow_queue);
}

TEST_F(Findings, timeouts_of_segments_that_were_lost_are_told_with_these) {
    SenderSummary& target = add_target();
    add_window(target, 0,
               {.snd_una = 1, .snd_nxt = 9000, .ca_state = CaState::recovery, .limit = SendLimit::recovery});
    add_window(target, 100, {.snd_una = 5000, .snd_nxt = 9000});
    add_window(target, 300, {.snd_una = 5000, .snd_nxt = 9000, .ca_state = CaState::loss});
    add_window(target, 320, {.snd_una = 9000, .snd_nxt = 9000});
    add_window(target, 1000, {.snd_una = 9000, .snd_nxt = 9000});
    for (int64_t i = 0; i < 9; ++i) add_loss(target, LossKind::fast_retransmit, 10 + i);
    add_loss(target, LossKind::rto, 300);
    const Finding finding = find().front();
    EXPECT_EQ(finding.kind, Kind::lost_segments);
    EXPECT_EQ(finding.severity, Finding::Severity::problem);
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("retransmission timeout (RTO) once: 220 ms")));
    EXPECT_EQ(find_one(Kind::retransmission_timeout).severity, Finding::Severity::information);
}

TEST_F(Findings, of_a_kind_a_handful_is_told_and_how_many_more_there_are) {
    for (uint16_t asc = 0; asc < 10; ++asc) add_failed(read_16, 2, 3, asc, 0);
    const std::vector<Finding> found = find(Kind::command_status);
    ASSERT_EQ(found.size(), 4u);
    EXPECT_THAT(found[3].explanation, HasSubstr("And 6 more like this."));
    EXPECT_THAT(found[2].explanation, Not(HasSubstr("more like this")));
}

TEST_F(Findings, a_problem_has_two_signs_and_what_has_one_is_a_notice) {
    SenderSummary& target = add_target();
    add_window(target, 0, {.limit = SendLimit::recovery});
    add_window(target, 900, {.limit = SendLimit::application});
    add_window(target, 1000, {});
    for (int64_t i = 0; i < 20; ++i) add_loss(target, LossKind::fast_retransmit, 200 + i);
    // The receiver told of no hole.
    const Finding finding = find_one(Kind::lost_segments);
    EXPECT_EQ(finding.severity, Finding::Severity::notice);
    EXPECT_EQ(finding.confidence, Finding::Confidence::likely);
    for (const Finding& one : find()) {
        const bool earned = one.severity != Finding::Severity::problem || one.evidence.size() >= 2;
        EXPECT_TRUE(earned) << one.title;
    }
}

TEST_F(Findings, a_consequence_stands_behind_its_cause_and_names_it) {
    SenderSummary& target = add_target();
    add_window(target, 0, {.ca_state = CaState::recovery, .limit = SendLimit::recovery});
    add_window(target, 400, {.limit = SendLimit::congestion});
    add_window(target, 1000, {});
    for (int64_t i = 0; i < 20; ++i) add_loss(target, LossKind::fast_retransmit, 200 + i);
    EXPECT_EQ(find().front().kind, Kind::lost_segments);
    const Finding finding = find_one(Kind::congestion_window);
    EXPECT_EQ(finding.severity, Finding::Severity::information);
    EXPECT_THAT(finding.explanation, HasSubstr("It follows from: 20 segments"));
}

// Two connections of one session, each with a TCP of its own.
TEST_F(Findings, what_one_connection_loses_does_not_make_the_window_of_another_small) {
    store.session(1).connections = 2;
    add_connection(1);
    SenderSummary& target = add_target();
    add_window(target, 0, {.ca_state = CaState::recovery, .limit = SendLimit::recovery});
    add_window(target, 400, {.limit = SendLimit::application});
    add_window(target, 1000, {});
    for (int64_t i = 0; i < 20; ++i) add_loss(target, LossKind::fast_retransmit, 200 + i);
    SenderSummary& other = store.add_sender(2, Side::b);
    add_window(other, 0, {.limit = SendLimit::application});
    add_window(other, 400, {.limit = SendLimit::congestion});
    add_window(other, 800, {.limit = SendLimit::application});
    add_window(other, 1000, {});
    EXPECT_EQ(find(Kind::lost_segments).size(), 1u);
    const Finding finding = find_one(Kind::congestion_window);
    EXPECT_EQ(finding.connection, 2u);
    EXPECT_THAT(finding.explanation, Not(HasSubstr("follows from")));
}

TEST_F(Findings, shares_are_of_the_time_in_which_commands_were_under_way) {
    SenderSummary& target = add_target();
    // Ten bursts of 10 ms, each held back by a window that is small after 90 ms of silence: a tenth of all time, all of theirs.
    for (int64_t i = 0; i < 25; ++i) {
        add_read(40 * i, 10);
        const auto seq = static_cast<uint32_t>(i);
        add_window(target, 40 * i, {.snd_una = seq, .snd_nxt = seq + 1, .limit = SendLimit::congestion});
        add_window(target, 40 * i + 10,
                   {.snd_una = seq + 1, .snd_nxt = seq + 1, .limit = SendLimit::application});
    }
    EXPECT_THAT(find_one(Kind::congestion_window).title, HasSubstr("9"));
    EXPECT_THAT(find_one(Kind::congestion_window).title, HasSubstr("of its busy time"));
}

TEST_F(Findings, a_window_that_begins_anew_after_silence_is_told_with_what_to_set) {
    SenderSummary& target = add_target();
    for (int64_t i = 0; i < 3; ++i) {
        const auto seq = static_cast<uint32_t>(10 * i);
        add_read(300 * i, 30);
        add_window(target, 300 * i,
                   {.snd_una = seq, .snd_nxt = seq + 5, .cwnd = 10'000, .limit = SendLimit::congestion});
        add_window(
            target, 300 * i + 30,
            {.snd_una = seq + 10, .snd_nxt = seq + 10, .cwnd = 90'000, .limit = SendLimit::application});
    }
    const Finding finding = find_one(Kind::congestion_window);
    EXPECT_THAT(finding.explanation, HasSubstr("tcp_slow_start_after_idle=0"));
    EXPECT_THAT(finding.evidence,
                Contains(HasSubstr("2 times the congestion window fell from up to 90.0 kB to 10.0 kB")));
    EXPECT_EQ(finding.side, Finding::Side::target);
}

TEST_F(Findings, a_load_that_waits_by_itself_is_not_told_to_ask_for_more) {
    store.connection(1).rtt_min_ns = 10 * ms;
    SenderSummary& target = add_target();
    add_window(target, 0, {.limit = SendLimit::application});
    add_window(target, 1000, {});
    for (int64_t i = 0; i < 30; ++i) add_read(32 * i, 11, 1);
    EXPECT_TRUE(find(Kind::shallow_queue).empty());
    EXPECT_EQ(find().front().kind, Kind::nothing_wrong);
}

TEST_F(Findings, a_command_window_that_the_target_keeps_small_is_told_with_advice_for_the_target) {
    store.connection(1).rtt_min_ns = 20 * ms;
    store.session(1).command_window = 1;
    store.session(1).command_window_shut_ns = 850 * ms;
    SenderSummary& target = add_target();
    add_window(target, 0, {.limit = SendLimit::application});
    add_window(target, 1000, {});
    for (int64_t i = 0; i < 40; ++i) add_read(22 * i, 21, 1);
    EXPECT_TRUE(find(Kind::shallow_queue).empty());
    const Finding finding = find_one(Kind::command_window);
    EXPECT_THAT(finding.title, HasSubstr("the target allows 1 command at once (MaxCmdSN)"));
    EXPECT_EQ(finding.side, Finding::Side::target);
}

// At the target commands are answered at once, and the window is hardly ever seen shut.
TEST_F(Findings, a_command_window_that_is_always_in_use_keeps_the_queue_shallow) {
    store.connection(1).rtt_min_ns = 20 * ms;
    store.session(1).command_window = 2;
    SenderSummary& target = add_target();
    add_window(target, 0, {.limit = SendLimit::application});
    add_window(target, 1000, {});
    for (int64_t i = 0; i < 40; ++i) {
        add_read(22 * i, 21, 2);
        add_read(22 * i, 21, 2);
    }
    EXPECT_TRUE(find(Kind::shallow_queue).empty());
    EXPECT_EQ(find_one(Kind::command_window).confidence, Finding::Confidence::likely);
    store.session(1).command_window = 8;
    EXPECT_EQ(find(Kind::shallow_queue).size(), 1u);
}

// The target takes 5 ms of each command and allows one at once: both are told. An initiator that had nothing to send meanwhile has no
// such window noted (CommandWindow).
TEST_F(Findings, a_command_window_is_told_beside_what_its_commands_wait_for) {
    store.connection(1).rtt_min_ns = 4 * ms;
    store.session(1).command_window = 1;
    SenderSummary& target = add_target();
    add_window(target, 0, {.limit = SendLimit::application});
    add_window(target, 1000, {});
    for (int64_t i = 0; i < 40; ++i) add_read(10 * i, 9, 1);
    EXPECT_TRUE(find(Kind::command_window).empty());
    store.session(1).command_window_shut_ns = 360 * ms;
    store.session(1).command_window_shuts = 39;
    const Finding finding = find_one(Kind::command_window);
    EXPECT_THAT(finding.title, HasSubstr("the target allows 1 command at once (MaxCmdSN)"));
    EXPECT_EQ(finding.confidence, Finding::Confidence::likely);
    EXPECT_GE(finding.evidence.size(), 2u);
    store.session(1).command_window_shut_ns = 60 * ms;
    EXPECT_TRUE(find(Kind::command_window).empty());
}

TEST_F(Findings, slow_writes_are_told_though_reads_are_fast_and_the_logical_unit_is_named) {
    for (SenderSummary* sender : {&add_target(), &add_initiator()}) {
        add_window(*sender, 0, {.limit = SendLimit::application});
        add_window(*sender, 1000, {});
    }
    for (int64_t i = 0; i < 30; ++i) {
        add_read(30 * i, 3);
        add_command({.lun = 4,
                     .bytes = 4096,
                     .response_packet = 5000,
                     .request_ns = (30 * i + 5) * ms,
                     .response_ns = (30 * i + 15) * ms,
                     .name = "WRITE(16)",
                     .opcode = write_16,
                     .status = 0,
                     .outcome = Outcome::completed});
    }
    const Finding finding = find_one(Kind::target_wait);
    EXPECT_THAT(finding.title, HasSubstr("Half of the writes of LUN 4 wait 8."));
    EXPECT_EQ(finding.lun, 4u);
    EXPECT_THAT(finding.place, HasSubstr("LUN 4"));
}

// Six at a time, each of 11 ms: a queue at a target that takes 2 ms for one, unless it serves others meanwhile.
TEST_F(Findings, that_reads_are_served_at_once_shows_that_slow_writes_have_no_queue_before_them) {
    for (SenderSummary* sender : {&add_target(), &add_initiator()}) {
        add_window(*sender, 0, {.limit = SendLimit::application});
        add_window(*sender, 1000, {});
    }
    const auto write = [&](int64_t begin_ms, int64_t took_ms) {
        add_command({.lun = 0,
                     .bytes = 4096,
                     .request_packet = static_cast<PacketNumber>(1000 + begin_ms),
                     .response_packet = static_cast<PacketNumber>(1000 + begin_ms + took_ms),
                     .request_ns = begin_ms * ms,
                     .response_ns = (begin_ms + took_ms) * ms,
                     .name = "WRITE(16)",
                     .opcode = write_16,
                     .status = 0,
                     .outcome = Outcome::completed});
    };
    write(0, 3);  // finds no queue
    for (int64_t i = 1; i < 91; ++i) write(2 * i, 11);
    EXPECT_TRUE(find(Kind::target_wait).empty());
    for (int64_t i = 0; i < 90; ++i) {
        add_command({.lun = 0,
                     .bytes = 4096,
                     .request_packet = static_cast<PacketNumber>(1001 + 2 * i),
                     .response_packet = static_cast<PacketNumber>(1004 + 2 * i),
                     .request_ns = (2 * i + 1) * ms,
                     .first_data_ns = (2 * i + 4) * ms,
                     .response_ns = (2 * i + 4) * ms,
                     .name = "READ(16)",
                     .opcode = read_16,
                     .status = 0,
                     .outcome = Outcome::completed});
    }
    EXPECT_THAT(find_one(Kind::target_wait).explanation, HasSubstr("only writes are slow"));
}

// Reads one at a time, and later six writes at a time: that the reads had no queue before them tells nothing of the writes.
TEST_F(Findings, reads_of_another_time_do_not_show_that_writes_have_no_queue_before_them) {
    for (SenderSummary* sender : {&add_target(), &add_initiator()}) {
        add_window(*sender, 0, {.limit = SendLimit::application});
        add_window(*sender, 1000, {});
    }
    const auto add = [&](uint16_t opcode, int64_t begin_ms, int64_t took_ms) {
        add_command({.lun = 0,
                     .bytes = 4096,
                     .request_packet = static_cast<PacketNumber>(1000 + begin_ms),
                     .response_packet = static_cast<PacketNumber>(1000 + begin_ms + took_ms),
                     .request_ns = begin_ms * ms,
                     .response_ns = (begin_ms + took_ms) * ms,
                     .name = opcode == read_16 ? "READ(16)" : "WRITE(16)",
                     .opcode = opcode,
                     .status = 0,
                     .outcome = Outcome::completed});
    };
    for (int64_t i = 0; i < 40; ++i) add(read_16, 5 * i, 3);
    add(write_16, 400, 3);  // finds no queue
    for (int64_t i = 1; i < 91; ++i) add(write_16, 400 + 2 * i, 11);
    EXPECT_TRUE(find(Kind::target_wait).empty());
}

// Some 40 at once, each waiting 2.6 ms: that is the queue depth, for one alone waits but 1.1 ms.
TEST_F(Findings, a_queue_before_a_target_that_serves_one_command_soon_is_not_a_slow_target) {
    for (SenderSummary* sender : {&add_target(), &add_initiator()}) {
        add_window(*sender, 0, {.limit = SendLimit::application});
        add_window(*sender, 1000, {});
    }
    const auto read = [&](int64_t begin_ns, int64_t took_ns) {
        add_command({.lun = 0,
                     .bytes = 4096,
                     .request_packet = static_cast<PacketNumber>(1000 + begin_ns / 100'000),
                     .response_packet = static_cast<PacketNumber>(1000 + (begin_ns + took_ns) / 100'000),
                     .request_ns = begin_ns,
                     .first_data_ns = begin_ns + took_ns,
                     .response_ns = begin_ns + took_ns,
                     .name = "READ(16)",
                     .opcode = read_16,
                     .status = 0,
                     .outcome = Outcome::completed});
    };
    for (int64_t i = 0; i < 30; ++i) read(10 * i * ms, 3'100'000);
    for (int64_t i = 0; i < 5000; ++i) read(400 * ms + i * 100'000, 4'600'000);
    EXPECT_TRUE(find(Kind::target_wait).empty());
}

TEST_F(Findings, commands_behind_the_data_of_others_did_not_wait_for_the_target) {
    SenderSummary& target = add_target();
    // A packet every 0.1 ms, and many in flight: the target's data flow all the time.
    add_flow(target, 9000, 10 * mss);
    for (int64_t i = 0; i < 30; ++i) add_read(i, 800);
    EXPECT_TRUE(find(Kind::target_wait).empty());
}

TEST_F(Findings, commands_behind_the_data_of_others_in_a_small_receive_window_did_not_wait_for_the_target) {
    SenderSummary& target = add_target();
    // No more fits in the window: what else there is stands in the target's socket.
    add_flow(target, 9000, 4 * mss, 7 * mss);
    for (int64_t i = 0; i < 30; ++i) add_read(i, 800);
    EXPECT_TRUE(find(Kind::target_wait).empty());
}

TEST_F(Findings,
       commands_behind_the_data_of_others_in_a_small_congestion_window_did_not_wait_for_the_target) {
    SenderSummary& target = add_target();
    for (uint32_t i = 0; i < 9000; ++i) {
        WindowRow row{.snd_una = i, .snd_nxt = i + 1, .in_flight = 4 * mss, .cwnd = 5 * mss};
        row.connection = target.connection();
        row.sender = target.side();
        row.time_ns = int64_t{i} * 100'000;
        row.srtt_ns = 2 * ms;
        row.advertised_window = 1'000'000;
        row.limit = SendLimit::application;
        store.add_window(target, row);
    }
    for (int64_t i = 0; i < 30; ++i) add_read(i, 800);
    EXPECT_TRUE(find(Kind::target_wait).empty());
}

TEST_F(Findings, commands_behind_a_few_packets_of_others_waited_for_the_target) {
    SenderSummary& target = add_target();
    // A packet every 0.1 ms, with one in flight: nothing stands in the target's socket.
    add_flow(target, 9000);
    for (int64_t i = 0; i < 30; ++i) add_read(i, 800);
    EXPECT_EQ(find_one(Kind::target_wait).severity, Finding::Severity::notice);
}

TEST_F(Findings, many_large_commands_that_wait_for_each_other_are_told_by_littles_law) {
    SenderSummary& target = add_target();
    add_flow(target, 9900, 10 * mss);
    // 16 under way, one every 20 ms: 320 ms each.
    for (int64_t i = 0; i < 34; ++i) add_read(20 * i, 320);
    const Finding finding = find_one(Kind::saturated);
    EXPECT_THAT(finding.evidence.front(), HasSubstr("Little's law"));
    EXPECT_EQ(finding.confidence, Finding::Confidence::likely) << "the law holds of any steady load";
    EXPECT_TRUE(find(Kind::nothing_wrong).empty());
}

// What is under way fills the path and is silent while that stands: neither the target nor nothing made the commands wait.
TEST_F(Findings, commands_that_wait_in_a_queue_of_uneven_rate_are_told_by_littles_law) {
    SenderSummary& target = add_target();
    uint32_t una = 0;
    for (int64_t i = 0; i <= 49; ++i) {
        una += i / 5 % 2 == 0 ? 120'000 : 10'000;
        add_window(target, 20 * i,
                   {.srtt_ns = 200 * ms,
                    .snd_una = una,
                    .snd_nxt = una + 900'000,
                    .in_flight = 900'000,
                    .limit = SendLimit::application});
    }
    for (int64_t i = 0; i < 34; ++i) add_read(20 * i, 320);
    const Finding finding = find_one(Kind::path_queue);
    EXPECT_EQ(finding.side, Finding::Side::path);
    EXPECT_THAT(finding.evidence,
                ElementsAre(HasSubstr("(SRTT) was 200 ms"), HasSubstr("Little's law: 16 ×")));
    EXPECT_EQ(finding.confidence, Finding::Confidence::likely);
    EXPECT_TRUE(find(Kind::target_wait).empty());
    EXPECT_TRUE(find(Kind::saturated).empty()) << "one cause, one name, however steady its rate";
    EXPECT_TRUE(find(Kind::nothing_wrong).empty());
}

// The path's round trip as the capture shows it, where what is reckoned of a far sender is less than that.
TEST_F(Findings, no_round_trip_is_shorter_than_the_paths) {
    SenderSummary& target = add_target();
    target.set_rtt_min(1'000);
    for (int64_t i = 0; i < 30; ++i) {
        add_read(30 * i, 25);
        add_window(target, 30 * i + 25, {.limit = SendLimit::application});
    }
    EXPECT_THAT(find_one(Kind::target_wait).evidence,
                Contains(HasSubstr("the minimum round-trip time is 2.00 ms")));
}

// What a new connection with many large commands at once always shows.
TEST_F(Findings, the_first_commands_of_a_connection_may_take_long) {
    SenderSummary& target = add_target();
    add_flow(target, 9900, 10 * mss);
    for (int64_t i = 0; i < 8; ++i) add_read(i, 150 + 5 * i);
    for (int64_t i = 0; i < 60; ++i) add_read(200 + 10 * i, 12);
    const std::vector<Finding> slow = find(Kind::slow_commands);
    ASSERT_EQ(slow.size(), 1u);
    EXPECT_EQ(slow.front().severity, Finding::Severity::information);
    EXPECT_THAT(slow.front().explanation, HasSubstr("whose congestion window was still growing"));
    // Later ones are worth a look.
    add_read(850, 140);
    EXPECT_EQ(find_one(Kind::slow_command).severity, Finding::Severity::notice);
}

class TwoSessions : public Findings {
  protected:
    // Two connections of the same hosts with reads of 6 ms, while each moves data every `pause_ns`, in turn with the other.
    void load(int64_t pause_ns) {
        for (uint32_t connection = 1; connection <= 2; ++connection) {
            uint32_t session = connection;
            if (connection == 2) {
                store.add_session(session).connections = 1;
                add_connection(session);
            }
            SenderSummary& target = store.add_sender(connection, Side::b);
            const int64_t own_ns = connection == 1 ? 0 : 450'000'000;
            for (uint32_t i = 0; i * pause_ns < 450'000'000; ++i) {
                WindowRow row{
                    .time_ns = own_ns + i * pause_ns, .srtt_ns = 2 * ms, .snd_una = i, .snd_nxt = i + 1};
                row.connection = connection;
                row.in_flight = pause_ns < ms ? 10 * mss : 1;
                row.limit = SendLimit::application;
                store.add_window(target, row);
            }
            for (int64_t i = 0; i < 30; ++i) {
                const int64_t begin_ms = (connection == 1 ? 450 : 0) + 10 * i;
                add_command({.bytes = 4096,
                             .request_packet = static_cast<PacketNumber>(2000 + 100 * begin_ms + connection),
                             .response_packet = static_cast<PacketNumber>(2050 + 100 * begin_ms + connection),
                             .request_ns = begin_ms * ms,
                             .first_data_ns = (begin_ms + 8) * ms,
                             .last_data_ns = (begin_ms + 8) * ms,
                             .response_ns = (begin_ms + 8) * ms,
                             .name = "READ(16)",
                             .connection = connection,
                             .opcode = read_16,
                             .status = 0,
                             .outcome = Outcome::completed});
            }
        }
    }
    // Of target_wait, the gravest.
    Finding::Severity severity() {
        Finding::Severity gravest = Finding::Severity::information;
        const std::vector<Finding> waits = find(Kind::target_wait);
        EXPECT_FALSE(waits.empty());
        for (const Finding& finding : waits) gravest = std::min(gravest, finding.severity);
        return gravest;
    }
};

TEST_F(TwoSessions, that_wait_while_nothing_flows_wait_for_the_target) {
    load(40 * ms);
    EXPECT_EQ(severity(), Finding::Severity::notice);
}

TEST_F(TwoSessions, that_wait_while_the_others_data_flow_may_wait_behind_them) {
    load(ms / 10);
    EXPECT_EQ(severity(), Finding::Severity::information);
}

TEST_F(Findings, a_few_segments_that_are_there_twice_are_no_mirror_ports_doing) {
    SenderSummary& target = add_target();
    for (int64_t i = 0; i < 30; ++i) add_loss(target, LossKind::duplicate, i);
    EXPECT_EQ(find_one(Kind::captured_twice).severity, Finding::Severity::information);
    EXPECT_THAT(find_one(Kind::captured_twice).explanation, HasSubstr("or duplicated on the path"));
    for (int64_t i = 0; i < 3000; ++i) add_loss(target, LossKind::duplicate, i);
    EXPECT_EQ(find_one(Kind::captured_twice).severity, Finding::Severity::notice);
}

// One packet with a time of its own, or a clock that was set back: the latest time is not the capture's end.
TEST_F(Findings, a_command_at_the_end_is_not_unanswered_because_a_clock_was_elsewhere) {
    add_read(10, 12);
    add_command({.bytes = 4096,
                 .request_packet = 900,
                 .request_ns = 999 * ms,
                 .name = "READ(16)",
                 .opcode = read_16});
    store.connection(1).last_packet = 950;
    totals.last_ns = int64_t{31'536'000'000} * ms;
    EXPECT_FALSE(find(Kind::unanswered_commands).empty()) << "as long as that clock is believed";
    issues.add(Issue::times_set_back, 701);
    EXPECT_TRUE(find(Kind::unanswered_commands).empty());
    EXPECT_EQ(find(Kind::under_way_at_end).size(), 1u);
}

TEST_F(Findings, times_that_go_back_are_told_with_by_how_much) {
    for (int64_t i = 0; i < 40; ++i) add_read(20 * i, 2);
    EXPECT_TRUE(find(Kind::capture_issue).empty());
    issues.add(Issue::times_set_back, 701);
    totals.largest_set_back_ns = 5000 * ms;
    const Finding once = find_one(Kind::capture_issue);
    EXPECT_EQ(once.title, "The capture's times go back by 5.00 s in packet 701");
    EXPECT_EQ(once.severity, Finding::Severity::notice);
    EXPECT_EQ(once.packet, 701u);
    const Finding well = find_one(Kind::nothing_wrong);
    EXPECT_EQ(well.title, "Nothing wrong is seen of 40 commands");
    EXPECT_EQ(well.confidence, Finding::Confidence::possible);
    EXPECT_THAT(well.explanation, AllOf(HasSubstr("is not judged"), Not(HasSubstr("stood out"))));
    issues.add(Issue::times_set_back, 900);
    EXPECT_EQ(find_one(Kind::capture_issue).title,
              "The capture's times go back 2 times, by 5.00 s at most, first in packet 701");
}

// Of a capture that has every other packet, say: what it lacks may be the first copies, or what acknowledged them.
TEST_F(Findings, where_much_is_missing_neither_a_rate_of_loss_nor_what_recovery_took_is_known) {
    for (int64_t i = 0; i < 40; ++i) add_read(20 * i, 2);
    SenderSummary& target = add_target();
    add_window(target, 0, {.ca_state = CaState::recovery, .limit = SendLimit::recovery});
    add_window(target, 500, {});
    add_window(target, 1000, {});
    for (int64_t i = 0; i < 5; ++i) add_loss(target, LossKind::fast_retransmit, 891 + 2 * i);
    const Finding whole = find_one(Kind::lost_segments);
    EXPECT_THAT(whole.title, HasSubstr("; loss recovery took"));
    EXPECT_NE(whole.confidence, Finding::Confidence::possible);
    for (int64_t i = 0; i < 300; ++i) add_loss(target, LossKind::not_captured, 100 + i);
    const Finding part = find_one(Kind::lost_segments);
    EXPECT_THAT(part.title, AllOf(HasSubstr("5 segments of target"),
                                  HasSubstr("lost on the path, or late: much"), Not(HasSubstr("%"))));
    EXPECT_THAT(part.evidence, Not(Contains(HasSubstr("Recovery or Loss"))));
    EXPECT_EQ(part.confidence, Finding::Confidence::possible);
    EXPECT_EQ(part.severity, Finding::Severity::notice);
}

TEST_F(Findings, where_much_is_missing_a_timeout_is_possible_alone) {
    for (int64_t i = 0; i < 40; ++i) add_read(20 * i, 2);
    SenderSummary& target = add_target();
    add_window(target, 0, {.snd_una = 1, .snd_nxt = 9000});
    add_window(target, 600, {.snd_una = 1, .snd_nxt = 9000, .ca_state = CaState::loss});
    add_window(target, 700, {.snd_una = 9000, .snd_nxt = 9000});
    EXPECT_NE(find_one(Kind::retransmission_timeout).confidence, Finding::Confidence::possible);
    for (int64_t i = 0; i < 300; ++i) add_loss(target, LossKind::not_captured, 100 + i);
    const Finding part = find_one(Kind::retransmission_timeout);
    EXPECT_EQ(part.confidence, Finding::Confidence::possible);
    EXPECT_EQ(part.severity, Finding::Severity::notice);
    EXPECT_THAT(part.explanation, HasSubstr("Much of what it sent is missing"));
}

// Two interfaces whose clocks differ: no clock that was set.
TEST_F(Findings, times_that_go_back_again_and_again_leave_recovery_in_doubt) {
    for (int64_t i = 0; i < 40; ++i) add_read(20 * i, 2);
    SenderSummary& target = add_target();
    add_window(target, 901, {.snd_una = 1, .snd_nxt = 9000});
    add_window(target, 950, {.snd_una = 9000, .snd_nxt = 9000});
    for (int64_t i = 0; i < 5; ++i) add_loss(target, LossKind::fast_retransmit, 891 + 2 * i);
    issues.add(Issue::times_set_back, 7, most_set_back);
    EXPECT_THAT(find_one(Kind::lost_segments).explanation, Not(HasSubstr("in doubt")));
    EXPECT_THAT(find_one(Kind::capture_issue).explanation, HasSubstr("as if the clock had gone on"));
    issues.add(Issue::times_set_back, 8);
    EXPECT_THAT(find_one(Kind::lost_segments).explanation, HasSubstr("what began it, is in doubt"));
    EXPECT_EQ(find_one(Kind::lost_segments).confidence, Finding::Confidence::possible);
    EXPECT_THAT(find_one(Kind::capture_issue).explanation, HasSubstr("interfaces whose clocks differ"));
}

// The initiator stood still for six seconds or the clock jumped; the target, as it looks from there, had a timeout.
TEST_F(Findings, a_timeout_across_a_jump_of_the_clock_is_in_doubt) {
    for (int64_t i = 0; i < 40; ++i) add_read(20 * i, 2);
    add_read(900, 6000);
    SenderSummary& target = add_target();
    add_window(target, 901, {.snd_una = 1, .snd_nxt = 9000});
    add_window(target, 6899, {.snd_una = 9000, .snd_nxt = 9000});
    add_window(target, 7000, {.snd_una = 9000, .snd_nxt = 9000});
    for (int64_t i = 0; i < 5; ++i) add_loss(target, LossKind::fast_retransmit, 891 + 2 * i);
    store.connection(1).end_ns = 7000 * ms;
    const Finding losses = find_one(Kind::lost_segments);
    EXPECT_THAT(losses.explanation, HasSubstr("In doubt are 6.00 s of it"));
    EXPECT_NE(losses.confidence, Finding::Confidence::firm);
}

// A TCP with data outstanding sends them again within two minutes: where it does not, the clock moved.
TEST_F(Findings, commands_across_a_jump_of_the_clock_are_not_slow) {
    for (int64_t i = 0; i < 40; ++i) add_read(20 * i, 2);
    constexpr int64_t hour_ms = 3'600'000;
    add_read(900, hour_ms);
    SenderSummary& target = add_target();
    add_window(target, 901, {.snd_una = 1, .snd_nxt = 9000});
    add_window(target, 900 + hour_ms, {.snd_una = 9000, .snd_nxt = 9000});
    EXPECT_THAT(find_one(Kind::capture_issue).title, HasSubstr("The capture's clock jumped ahead by 59 min"));
    EXPECT_TRUE(find(Kind::slow_commands).empty());
    EXPECT_EQ(find_one(Kind::capture_issue).severity, Finding::Severity::notice);
}

// A clock that is set ahead by a few seconds under load.
TEST_F(Findings, a_small_jump_of_the_clock_is_told_where_commands_wait_and_no_timer_ran_out) {
    for (int64_t i = 0; i < 40; ++i) add_read(20 * i, 2);
    add_read(900, 6000);
    SenderSummary& target = add_target();
    add_window(target, 901, {.snd_una = 1, .snd_nxt = 9000});
    add_window(target, 6899, {.snd_una = 9000, .snd_nxt = 9000});
    EXPECT_THAT(find_one(Kind::capture_issue).title, HasSubstr("6.00 s"));
    EXPECT_TRUE(find(Kind::slow_commands).empty());
}

// One connection shows that the clock jumped; what the other one's commands waited meanwhile is as little the target's.
TEST_F(Findings, a_jump_of_the_clock_holds_of_all_connections_between_the_hosts) {
    add_connection(1);
    SenderSummary& target = add_target();
    add_read(900, 6000);
    add_window(target, 901, {.snd_una = 1, .snd_nxt = 9000});
    add_window(target, 6899, {.snd_una = 9000, .snd_nxt = 9000});
    const auto add_read_of_other = [&](int64_t begin_ms, int64_t wait_ms) {
        add_command({.bytes = 65536,
                     .response_packet = 5000,
                     .request_ns = begin_ms * ms,
                     .first_data_ns = (begin_ms + wait_ms) * ms,
                     .last_data_ns = (begin_ms + wait_ms) * ms,
                     .response_ns = (begin_ms + wait_ms) * ms,
                     .name = "READ(16)",
                     .connection = 2,
                     .opcode = read_16,
                     .status = 0,
                     .outcome = Outcome::completed});
    };
    for (int64_t i = 0; i < 20; ++i) add_read_of_other(20 * i, 2);
    for (int64_t i = 0; i < 30; ++i) add_read_of_other(880 + i / 2, 6010);
    EXPECT_FALSE(find(Kind::capture_issue).empty());
    EXPECT_TRUE(find(Kind::slow_commands).empty());
    EXPECT_TRUE(find(Kind::target_wait).empty());
}

// Five seconds that were none would outweigh all the others.
TEST_F(Findings, what_was_in_flight_across_a_jump_of_the_clock_was_not_for_so_long) {
    add_read(0, 7000);
    SenderSummary& target = add_target();
    for (int64_t i = 0; i < 20; ++i)
        add_window(target, 20 * i, {.snd_una = 1, .snd_nxt = 9000, .in_flight = 50'000});
    add_window(target, 400, {.snd_una = 1, .snd_nxt = 9000, .in_flight = 1000});
    add_window(target, 6899, {.snd_una = 9000, .snd_nxt = 9000});
    const std::function<void()> nothing;
    const Stop never(nullptr, nothing);
    const CommandFacts commands = find_command_facts(store, true, never);
    const auto senders = find_sender_facts(store, {}, commands.busy, never);
    ASSERT_EQ(senders.size(), 1u);
    EXPECT_EQ(senders[0].clock_jumps.count, 1u);
    EXPECT_NEAR(senders[0].in_flight_p50, 50'000, 5'000);
}

// Its timer would have run out, and made it Loss.
TEST_F(Findings, a_jump_of_the_clock_while_losses_are_repaired_is_no_long_recovery) {
    for (int64_t i = 0; i < 40; ++i) add_read(20 * i, 2);
    add_read(900, 6000);
    SenderSummary& target = add_target();
    const WindowRow recovering{.snd_una = 1,
                               .snd_nxt = 9000,
                               .in_flight = 9000,
                               .ca_state = CaState::recovery,
                               .limit = SendLimit::recovery};
    add_window(target, 0, {.snd_una = 1, .snd_nxt = 1, .limit = SendLimit::application});
    add_window(target, 890, recovering);
    add_window(target, 901, recovering);
    add_window(target, 6899, recovering);
    add_window(target, 6901, {.snd_una = 9000, .snd_nxt = 9000, .limit = SendLimit::application});
    add_window(target, 7000, {.snd_una = 9000, .snd_nxt = 9000});
    for (int64_t i = 0; i < 5; ++i) add_loss(target, LossKind::fast_retransmit, 891 + 2 * i);
    EXPECT_THAT(find_one(Kind::capture_issue).title, HasSubstr("jumped ahead by 6.00 s"));
    const Finding losses = find_one(Kind::lost_segments);
    EXPECT_LT(losses.cost_ns, 100 * ms);
    EXPECT_THAT(losses.evidence, Contains(HasSubstr("in state Recovery or Loss for 13.0 ms")));
}

TEST_F(Findings, a_silence_from_which_segments_are_missing_may_be_a_gap_in_the_capture) {
    for (int64_t i = 0; i < 40; ++i) add_read(20 * i, 2);
    add_read(900, 6000);
    SenderSummary& target = add_target();
    add_window(target, 901, {.snd_una = 1, .snd_nxt = 9000});
    add_window(target, 6899, {.snd_una = 20'000, .snd_nxt = 20'000});
    add_loss(target, LossKind::not_captured, 6899);
    const Finding finding = find_one(Kind::capture_issue);
    EXPECT_THAT(finding.title, HasSubstr("Nothing was captured for 6.00 s before packet 6900, or"));
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("1 segment of its data")));
}

TEST_F(Findings, a_silence_of_seconds_with_nothing_outstanding_is_the_targets) {
    for (int64_t i = 0; i < 40; ++i) add_read(20 * i, 2);
    add_read(900, 6000);
    SenderSummary& target = add_target();
    add_window(target, 901, {.snd_una = 9000, .snd_nxt = 9000, .limit = SendLimit::application});
    add_window(target, 6899, {.snd_una = 9000, .snd_nxt = 9000});
    EXPECT_TRUE(find(Kind::capture_issue).empty());
    EXPECT_EQ(find_one(Kind::slow_commands).severity, Finding::Severity::problem);
}

TEST_F(Findings, a_long_silence_in_which_it_was_sent_again_is_no_jump_of_the_clock) {
    SenderSummary& target = add_target();
    constexpr int64_t hour_ms = 3'600'000;
    add_window(target, 901, {.snd_una = 1, .snd_nxt = 9000});
    add_window(target, 900 + hour_ms, {.snd_una = 1, .snd_nxt = 9000, .ca_state = CaState::loss});
    EXPECT_TRUE(find(Kind::capture_issue).empty());
    add_window(target, 901 + hour_ms, {.snd_una = 9000, .snd_nxt = 9000});
    add_window(target, 901 + 2 * hour_ms, {.snd_una = 9000, .snd_nxt = 9001});
    EXPECT_TRUE(find(Kind::capture_issue).empty()) << "nothing was outstanding";
}

TEST_F(Findings, of_captures_of_both_ends_in_one_no_losses_are_told) {
    SenderSummary& target = add_target();
    add_window(target, 0, {.ca_state = CaState::recovery, .limit = SendLimit::recovery});
    add_window(target, 300, {.limit = SendLimit::application});
    store.connection(1).bytes_in = 1000 * mss;
    for (int64_t i = 0; i < 450; ++i) add_loss(target, LossKind::fast_retransmit, i);
    EXPECT_FALSE(find(Kind::lost_segments).empty());
    for (int64_t i = 0; i < 50; ++i) add_loss(target, LossKind::duplicate, i);
    EXPECT_TRUE(find(Kind::lost_segments).empty());
    EXPECT_THAT(find(Kind::captured_twice).front().title, HasSubstr("losses cannot be told"));
}

// Copies farther apart than a round trip: each looks sent again though it had been acknowledged.
TEST_F(Findings, of_captures_of_both_ends_far_apart_nothing_is_said_of_tcp) {
    SenderSummary& target = add_target();
    add_window(target, 0, {.limit = SendLimit::congestion});
    add_window(target, 500, {.limit = SendLimit::application});
    add_window(target, 1000, {});
    store.connection(1).bytes_in = 1000 * mss;
    for (int64_t i = 0; i < 90; ++i) add_loss(target, LossKind::spurious, i);
    EXPECT_TRUE(find(Kind::captured_twice).empty());
    for (int64_t i = 0; i < 400; ++i) add_loss(target, LossKind::spurious, i);
    const Finding finding = find_one(Kind::captured_twice);
    EXPECT_THAT(finding.title, HasSubstr("losses cannot be told"));
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("490 segments look retransmitted")));
    EXPECT_TRUE(find(Kind::congestion_window).empty());
}

// Of the rest some may be copies that came too late to be known as such.
TEST_F(Findings, losses_of_a_direction_that_is_there_twice_are_in_doubt) {
    SenderSummary& target = add_target();
    add_window(target, 0, {.ca_state = CaState::recovery, .limit = SendLimit::recovery});
    add_window(target, 300, {.limit = SendLimit::application});
    add_window(target, 1000, {});
    store.connection(1).bytes_in = 1000 * mss;
    for (int64_t i = 0; i < 50; ++i) add_loss(target, LossKind::fast_retransmit, i);
    EXPECT_EQ(find_one(Kind::lost_segments).confidence, Finding::Confidence::firm);
    for (int64_t i = 0; i < 420; ++i) add_loss(target, LossKind::duplicate, i);
    const Finding finding = find_one(Kind::lost_segments);
    EXPECT_EQ(finding.severity, Finding::Severity::notice);
    EXPECT_EQ(finding.confidence, Finding::Confidence::possible);
}

// A mirror port's copies are known, all of them: what is left over was sent again.
TEST_F(Findings, losses_beside_a_mirror_ports_copies_are_told) {
    SenderSummary& target = add_target();
    add_window(target, 0, {.ca_state = CaState::recovery, .limit = SendLimit::recovery});
    add_window(target, 300, {.limit = SendLimit::application});
    store.connection(1).bytes_in = 1000 * mss;
    for (int64_t i = 0; i < 20; ++i) add_loss(target, LossKind::fast_retransmit, i);
    for (int64_t i = 0; i < 500; ++i) add_loss(target, LossKind::duplicate, i);
    EXPECT_EQ(find(Kind::lost_segments).size(), 1u);
}

TEST_F(Findings, a_few_losses_beside_many_copies_are_in_doubt) {
    SenderSummary& target = add_target();
    add_window(target, 0, {.ca_state = CaState::recovery, .limit = SendLimit::recovery});
    add_window(target, 300, {.limit = SendLimit::application});
    add_window(target, 1000, {});
    store.connection(1).bytes_in = 1000 * mss;
    for (int64_t i = 0; i < 4; ++i) add_loss(target, LossKind::fast_retransmit, i);
    for (int64_t i = 0; i < 500; ++i) add_loss(target, LossKind::duplicate, i);
    const Finding finding = find_one(Kind::lost_segments);
    EXPECT_EQ(finding.severity, Finding::Severity::notice);
    EXPECT_EQ(finding.confidence, Finding::Confidence::possible);
}

TEST_F(Findings, sessions_that_only_a_clock_set_back_puts_in_a_row_are_no_reconnect) {
    uint32_t second = 0;
    store.add_session(second).connections = 1;
    for (const uint32_t session : {1u, second}) {
        store.session(session).initiator_name = "iqn.a";
        store.session(session).target_name = "iqn.b";
    }
    ConnectionRow& later = add_connection(second);
    later.start_ns = 5000 * ms;
    later.end_ns = 6000 * ms;
    later.first_packet = 100;
    later.last_packet = 199;
    store.connection(1).first_packet = 200;
    store.connection(1).last_packet = 300;
    EXPECT_TRUE(find(Kind::session_reconnect).empty());
    later.first_packet = 301;
    later.last_packet = 400;
    EXPECT_EQ(find(Kind::session_reconnect).size(), 1u);
}

TEST_F(Findings, of_a_connection_captured_in_one_direction_nothing_is_said_of_its_tcp) {
    SenderSummary& target = add_target();
    store.connection(1).packets_out = 0;
    store.connection(1).bytes_out = 0;
    add_window(target, 0, {.limit = SendLimit::congestion});
    add_window(target, 1000, {});
    EXPECT_TRUE(find(Kind::congestion_window).empty());
    const Finding finding = find_one(Kind::not_captured);
    EXPECT_THAT(finding.title, HasSubstr("packets from the target alone"));
    EXPECT_TRUE(find(Kind::nothing_wrong).empty());
}

// A capture of a flight of data is over before the first acknowledgement.
TEST_F(Findings, a_capture_too_short_for_an_answer_has_not_lost_a_direction) {
    store.connection(1).packets_out = 0;
    store.connection(1).bytes_out = 0;
    store.connection(1).end_ns = 20 * ms;
    add_window(add_target(), 0, {});
    EXPECT_TRUE(find(Kind::not_captured).empty());
}

// What this direction acknowledges was sent in the other.
TEST_F(Findings, a_direction_that_is_acknowledged_is_lacking_however_short_the_capture) {
    ConnectionRow& row = store.connection(1);
    row.packets_out = 0;
    row.bytes_out = 0;
    row.end_ns = 20 * ms;
    row.out.acknowledged_ns = 0;
    add_window(add_target(), 0, {});
    EXPECT_TRUE(find(Kind::not_captured).empty()) << "the first packet acknowledges something in any case";
    row.out.acknowledged_ns = 5 * ms;
    EXPECT_EQ(find(Kind::not_captured).size(), 1u);
}

TEST_F(Findings, a_short_capture_of_many_packets_one_way_lacks_the_other) {
    store.connection(1).packets_out = 0;
    store.connection(1).bytes_out = 0;
    store.connection(1).end_ns = 300 * ms;
    add_window(add_target(), 0, {});
    EXPECT_EQ(find(Kind::not_captured).size(), 1u);
}

TEST_F(Findings, a_sender_that_nobody_answers_has_not_lost_a_direction) {
    store.connection(1).packets_out = 0;
    store.connection(1).bytes_out = 0;
    store.connection(1).packets_in = 7;
    SenderSummary& target = add_target();
    add_window(target, 0, {});
    for (int64_t i = 0; i < 6; ++i) add_loss(target, LossKind::rto, 200 << i);
    EXPECT_TRUE(find(Kind::not_captured).empty());
}

TEST_F(Findings, full_segments_that_never_arrive_where_small_ones_do_are_a_smaller_mtu) {
    SenderSummary& target = add_target();
    ConnectionRow& row = store.connection(1);
    row.mss = 8948;
    row.vantage = Vantage::target;
    row.in = {.largest_payload = 8948,
              .largest_acknowledged = 336,
              .unacknowledged = 63'000,
              .acknowledged_ns = 10 * ms,
              .answers_since = 3};
    add_window(target, 0, {.snd_una = 1, .snd_nxt = 63'001});
    add_window(target, 210, {.snd_una = 1, .snd_nxt = 63'001, .ca_state = CaState::loss});
    add_window(target, 1000, {.snd_una = 1, .snd_nxt = 63'001, .ca_state = CaState::loss});
    add_loss(target, LossKind::rto, 210);
    add_loss(target, LossKind::rto, 630);
    add_command({.request_ns = 5 * ms, .name = "READ(16)", .opcode = read_16});
    const std::vector<Finding> found = find();
    EXPECT_EQ(found.front().kind, Kind::mtu_black_hole);
    EXPECT_EQ(found.front().severity, Finding::Severity::problem);
    // The other ones follow from it.
    EXPECT_EQ(std::ranges::count(found, Finding::Severity::problem, &Finding::severity), 1);
    // A full segment that was acknowledged says that the path carries them: then it is an outage.
    row.in.largest_acknowledged = 8948;
    EXPECT_TRUE(find(Kind::mtu_black_hole).empty());
    EXPECT_EQ(find(Kind::retransmission_timeout).size(), 1u);
}

TEST_F(Findings, who_reset_the_connection_is_told) {
    for (int64_t i = 0; i < 10; ++i) add_read(10 * i, 5);
    add_command({.request_ns = 990 * ms, .name = "READ(16)", .opcode = read_16});
    ConnectionRow& row = store.connection(1);
    row.in.reset = true;
    row.in.reset_packet = 77;
    row.in.reset_ns = 995 * ms;
    const Finding finding = find_one(Kind::connection_reset);
    EXPECT_THAT(finding.title, HasSubstr("Target 10.0.0.2:3260 reset the connection (RST) with 1 command"));
    EXPECT_EQ(finding.packet, 77u);
    EXPECT_EQ(finding.side, Finding::Side::target);
    EXPECT_EQ(find_one(Kind::unanswered_commands).severity, Finding::Severity::information);
    // After a logout an RST is how some hosts close.
    store.add_session_event({.packet = 70, .connection = 1, .opcode = 0x06});
    EXPECT_TRUE(find(Kind::connection_reset).empty());
}

// The request may be among what the capture lacks; that it was answered shows that it was made.
TEST_F(Findings, a_logout_response_tells_of_a_logout_whose_request_is_not_in_the_capture) {
    for (int64_t i = 0; i < 10; ++i) add_read(10 * i, 5);
    add_command({.request_ns = 90 * ms, .name = "READ(16)", .opcode = read_16});
    ConnectionRow& row = store.connection(1);
    row.in.fin = true;
    row.in.fin_ns = 95 * ms;
    add_loss(add_initiator(), LossKind::not_captured, 92);
    EXPECT_EQ(find(Kind::connection_reset).size(), 1u);
    store.add_session_event({.packet = 70, .time_ns = 94 * ms, .connection = 1, .opcode = 0x26});
    EXPECT_TRUE(find(Kind::connection_reset).empty());
}

// Answers were on their way when the initiator reset: they are in the capture, and in its commands.
TEST_F(Findings, a_reset_leaves_unanswered_what_was_not_answered_after_it_either) {
    for (int64_t i = 0; i < 10; ++i) add_read(10 * i, 5);
    for (int64_t i = 0; i < 4; ++i) add_read(980 + i, 17 - i);
    for (int64_t i = 0; i < 12; ++i)
        add_command({.request_ns = (986 + i / 4) * ms, .name = "READ(16)", .opcode = read_16});
    ConnectionRow& row = store.connection(1);
    row.out.reset = true;
    row.out.reset_packet = 77;
    row.out.reset_ns = 995 * ms;
    const Finding finding = find_one(Kind::connection_reset);
    EXPECT_THAT(finding.title, HasSubstr("Initiator 10.0.0.1:50001 reset the connection (RST) with 12 "
                                         "commands left unanswered"));
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("12 commands without an answer")));
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("4 more answered after the initiator had closed")));
    const Finding unanswered = find_one(Kind::unanswered_commands);
    EXPECT_THAT(unanswered.title, HasSubstr("12 commands never answered"));
    EXPECT_EQ(unanswered.begin_ns, 986 * ms);
}

TEST_F(Findings, a_reset_behind_which_all_was_answered_leaves_nothing_unanswered) {
    for (int64_t i = 0; i < 10; ++i) add_read(10 * i, 5);
    for (int64_t i = 0; i < 4; ++i) add_read(980 + i, 17 - i);
    ConnectionRow& row = store.connection(1);
    row.out.reset = true;
    row.out.reset_packet = 77;
    row.out.reset_ns = 995 * ms;
    const Finding finding = find_one(Kind::connection_reset);
    EXPECT_THAT(finding.title, HasSubstr("reset the connection (RST) with 4 commands under way"));
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("4 commands answered only behind it")));
}

TEST_F(Findings, a_session_that_ends_in_a_reset_without_a_logout_is_told_though_all_was_answered) {
    for (int64_t i = 0; i < 10; ++i) add_read(10 * i, 5);
    ConnectionRow& row = store.connection(1);
    row.out.fin = true;
    row.out.fin_ns = 995 * ms;
    EXPECT_TRUE(find(Kind::connection_reset).empty());
    row.out.fin = false;
    row.out.fin_ns = no_time;
    row.out.reset = true;
    row.out.reset_packet = 77;
    row.out.reset_ns = 995 * ms;
    const Finding finding = find_one(Kind::connection_reset);
    EXPECT_EQ(finding.severity, Finding::Severity::notice);
    EXPECT_EQ(finding.side, Finding::Side::initiator);
    EXPECT_EQ(finding.packet, 77u);
    store.add_session_event({.packet = 70, .connection = 1, .opcode = 0x06});
    EXPECT_TRUE(find(Kind::connection_reset).empty());
}

// The Logout may be among what the capture lacks.
TEST_F(Findings, a_reset_without_a_logout_is_possible_alone_where_packets_are_missing) {
    for (int64_t i = 0; i < 10; ++i) add_read(10 * i, 5);
    ConnectionRow& row = store.connection(1);
    row.out.reset = true;
    row.out.reset_packet = 77;
    row.out.reset_ns = 995 * ms;
    EXPECT_EQ(find_one(Kind::connection_reset).confidence, Finding::Confidence::firm);
    add_loss(add_initiator(), LossKind::not_captured, 990);
    const Finding finding = find_one(Kind::connection_reset);
    EXPECT_EQ(finding.confidence, Finding::Confidence::possible);
    EXPECT_THAT(finding.explanation, HasSubstr("a Logout, commands or answers may have been among them"));
    EXPECT_THAT(finding.explanation, Not(HasSubstr("was answered")));
    EXPECT_THAT(finding.title, Not(HasSubstr("no command under way")));
}

TEST_F(Findings, of_one_direction_a_reset_does_not_tell_that_all_was_answered) {
    for (int64_t i = 0; i < 10; ++i) add_read(10 * i, 5);
    ConnectionRow& row = store.connection(1);
    row.in.reset = true;
    row.in.reset_packet = 77;
    row.in.reset_ns = 995 * ms;
    EXPECT_THAT(find_one(Kind::connection_reset).explanation, HasSubstr("was answered"));
    row.packets_out = 0;
    const Finding of_target = find_one(Kind::connection_reset);
    EXPECT_EQ(of_target.confidence, Finding::Confidence::possible);
    EXPECT_THAT(of_target.explanation, Not(HasSubstr("was answered")));
    EXPECT_THAT(of_target.title, Not(HasSubstr("no command under way")));
    row.packets_out = row.packets_in;
    row.packets_in = 0;
    EXPECT_THAT(find_one(Kind::connection_reset).explanation, Not(HasSubstr("was answered")));
}

// Without their logins, two connections of one initiator may be of one session (MC/S), which a Logout on either closes.
TEST_F(Findings, a_reset_without_a_logout_is_possible_alone_where_another_connection_may_be_of_its_session) {
    for (int64_t i = 0; i < 10; ++i) add_read(10 * i, 5);
    ConnectionRow& row = store.connection(1);
    row.in.reset = true;
    row.in.reset_packet = 77;
    row.in.reset_ns = 995 * ms;
    uint32_t other = 0;
    store.add_session(other).connections = 1;
    add_connection(other);
    EXPECT_EQ(find_one(Kind::connection_reset).confidence, Finding::Confidence::firm);
    store.add_session_event(
        {.packet = 70, .time_ns = 994 * ms, .connection = 2, .session = other, .opcode = 0x06});
    const Finding finding = find_one(Kind::connection_reset);
    EXPECT_EQ(finding.confidence, Finding::Confidence::possible);
    EXPECT_THAT(finding.explanation, HasSubstr("may have been of its session (MC/S)"));
}

// Of a capture with a wrong digest in each PDU, only the first events are kept.
TEST_F(Findings, a_reset_is_possible_alone_where_not_every_logout_is_kept) {
    for (int64_t i = 0; i < 10; ++i) add_read(10 * i, 5);
    ConnectionRow& row = store.connection(1);
    row.out.reset = true;
    row.out.reset_packet = 77;
    row.out.reset_ns = 995 * ms;
    for (size_t i = 0; i < SessionEvents::most_kept; ++i)
        store.add_session_event({.packet = 70, .connection = 1, .opcode = 0x25});
    EXPECT_EQ(find_one(Kind::connection_reset).confidence, Finding::Confidence::firm);
    store.add_session_event({.packet = 71, .connection = 1, .opcode = 0x06});
    const Finding finding = find_one(Kind::connection_reset);
    EXPECT_EQ(finding.confidence, Finding::Confidence::possible);
    EXPECT_THAT(finding.explanation, HasSubstr("not every Logout is known"));
}

TEST_F(Findings, what_nobody_acknowledged_is_not_said_to_be_missing_from_the_capture_nor_to_be_well) {
    for (int64_t i = 0; i < 10; ++i) add_read(10 * i, 5);
    add_command({.bytes = 65536, .request_ns = 99 * ms, .name = "READ(16)", .opcode = read_16});
    store.connection(1).end_ns = totals.last_ns = 99 * ms + 1;
    issues.add(Issue::requests_not_seen, 40, 31);
    EXPECT_EQ(find_one(Kind::capture_issue).severity, Finding::Severity::notice);
    issues.add(Issue::holes_not_captured, 40);
    for (const Finding& finding : find(Kind::capture_issue))
        EXPECT_EQ(finding.severity, Finding::Severity::information) << finding.title;
    const Finding well = find_one(Kind::nothing_wrong);
    EXPECT_THAT(well.title, HasSubstr("Nothing wrong is seen of 11 commands"));
    EXPECT_THAT(well.explanation, HasSubstr("Bytes of iSCSI are missing from the capture"));
    EXPECT_THAT(well.explanation, HasSubstr("All commands but 1, under way at the end, were answered"));
    EXPECT_EQ(well.confidence, Finding::Confidence::possible);
}

TEST_F(Findings, commands_whose_status_was_cut_off_are_not_called_well) {
    for (int64_t i = 0; i < 10; ++i) add_read(10 * i, 5);
    EXPECT_THAT(find_one(Kind::nothing_wrong).title, HasSubstr("Nothing wrong with 10 commands"));
    add_command({.bytes = 65536,
                 .response_packet = 5000,
                 .request_ns = 200 * ms,
                 .response_ns = 205 * ms,
                 .name = "READ(16)",
                 .opcode = read_16,
                 .outcome = Outcome::completed});
    const Finding finding = find_one(Kind::nothing_wrong);
    EXPECT_THAT(finding.title, HasSubstr("Nothing wrong is seen of 11 commands"));
    EXPECT_THAT(finding.explanation, HasSubstr("How 1 of them ended is not in the capture"));
    EXPECT_EQ(finding.confidence, Finding::Confidence::possible);
}

// A read is not answered for long, though the target's TCP acknowledged it, and the initiator resets the connection.
class WaitedLong : public Findings {
  protected:
    WaitedLong() {
        for (int64_t i = 0; i < 10; ++i) add_read(10 * i, 5);
        add_command({.request_ns = 110 * ms, .name = "READ(16)", .opcode = read_16});
        ConnectionRow& row = store.connection(1);
        row.out.reset = true;
        row.out.reset_ns = 990 * ms;
        row.out.acknowledged_ns = 111 * ms;
    }
};

TEST_F(WaitedLong, an_initiator_that_resets_then_is_not_the_cause) {
    EXPECT_TRUE(find(Kind::connection_reset).empty());
    const Finding finding = find_one(Kind::unanswered_commands);
    EXPECT_EQ(finding.side, Finding::Side::target);
    EXPECT_THAT(finding.explanation, HasSubstr("Look at the target, not at the network"));
}

// Its answers may be among what it sends in vain.
TEST_F(WaitedLong, where_none_of_the_targets_data_are_acknowledged_it_is_not_silent) {
    ConnectionRow& row = store.connection(1);
    row.in.acknowledged_ns = 110 * ms;
    row.in.unacknowledged = 14480;
    EXPECT_EQ(find_one(Kind::unanswered_commands).side, Finding::Side::target)
        << "sent just before the end, perhaps";
    row.retransmissions_in = 3;
    const Finding finding = find_one(Kind::unanswered_commands);
    EXPECT_EQ(finding.side, Finding::Side::path);
    EXPECT_EQ(finding.confidence, Finding::Confidence::likely);
    EXPECT_THAT(finding.explanation, Not(HasSubstr("Look at the target")));
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("not acknowledged, nor was anything of it for 880 ms")));
    row.in.acknowledged_ns = 800 * ms;
    EXPECT_EQ(find_one(Kind::unanswered_commands).side, Finding::Side::target) << "others were, for long";
}

TEST_F(Findings, answers_that_came_when_the_initiator_had_given_up_are_none) {
    for (int64_t i = 0; i < 10; ++i) add_read(10 * i, 5);
    add_read(110, 800);
    ConnectionRow& row = store.connection(1);
    row.out.fin = true;
    row.out.fin_ns = 700 * ms;
    const Finding finding = find_one(Kind::unanswered_commands);
    EXPECT_THAT(finding.title, HasSubstr("1 command not answered until the initiator gave up"));
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("210 ms after the initiator had closed")));
    EXPECT_EQ(finding.side, Finding::Side::target);
    EXPECT_TRUE(find(Kind::slow_commands).empty());
}

TEST_F(Findings, what_came_before_a_close_is_not_known_where_the_clock_was_set_back) {
    add_command({.bytes = 4096,
                 .response_packet = 1200,
                 .request_ns = 10 * ms,
                 .response_ns = 900 * ms,
                 .name = "READ(16)",
                 .opcode = read_16,
                 .status = 0,
                 .outcome = Outcome::completed});
    store.connection(1).out.fin = true;
    store.connection(1).out.fin_ns = 500 * ms;
    EXPECT_EQ(find(Kind::unanswered_commands).size(), 1u);
    issues.add(Issue::times_set_back, 1100);
    EXPECT_TRUE(find(Kind::unanswered_commands).empty());
}

TEST_F(Findings, holes_that_fill_by_themselves_are_reordering_where_the_sender_was_captured) {
    SenderSummary& target = add_target();
    store.connection(1).vantage = Vantage::target;
    add_window(target, 0, {.limit = SendLimit::application});
    add_window(target, 1000, {});
    for (int64_t i = 0; i < 20; ++i) {
        for (const auto& [from, to] :
             {std::pair(CaState::open, CaState::disorder), std::pair(CaState::disorder, CaState::open)}) {
            store.add_ca_transition(
                target,
                {.time_ns = i * ms, .connection = 1, .from = from, .to = to, .sender = target.side()});
        }
    }
    EXPECT_THAT(find_one(Kind::reordering).evidence.front(), HasSubstr("20 gaps that late segments filled"));
    // Where as much was sent again, they may have been losses.
    for (int64_t i = 0; i < 20; ++i) add_loss(target, LossKind::fast_retransmit, 100 + 20 * i);
    EXPECT_TRUE(find(Kind::reordering).empty());
}

TEST_F(Findings, a_refused_login_is_told_with_its_reason_and_side) {
    store.session(1).target_name = "iqn.\033[2Jwrong";
    store.add_session_event(
        {.packet = 8, .time_ns = 3 * ms, .connection = 1, .session = 1, .code = 0x0203, .opcode = 0x23});
    const Finding finding = find_one(Kind::login_refused);
    EXPECT_EQ(finding.severity, Finding::Severity::problem);
    EXPECT_EQ(finding.side, Finding::Side::initiator);
    EXPECT_THAT(finding.title, HasSubstr("target not found (0203)"));
    EXPECT_THAT(finding.explanation, AllOf(HasSubstr("wrong"), Not(HasSubstr("\033"))));
}

TEST_F(Findings, logins_that_succeed_or_are_sent_elsewhere_are_not_refused) {
    for (const uint16_t code : {uint16_t{0}, uint16_t{0x0101}})
        store.add_session_event({.connection = 1, .session = 1, .code = code, .opcode = 0x23});
    EXPECT_TRUE(find(Kind::login_refused).empty());
}

TEST_F(Findings, a_portal_that_refuses_or_does_not_answer_is_told) {
    ConnectionRow& refused = add_connection(0);
    refused.iscsi = false;
    refused.packets_out = 1;
    refused.packets_in = 1;
    refused.out.syns = 1;
    refused.in.reset = true;
    EXPECT_THAT(find_one(Kind::connection_refused).title, HasSubstr("refuses connections (RST)"));
    refused.in.reset = false;
    refused.packets_in = 0;
    EXPECT_TRUE(find(Kind::connection_refused).empty()) << "one SYN may be answered later";
    refused.packets_out = refused.out.syns = 4;
    refused.end_ns = refused.start_ns + 30 * ms;
    EXPECT_TRUE(find(Kind::connection_refused).empty()) << "copies of one SYN: a timer takes a second";
    refused.end_ns = refused.start_ns + 7000 * ms;
    EXPECT_THAT(find_one(Kind::connection_refused).title, HasSubstr("does not answer: 4 SYNs"));
}

// A write each 45 ms, of which a packet goes at 1 ms, its acknowledgement comes at 41 ms and another packet follows at once.
class PausesOfOneLength : public Findings {
  protected:
    // `in_request`: what goes in two pieces is the request itself, which is whole with the second one.
    void add_pauses(uint32_t second_length, bool same_pdu, uint32_t cwnd = 100'000, bool in_request = false) {
        SenderSummary& initiator = add_initiator();
        const uint32_t length = 500 + second_length;
        for (int64_t i = 0; i < 20; ++i) {
            const uint32_t seq = length * static_cast<uint32_t>(i);
            add_command({.bytes = 900,
                         .response_packet = 5000,
                         .request_ns = (45 * i + (in_request ? 42 : 0)) * ms,
                         .response_ns = (45 * i + 43) * ms,
                         .name = "WRITE(16)",
                         .opcode = write_16,
                         .status = 0,
                         .outcome = Outcome::completed});
            add_window(initiator, 45 * i + 1,
                       {.snd_una = seq, .snd_nxt = seq + 500, .cwnd = cwnd, .limit = SendLimit::application});
            add_window(initiator, 45 * i + 41,
                       {.snd_una = seq + 500, .snd_nxt = seq + 500, .limit = SendLimit::application});
            add_window(initiator, 45 * i + 42,
                       {.snd_una = seq + 500, .snd_nxt = seq + length, .limit = SendLimit::application});
            add_window(initiator, 45 * i + 43,
                       {.snd_una = seq + length, .snd_nxt = seq + length, .limit = SendLimit::application});
            if (!same_pdu) continue;
            // The packets of add_window().
            const auto first = static_cast<PacketNumber>(45 * i + 2);
            store.add_pdu_pause({1, Role::initiator, first, first + 41});
        }
    }
};

TEST_F(PausesOfOneLength, within_pdus_that_an_acknowledgement_ends_are_a_delayed_one) {
    add_pauses(500, true);
    const Finding finding = find_one(Kind::delayed_ack);
    EXPECT_THAT(finding.title, HasSubstr("waited 20 times for a delayed acknowledgement"));
    EXPECT_THAT(finding.explanation, HasSubstr("Nagle"));
    EXPECT_EQ(finding.sender, Finding::Sender::initiator);
    EXPECT_EQ(finding.severity, Finding::Severity::problem);
}

// No command is under way before its request is whole.
TEST_F(PausesOfOneLength, within_requests_are_a_delayed_one_too) {
    add_pauses(400, true, 100'000, true);
    const Finding finding = find_one(Kind::delayed_ack);
    EXPECT_THAT(finding.title, HasSubstr("waited 20 times for a delayed acknowledgement"));
    EXPECT_EQ(finding.severity, Finding::Severity::problem);
    EXPECT_EQ(finding.sender, Finding::Sender::initiator);
}

// A program that pauses for about as long as the receiver's timer goes on with the acknowledgement now and then.
TEST_F(PausesOfOneLength, among_others_that_no_acknowledgement_ends_are_the_programs) {
    add_pauses(500, true);
    for (PacketNumber i = 0; i < 7; ++i)
        store.add_pdu_pause({1, Role::initiator, 2000 + 45 * i, 2000 + 45 * i + 41});
    EXPECT_TRUE(find(Kind::delayed_ack).empty());
}

// Whoever sends a command each 40 ms had nothing to send before.
TEST_F(PausesOfOneLength, between_commands_are_the_programs) {
    add_pauses(500, false);
    EXPECT_TRUE(find(Kind::delayed_ack).empty());
}

TEST_F(PausesOfOneLength, behind_a_full_window_of_one_segment_are_not_nagles_but_a_delayed_one) {
    add_pauses(mss, true, mss);
    const Finding finding = find_one(Kind::delayed_ack);
    EXPECT_THAT(finding.explanation, HasSubstr("congestion window had no room"));
    EXPECT_THAT(finding.explanation, Not(HasSubstr("Nagle")));
}

TEST_F(PausesOfOneLength, before_a_full_segment_are_not_nagles) {
    add_pauses(mss, true);
    EXPECT_TRUE(find(Kind::delayed_ack).empty());
}

TEST_F(Findings, a_request_that_is_the_last_packet_is_under_way) {
    totals.last_ns = 1000 * ms;
    add_command({.request_ns = 1000 * ms, .name = "READ(16)", .opcode = read_16});
    EXPECT_TRUE(find(Kind::unanswered_commands).empty());
    EXPECT_EQ(find(Kind::under_way_at_end).size(), 1u);
}

TEST_F(Findings, times_that_no_clock_tells_break_nothing) {
    // The farthest that the engine lets into a row.
    constexpr int64_t last = within_reach(std::numeric_limits<int64_t>::max());
    constexpr int64_t first = within_reach(std::numeric_limits<int64_t>::min());
    ConnectionRow& connection = store.connection(1);
    connection.start_ns = first;
    connection.end_ns = last;
    connection.rtt_min_ns = last;
    connection.vantage = Vantage::target;
    SenderSummary& target = add_target();
    add_loss(target, LossKind::rto, 1);
    store.add_loss(target, {.time_ns = first, .delay_ns = last, .connection = 1, .kind = LossKind::rto});
    for (int64_t i = 0; i < 40; ++i) {
        add_command({.bytes = unknown<uint64_t> - 1,
                     .response_packet = 1,
                     .request_ns = i % 2 == 0 ? first : last - 1,
                     .first_data_ns = last,
                     .last_data_ns = first + 1,
                     .response_ns = i % 3 == 0 ? last : i,
                     .name = "READ(16)",
                     .opcode = read_16,
                     .status = 0,
                     .outcome = Outcome::completed});
    }
    for (const Finding& finding : find()) EXPECT_FALSE(finding.title.empty());
}

TEST_F(Findings, times_from_anywhere_break_nothing) {
    std::minstd_rand random(1);
    const auto any_time = [&random] {
        constexpr std::array<int64_t, 6> places = {within_reach(std::numeric_limits<int64_t>::max()),
                                                   int64_t{1} << 61,
                                                   int64_t{1} << 53,
                                                   int64_t{1'800'000'000} * 1'000'000'000,
                                                   60'000'000'001,
                                                   2};
        const int64_t place = places[random() % places.size()] - static_cast<int64_t>(random() % 3);
        return random() % 3 == 0 ? -place : place;
    };
    for (int round = 0; round < 300; ++round) {
        ConnectionRow& connection = store.connection(1);
        connection.start_ns = any_time();
        connection.end_ns = any_time();
        connection.rtt_min_ns = any_time();
        connection.vantage = round % 2 == 0 ? Vantage::target : Vantage::initiator;
        add_command({.bytes = random() % 2 == 0 ? 4096 : unknown<uint64_t> - random() % 3,
                     .response_packet = 1,
                     .request_ns = any_time(),
                     .first_data_ns = any_time(),
                     .last_data_ns = any_time(),
                     .response_ns = any_time(),
                     .name = "READ(16)",
                     .opcode = read_16,
                     .status = static_cast<uint16_t>(round % 7 == 0 ? 2 : 0),
                     .outcome = Outcome::completed});
        if (round % 10 == 0) {
            for (const Finding& finding : find()) EXPECT_FALSE(finding.title.empty());
        }
    }
}

TEST_F(FindingsWithoutRows, summaries_still_tell_the_most) {
    SenderSummary& target = add_target();
    add_window(target, 0, {.limit = SendLimit::recovery});
    add_window(target, 300, {.limit = SendLimit::application});
    add_window(target, 1000, {});
    for (int64_t i = 0; i < 20; ++i) add_loss(target, LossKind::fast_retransmit, 20 + i);
    add_failed(read_16, 2, 3, 0x11, 0);
    add_command({.request_ns = 10 * ms, .name = "READ(16)", .opcode = read_16});
    const Finding lost = find_one(Kind::lost_segments);
    EXPECT_THAT(lost.title, AllOf(HasSubstr("20 segments"), HasSubstr("30 % of its time")));
    EXPECT_EQ(lost.begin_ns, no_time);
    EXPECT_EQ(find_one(Kind::command_status).packet, 1002u);
    EXPECT_EQ(find(Kind::unanswered_commands).size(), 1u);
    EXPECT_TRUE(find(Kind::slow_commands).empty());
}

TEST(FindingsOfNothing, says_that_there_is_nothing) {
    const ResultStore store{ResultStore::Keep{}};
    const Issues issues;
    const std::vector<Finding> none = findings({store, {}, issues, {}, {}});
    ASSERT_EQ(none.size(), 1u);
    EXPECT_EQ(none.front().kind, Kind::no_packets);
    const Engine::Totals totals{.packets = 12};
    const std::vector<Finding> found = findings({store, totals, issues, {}, {}});
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found.front().kind, Kind::no_iscsi);
    EXPECT_EQ(found.front().title, "No iSCSI in this capture");
}

// Packets of the middle of a long Data-In, or cut behind the TCP header, show no iSCSI either.
TEST(FindingsOfNothing, data_at_the_port_of_iscsi_may_be_iscsi) {
    ResultStore store{ResultStore::Keep{}};
    uint32_t number = 0;
    ConnectionRow& row = store.add_connection(number);
    row.target.port = 3260;
    row.bytes_in = 14'480;
    const Issues issues;
    const std::vector<Finding> found = findings({store, {.packets = 10}, issues, {}, {}});
    ASSERT_EQ(found.size(), 1u);
    EXPECT_THAT(found.front().title, HasSubstr("No iSCSI is recognised"));
}

}  // namespace
}  // namespace sanscope

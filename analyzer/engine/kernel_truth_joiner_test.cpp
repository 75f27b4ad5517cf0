// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/engine/kernel_truth_joiner.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <vector>

#include "analyzer/base/testing/durations.h"
#include "analyzer/engine/analysis.h"
#include "analyzer/engine/testing/captured_conversations.h"
#include "analyzer/engine/testing/kernel_word.h"
#include "analyzer/ingest/capture_builder.h"
#include "analyzer/ingest/packet_source.h"
#include "analyzer/ingest/temporary_file.h"

namespace sanscope {
namespace {

using test::KernelWord;
using testing::IsEmpty;
using testing::SizeIs;

using test::ms;
constexpr int64_t start = 1'700'000'000'000 * ms;

Endpoint end_of(std::initializer_list<uint8_t> address, uint16_t port) {
    return {IpAddress::from_v4(address.begin()), port};
}

// Connections to 10.0.1.1:3260 and what a kernel there shows; a joiner between them.
class KernelTruth : public testing::Test {
  protected:
    uint32_t connect(uint8_t initiator, int64_t start_ns) {
        uint32_t number = 0;
        ConnectionRow& row = store.add_connection(number);
        row.initiator = end_of({10, 0, 0, initiator}, 50000);
        row.target = end_of({10, 0, 1, 1}, 3260);
        row.start_ns = start_ns;
        row.mss = 1400;
        return number;
    }
    void packet(uint32_t connection, Side side, int64_t time_ns, uint32_t ack = 0) {
        if (joiner.on_packet(connection, side, time_ns, ++packets, ack)) joiner.join();
    }
    void take(const KernelWord& word, uint16_t file = 0) {
        const auto body = word.body();
        joiner.take_block(body, file, ++packets);
    }
    const Issues::Count& count(Issue issue) const { return issues[issue]; }

    ResultStore store{ResultStore::Keep::everything()};
    Issues issues;
    KernelTruthJoiner joiner{store, issues};
    PacketNumber packets = 0;
};

TEST_F(KernelTruth, a_window_becomes_a_row_in_bytes_at_the_packet_that_brought_the_ack) {
    connect(1, start);
    packet(1, Side::a, start);
    packet(1, Side::b, start + 1000);
    packet(1, Side::a, start + 2000);  // brings the ACK
    packet(1, Side::b, start + 3000);
    packet(1, Side::a, start + 4000);
    KernelWord word;
    word.socket(7, {});
    v1::KernelWindow& window = word.window(7, start + 2500, 20);
    window.set_snd_una(5);
    window.set_snd_nxt(15'005);
    window.set_ssthresh(10);
    window.set_snd_wnd(65535);
    window.set_srtt_us(1234);
    window.set_ca_state(3);
    word.window(7, start + 4000, 21).set_snd_una(6);
    take(word);
    joiner.finish();
    ASSERT_THAT(store.kernel_windows(), SizeIs(2));
    const KernelWindowRow& row = store.kernel_windows()[0];
    EXPECT_EQ(row.connection, 1u);
    EXPECT_EQ(row.packet, 3u);
    EXPECT_EQ(row.time_ns, start + 2500);
    EXPECT_TRUE(row.sequences_known);
    EXPECT_EQ(row.snd_una, 5u);
    EXPECT_EQ(row.snd_nxt, 15'005u);
    EXPECT_EQ(row.cwnd, 20'000u);
    EXPECT_EQ(row.ssthresh, 10'000u);
    EXPECT_EQ(row.advertised_window, 65535u);
    EXPECT_EQ(row.srtt_ns, 1'234'000);
    EXPECT_TRUE(row.ca_state_known);
    EXPECT_EQ(row.ca_state, CaState::recovery);
    EXPECT_EQ(row.sender, Side::b);
    const KernelWindowRow& second = store.kernel_windows()[1];
    EXPECT_EQ(second.packet, 5u);
    EXPECT_FALSE(second.sequences_known);
    EXPECT_EQ(second.ssthresh, unknown<uint32_t>);
    EXPECT_EQ(second.advertised_window, unknown<uint32_t>);
    EXPECT_EQ(second.srtt_ns, no_time);
    EXPECT_EQ(count(Issue::kernel_truth_damaged).count, 0u);
    EXPECT_EQ(count(Issue::kernel_sockets_elsewhere).count, 0u);
}

TEST_F(KernelTruth, the_side_of_the_socket_may_be_that_of_the_first_packet) {
    connect(1, start);
    packet(1, Side::a, start);
    packet(1, Side::b, start + 1000);
    KernelWord word;
    word.socket(1, {{10, 0, 0, 1}, 50000, {10, 0, 1, 1}, 3260});
    word.window(1, start + 1500, 10);
    take(word);
    joiner.finish();
    ASSERT_THAT(store.kernel_windows(), SizeIs(1));
    EXPECT_EQ(store.kernel_windows()[0].sender, Side::a);
    EXPECT_EQ(store.kernel_windows()[0].packet, 2u);
}

TEST_F(KernelTruth, no_packet_is_named_where_none_came_shortly_before) {
    connect(1, start);
    packet(1, Side::a, start);
    packet(1, Side::b, start + 1000);
    KernelWord word;
    word.socket(1, {});
    word.window(1, start - 1, 10);
    word.window(1, start + KernelTruthJoiner::longest_reaction_ns, 10);
    word.window(1, start + KernelTruthJoiner::longest_reaction_ns + 1, 10);
    take(word);
    joiner.finish();
    ASSERT_THAT(store.kernel_windows(), SizeIs(3));
    EXPECT_EQ(store.kernel_windows()[0].packet, 0u);
    EXPECT_EQ(store.kernel_windows()[1].packet, 1u);
    EXPECT_EQ(store.kernel_windows()[2].packet, 0u);
}

TEST_F(KernelTruth, of_packets_close_together_that_is_named_which_acknowledges_what_the_kernel_knew_next) {
    connect(1, start);
    const uint32_t first = 0xffffff00;  // wraps
    for (uint32_t i = 1; i <= 4; ++i) packet(1, Side::a, start + i, first + i * 100);
    KernelWord word;
    word.socket(1, {});
    for (uint32_t i = 0; i < 4; ++i) {
        v1::KernelWindow& window = word.window(1, start + 10 + i, 10);
        window.set_snd_una(first + i * 100);
        window.set_snd_nxt(first + 1000);
        word.transition(1, start + 10 + i, i % 2);
    }
    take(word);
    joiner.finish();
    ASSERT_THAT(store.kernel_windows(), SizeIs(4));
    ASSERT_THAT(store.kernel_ca_transitions(), SizeIs(4));
    for (size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(store.kernel_windows()[i].packet, i + 1);
        EXPECT_EQ(store.kernel_ca_transitions()[i].packet, i + 1);
    }
}

TEST_F(KernelTruth, packets_that_come_behind_the_block_count_as_well) {
    connect(1, start);
    packet(1, Side::a, start);
    KernelWord word;
    word.socket(1, {});
    word.window(1, start + 5 * ms, 10);
    take(word);
    packet(1, Side::a, start + 5 * ms - 1000);
    EXPECT_THAT(store.kernel_windows(), IsEmpty());
    packet(1, Side::b, start + 5 * ms + KernelTruthJoiner::patience_ns);
    ASSERT_THAT(store.kernel_windows(), SizeIs(1));
    EXPECT_EQ(store.kernel_windows()[0].packet, 3u);
}

TEST_F(KernelTruth, the_next_block_ends_the_waiting) {
    connect(1, start);
    KernelWord word;
    word.socket(1, {});
    word.window(1, start, 10);
    take(word);
    EXPECT_THAT(store.kernel_windows(), IsEmpty());
    take(KernelWord());
    EXPECT_THAT(store.kernel_windows(), SizeIs(1));
}

TEST_F(KernelTruth, transitions_tell_the_state_of_windows_that_do_not) {
    connect(1, start);
    KernelWord word;
    word.socket(1, {});
    word.window(1, start + 10, 10);
    word.window(1, start + 30, 10);
    word.window(1, start + 50, 10).set_ca_state(0);
    word.transition(1, start + 30, 4);  // what the ACK of that moment brought
    word.transition(1, start + 40, 4);  // set again to the same
    word.transition(1, start + 60, 1);
    word.window(1, start + 70, 10);
    take(word);
    joiner.finish();
    const auto& windows = store.kernel_windows();
    ASSERT_THAT(windows, SizeIs(4));
    EXPECT_FALSE(windows[0].ca_state_known);
    EXPECT_FALSE(windows[1].ca_state_known);
    EXPECT_EQ(windows[2].ca_state, CaState::open);
    EXPECT_EQ(windows[3].ca_state, CaState::disorder);
    const auto& transitions = store.kernel_ca_transitions();
    ASSERT_THAT(transitions, SizeIs(2));
    EXPECT_FALSE(transitions[0].from_known);
    EXPECT_EQ(transitions[0].to, CaState::loss);
    EXPECT_TRUE(transitions[1].from_known);
    EXPECT_EQ(transitions[1].from, CaState::open);
    EXPECT_EQ(transitions[1].to, CaState::disorder);
}

TEST_F(KernelTruth, a_socket_is_the_connection_with_its_ends_that_was_the_last_to_begin) {
    connect(1, start);
    connect(2, start);
    connect(1, start + 100 * ms);
    KernelWord word;
    word.socket(1, {});
    word.socket(2, {});
    word.socket(3, {.remote = {10, 0, 0, 2}});
    word.window(1, start + 50 * ms, 10);
    word.window(2, start + 150 * ms, 10);
    word.window(3, start + 160 * ms, 10);
    word.window(1, start + 170 * ms, 10);  // a socket stays its connection
    take(word);
    joiner.finish();
    const auto& windows = store.kernel_windows();
    ASSERT_THAT(windows, SizeIs(4));
    EXPECT_EQ(windows[0].connection, 1u);
    EXPECT_EQ(windows[1].connection, 3u);
    EXPECT_EQ(windows[2].connection, 2u);
    EXPECT_EQ(windows[3].connection, 1u);
}

TEST_F(KernelTruth, sockets_of_no_connection_are_counted_once) {
    connect(1, start);
    KernelWord word;
    word.socket(1, {.remote = {10, 0, 0, 9}});  // another address
    word.socket(2, {.remote_port = 1});         // another port
    word.socket(3, {.remote = {10, 0, 0, 8}});  // of which nothing is reported
    word.socket(4, {});                         // before its connection began
    word.window(1, start, 10);
    word.window(1, start + 1, 10);
    word.transition(2, start, 1);
    word.window(4, start - 2 * ms, 10);
    take(word);
    joiner.finish();
    EXPECT_THAT(store.kernel_windows(), IsEmpty());
    EXPECT_THAT(store.kernel_ca_transitions(), IsEmpty());
    EXPECT_EQ(count(Issue::kernel_sockets_elsewhere).count, 3u);
    EXPECT_EQ(count(Issue::kernel_sockets_elsewhere).first_packet, 1u);
    EXPECT_EQ(count(Issue::kernel_truth_damaged).count, 0u);
}

TEST_F(KernelTruth, each_file_numbers_its_sockets) {
    connect(1, start);
    connect(2, start);
    KernelWord one;
    one.socket(1, {});
    take(one, 0);
    KernelWord other;
    other.socket(1, {.remote = {10, 0, 0, 2}});
    take(other, 1);
    KernelWord more;
    more.window(1, start, 10);
    take(more, 0);
    take(more, 1);
    joiner.finish();
    ASSERT_THAT(store.kernel_windows(), SizeIs(2));
    EXPECT_EQ(store.kernel_windows()[0].connection, 1u);
    EXPECT_EQ(store.kernel_windows()[1].connection, 2u);
}

TEST_F(KernelTruth, of_a_socket_the_last_word_holds) {
    connect(1, start);
    connect(2, start);
    KernelWord first;
    first.socket(1, {}, 1000, "reno");
    first.window(1, start, 10);
    take(first);
    KernelWord changed;
    changed.socket(1, {}, 1448, "cubic");
    changed.window(1, start + 1, 10);
    take(changed);
    KernelWord replaced;
    replaced.socket(1, {.remote = {10, 0, 0, 2}});
    replaced.window(1, start + 2, 10);
    take(replaced);
    joiner.finish();
    const auto& windows = store.kernel_windows();
    ASSERT_THAT(windows, SizeIs(3));
    EXPECT_EQ(windows[0].cwnd, 10'000u);
    EXPECT_EQ(windows[1].cwnd, 14'480u);
    EXPECT_EQ(windows[2].connection, 2u);
    EXPECT_EQ(store.kernel_score(1, Side::b).congestion_control(), "cubic");
    EXPECT_EQ(store.connection(1).kernel_congestion_control[index_of(Side::b)], "cubic");
    EXPECT_EQ(store.connection(1).kernel_congestion_control[index_of(Side::a)], "");
}

TEST_F(KernelTruth, without_the_sockets_segment_size_the_connections_holds) {
    connect(1, start);
    KernelWord word;
    word.socket(1, {}, 0);
    word.window(1, start, 10);
    take(word);
    EXPECT_TRUE(joiner.wants_connections_described());
    joiner.finish();
    EXPECT_EQ(store.kernel_windows()[0].cwnd, 14'000u);
    EXPECT_FALSE(joiner.wants_connections_described());
}

TEST_F(KernelTruth, what_makes_no_sense_is_counted_and_the_rest_taken) {
    connect(1, start);
    KernelWord word;
    word.socket(1, {});
    word.socket(2, {.local = {10, 0, 0}});
    word.truth.add_sockets()->set_local_port(65536);
    word.window(1, start, 0xffffffff).set_ca_state(5);
    word.window(9, start, 10);  // nobody said which socket that is
    word.transition(1, start, 5);
    word.window(1, std::numeric_limits<int64_t>::min(), 10);
    word.window(1, std::numeric_limits<int64_t>::max(), 10).set_srtt_us(0xffffffff);
    word.truth.set_events_lost(17);
    take(word);
    const std::vector<uint8_t> broken = {0xd9, 0x7e, 0, 0, 's', 'a', 'n', 's', 'c', 'o', 'p',
                                         'e',  1,    0, 1, 0,   2,   0,   0,   0,   8,   0xff};
    joiner.take_block(broken, 0, 77);
    const std::vector<uint8_t> of_others = {0xd8, 0x7e, 0, 0, 's', 'a', 'n', 's', 'c', 'o', 'p', 'e'};
    joiner.take_block(of_others, 0, 78);
    joiner.finish();
    EXPECT_EQ(count(Issue::kernel_truth_damaged).count, 2u);
    EXPECT_EQ(count(Issue::kernel_events_lost).count, 17u);
    ASSERT_THAT(store.kernel_windows(), SizeIs(2));
    EXPECT_EQ(store.kernel_windows()[0].cwnd, unknown<uint32_t>);
    EXPECT_FALSE(store.kernel_windows()[0].ca_state_known);
    EXPECT_THAT(store.kernel_ca_transitions(), IsEmpty());
}

// A capture with what the target's kernel might have reported, as a file.
class KernelTruthInAFile : public testing::Test {
  protected:
    KernelTruthInAFile() : conversations_(5, 3, 30, 10) {}

    // With the packets of every `files`th from the `first` on, and all or none of the kernel's word.
    test::Bytes file(bool big_endian, bool with_truth, size_t first = 0, size_t files = 1) const {
        test::PcapngBuilder builder;
        builder.section(big_endian);
        builder.interface({.tsresol = uint8_t{9}});
        const auto add_truth = [&](const KernelWord& word) { builder.block(0x0bad, word.body(big_endian)); };
        KernelWord sockets;
        for (uint8_t i = 0; i < 3; ++i)
            sockets.socket(i + 1u, {.remote = {10, 0, 0, static_cast<uint8_t>(i + 1)}});
        if (with_truth) add_truth(sockets);
        for (size_t i = first; i < conversations_.frames_sent.size(); i += files) {
            const int64_t time_ns = test::CapturedConversations::first_ns + 1000 * static_cast<int64_t>(i);
            builder.enhanced_packet(0, static_cast<uint64_t>(time_ns), conversations_.frames_sent[i]);
            if (!with_truth || i % 64 != 63) continue;
            KernelWord word;
            for (size_t k = i - 63; k <= i; ++k) {
                const auto j = static_cast<uint32_t>(k);
                const int64_t at_ns = time_ns - 1000 * static_cast<int64_t>(i - k) + 1;
                word.window(1 + j % 3, at_ns, 10 + j % 7).set_srtt_us(1000);
                if (j % 5 == 0) word.transition(1 + j % 3, at_ns, j / 5 % 5);
            }
            add_truth(word);
        }
        return builder.bytes();
    }

    // Rows as text, and the scores.
    static std::vector<std::string> kernel_tables(const std::vector<std::string>& paths, unsigned threads,
                                                  ResultStore::Keep keep = ResultStore::Keep::everything()) {
        std::vector<std::string> lines;
        auto source = open_captures(paths);
        EXPECT_TRUE(source);
        if (!source) return lines;
        Engine engine(keep);
        AnalysisOptions options;
        options.threads = threads;
        analyse(**source, engine, options);
        const ResultStore& store = engine.store();
        for (const KernelWindowRow& row : store.kernel_windows()) {
            lines.push_back(fmt::format("{} {} {} {} {} {}", row.packet, row.time_ns, row.connection,
                                        row.cwnd, static_cast<int>(row.ca_state), index_of(row.sender)));
        }
        for (const KernelCaTransitionRow& row : store.kernel_ca_transitions()) {
            lines.push_back(fmt::format("{} {} {} {} {}", row.packet, row.time_ns, row.connection,
                                        static_cast<int>(row.from), static_cast<int>(row.to)));
        }
        if (store.kernel_scores() == nullptr) return lines;
        for (const KernelScore& score : store.kernel_scores()->all()) {
            lines.push_back(fmt::format("{} {} {}: {} {} {} {} {} {} {} {}", score.connection(),
                                        index_of(score.side()), score.congestion_control(), score.moments(),
                                        score.moments_without_estimate(), score.errors().mean_ns(),
                                        score.within_tenth(), score.compared_ns(), score.agreed_ns(),
                                        score.kernel_transitions(), score.matched_transitions()));
        }
        return lines;
    }

    test::CapturedConversations conversations_;
};

TEST_F(KernelTruthInAFile, comes_out_the_same_whatever_the_byte_order_and_the_number_of_threads) {
    const test::TemporaryFile little(file(false, true));
    const test::TemporaryFile big(file(true, true));
    const auto expected = kernel_tables({little.path()}, 1);
    EXPECT_GT(expected.size(), conversations_.frames_sent.size() / 2);
    EXPECT_EQ(kernel_tables({little.path()}, 4), expected);
    EXPECT_EQ(kernel_tables({big.path()}, 1), expected);
    EXPECT_EQ(kernel_tables({big.path()}, 3), expected);
}

TEST_F(KernelTruthInAFile, is_scored_without_keeping_rows) {
    const test::TemporaryFile whole(file(false, true));
    const auto with_rows = kernel_tables({whole.path()}, 1);
    const auto without = kernel_tables({whole.path()}, 1, ResultStore::Keep::nothing());
    ASSERT_THAT(without, testing::Not(IsEmpty()));
    EXPECT_LT(without.size(), 10u);
    const auto scores = static_cast<std::ptrdiff_t>(without.size());
    EXPECT_EQ(std::vector<std::string>(with_rows.end() - scores, with_rows.end()), without);
}

TEST_F(KernelTruthInAFile, of_several_files_at_once_is_joined_with_the_packets_of_all) {
    // Two recorders at the host shared the packets; one of them asked the kernel.
    const test::TemporaryFile one(file(false, true, 1, 2));
    const test::TemporaryFile other(file(true, false, 0, 2));
    const auto merged = kernel_tables({one.path(), other.path()}, 1);
    EXPECT_GT(merged.size(), conversations_.frames_sent.size() / 2);
    EXPECT_EQ(kernel_tables({one.path(), other.path()}, 4), merged);
}

TEST_F(KernelTruthInAFile, changes_nothing_else_and_is_missed_by_nobody) {
    const test::TemporaryFile without(file(false, false));
    EXPECT_THAT(kernel_tables({without.path()}, 1), IsEmpty());
}

}  // namespace
}  // namespace sanscope

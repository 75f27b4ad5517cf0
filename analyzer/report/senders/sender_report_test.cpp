// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/senders/sender_report.h"

#include <algorithm>
#include <array>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/base/testing/durations.h"

namespace sanscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

using test::ms;
using test::second;

// A store of made-up senders. Connection n is between 10.0.0.1:(50000 + n), the initiator, and 10.0.0.2:3260.
class Network {
  public:
    ConnectionRow& add_connection(bool iscsi = true) {
        uint32_t number = 0;
        ConnectionRow& row = store.add_connection(number);
        const std::array<uint8_t, 4> initiator = {10, 0, 0, 1};
        const std::array<uint8_t, 4> target = {10, 0, 0, 2};
        row.initiator = {IpAddress::from_v4(initiator.data()), static_cast<uint16_t>(50000 + number)};
        row.target = {IpAddress::from_v4(target.data()), 3260};
        row.bytes_out = row.bytes_in = 5'000'000;
        row.iscsi = iscsi;
        return row;
    }

    // The target of the newest connection (the initiator stands as side a), limited one after the other for so long.
    struct Spell {
        SendLimit limit;
        int64_t ns;
        CaState state = CaState::open;
    };
    SenderSummary& add_target(const std::vector<Spell>& spells) { return add(Side::b, spells); }
    SenderSummary& add_initiator(const std::vector<Spell>& spells) { return add(Side::a, spells); }

    ResultStore store{ResultStore::Keep::nothing()};

  private:
    SenderSummary& add(Side side, const std::vector<Spell>& spells) {
        SenderSummary& sender = store.add_sender(static_cast<uint32_t>(store.connections().size()), side);
        WindowRow row;
        row.time_ns = 0;
        row.srtt_ns = 20'300'000;
        row.cwnd = 14480;
        for (const Spell& spell : spells) {
            row.limit = spell.limit;
            row.ca_state = spell.state;
            store.add_window(sender, row);
            row.time_ns += spell.ns;
            row.cwnd = 210'000;
            row.in_flight = 198'000;
        }
        row.limit = SendLimit::unknown;
        store.add_window(sender, row);
        return sender;
    }
};

void add_losses(Network& network, SenderSummary& sender, LossKind kind, int count) {
    for (int i = 0; i < count; i++) network.store.add_loss(sender, {.kind = kind});
}

size_t lines_of(std::string_view text) {
    return static_cast<size_t>(std::ranges::count(text, '\n'));
}

TEST(SenderReport, where_no_sender_is_known_says_nothing) {
    Network network;
    network.add_connection();
    EXPECT_EQ(held_back_section(network.store), "");
    EXPECT_EQ(senders_section(network.store), "");
}

TEST(SenderReport, one_sentence_says_what_kept_a_connection_from_going_faster) {
    Network network;
    network.add_connection();
    SenderSummary& sender =
        network.add_target({{SendLimit::congestion, 83 * ms}, {SendLimit::application, 17 * ms}});
    add_losses(network, sender, LossKind::fast_retransmit, 71);
    add_losses(network, sender, LossKind::rto, 2);
    EXPECT_EQ(held_back_section(network.store),
              "\nWhat held the senders back\n"
              "  10.0.0.2:3260 -> 10.0.0.1:50001 was held back by its congestion window 83 % of the time;\n"
              "      71 losses repaired by fast retransmission, 2 by timeout; smoothed round trip 20.3 ms\n");
}

TEST(SenderReport, a_sentence_names_the_two_greatest_hindrances) {
    Network network;
    network.add_connection();
    network.add_target({{SendLimit::receiver, 20 * ms},
                        {SendLimit::recovery, 50 * ms},
                        {SendLimit::pacing, 10 * ms},
                        {SendLimit::application, 20 * ms}});
    EXPECT_THAT(
        held_back_section(network.store),
        AllOf(HasSubstr("was held back by the recovery of losses 50 % of the time and by the receiver's "
                        "window 20 %;\n      smoothed round trip"),
              Not(HasSubstr("pacing"))));
}

TEST(SenderReport, losses_that_cost_little_are_told_with_how_little) {
    Network network;
    network.add_connection();
    SenderSummary& sender =
        network.add_target({{SendLimit::application, 981 * ms}, {SendLimit::recovery, 19 * ms}});
    add_losses(network, sender, LossKind::tlp, 1);
    add_losses(network, sender, LossKind::spurious, 3);
    EXPECT_THAT(held_back_section(network.store),
                HasSubstr("was held back 1.9 % of the time; 1 loss repaired by tail loss probe;\n"
                          "      3 segments sent again needlessly; smoothed round trip 20.3 ms\n"));
}

TEST(SenderReport, a_sentence_is_broken_between_clauses_before_it_outgrows_a_line) {
    Network network;
    network.add_connection();
    SenderSummary& sender =
        network.add_target({{SendLimit::congestion, second}, {SendLimit::receiver, second}});
    for (const LossKind kind : {LossKind::fast_retransmit, LossKind::rto, LossKind::tlp, LossKind::spurious})
        add_losses(network, sender, kind, 12345);
    const std::string text = held_back_section(network.store);
    EXPECT_EQ(lines_of(text), 5u) << text;
    for (size_t begin = 0; begin < text.size();) {
        const size_t end = text.find('\n', begin);
        EXPECT_LE(end - begin, 130u) << text;
        begin = end + 1;
    }
}

TEST(SenderReport, what_is_not_known_is_not_guessed) {
    Network network;
    network.add_connection();
    SenderSummary& sender = network.add_target({{SendLimit::unknown, second}});
    EXPECT_EQ(held_back_section(network.store), "");
    add_losses(network, sender, LossKind::rto, 1);
    EXPECT_THAT(
        held_back_section(network.store),
        HasSubstr("10.0.0.2:3260 -> 10.0.0.1:50001: what held it back is not known; 1 loss repaired by "
                  "timeout"));
    EXPECT_THAT(senders_section(network.store),
                AllOf(HasSubstr("congestion control not known"), Not(HasSubstr("limited by"))));
}

TEST(SenderReport, a_network_without_trouble_is_said_to_be_one) {
    Network network;
    network.add_connection();
    network.add_target({{SendLimit::application, 95 * ms}, {SendLimit::congestion, 5 * ms}});
    EXPECT_THAT(held_back_section(network.store), HasSubstr("TCP did not for long: no losses"));
    EXPECT_EQ(held_back_section(network.store, false), "") << "what never arrived may have been lost";
}

TEST(SenderReport, what_is_not_explained_may_have_held_a_side_back) {
    Network network;
    network.add_connection();
    network.add_target({{SendLimit::application, 80 * ms}, {SendLimit::unknown, 20 * ms}});
    EXPECT_EQ(held_back_section(network.store), "");
    Network known;
    known.add_connection();
    known.add_target({{SendLimit::application, 91 * ms}, {SendLimit::unknown, 9 * ms}});
    EXPECT_THAT(held_back_section(known.store), HasSubstr("TCP did not"));
}

// Nothing that it sent is ever acknowledged: it would seem to fill any window.
TEST(SenderReport, of_a_connection_captured_in_one_direction_nothing_is_said_of_its_tcp) {
    Network network;
    ConnectionRow& connection = network.add_connection();
    connection.packets_in = 5000;
    SenderSummary& sender =
        network.add_target({{SendLimit::congestion, 50 * ms}, {SendLimit::recovery, 50 * ms}});
    add_losses(network, sender, LossKind::fast_retransmit, 29);
    EXPECT_EQ(held_back_section(network.store), "");
    const std::string senders = senders_section(network.store);
    EXPECT_THAT(senders,
                HasSubstr("       target     5.00 MB sent, 29 segments of it again; what its TCP did "
                          "is not known\n"));
    EXPECT_THAT(senders, Not(HasSubstr("limited by")));
    EXPECT_THAT(senders, Not(HasSubstr("cwnd")));
    connection.packets_out = 5000;
    EXPECT_THAT(held_back_section(network.store), HasSubstr("29 losses repaired"));
}

TEST(SenderReport, of_two_troubled_sides_the_worse_has_the_sentence) {
    Network network;
    network.add_connection();
    network.add_initiator({{SendLimit::congestion, 40 * ms}, {SendLimit::application, 60 * ms}});
    network.add_target({{SendLimit::receiver, 60 * ms}, {SendLimit::application, 40 * ms}});
    const std::string text = held_back_section(network.store);
    EXPECT_THAT(text,
                HasSubstr("10.0.0.2:3260 -> 10.0.0.1:50001 was held back by the receiver's window 60 %"));
    EXPECT_EQ(lines_of(text), 3u);
}

TEST(SenderReport, the_worst_connections_come_first_and_the_rest_are_counted) {
    Network network;
    for (int i = 1; i <= 30; i++) {
        network.add_connection();
        network.add_target({{SendLimit::congestion, i * ms}, {SendLimit::application, 10 * ms}});
    }
    const std::string sentences = held_back_section(network.store);
    EXPECT_THAT(sentences, HasSubstr("back\n  10.0.0.2:3260 -> 10.0.0.1:50030 was"));
    EXPECT_THAT(sentences, HasSubstr("  … and 24 more\n"));  // connection 1 is held back for 9 % only
    EXPECT_EQ(lines_of(sentences), 8u);
    const std::string senders = senders_section(network.store);
    EXPECT_THAT(senders, HasSubstr("TCP senders\n   30  10.0.0.1:50030 -> 10.0.0.2:3260; captured where is "
                                   "not known: no round trip was "
                                   "seen\n"));
    EXPECT_THAT(senders, HasSubstr("  … and 20 more\n"));
}

TEST(SenderReport, a_long_untroubled_connection_does_not_hide_a_short_troubled_one) {
    Network network;
    for (int i = 0; i < 20; i++) {
        network.add_connection();
        network.add_target({{SendLimit::congestion, 9 * second}, {SendLimit::application, 91 * second}});
    }
    network.add_connection();
    network.add_target({{SendLimit::receiver, second}, {SendLimit::application, second}});
    EXPECT_THAT(held_back_section(network.store),
                HasSubstr("10.0.0.1:50021 was held back by the receiver's window 50 % of the time"));
}

TEST(SenderReport, tells_of_a_side_all_that_is_known) {
    Network network;
    ConnectionRow& connection = network.add_connection();
    connection.vantage = Vantage::initiator;
    connection.bytes_in = 7'030'000;
    connection.rtt_min_ns = 20'100'000;
    SenderSummary& sender = network.add_target({{SendLimit::congestion, 830 * ms},
                                                {SendLimit::recovery, 90 * ms, CaState::recovery},
                                                {SendLimit::unknown, 5 * ms, CaState::loss},
                                                {SendLimit::application, 75 * ms}});
    sender.set_congestion_control("cubic");
    sender.set_rtt_min(1'000);  // an estimate, from afar
    network.store.add_ca_transition(sender, {});
    network.store.add_ca_transition(sender, {});
    add_losses(network, sender, LossKind::fast_retransmit, 71);
    add_losses(network, sender, LossKind::rto, 1);
    add_losses(network, sender, LossKind::out_of_order, 5);
    EXPECT_EQ(
        senders_section(network.store),
        "\nTCP senders\n"
        "    1  10.0.0.1:50001 -> 10.0.0.2:3260, captured at the initiator\n"
        "       target     7.03 MB sent; round trip 20.1 ms at least, smoothed 20.3 ms on average, 20.3 ms "
        "at "
        "most\n"
        "                  congestion control cubic; cwnd 14.5 kB to 210 kB; in flight 198 kB at most\n"
        "                  limited by congestion 83 %, recovery 9.0 %, application 7.5 %, unknown 0.5 % of "
        "1.00 s\n"
        "                  Recovery 9.0 %, Loss 0.5 % of the time; 2 transitions\n"
        "                  at least: 71 fast retransmissions, 1 timeout retransmission, 5 out of order\n");
}

TEST(SenderReport, tells_of_an_untroubled_side_no_more_than_there_is) {
    Network network;
    network.add_connection();
    network.add_initiator({{SendLimit::application, second}});
    EXPECT_EQ(
        senders_section(network.store),
        "\nTCP senders\n"
        "    1  10.0.0.1:50001 -> 10.0.0.2:3260; captured where is not known: no round trip was seen\n"
        "       initiator  5.00 MB sent; round trip smoothed 20.3 ms on average, 20.3 ms at most\n"
        "                  congestion control not known; cwnd 14.5 kB to 210 kB; in flight 198 kB at most\n"
        "                  limited by application 100 % of 1.00 s\n");
}

TEST(SenderReport, names_the_congestion_control_that_the_kernel_reported) {
    Network network;
    ConnectionRow& connection = network.add_connection();
    SenderSummary& sender = network.add_target({{SendLimit::application, second}});
    sender.set_congestion_control("cubic");
    connection.kernel_congestion_control[index_of(sender.side())] = "fair";
    EXPECT_THAT(senders_section(network.store),
                AllOf(HasSubstr("congestion control fair as its kernel reported"), Not(HasSubstr("cubic"))));
}

TEST(SenderReport, tells_no_round_trip_of_a_far_sender_that_the_connection_does_not_show) {
    const auto senders = [](Vantage vantage) {
        Network network;
        network.add_connection().vantage = vantage;
        network.add_initiator({{SendLimit::application, second}}).set_rtt_min(1'000);
        return senders_section(network.store);
    };
    EXPECT_THAT(senders(Vantage::target), HasSubstr("sent; round trip smoothed 20.3 ms on average"));
    EXPECT_THAT(senders(Vantage::initiator), HasSubstr("sent; round trip 1.00 µs at least, smoothed"));
}

TEST(SenderReport, tells_why_it_is_not_known_where_the_capture_was_taken) {
    const auto senders = [](int64_t rtt_ns, uint64_t packets_in) {
        Network network;
        ConnectionRow& connection = network.add_connection();
        connection.rtt_min_ns = rtt_ns;
        connection.packets_out = 9;
        connection.packets_in = packets_in;
        network.add_initiator({{SendLimit::application, second}});
        return senders_section(network.store);
    };
    EXPECT_THAT(senders(17'000, 9), HasSubstr("a round trip of 17.0 µs is too short to order events"));
    EXPECT_THAT(senders(17'000, 0), HasSubstr("one direction was not captured"));
    EXPECT_THAT(senders(5'000'000, 9), HasSubstr("neither end answers sooner than the other"));
}

TEST(SenderReport, leaves_out_who_hardly_sent_anything_unless_some_of_it_was_lost) {
    Network network;
    ConnectionRow& connection = network.add_connection();
    connection.bytes_in = 9'999;
    SenderSummary& sender = network.add_target({{SendLimit::congestion, second}});
    EXPECT_EQ(senders_section(network.store), "");
    add_losses(network, sender, LossKind::rto, 1);
    EXPECT_THAT(senders_section(network.store), HasSubstr("1 timeout retransmission\n"));
}

TEST(SenderReport, tells_of_connections_without_iscsi_only_where_they_transfer_much) {
    Network network;
    network.add_connection(false).bytes_in = 99'999;
    network.add_target({{SendLimit::congestion, second}});
    EXPECT_EQ(senders_section(network.store), "");
    network.add_connection(false).bytes_in = 100'000;
    network.add_target({{SendLimit::congestion, second}});
    EXPECT_THAT(senders_section(network.store), HasSubstr("10.0.0.1:50002 -> 10.0.0.2:3260"));
}

}  // namespace
}  // namespace sanscope

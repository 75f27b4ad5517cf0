// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/query/linked_rows.h"

#include <gtest/gtest.h>
#include <random>
#include <vector>

#include "analyzer/engine/testing/captured_conversations.h"

namespace sanscope {
namespace {

using test::CapturedConversations;

// Three connections with losses, and what belongs to what as plainly as can be said.
class LinkedRowsOfCapture : public testing::TestWithParam<unsigned> {
  protected:
    CapturedConversations captured{GetParam(), 3, 40, 25};
    const ResultStore& store = captured.engine.store();
    PduIndex index{store};
    // carried[pdu]: by packets.
    std::vector<RowSet> carried;

    void SetUp() override {
        index.update();
        for (uint32_t pdu = 0; pdu < store.pdus().size(); ++pdu) {
            RowSet& packets = carried.emplace_back(store.segments().size());
            std::vector<PacketNumber> found;
            index.packets_of_pdu(pdu, found);
            for (const PacketNumber packet : found) packets.set(packet - 1);
        }
        ASSERT_GT(store.losses().size(), 10u);
    }

    LinkedRows nothing() const {
        return {RowSet(store.segments().size()), RowSet(store.commands().size()),
                RowSet(store.pdus().size()),     RowSet(store.connections().size()),
                RowSet(store.sessions().size()), RowSet(store.losses().size())};
    }
    void add_connection(LinkedRows& rows, uint32_t connection) const {
        if (connection == 0) return;
        rows.connections.set(connection - 1);
        rows.sessions.set(store.connection(connection).session - 1);
    }
    void add_losses_of_packets(LinkedRows& rows) const {
        for (size_t i = 0; i < store.losses().size(); ++i) {
            const LossRow& loss = store.losses()[i];
            if (rows.packets.test(loss.packet - 1) ||
                (loss.original_packet != 0 && rows.packets.test(loss.original_packet - 1))) {
                rows.losses.set(i);
            }
        }
    }
    void add_commands_of_pdus(LinkedRows& rows) const {
        rows.pdus.for_each([&](size_t pdu) {
            if (const uint64_t command = store.pdus()[pdu].command; command != 0)
                rows.commands.set(command - 1);
        });
    }

    LinkedRows expected_of_pdus(const RowSet& pdus) const {
        LinkedRows rows = nothing();
        rows.pdus = pdus;
        pdus.for_each([&](size_t pdu) {
            rows.packets |= carried[pdu];
            add_connection(rows, store.pdus()[pdu].connection);
        });
        add_losses_of_packets(rows);
        return rows;
    }
    LinkedRows expected(Selected table, const RowSet& selected) const {
        LinkedRows rows = nothing();
        switch (table) {
            case Selected::commands: {
                RowSet pdus(store.pdus().size());
                for (size_t i = 0; i < store.pdus().size(); ++i) {
                    const uint64_t command = store.pdus()[i].command;
                    if (command != 0 && selected.test(command - 1)) pdus.set(i);
                }
                rows = expected_of_pdus(pdus);
                rows.commands = selected;
                return rows;
            }
            case Selected::pdus:
                rows = expected_of_pdus(selected);
                add_commands_of_pdus(rows);
                return rows;
            case Selected::packets:
                rows.packets = selected;
                for (size_t i = 0; i < store.pdus().size(); ++i) {
                    RowSet common = carried[i];
                    common &= selected;
                    if (!common.empty()) rows.pdus.set(i);
                }
                add_commands_of_pdus(rows);
                selected.for_each([&](size_t i) { add_connection(rows, store.segments()[i].connection); });
                add_losses_of_packets(rows);
                return rows;
            case Selected::connections:
            case Selected::sessions: {
                for (uint32_t i = 0; i < store.connections().size(); ++i) {
                    const size_t row = table == Selected::sessions ? store.connections()[i].session - 1 : i;
                    if (selected.test(row)) add_connection(rows, i + 1);
                }
                const auto mark = [&](const auto& all, RowSet& set) {
                    for (size_t i = 0; i < all.size(); ++i) {
                        const uint32_t connection = all[i].connection;
                        if (connection != 0 && rows.connections.test(connection - 1)) set.set(i);
                    }
                };
                mark(store.segments(), rows.packets);
                mark(store.pdus(), rows.pdus);
                mark(store.commands(), rows.commands);
                mark(store.losses(), rows.losses);
                return rows;
            }
            case Selected::losses:
                rows.losses = selected;
                selected.for_each([&](size_t i) {
                    const LossRow& loss = store.losses()[i];
                    rows.packets.set(loss.packet - 1);
                    if (loss.original_packet != 0) rows.packets.set(loss.original_packet - 1);
                    add_connection(rows, loss.connection);
                    for (size_t j = 0; j < store.pdus().size(); ++j) {
                        if (has_bytes_of(store.pdus()[j], loss)) rows.pdus.set(j);
                    }
                });
                add_commands_of_pdus(rows);
                return rows;
            default:
                return rows;
        }
    }
    bool has_bytes_of(const PduRow& pdu, const LossRow& loss) const {
        const ConnectionRow& connection = store.connection(loss.connection);
        if (pdu.connection != loss.connection || connection.side_of(pdu.sender) != loss.sender) {
            return false;
        }
        const uint64_t begin = loss.seq - connection.stream_start_seq[index_of(loss.sender)];
        const test::SentPdu& sent = *captured.sent(pdu);
        return begin < sent.end && begin + loss.length > sent.begin;
    }

    void check(Selected table, const RowSet& selected, const std::string& what) const {
        const LinkedRows found =
            link_rows(index, table, selected, nullptr, selected.count() % 2 == 0 ? 1 : 2);
        const LinkedRows wanted = expected(table, selected);
        EXPECT_EQ(found.packets, wanted.packets) << what << ": packets";
        EXPECT_EQ(found.commands, wanted.commands) << what << ": commands";
        EXPECT_EQ(found.pdus, wanted.pdus) << what << ": PDUs";
        EXPECT_EQ(found.connections, wanted.connections) << what << ": connections";
        EXPECT_EQ(found.sessions, wanted.sessions) << what << ": sessions";
        EXPECT_EQ(found.losses, wanted.losses) << what << ": losses";
    }
    // Each row alone as far as they are few, random ones, all and none.
    void check_table(Selected table, size_t size, const std::string& what) const {
        check(table, RowSet(size), what + ", none");
        RowSet all(size);
        all.set_all();
        check(table, all, what + ", all");
        std::mt19937 random(GetParam());
        for (size_t i = 0; i < std::min<size_t>(size, 60); ++i) {
            RowSet one(size);
            const size_t row = size <= 60 ? i : random() % size;
            one.set(row);
            check(table, one, what + " " + std::to_string(row));
        }
        for (const unsigned percent : {1u, 10u, 50u}) {
            RowSet some(size);
            for (size_t row = 0; row < size; ++row) {
                if (random() % 100 < percent) some.set(row);
            }
            check(table, some, what + ", " + std::to_string(percent) + " %");
        }
    }
};

TEST_P(LinkedRowsOfCapture, from_commands) {
    check_table(Selected::commands, store.commands().size(), "command");
}
TEST_P(LinkedRowsOfCapture, from_pdus) {
    check_table(Selected::pdus, store.pdus().size(), "PDU");
}
TEST_P(LinkedRowsOfCapture, from_packets) {
    check_table(Selected::packets, store.segments().size(), "packet");
}
TEST_P(LinkedRowsOfCapture, from_connections) {
    check_table(Selected::connections, store.connections().size(), "connection");
}
TEST_P(LinkedRowsOfCapture, from_sessions) {
    check_table(Selected::sessions, store.sessions().size(), "session");
}
TEST_P(LinkedRowsOfCapture, from_losses) {
    check_table(Selected::losses, store.losses().size(), "loss");
}

TEST_P(LinkedRowsOfCapture, windows_are_their_packets) {
    ASSERT_FALSE(store.windows().empty());
    RowSet windows(store.windows().size());
    RowSet packets(store.segments().size());
    for (size_t i = 0; i < store.windows().size(); i += 7) {
        windows.set(i);
        packets.set(store.windows()[i].packet - 1);
    }
    const LinkedRows by_windows = link_rows(index, Selected::windows, windows);
    const LinkedRows by_packets = link_rows(index, Selected::packets, packets);
    EXPECT_EQ(by_windows.packets, packets);
    EXPECT_EQ(by_windows.pdus, by_packets.pdus);
    EXPECT_EQ(by_windows.commands, by_packets.commands);
    EXPECT_EQ(by_windows.connections, by_packets.connections);
    EXPECT_EQ(by_windows.losses, by_packets.losses);
    const RowSet back = rows_at_packets(store.windows(), packets);
    for (size_t i = 0; i < store.windows().size(); ++i) {
        EXPECT_EQ(back.test(i), packets.test(store.windows()[i].packet - 1));
    }
}

TEST_P(LinkedRowsOfCapture, stops) {
    const std::atomic<bool> stop = true;
    RowSet all(store.pdus().size());
    all.set_all();
    EXPECT_EQ(link_rows(index, Selected::pdus, all, &stop).pdus, all);
}

INSTANTIATE_TEST_SUITE_P(Seeds, LinkedRowsOfCapture, testing::Range(0u, 4u));

// More PDUs and packets than are looked up one by one.
TEST(LinkedRows, many_are_linked_as_few_are) {
    CapturedConversations captured(5, 2, 1500, 5);
    const ResultStore& store = captured.engine.store();
    PduIndex index(store);
    index.update();
    ASSERT_GT(store.pdus().size(), 8000u);
    RowSet all(store.pdus().size());
    RowSet packets(store.segments().size());
    for (uint32_t pdu = 0; pdu < store.pdus().size(); ++pdu) {
        if (pdu % 10 == 0) continue;
        all.set(pdu);
        std::vector<PacketNumber> found;
        index.packets_of_pdu(pdu, found);
        for (const PacketNumber packet : found) packets.set(packet - 1);
    }
    for (const unsigned threads : {1U, 2U, 3U})
        EXPECT_EQ(link_rows(index, Selected::pdus, all, nullptr, threads).packets, packets) << threads;

    RowSet pdus(store.pdus().size());
    packets.for_each(
        [&](size_t packet) { index.carried_by(packet + 1, [&](uint32_t pdu) { pdus.set(pdu); }); });
    ASSERT_GT(packets.count(), 5000u);
    for (const unsigned threads : {1U, 2U, 3U})
        EXPECT_EQ(link_rows(index, Selected::packets, packets, nullptr, threads).pdus, pdus) << threads;
}

TEST(LinkedRows, what_a_kernel_told_is_its_packets) {
    ResultStore store(ResultStore::Keep::everything());
    for (uint32_t connection = 1; connection <= 2; ++connection) {
        uint32_t number = 0;
        store.add_connection(number);
        store.add_segment().connection = connection;
        store.add_segment().connection = connection;
    }
    store.begin_kernel_truth();
    KernelScore& score = store.kernel_score(1, Side::a);
    // Of the first one no packet is known.
    store.add_kernel_window(score, {.connection = 1});
    store.add_kernel_window(score, {.packet = 2, .connection = 1});
    store.add_kernel_ca_transition(store.kernel_score(2, Side::a), {.packet = 3, .connection = 2});
    PduIndex index(store);
    index.update();
    const auto of_all = [&](Selected table, size_t rows) {
        RowSet all(rows);
        all.set_all();
        return link_rows(index, table, all);
    };
    const auto numbers = [](const RowSet& set) {
        std::vector<size_t> found;
        set.for_each([&](size_t row) { found.push_back(row + 1); });
        return found;
    };
    const LinkedRows windows = of_all(Selected::kernel_windows, 2);
    EXPECT_EQ(numbers(windows.packets), std::vector<size_t>{2});
    EXPECT_EQ(numbers(windows.connections), std::vector<size_t>{1});
    const LinkedRows transitions = of_all(Selected::kernel_ca_transitions, 1);
    EXPECT_EQ(numbers(transitions.packets), std::vector<size_t>{3});
    EXPECT_EQ(numbers(transitions.connections), std::vector<size_t>{2});
}

// The rows of a store are not trusted: what they name need not be there.
TEST(LinkedRows, numbers_of_rows_that_are_not_there) {
    ResultStore store(ResultStore::Keep::everything());
    uint64_t command = 0;
    store.begin_command(command).connection = 7;
    PduRow& pdu = store.add_pdu();
    pdu.connection = 9;
    pdu.command = 5;
    pdu.first_packet = 100;
    pdu.last_packet = 200;
    store.add_segment() = {12, 1, 1, 100, 0, 0, Side::a};
    PduIndex index(store);
    index.update();
    for (const auto& [table, size] :
         {std::pair(Selected::packets, 1), std::pair(Selected::commands, 1), std::pair(Selected::pdus, 1)}) {
        RowSet all(static_cast<size_t>(size));
        all.set_all();
        const LinkedRows rows = link_rows(index, table, all);
        EXPECT_TRUE(rows.connections.empty());
        EXPECT_TRUE(rows.sessions.empty());
    }
}

}  // namespace
}  // namespace sanscope

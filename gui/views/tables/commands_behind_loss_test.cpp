// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/tables/commands_behind_loss.h"

#include <QAction>
#include <QMenu>
#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gui/testing/loaded_document.h"
#include "gui/views/tables/rows_view.h"

namespace sanscope {
namespace {

using testing_gui::loaded_sample;
using testing_gui::wait_until;

constexpr const char* lossy = "loss-mixed-target.pcap.zst";

// Losses that others wait for, 1-based.
std::vector<uint64_t> losses_waited_for(const ResultStore& store) {
    std::vector<uint64_t> numbers;
    for (size_t i = 0; i < store.losses().size(); ++i) {
        if (keeps_waiting(store, store.losses()[i])) numbers.push_back(i + 1);
    }
    return numbers;
}

TEST(CommandsBehindLoss, WereUnderWayOnItsConnectionWhileItsBytesWereMissing) {
    const auto document = loaded_sample(lossy);
    const auto reading = document->data()->read();
    const ResultStore& store = reading.store();
    size_t found = 0;
    size_t behind = 0;
    for (const uint64_t loss : losses_waited_for(store)) {
        const LossRow& row = store.losses()[loss - 1];
        const auto commands = commands_behind_loss(reading, loss, StopFlag(false));
        EXPECT_TRUE(std::ranges::is_sorted(commands));
        const int64_t repaired_ns = std::max(row.time_ns, reading.timeline().time_of_loss(loss - 1));
        std::vector<uint32_t> lost;
        reading.pdu_index().pdus_of_bytes(row.connection.value(), row.sender, row.seq, row.length, row.packet,
                                          lost);
        std::vector<uint64_t> own;
        for (const uint32_t pdu : lost) own.push_back(store.pdus()[pdu].command.value());
        for (const uint64_t number : commands) {
            const CommandRow& command = store.commands()[number - 1];
            EXPECT_EQ(command.connection, row.connection);
            // A request whose own bytes were lost may have been lost once more, and be captured later than this loss was repaired.
            if (std::ranges::find(own, number) == own.end()) {
                EXPECT_LE(command.request_ns, repaired_ns);
            }
            if (row.delay_ns != no_time && command.response_ns != no_time && row.original_packet == 0) {
                EXPECT_GT(command.response_ns, row.time_ns - row.delay_ns);
            }
        }
        found += commands.empty() ? 0u : 1u;
        behind = std::max(behind, commands.size());
    }
    EXPECT_GT(found, 5u);
    // Not the command alone whose bytes were lost.
    EXPECT_GT(behind, 1u);
}

// That of the lost bytes is the first to wait for them.
TEST(CommandsBehindLoss, HoldTheCommandWhoseBytesWereLost) {
    const auto document = loaded_sample(lossy);
    const auto reading = document->data()->read();
    const ResultStore& store = reading.store();
    size_t looked_at = 0;
    for (const uint64_t loss : losses_waited_for(store)) {
        const LossRow& row = store.losses()[loss - 1];
        std::vector<uint32_t> pdus;
        reading.pdu_index().pdus_of_bytes(row.connection.value(), row.sender, row.seq, row.length, row.packet,
                                          pdus);
        if (pdus.empty() || store.pdus()[pdus.front()].command == 0) continue;
        const uint64_t own = store.pdus()[pdus.front()].command.value();
        const CommandRow& command = store.commands()[own - 1];
        if (command.response_ns != no_time &&
            command.response_ns <= reading.timeline().time_of_loss(loss - 1))
            continue;
        EXPECT_THAT(commands_behind_loss(reading, loss, StopFlag(false)), testing::Contains(own));
        ++looked_at;
    }
    EXPECT_GT(looked_at, 0u);
}

TEST(CommandsBehindLoss, OfWhatNobodyWaitsForThereAreNone) {
    const auto document = loaded_sample(lossy);
    const auto reading = document->data()->read();
    const auto& losses = reading.store().losses();
    EXPECT_TRUE(commands_behind_loss(reading, 0, StopFlag(false)).empty());
    EXPECT_TRUE(commands_behind_loss(reading, losses.size() + 1, StopFlag(false)).empty());
    for (size_t i = 0; i < losses.size(); ++i) {
        if (keeps_waiting(reading.store(), losses[i])) continue;
        EXPECT_TRUE(commands_behind_loss(reading, i + 1, StopFlag(false)).empty());
    }
}

TEST(CommandsBehindLoss, AProbeIsALossWhereItsSenderTookItForOne) {
    constexpr int64_t ms = 1'000'000;
    LossRow probe;
    probe.packet = 9;
    probe.time_ns = 500 * ms;
    probe.delay_ns = 80 * ms;
    probe.connection = 1;
    probe.kind = LossKind::tlp;
    const auto waits_with = [&](CaState to, const char* cause, int64_t after_ns, Side of) {
        ResultStore store{{}};
        store.add_ca_transition(store.add_sender(1, of), {.packet = 10,
                                                          .time_ns = probe.time_ns + after_ns,
                                                          .cause = cause,
                                                          .connection = 1,
                                                          .from = CaState::open,
                                                          .to = to,
                                                          .sender = of});
        return keeps_waiting(store, probe);
    };
    EXPECT_FALSE(keeps_waiting(ResultStore{{}}, probe)) << "nothing shows that it repaired anything";
    constexpr const char* repaired = "tail loss probe repaired a loss";
    EXPECT_TRUE(waits_with(CaState::cwr, repaired, 300 * ms, probe.sender));
    EXPECT_FALSE(waits_with(CaState::cwr, repaired, -300 * ms, probe.sender)) << "of a probe before";
    EXPECT_FALSE(waits_with(CaState::cwr, repaired, 300 * ms, other_side(probe.sender)));
    EXPECT_FALSE(waits_with(CaState::cwr, "ECN", 10 * ms, probe.sender));
    EXPECT_TRUE(waits_with(CaState::recovery, "SACK", 40 * ms, probe.sender));
    EXPECT_FALSE(waits_with(CaState::recovery, "SACK", 200 * ms, probe.sender)) << "of later losses";
}

TEST(CommandsBehindLoss, AreNamedByAFilter) {
    EXPECT_EQ(filter_for_commands({}), QString());
    EXPECT_EQ(filter_for_commands({3, 7}), QStringLiteral("command in {3, 7}"));
    const QString most = filter_for_commands(std::vector<uint64_t>(most_commands_in_filter + 1, 5));
    EXPECT_EQ(static_cast<size_t>(most.count(QLatin1Char('5'))), most_commands_in_filter);
}

TEST(CommandsBehindLoss, AreShownFromTheMenuOfALoss) {
    const auto document = loaded_sample(lossy);
    const auto losses = losses_waited_for(document->data()->read().store());
    RowsView view(*document, "losses", nullptr);
    view.resize(1000, 400);
    view.show();
    ASSERT_TRUE(wait_until([&] { return view.settled(); }));
    int row = 0;
    while (row < view.model().rowCount() &&
           !std::ranges::binary_search(losses, view.model().table_row(row) + 1u))
        ++row;
    ASSERT_LT(row, view.model().rowCount());
    const QModelIndex index = view.model().index(row, view.table().columnAt(5));
    view.table().scrollTo(index);
    ASSERT_TRUE(wait_until([&] { return view.settled(); }));
    Q_EMIT view.table().customContextMenuRequested(view.table().visualRect(index).center());
    QMenu* const menu = view.findChild<QMenu*>();
    ASSERT_NE(menu, nullptr);
    const auto actions = menu->actions();
    const auto waited =
        std::ranges::find(actions, QStringLiteral("Show the commands that waited"), &QAction::text);
    ASSERT_NE(waited, actions.end());
    QString filter;
    QString table;
    QObject::connect(&view, &RowsView::rows_wanted, &view, [&](const QString& expression, const QString& of) {
        filter = expression;
        table = of;
    });
    (*waited)->trigger();
    menu->close();
    ASSERT_TRUE(wait_until([&] { return view.settled(); }));
    const auto commands =
        commands_behind_loss(document->data()->read(), view.model().table_row(row) + 1u, StopFlag(false));
    EXPECT_EQ(filter, filter_for_commands(commands));
    if (!commands.empty()) {
        EXPECT_EQ(table, QStringLiteral("commands"));
    }
}

}  // namespace
}  // namespace sanscope

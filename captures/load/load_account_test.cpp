// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/load/load_account.h"

#include <gtest/gtest.h>
#include <set>
#include <string_view>

#include "captures/load/published_account.h"

namespace sanscope {
namespace {

constexpr LoadKind read = LoadKind::read;
constexpr LoadKind write = LoadKind::write;

TEST(LoadAccount, EveryCommandIsDoneFailedOrInFlight) {
    LoadAccount account;
    for (int i = 0; i < 10; ++i) account.on_sent(read);
    for (int i = 0; i < 5; ++i) account.on_sent(write);
    for (int i = 0; i < 6; ++i) account.on_done(read, 4096, 1000 * (i + 1));
    account.on_done(write, 512, 50'000);
    account.on_failed(read, LoadFailure::busy);
    account.on_failed(write, LoadFailure::timed_out);
    EXPECT_EQ(account.sent(), 15u);
    EXPECT_EQ(account.done(), 7u);
    EXPECT_EQ(account.failed(), 2u);
    EXPECT_EQ(account.in_flight(), 6u);
    EXPECT_EQ(account.bytes(), 6 * 4096u + 512);
    EXPECT_EQ(account.turnaround().count(), 7u);
    EXPECT_EQ(account.turnaround().max_ns(), 50'000);
    EXPECT_EQ(account.of(read).turnaround.max_ns(), 6000);

    account.fail_in_flight(LoadFailure::connection_lost);
    EXPECT_EQ(account.in_flight(), 0u);
    EXPECT_EQ(account.failed(LoadFailure::connection_lost), 6u);
    EXPECT_EQ(account.of(read).failed, 4u);
    EXPECT_EQ(account.of(write).failed, 4u);
    EXPECT_EQ(account.sent(), account.done() + account.failed());
}

TEST(LoadAccount, TheWaitUntilACommandIsSentIsOnlyInTheTurnaroundSinceItWasDue) {
    LoadAccount account;
    account.on_sent(read);
    account.on_done(read, 512, 1000, 9'000'000);
    EXPECT_EQ(account.turnaround().max_ns(), 1000);
    EXPECT_EQ(account.since_due().max_ns(), 9'001'000);
}

LoadAccount some(int commands, int64_t elapsed_ns) {
    LoadAccount account;
    for (int i = 0; i < commands; ++i) {
        account.on_sent(read);
        account.on_done(read, 1000, 100 + i);
        account.on_sent(write);
        account.on_failed(write, LoadFailure::check_condition);
    }
    account.on_connection_lost();
    account.on_reconnected();
    account.set_elapsed(elapsed_ns, elapsed_ns / 2);
    return account;
}

TEST(LoadAccount, ThreadsAddUpAndRunAtTheSameTime) {
    LoadAccount all = some(10, 2'000'000'000);
    all.add(some(30, 4'000'000'000));
    EXPECT_EQ(all.sent(), 80u);
    EXPECT_EQ(all.done(), 40u);
    EXPECT_EQ(all.failed(LoadFailure::check_condition), 40u);
    EXPECT_EQ(all.turnaround().count(), 40u);
    EXPECT_EQ(all.since_due().count(), 40u);
    EXPECT_EQ(all.connections_lost(), 2u);
    EXPECT_EQ(all.reconnected(), 2u);
    EXPECT_DOUBLE_EQ(all.seconds(), 4);
    EXPECT_DOUBLE_EQ(all.cpu_seconds(), 3);
    EXPECT_DOUBLE_EQ(all.commands_per_second(), 10);
    EXPECT_DOUBLE_EQ(all.bytes_per_second(), 10'000);
    EXPECT_NEAR(all.cpu_seconds_per_gigabyte(), 3 / 40e-6, 1e-6);
}

TEST(LoadAccount, ADifferenceIsWhatCameSince) {
    const LoadAccount before = some(10, 1'000'000'000);
    LoadAccount now = before;
    for (int i = 0; i < 5; ++i) {
        now.on_sent(read);
        now.on_done(read, 2000, 1'000'000);
    }
    now.on_failed(read, LoadFailure::aborted);
    now.set_elapsed(2'000'000'000, 600'000'000);
    const LoadAccount since = now.since(before);
    EXPECT_EQ(since.done(), 5u);
    EXPECT_EQ(since.bytes(), 10'000u);
    EXPECT_EQ(since.failed(), 1u);
    EXPECT_EQ(since.failed(LoadFailure::check_condition), 0u);
    EXPECT_EQ(since.connections_lost(), 0u);
    EXPECT_DOUBLE_EQ(since.seconds(), 1);
    EXPECT_NEAR(since.cpu_seconds(), 0.1, 1e-9);
    EXPECT_NEAR(static_cast<double>(since.turnaround().percentile_ns(0.5)), 1e6, 1e4);
}

TEST(LoadAccount, AnEmptyOneTellsNoRates) {
    const LoadAccount account;
    EXPECT_EQ(account.bytes_per_second(), 0);
    EXPECT_EQ(account.commands_per_second(), 0);
    EXPECT_EQ(account.cpu_seconds_per_gigabyte(), 0);
    EXPECT_EQ(account.turnaround().percentile_ns(0.99), 0);
}

TEST(LoadAccount, EveryFailureHasItsOwnName) {
    std::set<std::string_view> names;
    std::set<std::string_view> keys;
    for (size_t i = 0; i < load_failures; ++i) {
        names.insert(load_failure_name(static_cast<LoadFailure>(i)));
        keys.insert(load_failure_key(static_cast<LoadFailure>(i)));
    }
    EXPECT_EQ(names.size(), load_failures);
    EXPECT_EQ(keys.size(), load_failures);
    EXPECT_FALSE(names.contains(""));
    EXPECT_EQ(load_failure_name(LoadFailure::never_answered), "never answered");
    EXPECT_EQ(load_failure_key(LoadFailure::task_set_full), "task_set_full");
}

TEST(PublishedAccount, HandsOutACopyWhenAskedAndNotBefore) {
    PublishedAccount published;
    LoadAccount account = some(1, 1);
    published.publish_if_asked(account);
    account.on_sent(read);
    published.publish_if_asked(account);
    EXPECT_EQ(published.latest().sent(), 2u);
    published.publish_if_asked(account);
    EXPECT_EQ(published.latest().sent(), 3u);
    account.on_sent(read);
    published.publish(account);
    EXPECT_EQ(published.latest().sent(), 4u);
}

}  // namespace
}  // namespace sanscope

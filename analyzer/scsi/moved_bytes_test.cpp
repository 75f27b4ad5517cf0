// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/scsi/moved_bytes.h"

#include <gtest/gtest.h>

#include "analyzer/scsi/sense_keys.h"
#include "analyzer/scsi/status.h"

namespace sanscope {
namespace {

CommandRow answered(uint16_t status, uint16_t key = unknown<uint16_t>, int64_t residual = unknown<int64_t>) {
    CommandRow row;
    row.bytes = 65536;
    row.status = status;
    row.sense_key = key;
    row.residual = residual;
    row.outcome = Outcome::completed;
    return row;
}

TEST(MovedBytes, AreAllOfThemOfAGoodCommand) {
    EXPECT_EQ(moved_bytes(answered(scsi_status::good)), 65536u);
    EXPECT_EQ(moved_bytes(answered(scsi_status::condition_met)), 65536u);
    EXPECT_EQ(moved_bytes(answered(unknown<uint16_t>)), 65536u) << "its status was not captured";
}

TEST(MovedBytes, LackWhatTheResidualCountTells) {
    constexpr uint16_t no_key = unknown<uint16_t>;
    EXPECT_EQ(moved_bytes(answered(scsi_status::good, no_key, 65000)), 536u);
    EXPECT_EQ(moved_bytes(answered(scsi_status::good, no_key, -4096)), 65536u) << "overflow: there was more";
    EXPECT_EQ(moved_bytes(answered(scsi_status::good, no_key, 1 << 20)), 0u) << "more than was expected";
    EXPECT_EQ(moved_bytes(answered(scsi_status::check_condition, sense_key::no_sense, 4096)), 61440u)
        << "a tape's shorter block";
    EXPECT_EQ(moved_bytes(answered(scsi_status::check_condition, sense_key::medium_error, 65536)), 0u);
}

TEST(MovedBytes, AreNoneOfACommandThatWasNotCarriedOut) {
    for (const uint8_t status : {scsi_status::busy, scsi_status::reservation_conflict,
                                 scsi_status::task_set_full, scsi_status::aca_active})
        EXPECT_EQ(moved_bytes(answered(status)), 0u) << scsi_status_name(status);
    for (const uint16_t key : {sense_key::not_ready, sense_key::illegal_request, sense_key::unit_attention,
                               sense_key::data_protect})
        EXPECT_EQ(moved_bytes(answered(scsi_status::check_condition, key)), 0u) << key;
    CommandRow deferred = answered(scsi_status::check_condition, sense_key::medium_error);
    deferred.sense_deferred = true;
    EXPECT_EQ(moved_bytes(deferred), 0u);
}

TEST(MovedBytes, AreNotKnownOfOneThatFailedOnItsWay) {
    EXPECT_EQ(moved_bytes(answered(scsi_status::check_condition, sense_key::medium_error)),
              unknown<uint64_t>);
    EXPECT_EQ(moved_bytes(answered(scsi_status::check_condition)), unknown<uint64_t>) << "sense cut off";
    EXPECT_EQ(moved_bytes(answered(scsi_status::task_aborted)), unknown<uint64_t>);
    CommandRow failed = answered(unknown<uint16_t>);
    failed.iscsi_response = 1;
    EXPECT_EQ(moved_bytes(failed), unknown<uint64_t>);
    EXPECT_EQ(moved_bytes(answered(scsi_status::check_condition, sense_key::recovered_error)), 65536u);
}

TEST(MovedBytes, AreNotKnownWithoutTheExpectedLength) {
    CommandRow row = answered(scsi_status::good);
    row.bytes = unknown<uint64_t>;
    EXPECT_EQ(moved_bytes(row), unknown<uint64_t>);
    row.bytes = 0;
    row.status = scsi_status::check_condition;
    EXPECT_EQ(moved_bytes(row), 0u);
}

}  // namespace
}  // namespace sanscope

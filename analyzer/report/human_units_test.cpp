// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/human_units.h"

#include <gtest/gtest.h>

namespace sanscope {
namespace {

TEST(HumanUnits, BytesHaveThreeDigitsAndPowersOfAThousand) {
    EXPECT_EQ(human_bytes(0), "0 B");
    EXPECT_EQ(human_bytes(999), "999 B");
    EXPECT_EQ(human_bytes(1000), "1.00 kB");
    EXPECT_EQ(human_bytes(9999), "10.0 kB");
    EXPECT_EQ(human_bytes(123456789), "123 MB");
    EXPECT_EQ(human_bytes(999600), "1.00 MB");
}

TEST(HumanUnits, TransferSizesAreExactInPowersOf1024) {
    EXPECT_EQ(human_binary_bytes(512), "512 B");
    EXPECT_EQ(human_binary_bytes(4096), "4 KiB");
    EXPECT_EQ(human_binary_bytes(1u << 20), "1 MiB");
    EXPECT_EQ(human_binary_bytes(1536), "1.50 KiB");
}

TEST(HumanUnits, CountsAreExactBelowTenThousand) {
    EXPECT_EQ(human_count(9999), "9999");
    EXPECT_EQ(human_count(12345), "12.3 k");
    EXPECT_EQ(human_count(5'000'000), "5.00 M");
}

TEST(HumanUnits, DurationsFromNanosecondsToHours) {
    EXPECT_EQ(human_duration(0), "0 ns");
    EXPECT_EQ(human_duration(812), "812 ns");
    EXPECT_EQ(human_duration(1'240'000), "1.24 ms");
    EXPECT_EQ(human_duration(999'600), "1.00 ms");
    EXPECT_EQ(human_duration(-1'500), "-1.50 µs");
    EXPECT_EQ(human_duration(200'000'000'000), "3 min 20 s");
    EXPECT_EQ(human_duration(7'260'000'000'000), "2 h 1 min");
}

TEST(HumanUnits, SharesHaveOneDecimalWhereItMatters) {
    EXPECT_EQ(human_percent(0), "0 %");
    EXPECT_EQ(human_percent(0.0001), "< 0.1 %");
    EXPECT_EQ(human_percent(0.0432), "4.3 %");
    EXPECT_EQ(human_percent(0.273), "27 %");
    EXPECT_EQ(human_percent(0.997), "99.7 %");
    EXPECT_EQ(human_percent(1), "100 %");
}

TEST(HumanUnits, MomentsBeforeTheEpochCountBackwards) {
    EXPECT_EQ(utc_time(0), "1970-01-01 00:00:00.000000 UTC");
    EXPECT_EQ(utc_time(1'763'721'236'123'456'789), "2025-11-21 10:33:56.123456 UTC");
    EXPECT_EQ(utc_time(-500'000'000), "1969-12-31 23:59:59.500000 UTC");
}

TEST(HumanUnits, a_count_of_one_has_its_noun_as_of_one) {
    EXPECT_EQ(counted(1, "PDU"), "1 PDU");
    EXPECT_EQ(counted(0, "PDU"), "0 PDUs");
    EXPECT_EQ(counted(12345, "packet"), "12.3 k packets");
    EXPECT_EQ(counted_exactly(1, "packet"), "1 packet");
    EXPECT_EQ(counted_exactly(12345, "packet"), "12345 packets");
}

}  // namespace
}  // namespace sanscope

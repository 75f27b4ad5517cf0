// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/text_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sanscope {
namespace {

using ::testing::HasSubstr;

class NoPackets final : public PacketSource {
  public:
    bool claim(PacketBatch&) override { return false; }
    void load(PacketBatch&) override {}
    void parse(PacketBatch&) override {}
    const std::vector<Damage>& damage() const override { return damage_; }
    uint64_t bytes_read() const override { return 0; }
    uint64_t bytes_total() const override { return 0; }
    const std::vector<Interface>& interfaces() const override { return interfaces_; }

    std::vector<Damage> damage_;
    std::vector<Interface> interfaces_;
};

TEST(TextReport, OfNothingSaysThatThereWasNothing) {
    NoPackets source;
    Engine engine({});
    engine.finish();
    const std::string text = text_report({{"empty.pcap"}, source, engine});
    EXPECT_THAT(text, HasSubstr("empty.pcap"));
    EXPECT_THAT(text, HasSubstr("no packets"));
    EXPECT_THAT(text, HasSubstr("No iSCSI in this capture."));
}

TEST(TextReport, TellsDamage) {
    NoPackets source;
    source.damage_.push_back({"cut.pcap", 1234, "the file is cut off inside a packet record"});
    Engine engine({});
    engine.finish();
    const std::string text = text_report({{"cut.pcap"}, source, engine});
    EXPECT_THAT(text, HasSubstr("cut.pcap: the file is cut off inside a packet record at byte 1234"));
}

}  // namespace
}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/extcap/extcap_sentences.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sanscope {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(ExtcapSentences, EachInterfaceIsOffered) {
    v1::InterfaceList list;
    list.add_interfaces()->set_name("eth0");
    list.add_interfaces()->set_name("any");
    EXPECT_EQ(extcap_interfaces(list, "1.2.3"),
              "extcap {version=1.2.3}{display=sanscope}\n"
              "interface {value=sanscope-eth0}{display=sanscope: eth0}\n"
              "interface {value=sanscope-any}{display=sanscope: any}\n");
}

TEST(ExtcapSentences, ANameThatWouldBeASentenceIsLeftOut) {
    v1::InterfaceList list;
    list.add_interfaces()->set_name("e}{value=x");
    list.add_interfaces()->set_name("e\ninterface");
    list.add_interfaces()->set_name("");
    EXPECT_THAT(extcap_interfaces(list, "1"), Not(HasSubstr("interface")));
}

TEST(ExtcapSentences, AValueStandsForAnInterface) {
    EXPECT_EQ(interface_of("sanscope-eth0.5"), "eth0.5");
    EXPECT_FALSE(interface_of("eth0"));
    EXPECT_FALSE(interface_of("sanscope-"));
    EXPECT_FALSE(interface_of(""));
}

TEST(ExtcapSentences, PacketsAreWholeUnlessHeadersAreChosen) {
    EXPECT_THAT(extcap_options(), HasSubstr("{call=--keep}{display=Keep}{type=selector}{default=all}"));
    EXPECT_THAT(extcap_options(), HasSubstr("value {arg=7}{value=headers}"));
}

TEST(ExtcapSentences, TellTheKindOfPackets) {
    EXPECT_THAT(extcap_link_type("lo"), HasSubstr("{number=1}"));
    EXPECT_THAT(extcap_link_type("any"), HasSubstr("{number=113}"));
    EXPECT_THAT(extcap_link_type("../../etc"), HasSubstr("{number=1}"));
}

}  // namespace
}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/recorder/iscsi_port_filter.h"

#include <gtest/gtest.h>
#include <string>

namespace sanscope::test {
namespace {

TEST(IscsiPortFilter, LetsNothingElseThrough) {
    for (const char* const filter :
         {"port 3260", "tcp port 3260", " tcp  port 3260\n", "tcp dst port 3260",
          "src port 3260 or dst port 3260", "tcp src or dst port 3260", "tcp port iscsi-target",
          "host 192.0.2.7 and tcp port 3260", "tcp port 3260 and not host 192.0.2.7",
          "(host 192.0.2.7 || host 2001:db8::7) && tcp port 3260", "host a or host b and port 3260",
          "not (host a) and (vlan and port 3260)", "ip6 and tcp port 3260",
          "(host a and tcp port 3260) or (host b and tcp port 3260)", "vlan 7 and port 3260",
          "port 3260 and less 100"})
        EXPECT_TRUE(is_for_iscsi_port(filter)) << filter;
}

TEST(IscsiPortFilter, LetsSomethingElseThroughOrIsNotUnderstood) {
    for (const char* const filter : {"",
                                     "tcp",
                                     "port 860",
                                     "tcp port 3260 or icmp",
                                     "tcp port 3260 or 860",
                                     "port 860 or 3260",
                                     "not port 3260",
                                     "! tcp port 3260",
                                     "not not port 3260",
                                     "portrange 3260-3261",
                                     "host 3260",
                                     "net 3260",
                                     "3260",
                                     "udp port 3260",
                                     "port 3260 and host a or host b",
                                     "tcp port (3260 or 860)",
                                     "dst (port 3260)",
                                     "tcp[2:2] == 3260",
                                     "tcp[2:2] == 3260 and port 3260",
                                     "port 3260 and tcp[13] & 2 != 0",
                                     "port 3260)",
                                     "(port 3260",
                                     "()",
                                     "and",
                                     "port 3260 and",
                                     "port 3260 port 3260 or",
                                     "less 3260",
                                     "gateway port 3260"})
        EXPECT_FALSE(is_for_iscsi_port(filter)) << filter;
    EXPECT_FALSE(is_for_iscsi_port(std::string(100'000, '(')));
    EXPECT_FALSE(is_for_iscsi_port(std::string(100'000, '!') + "port 3260"));
}

}  // namespace
}  // namespace sanscope::test

// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/scsi/device_identification.h"

#include <gtest/gtest.h>
#include <initializer_list>
#include <vector>

namespace sanscope {
namespace {

using Bytes = std::vector<uint8_t>;

Bytes page(std::initializer_list<Bytes> designators) {
    Bytes bytes = {0, 0x83, 0, 0};
    for (const Bytes& one : designators) bytes.insert(bytes.end(), one.begin(), one.end());
    bytes[3] = static_cast<uint8_t>(bytes.size() - 4);
    return bytes;
}

const Bytes naa_6 = {0x01, 0x03, 0, 8, 0x60, 1, 2, 3, 4, 5, 6, 7};
const Bytes naa_local = {0x01, 0x03, 0, 8, 0x30, 0, 0, 0, 0, 0, 0, 1};
const Bytes vendor = {0x02, 0x01, 0, 4, 'I', 'E', 'T', ' '};
const Bytes of_port = {0x01, 0x13, 0, 8, 0x60, 9, 9, 9, 9, 9, 9, 9};
const Bytes eui = {0x01, 0x02, 0, 8, 1, 1, 1, 1, 1, 1, 1, 1};

TEST(DeviceIdentification, names_the_unit_by_what_is_worldwide) {
    EXPECT_EQ(unit_name_of(page({vendor, naa_6})), "3:6001020304050607");
    EXPECT_EQ(unit_name_of(page({naa_6, eui})), unit_name_of(page({eui, naa_6})));
    EXPECT_EQ(unit_name_of(page({eui})), "2:0101010101010101");
}

TEST(DeviceIdentification, has_no_name_of_what_others_may_have_too) {
    EXPECT_EQ(unit_name_of(page({vendor, naa_local})), "");
    EXPECT_EQ(unit_name_of(page({of_port})), "") << "a port's";
    EXPECT_EQ(unit_name_of(page({{0x01, 0x03, 0, 4, 0, 0, 0, 0}})), "");
}

TEST(DeviceIdentification, reads_no_further_than_what_is_there) {
    const Bytes whole = page({vendor, naa_6});
    for (size_t length = 0; length < whole.size(); ++length)
        EXPECT_EQ(unit_name_of(std::span(whole).first(length)), "") << length;
    Bytes other = whole;
    other[1] = 0x80;
    EXPECT_EQ(unit_name_of(other), "");
}

const Bytes relative_port = {0x51, 0x94, 0, 4, 0, 0, 0, 2};
const Bytes port_group = {0x51, 0x95, 0, 4, 0, 0, 0x01, 5};

TEST(DeviceIdentification, tells_the_port_and_its_group) {
    const auto port = target_port_of(page({naa_6, relative_port, port_group, vendor}));
    ASSERT_TRUE(port);
    EXPECT_EQ(port->relative, 2);
    EXPECT_EQ(port->group, 0x105);
    const auto none = target_port_of(page({naa_6, {0x01, 0x05, 0, 4, 0, 0, 0, 1}}));
    ASSERT_TRUE(none);
    EXPECT_FALSE(none->group) << "of the unit, not of its port";
    EXPECT_FALSE(none->relative);
}

TEST(DeviceIdentification, tells_no_port_of_a_page_that_is_cut_or_contradicts_itself) {
    const Bytes whole = page({naa_6, relative_port, port_group});
    for (size_t length = 0; length < whole.size(); ++length)
        EXPECT_FALSE(target_port_of(Bytes(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(length))));
    EXPECT_FALSE(target_port_of(page({port_group, {0x51, 0x95, 0, 4, 0, 0, 0, 6}})));
    EXPECT_TRUE(target_port_of(page({port_group, port_group})));
    EXPECT_FALSE(target_port_of(page({{0x51, 0x95, 0, 3, 0, 0, 1}}))) << "too short for a number";
    EXPECT_FALSE(target_port_of(page({{0x51, 0x95, 0, 9, 0, 0, 1, 5}}))) << "longer than the page";
}

}  // namespace
}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/models/host_names.h"

#include <gtest/gtest.h>

#include "gui/models/column_format.h"
#include "gui/models/table_access.h"

namespace sanscope {
namespace {

const char* const hosts =
    "# of the lab\n"
    "127.0.0.1\tlocalhost\n"
    "192.0.2.2   target target.example.org # the array\n"
    "192.0.2.2 another\n"
    "2001:DB8:0:0::1 six\n"
    "10.0.0.300 none\n"
    "192.0.2.9\n"
    "nonsense\n";

std::string named(const char* end) {
    return HostNames::read(QString::fromUtf8(hosts)).named(QString::fromUtf8(end)).toStdString();
}

TEST(HostNames, StandInPlaceOfAddressesPortsStay) {
    EXPECT_EQ(HostNames::read(QString::fromUtf8(hosts)).size(), 3);
    EXPECT_EQ(named("192.0.2.2:3260"), "target:3260");
    EXPECT_EQ(named("192.0.2.2"), "target");
    EXPECT_EQ(named("[2001:db8::1]:3260"), "six:3260");
    EXPECT_EQ(named("2001:db8::1"), "six");
    for (const char* const other : {"192.0.2.22:3260", "192.0.2.9:1", "2001:db8::2", "[2001:db8::2]:3260",
                                    "02:00:00:00:00:09", "", "["}) {
        EXPECT_EQ(named(other), other);
    }
}

TEST(HostNames, WhatIsNoNameIsPassedOver) {
    const QString longest(253, QLatin1Char('a'));
    const QString text = QStringLiteral(
                             "192.0.2.1 <b>bold</b>\n"
                             "192.0.2.2 a\u202eb good_name-1.example\n"
                             "192.0.2.3 192.0.2.4:3260\n") +
                         QStringLiteral("192.0.2.5 %1\n192.0.2.6 %1a\n").arg(longest);
    const HostNames names = HostNames::read(text);
    EXPECT_EQ(names.size(), 2);
    EXPECT_EQ(names.named(QStringLiteral("192.0.2.1")).toStdString(), "192.0.2.1");
    EXPECT_EQ(names.named(QStringLiteral("192.0.2.2")).toStdString(), "good_name-1.example");
    EXPECT_EQ(names.named(QStringLiteral("192.0.2.3")).toStdString(), "192.0.2.3");
    EXPECT_EQ(names.named(QStringLiteral("192.0.2.5")), longest);
    EXPECT_EQ(names.named(QStringLiteral("192.0.2.6")).toStdString(), "192.0.2.6");
}

TEST(HostNames, ThoseOfAHostsFileGoBeforeThoseOfTheCapture) {
    const std::vector<uint8_t> records = {1, 0, 9, 0, 192, 0, 2,   2, 'f',  'i',  'l',  'e',  0,   0,
                                          0, 0, 1, 0, 9,   0, 192, 0, 2,    9,    'n',  'i',  'n', 'e',
                                          0, 0, 0, 0, 2,   0, 20,  0, 0x20, 0x01, 0x0d, 0xb8, 0,   0,
                                          0, 0, 0, 0, 0,   0, 0,   0, 0,    0x09, 's',  'i',  'x', 0};
    ResolvedNames resolved;
    resolved.add_block(records, {});
    const auto of_capture = std::make_shared<const HostNames>(HostNames::of(resolved));
    const auto of_file = std::make_shared<const HostNames>(HostNames::read(QString::fromUtf8(hosts)));
    EXPECT_EQ(of_capture->size(), 3);
    const auto both = HostNames::first_of(of_file, of_capture);
    ASSERT_NE(both, nullptr);
    const auto named = [](const HostNames& names, const char* end) {
        return names.named(QString::fromUtf8(end)).toStdString();
    };
    EXPECT_EQ(named(*of_capture, "192.0.2.2:3260"), "file:3260");
    EXPECT_EQ(named(*both, "192.0.2.2:3260"), "target:3260");
    EXPECT_EQ(named(*both, "192.0.2.9:1"), "nine:1");
    EXPECT_EQ(named(*both, "[2001:db8::9]:3260"), "six:3260");
    EXPECT_EQ(named(*both, "192.0.2.10:1"), "192.0.2.10:1");
    EXPECT_EQ(HostNames::first_of(nullptr, of_capture), of_capture);
    EXPECT_EQ(HostNames::first_of(of_file, nullptr), of_file);
    EXPECT_EQ(HostNames::first_of(nullptr, nullptr), nullptr);
}

TEST(HostNames, AColumnOfAddressesShowsThemAndFiltersKnowTheAddress) {
    const auto columns = columns_of_table("packets");
    ColumnFormat source(columns[*find_column(columns, "source")]);
    ColumnFormat info(columns[*find_column(columns, "info")]);
    const auto names = std::make_shared<const HostNames>(HostNames::read(QString::fromUtf8(hosts)));
    Cell cell;
    cell.set(std::string_view("192.0.2.2:3260"));
    EXPECT_EQ(source.text(cell, {}).toStdString(), "192.0.2.2:3260");
    source.set_host_names(names);
    info.set_host_names(names);
    EXPECT_EQ(source.text(cell, {}).toStdString(), "target:3260");
    EXPECT_EQ(source.exact(cell, {}).toStdString(), "192.0.2.2:3260");
    EXPECT_EQ(source.literal(cell).toStdString(), "\"192.0.2.2:3260\"");
    EXPECT_EQ(info.text(cell, {}).toStdString(), "192.0.2.2:3260");
    source.set_host_names(nullptr);
    EXPECT_EQ(source.text(cell, {}).toStdString(), "192.0.2.2:3260");
}

}  // namespace
}  // namespace sanscope

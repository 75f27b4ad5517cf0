// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/capture/passed_over_words.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string_view>

namespace sanscope {
namespace {

struct Info {
    std::string_view title;
    bool by_port_alone;
};

constexpr std::array infos = {
#define ENCAPSULATION(name, title, by_port_alone) Info{title, by_port_alone},
#include "analyzer/vocabulary/encapsulations.def"
#undef ENCAPSULATION
};

constexpr Info info_of(Encapsulation in) {
    const auto before = static_cast<size_t>(Encapsulation::ether_type) + 1;
    const auto at = static_cast<size_t>(in);
    return at >= before && at - before < infos.size() ? infos[at - before] : Info{"", false};
}

struct Named {
    uint16_t number;
    std::string_view name;
};

// As the registry of link types has them (tcpdump.org/linktypes.html).
constexpr std::array<Named, 40> link_types{{
    {3, "AX.25"},
    {6, "Token Ring"},
    {7, "ARCNET"},
    {8, "SLIP"},
    {100, "ATM, LLC"},
    {105, "IEEE 802.11"},
    {107, "Frame Relay"},
    {114, "LocalTalk"},
    {117, "OpenBSD pf log"},
    {119, "IEEE 802.11 with Prism header"},
    {122, "IP over Fibre Channel"},
    {123, "ATM, SunATM"},
    {127, "IEEE 802.11 with radiotap header"},
    {129, "ARCNET of Linux"},
    {138, "IP over IEEE 1394"},
    {143, "DOCSIS"},
    {163, "IEEE 802.11 with AVS header"},
    {187, "Bluetooth HCI"},
    {189, "USB of Linux"},
    {195, "IEEE 802.15.4"},
    {201, "Bluetooth HCI"},
    {209, "IPMB"},
    {220, "USB of Linux"},
    {224, "Fibre Channel FC-2"},
    {225, "Fibre Channel FC-2"},
    {226, "Solaris IPNET"},
    {227, "CAN"},
    {230, "IEEE 802.15.4"},
    {231, "D-Bus"},
    {235, "DVB-CI"},
    {242, "IP over InfiniBand"},
    {247, "InfiniBand"},
    {248, "SCTP"},
    {249, "USBPcap"},
    {252, "Wireshark upper PDUs"},
    {254, "Bluetooth monitor"},
    {264, "ISO 14443"},
    {272, "nRF sniffer"},
    {283, "IEEE 802.15.4 TAP"},
    {288, "USB 2.0"},
}};

// IEEE's registry, and what Wireshark calls them.
constexpr std::array<Named, 12> ether_types{{
    {0x6003, "DECnet"},
    {0x809b, "AppleTalk"},
    {0x8137, "IPX"},
    {0x8870, "jumbo LLC"},
    {0x8892, "PROFINET"},
    {0x88a2, "ATA over Ethernet"},
    {0x88a4, "EtherCAT"},
    {0x88b8, "GOOSE"},
    {0x88ba, "IEC 61850 sampled values"},
    {0x8906, "FCoE"},
    {0x8914, "FIP"},
    {0x8915, "RoCE"},
}};

template <class Names>
std::string_view name_of(const Names& names, uint16_t number) {
    const auto found = std::ranges::find(names, number, &Named::number);
    return found == names.end() ? std::string_view() : found->name;
}

std::string with_name(std::string number, std::string_view name) {
    return name.empty() ? number : fmt::format("{} ({})", number, name);
}

}  // namespace

std::vector<PassedOver::Row> worth_telling(const PassedOver& passed_over, uint64_t wire_bytes) {
    std::vector<PassedOver::Row> told;
    for (const PassedOver::Row& row : passed_over.rows()) {
        constexpr uint64_t share = 100;
        const bool may_be_anything = row.in == Encapsulation::ether_type || row.in == Encapsulation::more;
        if (!may_be_anything || row.wire_bytes >= wire_bytes / share) told.push_back(row);
    }
    std::ranges::stable_sort(told, std::ranges::greater(), &PassedOver::Row::packets);
    return told;
}

std::string encapsulation_title(const PassedOver::Row& row) {
    switch (row.in) {
        case Encapsulation::link_type:
            return with_name(fmt::format("link type {}", row.number), name_of(link_types, row.number));
        case Encapsulation::ether_type:
            return with_name(fmt::format("EtherType 0x{:04x}", row.number), name_of(ether_types, row.number));
        case Encapsulation::more:
            return "other encapsulations that are not known";
        default:
            return std::string(info_of(row.in).title);
    }
}

std::string passed_over_words(const PassedOver::Row& row) {
    const std::string title = encapsulation_title(row);
    const std::string_view of =
        row.in == Encapsulation::link_type || row.in == Encapsulation::ether_type ? "of" : "in";
    if (info_of(row.in).by_port_alone) {
        return row.packets == 1 ? fmt::format("packet that seems to be in {} was passed over", title)
                                : fmt::format("packets that seem to be in {} were passed over", title);
    }
    return row.packets == 1 ? fmt::format("packet {} {} was passed over", of, title)
                            : fmt::format("packets {} {} were passed over", of, title);
}

}  // namespace sanscope

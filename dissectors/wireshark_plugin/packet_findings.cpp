// SPDX-License-Identifier: GPL-3.0-or-later
#include "dissectors/wireshark_plugin/packet_findings.h"

#include <algorithm>
#include <utility>

#include "analyzer/base/utf8.h"

namespace sanscope::wireshark {
namespace {

// What a click on it leads to in sanscope's window: a packet, else the request of a command, else where a connection begins.
PacketNumber packet_of(const Finding& finding, const ResultStore& store) {
    if (finding.packet != 0) return finding.packet;
    if (finding.command != 0 && finding.command <= store.commands().size())
        return store.command(finding.command).request_packet;
    if (finding.connection != 0 && finding.connection <= store.connections().size())
        return store.connection(finding.connection).first_packet;
    return 0;
}

const char* severity_word(Finding::Severity severity) {
    switch (severity) {
        case Finding::Severity::problem:
            return "Problem";
        case Finding::Severity::notice:
            return "Notice";
        case Finding::Severity::information:
            break;
    }
    return "Information";
}

}  // namespace

void PacketFindings::find(const Engine& engine) {
    found_ = true;
    const ResultStore& store = engine.store();
    for (Finding& finding : findings({.store = store,
                            .totals = engine.totals(),
                            .issues = engine.issues(),
                            .damage = {},
                            .interfaces = {}})) {
        const PacketNumber packet = packet_of(finding, store);
        if (packet == 0) continue;
        finding.title = cleaned_line(finding.title);
        finding.explanation = cleaned_line(finding.explanation);
        for (std::string& sign : finding.evidence) sign = cleaned_line(sign);
        std::string label = std::string(severity_word(finding.severity)) + ": " + finding.title;
        findings_.push_back({packet, std::move(finding), std::move(label)});
    }
    std::ranges::stable_sort(findings_, {}, &OfPacket::packet);
}

void PacketFindings::clear() {
    findings_.clear();
    found_ = false;
}

std::span<const PacketFindings::OfPacket> PacketFindings::of(PacketNumber packet) const {
    const auto begin = std::ranges::lower_bound(findings_, packet, {}, &OfPacket::packet);
    auto end = begin;
    while (end != findings_.end() && end->packet == packet) ++end;
    return {begin, end};
}

}  // namespace sanscope::wireshark

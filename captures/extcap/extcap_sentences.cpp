// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/extcap/extcap_sentences.h"

#include <fmt/format.h>
#include <fstream>
#include <net/if_arp.h>

namespace sanscope {
namespace {

constexpr std::string_view prefix = "sanscope-";

// What stands between braces must have none, and no end of a line.
std::string plain(std::string_view text) {
    std::string word;
    for (const char c : text) {
        if (c != '{' && c != '}' && static_cast<unsigned char>(c) >= ' ') word += c;
    }
    return word;
}

}  // namespace

std::string extcap_interfaces(const v1::InterfaceList& list, std::string_view version) {
    std::string text = fmt::format("extcap {{version={}}}{{display=sanscope}}\n", version);
    for (const auto& interface : list.interfaces()) {
        const std::string name = plain(interface.name());
        // One that cannot be distinguished from another would record something else.
        if (name.empty() || name != interface.name()) continue;
        text += fmt::format("interface {{value={}{}}}{{display=sanscope: {}}}\n", prefix, name, name);
    }
    return text;
}

std::optional<std::string> interface_of(std::string_view value) {
    if (!value.starts_with(prefix) || value.size() == prefix.size()) return std::nullopt;
    return std::string(value.substr(prefix.size()));
}

std::string extcap_link_type(const std::string& interface) {
    int hardware = ARPHRD_ETHER;
    if (interface.find('/') == std::string::npos)
        std::ifstream("/sys/class/net/" + interface + "/type") >> hardware;
    if (interface == "any") return "dlt {number=113}{name=LINUX_SLL}{display=Linux cooked}\n";
    if (hardware == ARPHRD_NONE) return "dlt {number=12}{name=RAW}{display=Raw IP}\n";
    return "dlt {number=1}{name=EN10MB}{display=Ethernet}\n";
}

std::string extcap_options() {
    return "arg {number=0}{call=--snapshot-length}{display=Bytes kept of each "
           "packet}{type=unsigned}{default=0}"
           "{tooltip=0: all; 128 is enough for the headers of iSCSI}\n"
           "arg {number=1}{call=--kernel-truth}{display=What this host's kernel reports of its connections}"
           "{type=boolean}{default=true}{tooltip=Beside the packets, for sanscope}\n"
           "arg {number=2}{call=--promiscuous}{display=Promiscuous mode}{type=boolean}{default=true}\n"
           "arg {number=3}{call=--ssh}{display=On another host}{type=string}{required=false}{group=Remote}"
           "{tooltip=HOST or USER@HOST, reached through ssh without a question; empty: this one}\n"
           "arg {number=4}{call=--remote-interface}{display=Its "
           "interface}{type=string}{required=false}{group=Remote}"
           "{tooltip=Empty: the one of the same name}\n"
           "arg {number=5}{call=--ssh-command}{display=In place of "
           "ssh}{type=string}{required=false}{group=Remote}"
           "{tooltip=A command and options, as ssh -p 2222}\n"
           "arg {number=6}{call=--remote-recorder}{display=Where its sanscope-recorder "
           "is}{type=string}{required=false}"
           "{group=Remote}\n"
           "arg {number=7}{call=--keep}{display=Keep}{type=selector}{default=all}"
           "{tooltip=Whether users' data are recorded: SCSI blocks, and what carries no iSCSI}\n"
           "value {arg=7}{value=all}{display=Whole packets}{default=true}\n"
           "value {arg=7}{value=headers}{display=Headers, login, sense and parameter data; no users' "
           "data}{default=false}\n";
}

}  // namespace sanscope

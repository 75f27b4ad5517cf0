// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/cli/decode_as_option.h"

#include <CLI/CLI.hpp>

namespace sanscope {
namespace {

std::string check_rule(const std::string& text) {
    const auto rule = DecodeAs::parse(text);
    return rule ? std::string() : rule.error().message;
}

}  // namespace

void add_decode_as(CLI::App& command, std::vector<std::string>& rules) {
    command
        .add_option(
            "-d,--decode-as", rules,
            "Take TCP connections with that port for iSCSI, or for anything but that, whatever they "
            "look like: tcp.port==3261,iscsi or tcp.port==3260,data, as of tshark; may be given again")
        ->allow_extra_args(false)
        ->check(CLI::Validator(check_rule, "tcp.port==PORT,PROTOCOL"));
}

DecodeAs decode_as_of(const std::vector<std::string>& rules) {
    DecodeAs decode_as;
    for (const std::string& text : rules) {
        if (const auto rule = DecodeAs::parse(text)) decode_as.add(*rule);
    }
    return decode_as;
}

}  // namespace sanscope

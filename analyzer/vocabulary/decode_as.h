// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "analyzer/base/result.h"

namespace sanscope {

// As what the user wants TCP connections of certain ports to be decoded, whatever they look like: Wireshark's Decode As.
class DecodeAs {
  public:
    enum class Protocol : uint8_t {
        by_content,  // nothing is said of it
        iscsi,
        data,  // nothing that is looked into
    };
    struct Rule {
        uint16_t port = 0;  // of either end
        Protocol protocol = Protocol::by_content;

        bool operator==(const Rule&) const = default;
    };

    // A rule as tshark's option -d has it: tcp.port==3261,iscsi or tcp.port==3260,data; the Error says what is wrong with it.
    static Result<Rule> parse(std::string_view text);

    // Of several rules for a port the last one holds.
    void add(Rule rule) { rules_[rule.port] = rule.protocol; }
    bool empty() const { return rules_.empty(); }
    const std::map<uint16_t, Protocol>& rules() const { return rules_; }

    Protocol of_port(uint16_t port) const;
    // Of a connection between these: that of the lower port goes first, which is mostly the server's.
    Protocol of_ports(uint16_t one, uint16_t other) const;

    bool operator==(const DecodeAs&) const = default;

  private:
    std::map<uint16_t, Protocol> rules_;
};

// "iscsi", "data"; "" of by_content.
std::string_view name_of(DecodeAs::Protocol protocol);
// As parse() takes it.
std::string format(const DecodeAs::Rule& rule);

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/query/column_header.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "analyzer/query/column_meaning.h"

namespace sanscope {
namespace {

// What standards write otherwise stays so; the unit is left out.
constexpr std::array<std::pair<std::string_view, std::string_view>, 21> words{{
    {"lun", "LUN"},   {"lba", "LBA"},   {"itt", "ITT"},   {"r2t", "R2T"}, {"r2ts", "R2Ts"},   {"pdu", "PDU"},
    {"pdus", "PDUs"}, {"isid", "ISID"}, {"tsih", "TSIH"}, {"rtt", "RTT"}, {"srtt", "SRTT"},   {"mss", "MSS"},
    {"asc", "ASC"},   {"ascq", "ASCQ"}, {"ca", "CA"},     {"bhs", "BHS"}, {"iscsi", "iSCSI"}, {"tcp", "TCP"},
    {"ack", "ACK"},   {"cwnd", "cwnd"}, {"ns", ""},
}};

std::string capitalised(std::string_view word) {
    std::string text(word);
    if (!text.empty() && text.front() >= 'a' && text.front() <= 'z')
        text.front() = static_cast<char>(text.front() - 'a' + 'A');
    return text;
}

}  // namespace

std::string column_header(const ColumnInfo& column) {
    const std::string_view name = column.name;
    if (name == "time_ns") {
        return column.description.find("at the sender") != std::string_view::npos ? "Time at sender" : "Time";
    }
    if (name == "cmd_sn") return "CmdSN";
    if (name == "snd_una" || name == "snd_nxt" || name == "ssthresh") return std::string(name);
    if (name == "delta_ns") return "Since packet before";
    if (name == "window") return "Window, unscaled";
    std::string header;
    const auto append = [&header](std::string_view word) {
        if (word.empty()) return;
        if (!header.empty()) header += ' ';
        header += word;
    };
    for (size_t begin = 0; begin <= name.size();) {
        const size_t end = std::min(name.find('_', begin), name.size());
        const std::string_view word = name.substr(begin, end - begin);
        const auto known =
            std::find_if(words.begin(), words.end(), [&](const auto& entry) { return entry.first == word; });
        if (known != words.end()) {
            append(known->second);
        } else {
            append(header.empty() ? capitalised(word) : std::string(word));
        }
        begin = end + 1;
    }
    if (meaning_of(column) == Meaning::moment) append("time");
    return header;
}

}  // namespace sanscope

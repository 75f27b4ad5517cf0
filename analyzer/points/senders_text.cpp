// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/points/senders_text.h"

#include <algorithm>
#include <fmt/format.h>

#include "analyzer/base/utf8.h"
#include "analyzer/report/append_line.h"
#include "analyzer/report/human_units.h"
#include "analyzer/vocabulary/ip_address.h"

namespace sanscope {

std::string senders_text(const PathPoints& path, const std::vector<SenderAgreement>& rows) {
    std::string text;
    append_line(text, "\nTCP senders, replayed from their own end and from the other");
    size_t listed = 0;
    for (const SenderAgreement& row : rows) {
        // What a few acknowledgements say is chance.
        constexpr uint64_t enough = 50;
        constexpr size_t most_listed = 20;
        if (row.acknowledgements < enough || listed == most_listed) continue;
        ++listed;
        const PointPair& pair = path.pairs[row.pair];
        const ConnectionAtPoints& at = pair.connections[row.at];
        const Endpoint& sender = row.way == Way::out ? at.initiator : at.target;
        const auto share = [](uint64_t part, uint64_t of) {
            return human_percent(static_cast<double>(part) / static_cast<double>(of));
        };
        append_line(text,
                    "  {} sends; seen from {} instead of {}:", format_endpoint(sender.address, sender.port),
                    cleaned_line(path.points[row.own_is_b ? pair.a : pair.b]->name()),
                    cleaned_line(path.points[row.own_is_b ? pair.b : pair.a]->name()));
        append_line(
            text,
            "    congestion window {:+.1f} % in the median, 90 % within {:.1f} %, at {} acknowledgements",
            static_cast<double>(row.cwnd_p50_permille) / 10, static_cast<double>(row.cwnd_p90_permille) / 10,
            human_count(row.acknowledgements));
        if (row.compared_ns > 0) {
            append_line(text, "    congestion state the same {} of the time",
                        share(static_cast<uint64_t>(row.agreed_ns), static_cast<uint64_t>(row.compared_ns)));
        }
        if (row.resent + row.resent_far > 0) {
            append_line(text,
                        "    retransmissions {} instead of {}; {} the same, {} of them of the same kind",
                        human_count(row.resent_far), human_count(row.resent), human_count(row.resent_both),
                        human_count(row.resent_alike));
        }
    }
    if (listed == 0) append_line(text, "  none has enough acknowledgements to tell");
    return text;
}

}  // namespace sanscope

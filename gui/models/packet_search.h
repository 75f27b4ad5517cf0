// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "gui/document/capture_data.h"
#include "gui/document/latest_job.h"

#include "analyzer/query/pattern.h"
#include "analyzer/tables/table.h"

namespace sanscope {

// What is looked for in packets. Text and regular expressions take upper and lower case as the same; in bytes they find what
// is UTF-8, and hex bytes all there is.
class PacketNeedle {
  public:
    enum class Kind : uint8_t { info_text, info_pattern, bytes_text, bytes_pattern, bytes_hex };

    // A needle, or why that is none. Hex bytes are pairs of digits, with blanks or colons between them or without.
    static std::variant<PacketNeedle, QString> make(Kind kind, const QString& text);

    // Of hex bytes: which they are.
    const std::string& hex_bytes() const { return bytes_; }
    bool in_bytes() const { return kind_ != Kind::info_text && kind_ != Kind::info_pattern; }
    // `text`: the info of a packet, or its bytes; one matcher a thread. Hex bytes and text are never given up.
    PatternMatcher::Answer find_in(std::string_view text, PatternMatcher& matcher) const;

  private:
    explicit PacketNeedle(Kind kind) : kind_(kind) {}

    Kind kind_;
    std::shared_ptr<const Pattern> pattern_;
    std::string bytes_;
};

// A search among packets in the order in which they are shown, around from the end to the beginning.
struct PacketSearch {
    PacketNeedle needle;
    std::shared_ptr<const std::vector<uint32_t>> rows;  // of the table of packets; nullptr: all, as they come
    size_t count = 0;                                   // of them
    std::optional<size_t> from;  // is looked at last; nothing: it begins at the first or last one
    bool forward = true;
};
struct PacketFound {
    std::optional<uint32_t> table_row;  // nothing: none has it
    bool wrapped = false;               // beyond the end, or the beginning
    // Of the packets looked at: in which the regular expression took too long, and which could not be read. None of them
    // counts as found.
    size_t given_up = 0;
    size_t unreadable = 0;
};

// `table` is that of the packets of `data`, which are complete. `looked_at` counts as it goes; ends soon after `stop`.
PacketFound find_packet(const CaptureData& data, const Table& table, const PacketSearch& search,
                        std::atomic<size_t>& looked_at, const StopFlag& stop);

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <optional>
#include <variant>

#include "gui/views/follow_stream/stream_jobs.h"

#include "analyzer/query/pattern.h"

namespace sanscope {

// A regular expression (PCRE2, as where packets are found) looked for in a stream's text as it is shown: in each line by itself,
// the lines of PDUs and of what was not captured among them.
struct PatternSearch {
    std::shared_ptr<const Pattern> pattern;
    StreamDirection direction = StreamDirection::both;
    StreamFormat format = StreamFormat::ascii;

    // One of these, or what is wrong with the expression and where.
    static std::variant<PatternSearch, QString> make(const QString& expression, StreamDirection direction,
                                                     StreamFormat format);
};

struct PatternPlace {
    size_t page = 0;
    StreamText::Place in_text;  // of the page
};
struct PatternFound {
    std::optional<PatternPlace> place;
    bool wrapped = false;
    // Of those looked at, lines for which the expression took too long, and pages with packets that could not be read: what
    // these have counts as not found.
    size_t given_up = 0;
    size_t unreadable = 0;
};

// Work for a thread other than the GUI's; ends soon after `stop`. `done` counts pieces.

// The next one behind `from`, or the first one; backward, the one before it, or the last one; around the ends.
PatternFound find_pattern(const FollowedStream& stream, const PatternSearch& search,
                          const std::optional<PatternPlace>& from, bool forward, std::atomic<size_t>& done,
                          const StopFlag& stop);

// All of them, by page and place in it.
StreamCount count_pattern(const FollowedStream& stream, const PatternSearch& search, const StopFlag& stop);

}  // namespace sanscope

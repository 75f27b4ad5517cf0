// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "gui/document/capture_data.h"
#include "gui/document/latest_job.h"
#include "gui/views/follow_stream/stream_text.h"

#include "analyzer/packets/stream_outline.h"

namespace sanscope {

enum class StreamDirection : uint8_t { both, initiator, target };
constexpr size_t stream_directions = 3;
constexpr bool shows(StreamDirection direction, Role sender) {
    return direction == StreamDirection::both ||
           (direction == StreamDirection::initiator) == (sender == Role::initiator);
}

// A connection's stream in pages, each so short that it is written and shown at once.
struct FollowedStream {
    static constexpr size_t bytes_per_page = size_t{256} << 10;

    std::shared_ptr<const CaptureData> data;
    StreamOutline outline;
    // By direction: the piece that each page begins with. At least one page.
    std::array<std::vector<size_t>, stream_directions> pages;

    const std::vector<size_t>& pages_of(StreamDirection direction) const {
        return pages[static_cast<size_t>(direction)];
    }
    size_t page_of(StreamDirection direction, size_t piece) const;
};

// Work for a thread other than the GUI's; `data` must be complete. Each ends soon after `stop`.

std::shared_ptr<const FollowedStream> follow_stream(std::shared_ptr<const CaptureData> data,
                                                    uint32_t connection, const StopFlag& stop);

struct StreamPage {
    StreamText text;
    QString fault;  // the first packet that could not be read, and why
};
StreamPage write_page(const FollowedStream& stream, StreamDirection direction, size_t page,
                      StreamFormat format, const std::optional<StreamRange>& wanted, const StopFlag& stop);

// What is looked for in a stream.
struct StreamNeedle {
    static constexpr size_t most_bytes = 4096;

    std::string bytes;
    bool any_case = false;  // of ASCII letters; they are small ones in `bytes` then

    static std::variant<StreamNeedle, QString> of_text(const QString& text);
    static std::variant<StreamNeedle, QString> of_hex(const QString& text);
};
struct StreamHit {
    StreamRange range;
    size_t first_piece = 0;
    size_t last_piece = 0;
    bool wrapped = false;  // behind the end, from the beginning on; backward, the other way round
};
struct StreamFound {
    std::optional<StreamHit> hit;
    size_t unreadable = 0;  // pieces of those looked at: none of these counts as found
};
// The next one behind `from`, or the first one; backward, the one before it, or the last one. Of the bytes of one side, across
// packets but not across what was not captured. `done` counts pieces.
StreamFound find_in_stream(const FollowedStream& stream, const StreamNeedle& needle,
                           StreamDirection direction, const std::optional<StreamHit>& from, bool forward,
                           std::atomic<size_t>& done, const StopFlag& stop);

// Every place that has what is looked for, each in two numbers that give their order.
struct StreamCount {
    using Mark = std::pair<size_t, uint64_t>;
    static constexpr size_t most = 100'000;

    std::vector<Mark> marks;  // ascending
    bool more = false;        // than `most`, which `marks` are not among
    size_t left_out = 0;      // of what was to be looked at, what could not be

    // False: there is no room for another one.
    bool add(Mark mark) {
        if (marks.size() == most) {
            more = true;
            return false;
        }
        marks.push_back(mark);
        return true;
    }
};
// Those of find_in_stream() one behind the other from the beginning, by the last piece of each and where it begins in its stream.
StreamCount count_in_stream(const FollowedStream& stream, const StreamNeedle& needle,
                            StreamDirection direction, const StopFlag& stop);

struct SavedStream {
    bool written = false;
    QString error;          // empty: all went well, or it was stopped
    uint64_t bytes = 0;     // in the file
    uint64_t left_out = 0;  // that were not captured
};
// The captured bytes in order, as they are. `capture`: the file that must not be overwritten, by its present name.
SavedStream save_stream(const FollowedStream& stream, StreamDirection direction, const QString& path,
                        const QString& capture, std::atomic<size_t>& done, const StopFlag& stop);

}  // namespace sanscope

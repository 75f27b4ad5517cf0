// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "analyzer/base/log_histogram.h"
#include "analyzer/report/findings.h"
#include "analyzer/store/result_store.h"

namespace sanscope {

// What a terminal shows of a capture while it is recorded: what each session, kind of command and sender did since the screen
// before. It keeps the figures of that one, and nothing that grows with the length of the capture.
class LiveScreen {
  public:
    struct Size {
        size_t columns = 80;
        size_t lines = 24;
    };

    // The lines of the next screen, none longer than the columns, no more than there is room for; what has no room is left out
    // from the quietest on, and counted. `now_ns` is any clock that does not go back: rates are reported for the time between two
    // calls, and for none by the first. Rows of connections must be described (Engine::describe_connections()). `wrong`, of
    // findings_so_far(), comes first, in a few lines.
    std::vector<std::string> next(const ResultStore& store, int64_t now_ns, Size size,
                                  std::span<const Finding> wrong = {});

  private:
    struct SessionFigures {
        uint64_t commands = 0;
        uint64_t bytes_read = 0;
        uint64_t bytes_written = 0;
    };
    struct SenderFigures {
        uint64_t bytes = 0;
        uint64_t retransmissions = 0;
    };
    struct Lines {
        std::vector<std::string> heads;
        std::vector<std::string> rows;  // the busiest first
    };

    static Lines what_is_wrong(std::span<const Finding> wrong);
    Lines sessions(const ResultStore& store, double seconds);
    Lines commands(const ResultStore& store, double seconds);
    Lines senders(const ResultStore& store, double seconds);

    int64_t last_ns_ = 0;
    bool begun_ = false;
    std::vector<SessionFigures> sessions_;  // by number - 1
    std::vector<SenderFigures> senders_;    // in the store's order
    std::map<Summary::GroupKey, LogHistogram> turnarounds_;
};

}  // namespace sanscope

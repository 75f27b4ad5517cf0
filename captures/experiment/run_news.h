// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sanscope::lab {

// What becomes of a run, as it happens.
struct RunNews {
    enum class Kind : uint8_t { begins, done, failed };

    Kind kind = Kind::begins;
    size_t number = 0;  // from 1, of those to come since the start …
    size_t of = 0;      // … which are so many
    std::string label;
    unsigned repetition = 1;
    std::string text = {};     // of one that is done some of its figures, of one that failed why
    double seconds_left = 0;   // for those after it, estimated; 0: none are left, or nothing is known
    std::string capture = {};  // the name of the file with its packets; empty: none is kept
};

// For people, without a line feed; of one that begins it is empty.
std::string news_line(const RunNews& news);

// For programs: a JSON object of one line, without a line feed. What is no UTF-8 is replaced.
std::string news_json(const RunNews& news);

// Likewise, of the whole: what is to be known before it begins; how many runs are to come, how many are done, and how many
// seconds the former take, estimated; how it ended.
std::string message_json(std::string_view text);
std::string begun_json(size_t runs, size_t done, double seconds);
std::string ended_json(int status, size_t done, size_t failed);

}  // namespace sanscope::lab

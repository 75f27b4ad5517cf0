// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// RFC 7143 §11.5.1, RFC 7144 §6.
inline std::string_view function_words(uint16_t function) {
    constexpr std::array<std::string_view, 13> words = {"",
                                                        "ABORT TASK",
                                                        "ABORT TASK SET",
                                                        "CLEAR ACA",
                                                        "CLEAR TASK SET",
                                                        "LOGICAL UNIT RESET",
                                                        "TARGET WARM RESET",
                                                        "TARGET COLD RESET",
                                                        "TASK REASSIGN",
                                                        "QUERY TASK",
                                                        "QUERY TASK SET",
                                                        "I_T NEXUS RESET",
                                                        "QUERY ASYNCHRONOUS EVENT"};
    return function < words.size() && function > 0 ? words[function] : "task management";
}

// CLEAR ACA, TASK REASSIGN and the queries: they end no command.
inline bool leaves_commands_alone(uint16_t function) {
    return function == 3 || function == 8 || function == 9 || function == 10 || function == 12;
}

// RFC 7143 §11.6.1.
inline std::string_view response_words(uint16_t response) {
    constexpr std::array<std::string_view, 7> words = {"function complete",
                                                       "task does not exist",
                                                       "LUN does not exist",
                                                       "task still allegiant",
                                                       "task allegiance reassignment not supported",
                                                       "function not supported",
                                                       "function authorization failed"};
    if (response < words.size()) return words[response];
    return response == 255 ? "function rejected" : "a response not known";
}

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyzer/compare/capture_figures.h"
#include "analyzer/compare/time_blocks.h"

namespace sanscope {

// Which sessions of a store are measured as one, and when they had commands under way.
struct SessionGroups {
    static constexpr size_t none = SIZE_MAX;

    struct Group {
        SessionFigures figures;  // names and addresses
        TimeBlocks blocks;       // from the first request to the last answer
    };

    std::vector<Group> groups;
    size_t left_out = 0;
    std::vector<size_t> of_session;     // by session number - 1
    std::vector<size_t> of_connection;  // by connection number - 1

    size_t group_of_session(uint32_t number) const {
        return number == 0 || number > of_session.size() ? none : of_session[number - 1];
    }
    size_t group_of_connection(uint32_t number) const {
        return number == 0 || number > of_connection.size() ? none : of_connection[number - 1];
    }
};

SessionGroups group_sessions(const ResultStore& store);

}  // namespace sanscope

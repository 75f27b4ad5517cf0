// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "captures/scrub/data_segment_kind.h"

namespace sanscope {

// Which command a task tag stands for, of the commands under way on one connection. Bounded: among many, some are forgotten, and
// their data are users' data then.
class TaskTags {
  public:
    void begin(uint32_t tag, const CommandData& command) {
        Task* const tasks = first_of(tag);
        Task* place = tasks;
        for (size_t i = 0; i < ways; ++i) {
            Task& task = tasks[i];
            if (task.used && task.tag == tag) {
                place = &task;
                break;
            }
            if (!task.used) place = &task;
        }
        if (place->used && place->tag != tag) place = &tasks[next_victim_++ % ways];
        *place = {tag, command, true, generation_};
    }

    CommandData find(uint32_t tag) const {
        const Task* const tasks = first_of(tag);
        for (size_t i = 0; i < ways; ++i) {
            const bool is_it = tasks[i].used && tasks[i].tag == tag;
            if (is_it) return tasks[i].generation == generation_ ? tasks[i].command : CommandData{};
        }
        return {};
    }

    // Whether a command under way had the tag, though it may be another's by now.
    bool knows(uint32_t tag) const {
        const Task* const tasks = first_of(tag);
        for (size_t i = 0; i < ways; ++i) {
            if (tasks[i].used && tasks[i].tag == tag) return true;
        }
        return false;
    }

    // Its status has come: the tag may be another command's from now on.
    void end(uint32_t tag) {
        Task* const tasks = first_of(tag);
        for (size_t i = 0; i < ways; ++i) {
            if (tasks[i].tag == tag) tasks[i].used = false;
        }
    }

    // Something was not seen: any tag may be another command's.
    void forget() { ++generation_; }

  private:
    static constexpr size_t ways = 4;
    static constexpr size_t sets = 512;
    struct Task {
        uint32_t tag = 0;
        CommandData command;
        bool used = false;
        uint64_t generation = 0;
    };

    static size_t set_of(uint32_t tag) { return (tag * 0x9e3779b1u >> 16) % sets * ways; }
    Task* first_of(uint32_t tag) { return &tasks_[set_of(tag)]; }
    const Task* first_of(uint32_t tag) const { return &tasks_[set_of(tag)]; }

    std::array<Task, sets * ways> tasks_{};
    size_t next_victim_ = 0;
    uint64_t generation_ = 0;
};

}  // namespace sanscope

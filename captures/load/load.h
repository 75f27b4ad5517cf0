// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "captures/load/load_account.h"
#include "captures/load/load_messages.h"
#include "captures/load/load_plan.h"
#include "captures/load/load_thread.h"

#include "analyzer/base/result.h"

namespace sanscope {

// A load under way: its threads, and what they have come to together.
class Load {
  public:
    // Nothing is sent before start(). An Error where the plan does not go together.
    static Result<std::unique_ptr<Load>> create(LoadPlan plan);
    // Waits for the threads, whose commands under way are not waited for.
    ~Load();

    void start();
    bool running() const { return running_ > 0; }
    void request_stop();
    void abort();
    // Once: until all threads have ended.
    void join();

    // By now: a thread's part is as old as its last turn at the time of the call before. Complete after join().
    LoadAccount account();
    std::vector<std::string> messages() { return messages_.take(); }
    std::optional<LoginOutcome> outcome();
    std::vector<std::string> tcp_differences();  // as LoadThread's, of all
    bool lost_a_session() const;

  private:
    explicit Load(LoadPlan plan) : plan_(std::move(plan)) {}

    LoadPlan plan_;
    LoadMessages messages_;
    std::vector<std::unique_ptr<LoadThread>> parts_;
    std::vector<std::thread> threads_;
    std::atomic<unsigned> running_ = 0;
    int64_t cpu_before_ns_ = 0;
};

}  // namespace sanscope

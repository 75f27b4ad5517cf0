// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <chrono>
#include <csignal>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/base/helper_process.h"
#include "analyzer/base/result.h"

namespace sanscope::lab {

// A program that runs in a host of the lab. It is ended and waited for when this goes, and by the kernel when this
// process does.
class LabProcess {
  public:
    // In the network namespace `host`; in none where that is empty.
    static Result<LabProcess> start(const std::string& host, const std::string& program,
                                    std::vector<std::string> arguments);
    LabProcess(LabProcess&& other) noexcept;
    LabProcess& operator=(LabProcess&&) = delete;
    ~LabProcess();

    // Reads what it prints until `stop` is set (an Error "interrupted"), it ended, `seconds` have passed, or `wanted`,
    // unless that is empty, was printed. An Error where it did not end well, in its own words, or `wanted` did not
    // come.
    Result<std::monostate> wait(double seconds, const std::atomic<bool>& stop, std::string_view wanted = {});
    // Lets so much time pass; an Error where it ended meanwhile, or `stop` is set.
    Result<std::monostate> still_runs(double seconds, const std::atomic<bool>& stop);
    // Waits for its end so long: whether it came. An Error where `stop` is set.
    Result<bool> ends_within(double seconds, const std::atomic<bool>& stop);
    // Of the processor so far, user and system, all threads; nothing once it has ended.
    std::optional<double> processor_seconds() const;
    // Asks it for an end with a signal and waits for that; ends it otherwise where that takes longer.
    static constexpr std::chrono::seconds patience_for_end{3};
    void end(int signal = SIGTERM, std::chrono::seconds patience = patience_for_end);
    // As it ended by itself; nothing where it runs still, or a signal ended it.
    std::optional<int> exit_status() const;
    // How it ended, in its own last words. Only once it has.
    Error failure() const;

    const std::string& output() const { return output_; }  // read so far
    const std::string& errors() const { return errors_; }

  private:
    LabProcess(std::string name, HelperProcess process);

    bool read_some(int timeout_ms);
    bool has_ended(bool block);

    std::string name_;
    HelperProcess process_;
    bool ended_ = false;
    int status_ = 0;
    std::string output_;
    std::string errors_;
};

// Of what /proc/PID/stat holds: utime and stime (proc(5)), in seconds.
std::optional<double> processor_seconds_in(std::string_view stat, long ticks_per_second);

// Runs one to its end: what it printed.
Result<std::string> run_program(const std::string& host, const std::string& program,
                                std::vector<std::string> arguments, double seconds,
                                const std::atomic<bool>& stop);

}  // namespace sanscope::lab

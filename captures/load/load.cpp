// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/load/load.h"

#include <algorithm>
#include <sys/resource.h>
#include <utility>

#include "captures/load/monotonic_clock.h"

namespace sanscope {
namespace {

// Of the whole process, user's and system's.
int64_t cpu_ns() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    const auto of = [](const timeval& time) {
        return (int64_t{time.tv_sec} * 1'000'000 + time.tv_usec) * 1000;
    };
    return of(usage.ru_utime) + of(usage.ru_stime);
}

}  // namespace

Result<std::unique_ptr<Load>> Load::create(LoadPlan plan) {
    if (plan.targets.empty()) return Error{"there is no target"};
    if (auto checked = check_pacing(plan.pacing); !checked) return checked.error();
    std::unique_ptr<Load> load(new Load(std::move(plan)));
    const unsigned threads = std::clamp(load->plan_.threads, 1u, std::max(load->plan_.sessions, 1u));
    for (unsigned i = 0; i < threads; ++i) {
        auto part = LoadThread::create(load->plan_, i, threads, load->messages_);
        if (!part) return part.error();
        load->parts_.push_back(std::move(*part));
    }
    return load;
}

Load::~Load() {
    abort();
    join();
}

void Load::start() {
    cpu_before_ns_ = cpu_ns();
    running_ = static_cast<unsigned>(parts_.size());
    for (const auto& part : parts_) {
        threads_.emplace_back([this, one = part.get()] {
            one->run();
            --running_;
        });
    }
}

void Load::request_stop() {
    for (const auto& part : parts_) part->request_stop();
}

void Load::abort() {
    for (const auto& part : parts_) part->abort();
}

void Load::join() {
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
}

LoadAccount Load::account() {
    LoadAccount all;
    // Read first: a load that is seen to go on after it ends later.
    const int64_t now_ns = monotonic_ns();
    const bool goes_on = running();
    int64_t began_ns = 0;
    int64_t ended_ns = 0;
    for (const auto& part : parts_) {
        all.add(part->latest_account());
        const int64_t start_ns = part->started_ns();
        if (start_ns != 0 && (began_ns == 0 || start_ns < began_ns)) began_ns = start_ns;
        ended_ns = std::max(ended_ns, part->ended_ns());
    }
    if (began_ns == 0) return all;
    const int64_t until_ns = std::max(goes_on ? now_ns : ended_ns, began_ns);
    all.set_elapsed(until_ns - began_ns, cpu_ns() - cpu_before_ns_);
    return all;
}

std::optional<LoginOutcome> Load::outcome() {
    for (const auto& part : parts_) {
        if (auto outcome = part->outcome()) return outcome;
    }
    return std::nullopt;
}

std::vector<std::string> Load::tcp_differences() {
    std::vector<std::string> all;
    for (const auto& part : parts_) merge_tcp_differences(all, part->tcp_differences());
    return all;
}

bool Load::lost_a_session() const {
    return std::ranges::any_of(parts_, [](const auto& part) { return part->lost_a_session(); });
}

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <utility>

namespace sanscope::simulated {

constexpr int64_t microsecond = 1'000;
constexpr int64_t millisecond = 1'000'000;
constexpr int64_t second = 1'000'000'000;

// The clock of a simulation, in nanoseconds, and what is to happen at which moment. Time jumps from one happening to
// the next; of those at one moment, that which was announced first goes first.
class VirtualTime {
  public:
    using Action = std::function<void()>;
    using Key = std::pair<int64_t, uint64_t>;

    int64_t now() const { return now_; }

    // A moment that is already past stands for now. The key is for cancel().
    Key at(int64_t time_ns, Action action) {
        const Key key{time_ns > now_ ? time_ns : now_, ++announced_};
        agenda_.emplace(key, std::move(action));
        return key;
    }
    void cancel(const Key& key) { agenda_.erase(key); }

    // Lets everything happen up to and including that moment, which is then now.
    void run_until(int64_t time_ns) {
        while (!agenda_.empty() && agenda_.begin()->first.first <= time_ns) {
            auto next = agenda_.extract(agenda_.begin());
            now_ = next.key().first;
            next.mapped()();
        }
        now_ = time_ns;
    }

  private:
    std::map<Key, Action> agenda_;
    uint64_t announced_ = 0;
    int64_t now_ = 0;
};

// One alarm that can be set, set anew and stopped.
class VirtualTimer {
  public:
    VirtualTimer(VirtualTime& time, VirtualTime::Action action) : time_(time), action_(std::move(action)) {}
    VirtualTimer(const VirtualTimer&) = delete;
    VirtualTimer& operator=(const VirtualTimer&) = delete;
    ~VirtualTimer() { stop(); }

    bool running() const { return running_; }
    void set(int64_t time_ns) {
        stop();
        running_ = true;
        key_ = time_.at(time_ns, [this] {
            running_ = false;
            action_();
        });
    }
    void stop() {
        if (running_) time_.cancel(key_);
        running_ = false;
    }

  private:
    VirtualTime& time_;
    VirtualTime::Action action_;
    VirtualTime::Key key_{};
    bool running_ = false;
};

}  // namespace sanscope::simulated

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMetaObject>
#include <QObject>
#include <QThreadPool>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include "gui/document/worker_threads.h"

namespace sanscope {

// Set when nobody waits for a job's answer any more; long jobs look at it now and then.
using StopFlag = std::atomic<bool>;

// Work behind the GUI thread of which only the newest answer counts: one job at a time is under way; of those asked for
// meanwhile, the last one follows, and an answer that came too late is dropped. Made, used and ended on the GUI thread, where
// the answers come too; none comes after its end. Work must hold all it uses (capture data by shared_ptr).
template <class Answer>
class LatestJob {
  public:
    using Work = std::function<Answer(const StopFlag& stop)>;
    using Done = std::function<void(Answer)>;

    // `keep_stale`: an answer that is no longer the newest is delivered all the same, and a running job is not told to
    // stop: for pictures, of which an old one is better than none. `pool`: where the work is done, for work that takes long
    // or must not be done by two threads at once; it must outlive this, and all share one otherwise.
    explicit LatestJob(bool keep_stale = false, QThreadPool* pool = &worker_threads())
        : link_(std::make_shared<Link>()), keep_stale_(keep_stale), pool_(pool) {
        link_->context = &context_;
    }
    ~LatestJob() {
        if (stop_) *stop_ = true;
        const std::lock_guard lock(link_->mutex);
        link_->context = nullptr;
    }
    LatestJob(const LatestJob&) = delete;
    LatestJob& operator=(const LatestJob&) = delete;

    void request(Work work, Done done) {
        ++asked_;
        if (running_) {
            waiting_ = [this, work = std::move(work), done = std::move(done)]() mutable {
                start(std::move(work), std::move(done));
            };
            if (!keep_stale_) *stop_ = true;
            return;
        }
        start(std::move(work), std::move(done));
    }
    void cancel() {
        ++asked_;
        waiting_ = nullptr;
        if (running_) *stop_ = true;
    }
    // Nothing is under way or waiting.
    bool idle() const { return !running_ && !waiting_; }

  private:
    // What a job on its way back finds, or finds gone.
    struct Link {
        std::mutex mutex;
        QObject* context = nullptr;
    };

    void start(Work work, Done done) {
        running_ = true;
        stop_ = std::make_shared<StopFlag>(false);
        pool_->start([this, number = asked_, stop = stop_, link = link_, work = std::move(work),
                      done = std::move(done)]() mutable {
            lower_priority(NiceIncrement::job);
            auto answer = std::make_shared<Answer>(work(*stop));
            work = nullptr;
            const std::lock_guard lock(link->mutex);
            if (link->context == nullptr) return;
            QMetaObject::invokeMethod(
                link->context,
                [this, number, stop, answer = std::move(answer), done = std::move(done)] {
                    take(number, *stop, *answer, done);
                },
                Qt::QueuedConnection);
        });
    }

    void take(uint64_t number, const StopFlag& stop, Answer& answer, const Done& done) {
        running_ = false;
        const bool wanted = !stop && (keep_stale_ || number == asked_);
        // The next job starts first: what is done with this answer may ask for yet another.
        if (auto next = std::exchange(waiting_, nullptr)) next();
        if (wanted) done(std::move(answer));
    }

    QObject context_;  // on the GUI thread; calls to it end with it
    std::shared_ptr<Link> link_;
    bool keep_stale_;
    QThreadPool* pool_;
    bool running_ = false;
    uint64_t asked_ = 0;
    std::shared_ptr<StopFlag> stop_;
    std::function<void()> waiting_;
};

}  // namespace sanscope

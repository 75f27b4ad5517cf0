// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QApplication>
#include <QElapsedTimer>
#include <fmt/core.h>
#include <functional>
#include <string>
#include <time.h>

namespace sanscope {

// The longest single event: its time by the clock, and by the processor.
class TimedApplication : public QApplication {
  public:
    using QApplication::QApplication;
    bool notify(QObject* receiver, QEvent* event) override {
        if (event->type() == QEvent::Paint && on_paint) on_paint(receiver);
        if (depth_ > 0 || !watching) return QApplication::notify(receiver, event);
        ++depth_;
        QElapsedTimer timer;
        timer.start();
        const double cpu = thread_cpu_ms();
        const char* const name = receiver->metaObject()->className();
        const int type = event->type();
        const bool result = QApplication::notify(receiver, event);
        const double took = static_cast<double>(timer.nsecsElapsed()) / 1e6;
        if (took > longest) {
            longest = took;
            longest_cpu = thread_cpu_ms() - cpu;
            what = fmt::format("{}, event {}", name, type);
        }
        --depth_;
        return result;
    }
    void reset() {
        longest = longest_cpu = 0;
        what.clear();
    }
    bool watching = true;
    double longest = 0;
    double longest_cpu = 0;
    std::string what;
    std::function<void(const QObject* painted)> on_paint;  // before each widget is painted

  private:
    static double thread_cpu_ms() {
        timespec now{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
    }

    int depth_ = 0;
};

}  // namespace sanscope

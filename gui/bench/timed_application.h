// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QApplication>
#include <QElapsedTimer>
#include <QStandardPaths>
#include <QThread>
#include <cstdio>
#include <exception>
#include <fmt/core.h>
#include <functional>
#include <string>
#include <time.h>

#include "gui/app/theme_palette.h"
#include "gui/app/theme_style.h"

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

    // Of the thread that asks, and of all threads.
    static double thread_cpu_ms() { return clock_ms(CLOCK_THREAD_CPUTIME_ID); }
    static double process_cpu_ms() { return clock_ms(CLOCK_PROCESS_CPUTIME_ID); }

  private:
    static double clock_ms(clockid_t clock) {
        timespec now{};
        clock_gettime(clock, &now);
        return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
    }

    int depth_ = 0;
};

// Makes the application of a benchmark, which needs no display, looks as the window does and leaves its user's settings alone,
// and gives it to `measure`, whose answer is returned.
template <class Measure>
int with_timed_application(const char* name, char** argv, Measure measure) {
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    QStandardPaths::setTestModeEnabled(true);
    int no_arguments = 1;
    TimedApplication application(no_arguments, argv);
    QApplication::setOrganizationName(QStringLiteral("sanscope-bench"));
    QApplication::setApplicationName(QString::fromUtf8(name));
    QApplication::setStyle(new ThemeStyle);
    QApplication::setPalette(theme_palette(false));
    return measure(application);
}

// The exit status of a program that is `run()`: what goes wrong ends as a message.
template <class Run>
int run_as_program(const char* name, Run run) {
    try {
        return run();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s: %s\n", name, error.what());
        return 1;
    }
}

// False where the condition does not hold within `patience_ms`.
template <class Condition>
bool process_until(Condition condition, int patience_ms = 300'000) {
    QElapsedTimer timer;
    timer.start();
    while (!condition()) {
        QApplication::processEvents(QEventLoop::AllEvents, 2);
        if (timer.elapsed() > patience_ms) return false;
        // A window that waits leaves the processor to what it waits for.
        QThread::usleep(200);
    }
    return true;
}

}  // namespace sanscope

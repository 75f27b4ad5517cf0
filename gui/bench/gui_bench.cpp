// SPDX-License-Identifier: GPL-3.0-or-later
//
// How the window feels on a capture: how soon there is a picture, how long the GUI thread is kept from its events, how long a
// frame takes wherever one looks, a selection, an order, a filter. Prints a line a figure with the limit it is held to; the
// exit status says whether all were kept.
#include <CLI/CLI.hpp>
#include <QApplication>
#include <QDockWidget>
#include <QElapsedTimer>
#include <QTimer>
#include <QWheelEvent>
#include <algorithm>
#include <cstdio>
#include <fmt/core.h>
#include <fstream>

#include "gui/app/capture_window.h"
#include "gui/app/main_window.h"
#include "gui/bench/timed_application.h"
#include "gui/views/filter_line/filter_line.h"
#include "gui/views/tables/rows_view.h"

namespace sanscope {
namespace {

double ms(qint64 ns) {
    return static_cast<double>(ns) / 1e6;
}

class Sheet {
  public:
    void line(const std::string& what, double figure, double limit, const char* unit,
              const std::string& note = {}) {
        const bool kept = limit <= 0 || figure <= limit;
        kept_ = kept_ && kept;
        fmt::print("{:<58} {:>9.1f} {:<3} {}{}\n", what, figure, unit,
                   limit <= 0 ? std::string() : fmt::format("limit {:g} {}", limit, kept ? "kept" : "MISSED"),
                   note.empty() ? "" : "   (" + note + ")");
        std::fflush(stdout);
    }
    bool kept() const { return kept_; }

  private:
    bool kept_ = true;
};

double percentile(std::vector<double> values, double fraction) {
    if (values.empty()) return 0;
    std::ranges::sort(values);
    return values[std::min(values.size() - 1,
                           static_cast<size_t>(static_cast<double>(values.size()) * fraction))];
}

double peak_memory_gb() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("VmHWM:")) return std::stod(line.substr(6)) * 1024 / 1e9;
    }
    return 0;
}

// All that is posted, paints among it, is done.
void process_all() {
    QCoreApplication::sendPostedEvents();
    QApplication::processEvents(QEventLoop::AllEvents);
}

class Bench {
  public:
    Bench(TimedApplication& application, MainWindow& window) : application_(application), window_(window) {}

    // One part alone, where one is told of.
    struct Part {
        bool load = false;
        std::vector<std::string> frames;      // of these views
        std::vector<std::string> selections;  // with these in front
        int orders = 0;                       // and filters, so many times
    };

    bool run_part(const QString& path, const Part& part) {
        if (!load(path)) return false;
        for (const ViewKind& kind : view_kinds()) {
            if (std::ranges::find(part.frames, kind.name) != part.frames.end()) frames(kind);
            if (std::ranges::find(part.selections, kind.name) != part.selections.end()) selection(kind);
        }
        for (int i = 0; i < part.orders; ++i) rows();
        return sheet_.kept();
    }

    bool run(const QString& path, bool with_frames) {
        if (!load(path)) return false;
        for (const ViewKind& kind : view_kinds()) {
            if (with_frames && kind.name != "details" && kind.name != "findings" && kind.name != "notes")
                frames(kind);
        }
        for (const ViewKind& kind : view_kinds()) selection(kind);
        rows();
        sheet_.line("memory, at its peak", peak_memory_gb(), 2.5, "GB");
        return sheet_.kept();
    }

  private:
    CaptureWindow& capture() { return *window_.current(); }
    ViewState& state() { return capture().state(); }

    bool settled() {
        for (const ViewKind& kind : view_kinds()) {
            QDockWidget* const dock = capture().dock(kind.name);
            const View* const view = dock->findChild<View*>();
            if (view == nullptr || !view->isVisible() || view->settled()) continue;
            last_ = kind.name;
            return false;
        }
        return state().selected().selection == state().selection();
    }

    bool load(const QString& path) {
        application_.reset();
        QElapsedTimer timer;
        timer.start();
        if (!window_.open({path})) return false;
        process_until([&] { return !state().whole().empty(); });
        process_until([&] { return settled(); });
        process_all();
        sheet_.line("first picture after opening", ms(timer.nsecsElapsed()), 1000, "ms");
        // How late a timer comes is how long a click would wait.
        double latest = 0;
        const double processor_ms = TimedApplication::process_cpu_ms();
        QElapsedTimer since;
        since.start();
        QTimer heart;
        heart.setTimerType(Qt::PreciseTimer);
        constexpr int beat_ms = 5;
        QObject::connect(&heart, &QTimer::timeout, [&] {
            latest = std::max(latest, ms(since.nsecsElapsed()) - beat_ms);
            since.start();
        });
        heart.start(beat_ms);
        bool loaded = !capture().document().loading();
        QObject::connect(&capture().document(), &Document::loaded, &heart, [&] { loaded = true; });
        // With a time limit it would not wait, and take a processor from those that load.
        while (!loaded) QApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents);
        heart.stop();
        const auto reading = capture().document().data()->try_read();
        sheet_.line(fmt::format("loaded: {} packets, {} commands", reading->index().packets(),
                                reading->store().commands().size()),
                    ms(timer.nsecsElapsed()), 0, "ms",
                    fmt::format("{:.0f} ms of processor", TimedApplication::process_cpu_ms() - processor_ms));
        sheet_.line("longest event while loading", application_.longest, 50, "ms",
                    fmt::format("{:.1f} ms of processor, {}", application_.longest_cpu, application_.what));
        sheet_.line("longest wait of an event while loading", latest, 50, "ms",
                    "with scheduling on a busy machine");
        process_until([&] { return settled(); });
        process_all();
        return true;
    }

    void frames(const ViewKind& kind) {
        capture().show_view(kind.name);
        const TimeRange whole = state().whole();
        const int64_t middle = whole.begin_ns + whole.span_ns() / 3;
        std::vector<double> frame_times;
        std::vector<double> processor_times;  // of the GUI thread: what other programs take is not among them
        std::vector<double> sharp_times;
        for (const double part : {1.0, 1e-1, 1e-3, 1e-5, 1e-7}) {
            const auto span =
                std::max<int64_t>(20'000, static_cast<int64_t>(static_cast<double>(whole.span_ns()) * part));
            state().set_range({middle - span / 2, middle + span / 2});
            process_until([&] { return settled(); });
            process_all();
            for (int step = 0; step < 48; ++step) {
                QElapsedTimer timer;
                timer.start();
                const double processor_ms = TimedApplication::thread_cpu_ms();
                if (step < 16) {
                    state().pan(step % 8 < 4 ? 0.07 : -0.07);
                } else {
                    const TimeRange range = state().range();
                    state().zoom(step % 16 < 8 ? 1.25 : 0.8,
                                 range.begin_ns + range.span_ns() * (step % 5) / 5);
                }
                process_all();
                processor_times.push_back(TimedApplication::thread_cpu_ms() - processor_ms);
                frame_times.push_back(ms(timer.nsecsElapsed()));
                process_until([&] { return settled(); });
                process_all();
                sharp_times.push_back(ms(timer.nsecsElapsed()));
            }
        }
        sheet_.line(
            fmt::format("{}: a frame, p99 of {}", kind.name, frame_times.size()),
            percentile(frame_times, 0.99), 16, "ms",
            fmt::format("p50 {:.1f}, max {:.1f}; of processor p99 {:.1f}, p50 {:.1f}; sharp after p50 "
                        "{:.1f}, p99 {:.1f} ms",
                        percentile(frame_times, 0.5), percentile(frame_times, 1),
                        percentile(processor_times, 0.99), percentile(processor_times, 0.5),
                        percentile(sharp_times, 0.5), percentile(sharp_times, 0.99)));
    }

    void selection(const ViewKind& kind) {
        capture().show_view(kind.name);
        uint64_t commands = 0;
        {
            const auto reading = capture().document().data()->try_read();
            commands = reading->store().commands().size();
        }
        if (commands == 0) return;
        std::vector<double> times;
        for (uint64_t i = 1; i <= 12; ++i) {
            const Selection selection{Selection::Kind::command, commands * i / 13 + 1};
            state().select({Selection::Kind::none, 0});
            process_until([&] { return settled(); });
            capture().state().set_range(state().whole());
            process_until([&] { return settled(); });
            process_all();
            // A click is not the next one's neighbour: nobody clicks ten times a second.
            QElapsedTimer pause;
            pause.start();
            process_until([&] { return pause.elapsed() > 200; });
            QElapsedTimer timer;
            timer.start();
            state().select(selection);
            process_until([&] { return settled(); });
            process_all();
            times.push_back(ms(timer.nsecsElapsed()));
        }
        sheet_.line(fmt::format("{} in front: a command selected, all views show it, p90", kind.name),
                    percentile(times, 0.9), 50, "ms",
                    fmt::format("p50 {:.1f}, max {:.1f}", percentile(times, 0.5), percentile(times, 1)));
    }

    void rows() {
        capture().show_view("packets");
        auto* const view = qobject_cast<RowsView*>(capture().view("packets"));
        process_until([&] { return settled(); });
        process_all();
        process_until([&] { return settled(); });
        for (const int column : {5, 10, 2}) {
            application_.reset();
            QElapsedTimer timer;
            timer.start();
            const double processor_ms = TimedApplication::process_cpu_ms();
            view->sort(column, Qt::DescendingOrder);
            process_until([&] { return settled(); });
            process_all();
            sheet_.line(fmt::format("all packets by column {} ", column + 1), ms(timer.nsecsElapsed()), 1000,
                        "ms",
                        fmt::format("{:.0f} ms of processor, longest event {:.1f} ms",
                                    TimedApplication::process_cpu_ms() - processor_ms, application_.longest));
        }
        view->sort(-1, Qt::AscendingOrder);
        process_until([&] { return settled(); });
        for (const char* const filter : {"payload > 1000", "length == 128 || flags contains \"FIN\""}) {
            application_.reset();
            QElapsedTimer timer;
            timer.start();
            const double processor_ms = TimedApplication::process_cpu_ms();
            capture().filter_line().apply_filter(QString::fromUtf8(filter), QStringLiteral("packets"));
            process_until([&] { return capture().filter_line().settled() && settled(); });
            process_all();
            sheet_.line(fmt::format("packets with {}", filter), ms(timer.nsecsElapsed()), 1000, "ms",
                        fmt::format("{:.0f} ms of processor, longest event {:.1f} ms; {}",
                                    TimedApplication::process_cpu_ms() - processor_ms, application_.longest,
                                    capture().filter_line().message().toStdString()));
        }
    }

    TimedApplication& application_;
    MainWindow& window_;
    Sheet sheet_;
    std::string_view last_;  // the view that settled last
};

int run(int argc, char** argv) {
    CLI::App arguments("Measures the window on a capture, without a display.", "gui_bench");
    std::string capture;
    arguments
        .add_option("CAPTURE", capture,
                    "As made by `make_capture --like small-io --packets 10000000 --snap 128`")
        ->required();
    bool no_frames = false;
    CLI::Option* const frameless =
        arguments.add_flag("--no-frames", no_frames, "Leave out panning and zooming, which takes minutes");
    Bench::Part part;
    CLI::Option_group* const parts = arguments.add_option_group("Parts", "Measure only these");
    parts->add_flag("--load", part.load, "Loading, which comes before the others, too");
    parts->add_option("--view", part.frames, "The frames of this view; may be given again")
        ->allow_extra_args(false);
    parts
        ->add_option("--selection", part.selections, "Selections with this view in front; may be given again")
        ->allow_extra_args(false);
    parts->add_option("--orders", part.orders, "Orders and filters, so many times");
    for (CLI::Option* const option : parts->get_options()) option->excludes(frameless);
    CLI11_PARSE(arguments, argc, argv);
    return with_timed_application("gui_bench", argv, [&](TimedApplication& application) {
        MainWindow window;
        window.resize(1600, 900);
        window.show();
        Bench bench(application, window);
        const QString path = QString::fromStdString(capture);
        return (parts->count_all() > 0 ? bench.run_part(path, part) : bench.run(path, !no_frames)) ? 0 : 1;
    });
}

}  // namespace
}  // namespace sanscope

int main(int argc, char** argv) {
    return sanscope::run_as_program("gui_bench", [&] { return sanscope::run(argc, argv); });
}

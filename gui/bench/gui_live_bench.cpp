// SPDX-License-Identifier: GPL-3.0-or-later
//
// How the window follows a recording: a capture is written at a steady rate while the window follows its end, each view in
// front for some seconds. A frame counts where the view is painted with a picture, or rows, prepared since its last frame.
// Prints a line a view; the exit status says whether all came to the frames they are held to.
#include <CLI/CLI.hpp>
#include <QApplication>
#include <QElapsedTimer>
#include <QTemporaryDir>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <fcntl.h>
#include <fmt/core.h>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include "gui/app/capture_window.h"
#include "gui/bench/timed_application.h"

#include "analyzer/ingest/byte_source.h"

namespace sanscope {
namespace {

struct Arguments {
    std::string capture;
    double rate = 20'000;
    double seconds = 4;
    int between_ms = 33;
    double range_seconds = 10;
    std::vector<std::string> views;
};

// Of a plain little-endian pcap.
class PcapBytes {
  public:
    static constexpr size_t header = 24;

    bool load(const std::string& path) {
        auto input = open_input(path);
        if (!input) return false;
        bytes_.resize(input->size);
        std::string fault;
        return read_at(input->descriptor.get(), bytes_, 0, fault) == bytes_.size() && bytes_.size() > header;
    }
    // The end of the packet that begins at `begin`; 0 where there is none.
    size_t end_of(size_t begin) const {
        constexpr size_t record_header = 16;
        if (begin + record_header > bytes_.size()) return 0;
        const uint8_t* const length = bytes_.data() + begin + 8;
        const uint32_t kept = length[0] | uint32_t{length[1]} << 8 | uint32_t{length[2]} << 16;
        const size_t end = begin + record_header + kept;
        return end <= bytes_.size() ? end : 0;
    }
    const uint8_t* at(size_t place) const { return bytes_.data() + place; }

  private:
    std::vector<uint8_t> bytes_;
};

// Writes packets at a steady rate, and reports them now and then, as a recorder does.
class Feeder {
  public:
    Feeder(const PcapBytes& capture, const std::string& path, const Arguments& arguments)
        : capture_(capture),
          arguments_(arguments),
          file_(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR)) {
        write_until(PcapBytes::header);
        growth_->grown_to(place_);
        thread_ = std::thread([this] { feed(); });
    }
    ~Feeder() {
        stop_ = true;
        thread_.join();
        growth_->end();
    }
    const std::shared_ptr<FileGrowth>& growth() const { return growth_; }
    uint64_t packets() const { return packets_; }
    bool ended() const { return ended_; }

  private:
    void write_until(size_t end) {
        while (place_ < end) {
            const ssize_t wrote = ::write(file_.get(), capture_.at(place_), end - place_);
            if (wrote <= 0) return;
            place_ += static_cast<size_t>(wrote);
        }
    }
    void feed() {
        const auto began = std::chrono::steady_clock::now();
        while (!stop_ && !ended_) {
            std::this_thread::sleep_for(std::chrono::milliseconds(arguments_.between_ms));
            const double seconds =
                std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
            const auto due = static_cast<uint64_t>(seconds * arguments_.rate);
            size_t end = place_;
            while (packets_ < due) {
                const size_t next = capture_.end_of(end);
                ended_ = next == 0;
                if (ended_) break;
                end = next;
                ++packets_;
            }
            write_until(end);
            growth_->grown_to(place_);
        }
    }

    const PcapBytes& capture_;
    const Arguments& arguments_;
    FileDescriptor file_;
    std::shared_ptr<FileGrowth> growth_ = std::make_shared<FileGrowth>();
    size_t place_ = 0;
    std::atomic<uint64_t> packets_ = 0;
    std::atomic<bool> stop_ = false;
    std::atomic<bool> ended_ = false;
    std::thread thread_;
};

// Those that change as it is recorded; findings are looked for once a second, by what that costs. What a kernel reported is in no
// plain pcap.
double least_frames(std::string_view view) {
    if (view == "details" || view == "notes" || view.starts_with("kernel-")) return 0;
    return view == "findings" ? 0.5 : 20;
}

bool measure(TimedApplication& application, CaptureWindow& capture, const Feeder& feeder,
             const ViewKind& kind, const Arguments& arguments) {
    capture.show_view(kind.name);
    const View* const view = capture.view(kind.name);
    QElapsedTimer timer;
    timer.start();
    process_until([&] { return timer.elapsed() > 700; });
    uint64_t frames = 0;
    uint64_t paints = 0;
    uint64_t seen = view->pictures_taken();
    application.on_paint = [&](const QObject* painted) {
        const auto* const widget = qobject_cast<const QWidget*>(painted);
        if (widget != view && (widget == nullptr || !view->isAncestorOf(widget))) return;
        ++paints;
        if (view->pictures_taken() > seen) ++frames;
        seen = view->pictures_taken();
    };
    const uint64_t first = seen;
    application.reset();
    const uint64_t packets = feeder.packets();
    timer.start();
    process_until([&] { return static_cast<double>(timer.elapsed()) > arguments.seconds * 1000; });
    application.on_paint = nullptr;
    const double seconds = static_cast<double>(timer.elapsed()) / 1000;
    const double rate = static_cast<double>(frames) / seconds;
    const uint64_t analysed = capture.document().data()->progress().packets;
    const bool enough = rate >= least_frames(kind.name);
    fmt::print(
        "{:<14} {:>6.1f} frames/s {:>6.1f} pictures/s {:>7.1f} paints/s   longest event {:>5.1f} ms "
        "({:.1f} of processor, {})   {:>7.0f} packets/s, {} behind{}\n",
        kind.name, rate, static_cast<double>(view->pictures_taken() - first) / seconds,
        static_cast<double>(paints) / seconds, application.longest, application.longest_cpu, application.what,
        static_cast<double>(feeder.packets() - packets) / seconds,
        feeder.packets() - std::min<uint64_t>(feeder.packets(), analysed), enough ? "" : "   TOO FEW");
    std::fflush(stdout);
    return enough;
}

int follow(TimedApplication& application, const Arguments& arguments) {
    PcapBytes bytes;
    if (!bytes.load(arguments.capture)) {
        std::fprintf(stderr, "gui_live_bench: %s is no plain pcap\n", arguments.capture.c_str());
        return 1;
    }
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("live.pcap"));
    Feeder feeder(bytes, path.toStdString(), arguments);
    QString error;
    auto document = Document::follow(path, feeder.growth(), error);
    if (document == nullptr) {
        std::fprintf(stderr, "gui_live_bench: %s\n", qPrintable(error));
        return 1;
    }
    CaptureWindow window(std::move(document));
    window.setWindowFlag(Qt::Window, true);
    window.resize(1600, 900);
    window.show();
    ViewState& state = window.state();
    process_until([&] { return static_cast<double>(feeder.packets()) > arguments.rate; });
    process_until([&] { return !state.whole().empty(); });
    // The capture's own time may run faster or slower than that by which it is written.
    const auto span = static_cast<int64_t>(static_cast<double>(state.whole().span_ns()) * arguments.rate /
                                           static_cast<double>(feeder.packets()) * arguments.range_seconds);
    state.set_range({state.whole().end_ns - std::min(span, state.whole().span_ns()), state.whole().end_ns});
    state.set_following(true);
    bool enough = true;
    bool long_enough = false;
    for (const ViewKind& kind : view_kinds()) {
        if (!arguments.views.empty() &&
            std::ranges::find(arguments.views, kind.name) == arguments.views.end())
            continue;
        if (!long_enough && state.whole().span_ns() > span) {
            state.set_range({state.whole().end_ns - span, state.whole().end_ns});
            state.set_following(true);
            long_enough = true;
        }
        enough = measure(application, window, feeder, kind, arguments) && enough;
        if (feeder.ended()) {
            std::fprintf(stderr, "gui_live_bench: the capture is too short for this\n");
            return 1;
        }
    }
    return enough ? 0 : 1;
}

int run(int argc, char** argv) {
    CLI::App app("Measures how the window follows a recording, without a display.", "gui_live_bench");
    Arguments arguments;
    app.add_option("CAPTURE", arguments.capture,
                   "A plain pcap, as made by `make_capture --like small-io --snap 128`")
        ->required();
    app.add_option("--rate", arguments.rate, "Packets a second")->capture_default_str();
    app.add_option("--seconds", arguments.seconds, "For each view")->capture_default_str();
    app.add_option("--between", arguments.between_ms, "Milliseconds after which the recorder tells of more")
        ->capture_default_str();
    app.add_option("--range", arguments.range_seconds, "Seconds in sight")->capture_default_str();
    app.add_option("--view", arguments.views, "Measure only this view; may be given again");
    CLI11_PARSE(app, argc, argv);
    return with_timed_application("gui_live_bench", argv, [&](TimedApplication& application) {
        return follow(application, arguments);
    });
}

}  // namespace
}  // namespace sanscope

int main(int argc, char** argv) {
    return sanscope::run_as_program("gui_live_bench", [&] { return sanscope::run(argc, argv); });
}

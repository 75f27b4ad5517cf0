// SPDX-License-Identifier: GPL-3.0-or-later
//
// What metrics cost the analysis of a capture: processor time of the process with and without them, in turn, over captures that
// are in the page cache. A live capture is asked for its figures once a second; here it is once for each second of the run, and
// with --each-ms as often as that.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fmt/format.h>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "analyzer/engine/analysis.h"
#include "analyzer/ingest/capture_file.h"
#include "analyzer/metrics/metrics_collector.h"
#include "analyzer/report/findings_so_far.h"

namespace sanscope {
namespace {

double process_seconds() {
    timespec time{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

double thread_seconds() {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

struct Round {
    double seconds = 0;
    double gathering = 0;   // of these, what is done while the analysis waits …
    double digesting = 0;   // … to examine samples …
    double publishing = 0;  // … and to copy the figures
    unsigned times = 0;     // that this was done
    uint64_t commands = 0;
    uint64_t examined = 0;
    size_t connections = 0;
};

// As LiveReport does, and LiveMetrics beside it.
Round analysed(const std::string& path, bool with_metrics, std::chrono::milliseconds each) {
    auto source = open_capture(path);
    if (!source) {
        fmt::print(stderr, "{}: {}\n", path, source.error().message);
        std::exit(1);
    }
    Engine engine(with_metrics ? ResultStore::Keep::only(&ResultStore::Keep::live_counts)
                               : ResultStore::Keep::nothing());
    MetricsCollector collector;
    std::shared_mutex engine_lock;
    const double begin = process_seconds();
    std::mutex mutex;
    std::condition_variable changed;
    bool ended = false;
    Round round;
    const auto publish = [&] {
        const double start = thread_seconds();
        {
            const std::unique_lock lock(engine_lock);
            engine.describe_connections();
            collector.gather(engine, SamplePace::Moment::now());
        }
        const double gathered = thread_seconds();
        collector.examine_sample();
        const double digested = thread_seconds();
        const auto snapshot = std::make_shared<const MetricsSnapshot>(collector.snapshot());
        round.gathering += gathered - start;
        round.digesting += digested - gathered;
        round.publishing += thread_seconds() - digested;
        ++round.times;
    };
    std::thread publisher;
    if (with_metrics) {
        publisher = std::thread([&] {
            std::unique_lock lock(mutex);
            auto due = std::chrono::steady_clock::now();
            while (!changed.wait_until(lock, due += each, [&] { return ended; })) publish();
        });
    }
    AnalysisOptions options;
    options.engine_lock = &engine_lock;
    analyse(**source, engine, options);
    {
        const std::lock_guard lock(mutex);
        ended = true;
        changed.notify_all();
    }
    if (publisher.joinable()) publisher.join();
    round.seconds = process_seconds() - begin;
    round.commands = engine.store().summary().commands();
    round.connections = engine.store().connections().size();
    for (const auto& [labels, time] : collector.snapshot().times) round.examined += time.commands;
    return round;
}

double median(std::vector<double> values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
}

int run(int argc, char** argv) {
    int rounds = 11;
    std::chrono::milliseconds each{1000};
    std::vector<std::string> paths;
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        if (word == "--rounds" && i + 1 < argc) {
            rounds = std::max(1, std::atoi(argv[++i]));
        } else if (word == "--each-ms" && i + 1 < argc) {
            each = std::chrono::milliseconds(std::max(1, std::atoi(argv[++i])));
        } else {
            paths.emplace_back(word);
        }
    }
    if (paths.empty()) {
        fmt::print(stderr, "usage: metrics_bench [--rounds N] [--each-ms N] CAPTURE...\n");
        return 2;
    }
    for (const std::string& path : paths) {
        analysed(path, false, each);  // into the page cache
        std::vector<double> without;
        std::vector<double> with;
        std::vector<double> ratios;
        Round last;
        for (int i = 0; i < rounds; ++i) {
            // Which comes first takes turns, too.
            double a = 0;
            if (i % 2 == 0) a = analysed(path, false, each).seconds;
            last = analysed(path, true, each);
            if (i % 2 != 0) a = analysed(path, false, each).seconds;
            without.push_back(a);
            with.push_back(last.seconds);
            ratios.push_back(last.seconds / a);
        }
        fmt::print(
            "{} connections; last round, {} times: gathering {:.2f} ms, examining {:.2f} ms, copying {:.2f} "
            "ms\n",
            last.connections, last.times, last.gathering * 1e3, last.digesting * 1e3, last.publishing * 1e3);
        fmt::print(
            "{}: {} commands, {} examined; without {:.3f} s, with {:.3f} s (medians of {}); ratio {:.4f}, "
            "from {:.4f} to {:.4f}\n",
            path, last.commands, last.examined, median(without), median(with), rounds, median(ratios),
            *std::ranges::min_element(ratios), *std::ranges::max_element(ratios));
    }
    return 0;
}

}  // namespace
}  // namespace sanscope

int main(int argc, char** argv) {
    return sanscope::run(argc, argv);
}

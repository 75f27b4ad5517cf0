// SPDX-License-Identifier: GPL-3.0-or-later

// Time of the line from a capture in memory to the rows of its tables, up to a stage, by kind of capture:
//
//     engine_bench [--stop-after=read|decode|reassemble|frame|track|store] [--samples=DIR] [--packets=N]
//                  [--connections=N] [Google Benchmark's options]
//
// Each stage includes those before it, reading included; `read` finds the packets and no more. With `track` rows of
// commands and PDUs are made and dropped, as for a report; with `store` all four tables are kept.

#include <algorithm>
#include <array>
#include <benchmark/benchmark.h>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "analyzer/bench/capture_likeness.h"
#include "analyzer/bench/capture_maker.h"
#include "analyzer/engine/analysis.h"
#include "analyzer/engine/engine.h"
#include "analyzer/ingest/packet_source.h"

namespace sanscope {
namespace {

constexpr std::array<std::string_view, 6> stages = {"read",  "decode", "reassemble",
                                                    "frame", "track",  "store"};

struct Options {
    std::string samples = SANSCOPE_SAMPLES;
    std::string_view stop_after;  // empty: every stage
    uint64_t packets = 0;         // 0: as usual for the kind of capture
    unsigned connections = 4;
};
Options options;

[[noreturn]] void fail(const std::string& message) {
    fmt::print(stderr, "engine_bench: {}\n", message);
    std::exit(1);
}

// A file that is only in memory: what a file in the page cache is to its reader.
class CaptureInMemory {
  public:
    explicit CaptureInMemory(const CaptureLikeness& likeness) : likeness_(&likeness) {
        packets_ = options.packets != 0 ? options.packets : likeness.packets;
        CaptureMaker::Shape shape;
        shape.sample = fmt::format("{}/{}", options.samples, likeness.sample);
        shape.connections = options.connections;
        const auto maker = CaptureMaker::make(shape);
        if (!maker) fail(fmt::format("{}: {}", shape.sample, maker.error().message));
        descriptor_ = memfd_create("capture", MFD_CLOEXEC);
        if (descriptor_ < 0) fail("no file in memory can be made");
        const bool written = maker->write(packets_, [&](std::span<const uint8_t> bytes) {
            return ::write(descriptor_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
        });
        if (!written) fail("the capture does not fit into memory");
    }
    CaptureInMemory(const CaptureInMemory&) = delete;
    CaptureInMemory& operator=(const CaptureInMemory&) = delete;
    ~CaptureInMemory() { ::close(descriptor_); }

    bool is(const CaptureLikeness& likeness) const { return likeness_ == &likeness; }
    std::string path() const { return fmt::format("/proc/self/fd/{}", descriptor_); }
    uint64_t packets() const { return packets_; }
    uint64_t bytes() const {
        struct stat status {};
        ::fstat(descriptor_, &status);
        return static_cast<uint64_t>(status.st_size);
    }

  private:
    const CaptureLikeness* likeness_;
    int descriptor_ = -1;
    uint64_t packets_ = 0;
};

// They are large: one at a time.
const CaptureInMemory& capture_like(const CaptureLikeness& likeness) {
    static std::unique_ptr<CaptureInMemory> made;
    if (made == nullptr || !made->is(likeness)) {
        made.reset();
        made = std::make_unique<CaptureInMemory>(likeness);
    }
    return *made;
}

uint64_t read_only(PacketSource& source) {
    PacketBatch batch;
    uint64_t packets = 0;
    while (source.claim(batch)) {
        source.load(batch);
        source.parse(batch);
        packets += batch.packets.size();
    }
    return packets;
}

uint64_t run_until(std::string_view stage, PacketSource& source, unsigned threads) {
    if (stage == "read") return read_only(source);
    using Stop = Engine::StopAfter;
    const bool store = stage == "store";
    const Stop stop = stage == "decode"       ? Stop::decode
                      : stage == "reassemble" ? Stop::reassemble
                      : stage == "frame"      ? Stop::frame
                                              : Stop::none;
    Engine engine(store ? ResultStore::Keep{} : ResultStore::Keep::nothing(), stop);
    AnalysisOptions analysis;
    analysis.threads = threads;
    analyse(source, engine, analysis);
    return engine.totals().packets;
}

void measure(benchmark::State& state, const CaptureLikeness& likeness, std::string_view stage,
             unsigned threads) {
    const CaptureInMemory& capture = capture_like(likeness);
    for (auto _ : state) {
        auto source = open_capture(capture.path());
        if (!source) fail(source.error().message);
        if (run_until(stage, **source, threads) != capture.packets())
            state.SkipWithError("packets are missing");
    }
    const auto rounds = static_cast<double>(state.iterations());
    using benchmark::Counter;
    state.counters["packet"] =
        Counter(rounds * static_cast<double>(capture.packets()), Counter::kIsRate | Counter::kInvert);
    state.SetBytesProcessed(static_cast<int64_t>(rounds * static_cast<double>(capture.bytes())));
}

void register_benchmarks() {
    for (const CaptureLikeness& likeness : capture_likenesses) {
        for (const std::string_view stage : stages) {
            if (!options.stop_after.empty() && stage != options.stop_after) continue;
            benchmark::RegisterBenchmark(
                fmt::format("{}/{}", likeness.name, stage).c_str(),
                [&likeness, stage](benchmark::State& state) { measure(state, likeness, stage, 1); })
                ->Unit(benchmark::kMillisecond);
        }
        if (!options.stop_after.empty() && options.stop_after != "store") continue;
        benchmark::RegisterBenchmark(
            fmt::format("{}/store/2_threads", likeness.name).c_str(),
            [&likeness](benchmark::State& state) { measure(state, likeness, "store", 2); })
            ->Unit(benchmark::kMillisecond)
            ->MeasureProcessCPUTime()
            ->UseRealTime();
    }
}

template <class T>
T number_of(std::string_view text) {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value == 0)
        fail(fmt::format("{} is no count", text));
    return value;
}

// Google Benchmark has taken its own options out.
void read_options(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
        const std::string_view argument = argv[i];
        const size_t equals = argument.find('=');
        const std::string_view name = argument.substr(0, equals);
        const std::string_view value = equals == std::string_view::npos ? "" : argument.substr(equals + 1);
        if (name == "--stop-after" && std::find(stages.begin(), stages.end(), value) != stages.end()) {
            options.stop_after = value;
        } else if (name == "--samples") {
            options.samples = value;
        } else if (name == "--packets") {
            options.packets = number_of<uint64_t>(value);
        } else if (name == "--connections") {
            options.connections = number_of<unsigned>(value);
        } else {
            fail(fmt::format("{} is not understood; --stop-after= takes {}", argument,
                             fmt::join(stages, ", ")));
        }
    }
}

}  // namespace
}  // namespace sanscope

int main(int argc, char** argv) {
    benchmark::Initialize(&argc, argv);
    sanscope::read_options(argc, argv);
    sanscope::register_benchmarks();
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}

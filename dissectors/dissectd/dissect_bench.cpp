// SPDX-License-Identifier: GPL-3.0-or-later
// How long a user waits for packet details: `dissect_bench [--capture=FILE] [Google Benchmark's options]`. With a capture
// besides the sample, clicks into it at random are timed too.
#include <algorithm>
#include <benchmark/benchmark.h>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <unistd.h>

#include "dissectors/client/packet_details.h"

#include "analyzer/bench/capture_maker.h"

namespace sanscope {
namespace {

// One connection that begins with its SYN.
const std::string sample = std::string(SANSCOPE_SAMPLES) + "/snap128-reads-64k-qd32.pcap.zst";
constexpr PacketNumber clicked = 10'000;

std::string temporary_folder() {
    const char* const folder = std::getenv("TMPDIR");
    return folder == nullptr ? "/tmp" : folder;
}

DissectClient::Options helper() {
    DissectClient::Options options;
    options.program = DISSECTD;
    return options;
}

std::unique_ptr<PacketReader> read(const std::string& path) {
    auto reader = PacketReader::open(path, {});
    if (reader) return std::move(*reader);
    std::fprintf(stderr, "dissect_bench: %s: %s\n", path.c_str(), reader.error().message.c_str());
    std::exit(1);
}

void click(benchmark::State& state, PacketDetails& details, PacketNumber packet) {
    const auto tree = details.describe(packet);
    if (!tree) state.SkipWithError(tree.error().message.c_str());
    benchmark::DoNotOptimize(tree);
}

void start_and_first_answer(benchmark::State& state) {
    const auto reader = read(sample);
    for (auto _ : state) {
        DissectClient client(helper());
        PacketDetails details(*reader, client);
        click(state, details, 1);
    }
}
BENCHMARK(start_and_first_answer)->Unit(benchmark::kMillisecond)->UseRealTime();

void open_another_capture(benchmark::State& state) {
    const auto reader = read(sample);
    DissectClient client(helper());
    for (auto _ : state) {
        PacketDetails details(*reader, client);
        click(state, details, 1);
    }
}
BENCHMARK(open_another_capture)->Unit(benchmark::kMillisecond)->UseRealTime();

// The sample's connection, one after the other.
std::unique_ptr<PacketReader> read_connections(uint64_t connections, uint64_t& packets_of_one) {
    const auto maker = CaptureMaker::make({.sample = sample, .connections = 1});
    packets_of_one = maker->packets_of_sample();
    std::string path = temporary_folder() + "/dissect_bench-XXXXXX";
    const int file = ::mkstemp(path.data());
    maker->write(connections * packets_of_one, [&](std::span<const uint8_t> bytes) {
        return ::write(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
    });
    ::close(file);
    auto reader = read(path);
    ::unlink(path.c_str());
    return reader;
}

void first_click_in_a_conversation_of_10000(benchmark::State& state) {
    constexpr uint64_t connections = 20;
    uint64_t packets = 0;
    const auto reader = read_connections(connections, packets);
    DissectClient client(helper());
    PacketDetails details(*reader, client);
    click(state, details, 1);
    uint64_t connection = 1;
    for (auto _ : state) click(state, details, connection++ * packets + clicked);
}
BENCHMARK(first_click_in_a_conversation_of_10000)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->Iterations(19);

void click_in_a_conversation_already_fed(benchmark::State& state) {
    const auto reader = read(sample);
    DissectClient client(helper());
    PacketDetails details(*reader, client);
    click(state, details, clicked);
    std::mt19937 random(1);
    for (auto _ : state) click(state, details, 1 + random() % clicked);
}
BENCHMARK(click_in_a_conversation_already_fed)->Unit(benchmark::kMillisecond)->UseRealTime();

// Each in a conversation not seen before, as good as surely; times of single clicks are printed as well.
void first_click_anywhere(benchmark::State& state, const std::string& path) {
    const auto reader = read(path);
    DissectClient client(helper());
    PacketDetails details(*reader, client);
    click(state, details, 1);
    std::mt19937_64 random(1);
    std::vector<double> times;
    for (auto _ : state) {
        const auto begun = std::chrono::steady_clock::now();
        click(state, details, 1 + random() % reader->index().packets());
        times.push_back(
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begun).count());
    }
    std::sort(times.begin(), times.end());
    state.counters["packets"] = static_cast<double>(reader->index().packets());
    state.counters["median_ms"] = times[times.size() / 2];
    state.counters["longest_ms"] = times.back();
}

}  // namespace
}  // namespace sanscope

int main(int argc, char** argv) {
    const std::string option = "--capture=";
    for (int i = 1; i < argc; ++i) {
        const std::string argument = argv[i];
        if (!argument.starts_with(option)) continue;
        benchmark::RegisterBenchmark("first_click_anywhere",
                                     [path = argument.substr(option.size())](benchmark::State& state) {
                                         sanscope::first_click_anywhere(state, path);
                                     })
            ->Unit(benchmark::kMillisecond)
            ->UseRealTime()
            ->Iterations(100);
        std::copy(argv + i + 1, argv + argc, argv + i);
        --argc;
        break;
    }
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}

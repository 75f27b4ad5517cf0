// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/cli/captures.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fmt/core.h>
#include <thread>
#include <utility>

#include "analyzer/base/print_text.h"
#include "analyzer/cli/decode_as_option.h"
#include "analyzer/cli/interrupt_handler.h"
#include "analyzer/cli/progress_bar.h"
#include "analyzer/engine/analysis.h"
#include "analyzer/report/capture_summary.h"
#include "analyzer/report/findings_input.h"
#include "analyzer/report/human_units.h"

namespace sanscope {
namespace {

unsigned chosen_threads(unsigned asked, const PacketSource& source) {
    constexpr unsigned useful = 2;  // one replays the TCP senders, the other does all else
    // What is done in some milliseconds is not done sooner by two. 0: not known.
    constexpr uint64_t little = uint64_t{4} << 20;
    if (asked != 0) return asked;
    if (source.bytes_total() != 0 && source.bytes_total() < little) return 1;
    return std::clamp(std::thread::hardware_concurrency(), 1u, useful);
}

}  // namespace

bool report_damage(const PacketSource& source, uint64_t packets) {
    const std::string analysed_before = packets == 0 ? "nothing before it to analyse"
                                        : packets == 1
                                            ? "the packet before it was analysed"
                                            : fmt::format("the {} packets before it were analysed", packets);
    for (const Damage& damage : source.damage()) {
        const std::string where =
            damage.at_byte == 0 ? "" : fmt::format(" at byte {}; {}", damage.at_byte, analysed_before);
        print_text(stderr, "sanscope: {}: {}{}\n", damage.file, damage.message, where);
    }
    return !source.damage().empty();
}

CLI::Option* CaptureOptions::add_to(CLI::App& command) {
    CLI::Option* const option = command
                                    .add_option("FILE", files,
                                                "Captures: pcap or pcapng, plain or compressed with gzip, "
                                                "zstd, lz4, xz or bzip2, whatever their "
                                                "names; - is "
                                                "standard input. Several are merged by time.")
                                    ->required();
    command
        .add_option(
            "--threads", threads,
            "Threads to use: 1, or 2, one of which replays the TCP senders (the default where there are two "
            "processors and a file is not small). The output is the same.")
        ->check(CLI::Range(1u, 64u));
    add_decode_as(command, decode_as);
    return option;
}

namespace {

enum class Tells : uint8_t { damage, nothing };

Analysed analyse_into(const CaptureOptions& options, ResultStore::Keep keep,
                      std::unique_ptr<SpillingMemory> memory, Tells tells = Tells::damage) {
    Analysed analysed;
    analysed.memory = std::move(memory);
    analysed.stop = &InterruptHandler::next_interrupt();
    auto source = open_captures(options.files);
    if (!source) {
        print_text(stderr, "sanscope: {}\n", source.error().message);
        analysed.status = exit_nothing_analysed;
        return analysed;
    }
    analysed.source = std::move(*source);
    for (const auto& [file, format] : analysed.source->read_by_wireshark())
        print_text(stderr, "sanscope: {}: {}, read by Wireshark's reader, which is slower\n", file, format);
    analysed.engine = analysed.memory == nullptr
                          ? std::make_unique<Engine>(keep)
                          : std::make_unique<Engine>(keep, Engine::StopAfter::none, analysed.memory.get());

    analysed.engine->decode_as(decode_as_of(options.decode_as));

    ProgressBar bar(*analysed.source);
    AnalysisOptions analysis;
    analysed.threads = chosen_threads(options.threads, *analysed.source);
    analysis.threads = analysed.threads;
    analysis.stop = analysed.stop;
    if (ProgressBar::wanted()) analysis.progress = [&] { bar.update(analysed.engine->totals().packets); };
    bool whole = false;
    {
        const InterruptHandler handler;
        whole = analyse(*analysed.source, *analysed.engine, analysis);
    }
    bar.clear();

    const uint64_t packets = analysed.engine->totals().packets;
    const bool damaged = tells == Tells::damage ? report_damage(*analysed.source, packets)
                                                : !analysed.source->damage().empty();
    if (damaged) analysed.status = packets == 0 ? exit_nothing_analysed : exit_input_damaged;
    if (!whole) {
        print_text(stderr, "sanscope: interrupted after {}\n", counted_exactly(packets, "packet"));
        analysed.status = exit_interrupted;
    }
    return analysed;
}

}  // namespace

Analysed analyse_captures(const CaptureOptions& options, ResultStore::Keep keep) {
    return analyse_into(options, keep, nullptr);
}

Analysed analyse_captures_aside(const CaptureOptions& options, ResultStore::Keep keep) {
    constexpr size_t most_in_memory = size_t{256} << 20;
    return analyse_into(options, keep, std::make_unique<SpillingMemory>(most_in_memory));
}

Analysed analyse_captures_quietly(const CaptureOptions& options, ResultStore::Keep keep) {
    constexpr size_t most_in_memory = size_t{256} << 20;
    return analyse_into(options, keep, std::make_unique<SpillingMemory>(most_in_memory), Tells::nothing);
}

std::vector<Finding> findings_of(const Analysed& analysed) {
    return findings(*CaptureFindingsInput(*analysed.engine, *analysed.source, analysed.stop));
}

CaptureRow summary_of(const Analysed& analysed, std::string file, std::span<const Finding> found) {
    CaptureFindingsInput input(*analysed.engine, *analysed.source, analysed.stop);
    return summarise_capture(std::move(file), *input, found);
}

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "analyzer/base/spilling_memory.h"
#include "analyzer/cli/exit_status.h"
#include "analyzer/engine/engine.h"
#include "analyzer/ingest/packet_source.h"
#include "analyzer/report/findings.h"
#include "analyzer/tables/captures_table.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace sanscope {

// The FILE... arguments that the subcommands share, and what is done with them.
struct CaptureOptions {
    std::vector<std::string> files;
    unsigned threads = 0;  // 0: chosen
    std::vector<std::string> decode_as = {};

    // Returns the option FILE, which is required.
    CLI::Option* add_to(CLI::App& command);
};

struct Analysed {
    std::unique_ptr<SpillingMemory> memory;  // of the engine's rows
    std::unique_ptr<PacketSource>
        source;  // for its interfaces and damage; nullptr if nothing could be opened
    std::unique_ptr<Engine> engine;
    const std::atomic<bool>* stop = nullptr;  // Ctrl-C while it was analysed, or later
    unsigned threads = 1;                     // that analysed it
    ExitStatus status = exit_all_analysed;
};

// Opens and analyses the captures, with a progress bar where standard error is a terminal; what is wrong with them, and
// an interruption by Ctrl-C, is reported on standard error.
Analysed analyse_captures(const CaptureOptions& options, ResultStore::Keep keep);
// The same for whoever looks at rows but once: beyond some hundred megabytes they lie in a temporary file.
Analysed analyse_captures_aside(const CaptureOptions& options, ResultStore::Keep keep);
// As that, of a capture whose damage was told before.
Analysed analyse_captures_quietly(const CaptureOptions& options, ResultStore::Keep keep);
// What is wrong with a capture that was analysed with the rows for it (rows_for_findings).
std::vector<Finding> findings_of(const Analysed& analysed);
// The same capture in one row.
CaptureRow summary_of(const Analysed& analysed, std::string file, std::span<const Finding> found);

// Reports on standard error where the captures were damaged, `packets` having been analysed; whether they were at all.
bool report_damage(const PacketSource& source, uint64_t packets);

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/cli/compare_command.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <unistd.h>
#include <utility>

#include "analyzer/base/print_text.h"
#include "analyzer/cli/captures.h"
#include "analyzer/cli/decode_as_option.h"
#include "analyzer/compare/comparison_json.h"
#include "analyzer/compare/comparison_text.h"
#include "analyzer/export/file_sink.h"

namespace sanscope {
namespace {

// The rows of one capture are let go before the next one is read.
std::pair<CaptureFigures, ExitStatus> measure(const std::string& file, unsigned threads,
                                              const std::vector<std::string>& decode_as) {
    const Analysed analysed = analyse_captures_aside(
        {.files = {file}, .threads = threads, .decode_as = decode_as}, rows_for_findings);
    if (analysed.status == exit_nothing_analysed) return {{}, analysed.status};
    const std::vector<Finding> findings = findings_of(analysed);
    const bool stopped = analysed.stop != nullptr && *analysed.stop;
    return {measure_capture(analysed.engine->store(), analysed.engine->totals(), findings),
            stopped ? exit_interrupted : analysed.status};
}

}  // namespace

void CompareCommand::add_to(CLI::App& app) {
    command_ = app.add_subcommand(
        "compare", "Two captures, before and after a change: what differs by more than chance");
    command_
        ->add_option("BEFORE", before_, "A capture: pcap or pcapng, plain or compressed; - is standard input")
        ->required();
    command_->add_option("AFTER", after_, "Another one")->required();
    command_->add_option("--format", format_, "text; json: one object")
        ->check(CLI::IsMember({"text", "json"}))
        ->capture_default_str();
    command_->add_option("--threads", threads_, "Threads to use, as of the other commands")
        ->check(CLI::Range(1u, 64u));
    add_decode_as(*command_, decode_as_);
    command_->footer(
        "Sessions are matched by the names of initiator and target, then by addresses; commands by LUN, kind "
        "and size.\n"
        "Times and rates are said to be higher or lower only where they differ by more than 5 % (shares of a "
        "whole: 5\n"
        "points), and by more than the captures themselves vary: resampled by blocks of time, corrected for "
        "how many\n"
        "figures there are. docs/compare.md says what that can and cannot show.\n\n"
        "Exit status: 0 all was analysed; 1 nothing of one of the captures could be; 2 usage; 3 the input "
        "was "
        "damaged;\n"
        "130 Ctrl-C: nothing is compared.\n\n"
        "Examples:\n"
        "  sanscope compare monday.pcapng tuesday.pcapng\n"
        "  sanscope compare --format json before.pcap.zst after.pcap.zst | jq '.sessions[].figures[] | "
        "select(.verdict == \"higher\")'\n");
}

bool CompareCommand::chosen() const {
    return command_->parsed();
}

ExitStatus CompareCommand::run() const {
    if (before_ == "-" && after_ == "-") {
        print_text(stderr, "sanscope: compare: only one of the captures can be standard input\n");
        return exit_usage;
    }
    const auto [before, before_status] = measure(before_, threads_, decode_as_);
    // Of a part of a capture, what is found would be taken for a change.
    if (before_status == exit_nothing_analysed || before_status == exit_interrupted) return before_status;
    const auto [after, after_status] = measure(after_, threads_, decode_as_);
    if (after_status == exit_nothing_analysed || after_status == exit_interrupted) return after_status;

    const Comparison comparison = compare_captures(before, after);
    const ComparedFiles files{before_ == "-" ? "standard input" : before_,
                              after_ == "-" ? "standard input" : after_};
    FileSink out(STDOUT_FILENO);
    const bool written = format_ == "json" ? write_comparison_json(files, before, after, comparison, out)
                                           : out.write(comparison_text(files, before, after, comparison));
    if (!written && out.error() != nullptr) {
        print_text(stderr, "sanscope: standard output: {}\n", out.error()->message);
        return exit_nothing_analysed;
    }
    return std::max(before_status, after_status);
}

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/cli/report_command.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fmt/core.h>
#include <unistd.h>

#include "analyzer/base/print_text.h"
#include "analyzer/export/file_sink.h"
#include "analyzer/report/text_report.h"

namespace sanscope {

void ReportCommand::add_to(CLI::App& app) {
    command_ =
        app.add_subcommand("report", "What happened, for reading: sessions, commands, turnaround, errors");
    captures_.add_to(*command_);
    command_->footer(
        "Turnaround is the time from the packet that completes a command PDU to the packet that completes "
        "the PDU\n"
        "with its status, as the capturing host saw them. Memory does not grow with the length of the "
        "capture.\n\n"
        "Examples:\n"
        "  sanscope report san.pcapng\n"
        "  sanscope report initiator.pcap.zst target.pcap.zst\n"
        "  tcpdump -i eth0 -s 128 -w - port 3260 | sanscope report -\n");
}

bool ReportCommand::chosen() const {
    return command_->parsed();
}

ExitStatus ReportCommand::run() const {
    const Analysed analysed = analyse_captures(captures_, ResultStore::Keep::nothing());
    if (analysed.status == exit_nothing_analysed) return analysed.status;
    FileSink out(STDOUT_FILENO);
    const Engine& engine = *analysed.engine;
    const std::string text =
        text_report({captures_.files, *analysed.source, engine.totals(), engine.issues(), engine.store()});
    if (!out.write(text) && out.error() != nullptr) {
        print_text(stderr, "sanscope: standard output: {}\n", out.error()->message);
        return exit_nothing_analysed;
    }
    return analysed.status;
}

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/cli/report_command.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fmt/core.h>
#include <future>
#include <unistd.h>

#include "analyzer/base/print_text.h"
#include "analyzer/cli/point_captures.h"
#include "analyzer/export/file_sink.h"
#include "analyzer/points/points_text.h"
#include "analyzer/points/senders_text.h"
#include "analyzer/points/split_text.h"
#include "analyzer/report/budget_section.h"
#include "analyzer/report/text_report.h"

namespace sanscope {

void ReportCommand::add_to(CLI::App& app) {
    command_ = app.add_subcommand(
        "report", "What is wrong and what happened, for reading: findings, sessions, commands");
    captures_.add_to(*command_);
    command_
        ->add_option("--fail-on", fail_on_,
                     "Exit with status 4 where there is a finding of this severity or a worse one")
        ->check(CLI::IsMember({"problem", "notice"}));
    command_
        ->add_flag(
            "--points", points_,
            "The captures are of the same traffic at several points of its path (host, switch "
            "mirror, array): where bytes were "
            "lost, how long each direction takes, how far the clocks are apart, whose time the commands' was")
        ->excludes("--fail-on");
    command_->footer(
        "Turnaround is the time from the packet that completes a command PDU to the packet that completes "
        "the PDU\n"
        "with its status, as the capturing host saw them. Of files, rows that findings rest on lie in a "
        "temporary file\n"
        "where they are many; of standard input none are kept, and less is found.\n\n"
        "Exit status: 0 all was analysed; 1 nothing could be; 2 usage; 3 the input was damaged; 4 as "
        "--fail-on says,\n"
        "whether the input was damaged or not.\n\n"
        "Examples:\n"
        "  sanscope report san.pcapng\n"
        "  sanscope report initiator.pcap.zst target.pcap.zst\n"
        "  sanscope report --points initiator.pcapng mirror.pcapng target.pcapng\n"
        "  sanscope report --fail-on problem san.pcapng || mail -s 'SAN' storage@example.org\n"
        "  tcpdump -i eth0 -s 128 -w - port 3260 | sanscope report -\n");
}

bool ReportCommand::chosen() const {
    return command_->parsed();
}

ExitStatus ReportCommand::report_points() const {
    FollowedPath followed = follow_points(captures_);
    if (followed.path.points.empty()) return followed.status;
    std::string more;
    if (split_point_commands(captures_, followed))
        more += split_text(followed.path, followed.commands.engine->store(), *followed.splits);
    std::vector<SenderAgreement> senders;
    if (followed.status != exit_interrupted && compare_point_senders(captures_, followed, senders))
        more += senders_text(followed.path, senders);
    FileSink out(STDOUT_FILENO);
    if (!out.write(points_text(followed.path, more)) && out.error() != nullptr) {
        print_text(stderr, "sanscope: standard output: {}\n", out.error()->message);
        return exit_nothing_analysed;
    }
    return followed.status;
}

ExitStatus ReportCommand::run() const {
    if (points_) return report_points();
    // A stream may never end: what is found in it rests on what is kept in bounded memory.
    const bool endless = std::ranges::find(captures_.files, "-") != captures_.files.end();
    const Analysed analysed = endless ? analyse_captures(captures_, ResultStore::Keep::nothing())
                                      : analyse_captures_aside(captures_, rows_for_findings);
    if (analysed.status == exit_nothing_analysed) return analysed.status;
    FileSink out(STDOUT_FILENO);
    const Engine& engine = *analysed.engine;
    // Neither changes the rows that both look at.
    auto cutting = std::async(analysed.threads > 1 ? std::launch::async : std::launch::deferred,
                              [&] { return where_the_time_went_section(engine.store()); });
    const std::vector<Finding> findings = findings_of(analysed);
    const std::string where_the_time_went = cutting.get();
    ReportInput input{captures_.files, *analysed.source, engine.totals(),           engine.issues(),
                      engine.store(),  findings,         isatty(STDOUT_FILENO) != 0};
    input.where_the_time_went = &where_the_time_went;
    const std::string text = text_report(input);
    if (!out.write(text) && out.error() != nullptr) {
        print_text(stderr, "sanscope: standard output: {}\n", out.error()->message);
        return exit_nothing_analysed;
    }
    const auto at_least = fail_on_ == "notice" ? Finding::Severity::notice : Finding::Severity::problem;
    const bool fails = !fail_on_.empty() && std::ranges::any_of(findings, [&](const Finding& finding) {
        return finding.severity <= at_least;
    });
    return fails ? exit_findings : analysed.status;
}

}  // namespace sanscope

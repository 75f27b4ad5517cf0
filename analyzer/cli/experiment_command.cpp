// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/cli/experiment_command.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "captures/experiment/experiment_runner.h"
#include "captures/experiment/result_folder.h"

#include "analyzer/base/print_text.h"
#include "analyzer/cli/error_message.h"
#include "analyzer/report/human_units.h"

namespace sanscope {
namespace {

std::atomic<bool> stop = false;

// Hosts are removed after whichever of these comes; a second one changes nothing.
void stop_on_signals() {
    struct sigaction action {};
    action.sa_handler = [](int) { stop = true; };
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaction(signal, &action, nullptr);
}

// Under a former name, too. What is wrong with it, for the command line.
std::string wrong_with_name(const std::string& name) {
    if (lab::find_experiment(name) != nullptr) return "";
    std::vector<std::string_view> all;
    for (const lab::Experiment& experiment : lab::experiments()) all.push_back(experiment.name);
    return fmt::format("{} is no experiment; there are {}", name, fmt::join(all, ", "));
}

std::string list() {
    std::string text;
    for (const lab::Experiment& experiment : lab::experiments())
        text += fmt::format("  {:<16} {}\n", experiment.name, experiment.title);
    return text;
}

// All that can keep hosts from being built here is found out before the first run.
Result<lab::LinkKind> link_of_hosts(const std::vector<lab::PlannedRun>& runs) {
    if (const auto claimed = lab::claim_host_names(); !claimed) return claimed.error();
    auto link = lab::try_hosts(runs.front().settings, stop);
    const auto prior = std::ranges::find_if(
        runs, [](const lab::PlannedRun& run) { return run.settings.priority != lab::Priority::none; });
    if (!link || prior == runs.end()) return link;
    // These need more of the kernel.
    const auto with_priority = lab::try_hosts(prior->settings, stop);
    if (!with_priority) {
        return Error{fmt::format("with priority, {}; --only priority=none leaves such runs out",
                                 with_priority.error().message)};
    }
    return link;
}

// As soon as it happens; nothing is said where there are no words.
void tell(const std::string& line) {
    if (line.empty()) return;
    print_text(stdout, "{}\n", line);
    std::fflush(stdout);
}

std::string list_settings() {
    std::string text;
    for (const lab::SettingColumn& column : lab::setting_columns())
        text += fmt::format("  {:<19} {}: {}\n", column.name, column.heading, column.bounds());
    return text;
}

}  // namespace

std::vector<std::string> ExperimentCommand::experiment_names() {
    std::vector<std::string> names;
    for (const lab::Experiment& experiment : lab::experiments()) names.emplace_back(experiment.name);
    return names;
}

void ExperimentCommand::add_to(CLI::App& app) {
    command_ = app.add_subcommand("experiment",
                                  "Sweep over delays, sizes and windows between hosts in network namespaces");
    command_->add_option("NAME", name_, "Which one; see below")->required()->check(wrong_with_name);
    command_->add_flag("--dry-run", dry_run_, "Only list each run, and how long all take");
    command_->add_option("-o,--output", folder_, "The folder for what comes out; by default called as NAME");
    command_->add_option("--repetitions", repetitions_, "Of each run; by default as many as it has")
        ->check(CLI::Range(1u, 1000u));
    command_->add_option("--seconds", seconds_, "Of load in a run; by default as it has it")
        ->check(CLI::Range(0.1, 3600.0));
    command_
        ->add_option("--only", only_,
                     "Only runs with these settings: SETTING=VALUE[,VALUE…], as delay_ms=0,4")
        ->allow_extra_args(false);
    command_
        ->add_option("--set", set_,
                     "Other values than the experiment's own: SETTING=VALUE[,VALUE…], as delay_ms=0,7")
        ->allow_extra_args(false);
    command_->add_flag("--keep-captures", keep_captures_,
                       "Keep the packets of each run whose load is iSCSI, in DIR/captures");
    command_->add_flag("--events", events_,
                       "Write what happens as JSON, an object a line, in place of sentences");
    command_->footer(
        "Experiments:\n" + list() + "\nSettings, for --set and --only:\n" + list_settings() +
        "\nEach run has an initiator, a link and a target of its own, in network namespaces that are removed "
        "after it:\nthis needs root. The link is netem where the kernel has it, and else the project's "
        "delay_node. Writes go to\nthe memory of that target and to nothing else. Each run that was done is "
        "a "
        "row of DIR/runs.csv at once: started\nagain, it goes on from there. In the end DIR holds table.csv, "
        "table.md, figure.svg, page.html and, where\nrsvg-convert is installed, figure.png. Runs whose "
        "congestion control this kernel does not have are left out.\n\n"
        "Exit status: 0 every run was done but those left out; 1 none could be; 2 usage; 3 some failed; 130 "
        "interrupted.\n\n"
        "Examples:\n"
        "  sanscope experiment oguchi-fig6-7 --dry-run\n"
        "  sanscope experiment oguchi-fig6-7 -o oguchi\n"
        "  sanscope experiment kancharla-tab4-7 --keep-captures\n"
        "  sanscope experiment oguchi-fig6-7 --only delay_ms=0,4 --only pdu_bytes=32K,1M --repetitions 1\n"
        "  sanscope experiment oguchi-fig6-7 --set delay_ms=0,7 --set pdu_bytes=3M --set "
        "operation=read,write\n");
}

bool ExperimentCommand::chosen() const {
    return command_->parsed();
}

ExitStatus ExperimentCommand::run() const {
    auto chosen = lab::choose(
        {.name = name_, .set = set_, .only = only_, .repetitions = repetitions_, .seconds = seconds_});
    if (!chosen) {
        print_error(chosen.error().message);
        return exit_usage;
    }
    const std::filesystem::path folder = folder_.empty() ? name_ : folder_;
    const std::string runs = (folder / "runs.csv").string();
    const bool records = chosen->experiment.records_packets || keep_captures_;
    if (dry_run_) {
        const auto done = lab::read_run_records(runs);
        if (!done) {
            print_error(done.error().message);
            return exit_nothing_analysed;
        }
        auto remaining = lab::remaining_runs(chosen->plan(), done->records, chosen->seconds);
        const size_t done_before = chosen->settings.size() * chosen->repetitions - remaining.size();
        for (const std::string& sentence : lab::leave_out(remaining, lab::available_congestion_controls()))
            print_text(stdout, "{}\n", sentence);
        print_text(stdout, "{}", lab::dry_run_text(*chosen, remaining, done_before, records));
        return exit_all_analysed;
    }
    if (::geteuid() != 0) {
        print_error(
            "experiments build hosts in network namespaces, which needs root: start it with sudo, or with "
            "--dry-run");
        return exit_nothing_analysed;
    }
    if (const auto missing = lab::missing_programs(chosen->settings); !missing.empty()) {
        print_error(fmt::format("not installed, but needed: {}", fmt::join(missing, ", ")));
        return exit_nothing_analysed;
    }
    const auto done = lab::read_run_records(runs);
    if (!done) {
        print_error(fmt::format("{}; choose another folder", done.error().message));
        return exit_nothing_analysed;
    }
    auto remaining = lab::remaining_runs(chosen->plan(), done->records, chosen->seconds);
    const size_t done_before = chosen->settings.size() * chosen->repetitions - remaining.size();
    chosen->left_out = lab::leave_out(remaining, lab::available_congestion_controls());
    for (const std::string& sentence : chosen->left_out)
        tell(events_ ? lab::message_json(sentence) : sentence);
    if (remaining.empty() && done->records.empty()) {
        print_error("no run is left that could be made here");
        return exit_nothing_analysed;
    }
    const std::string allowed = lab::allowed_congestion_controls();
    if (const auto refused = lab::refused_congestion_controls(remaining, allowed); !refused.empty()) {
        print_error(fmt::format(
            "hosts in namespaces may not use {} here; this allows it until the next start of the machine:\n"
            "  sysctl -w net.ipv4.tcp_allowed_congestion_control=\"{} {}\"",
            fmt::join(refused, ", "), allowed, fmt::join(refused, " ")));
        return exit_nothing_analysed;
    }
    if (const auto made = lab::make_folder(folder); !made) {
        print_error(made.error().message);
        return exit_nothing_analysed;
    }
    auto file = lab::RunRecordFile::open(runs);
    if (!file) {
        print_error(file.error().message);
        return exit_nothing_analysed;
    }
    stop_on_signals();
    lab::remove_abandoned_hosts();
    for (const pid_t other : lab::other_experiments()) {
        print_error(
            fmt::format("another experiment is running (process {}): each shows the other's load", other));
    }
    const auto link =
        remaining.empty() ? Result<lab::LinkKind>(lab::LinkKind::delay_node) : link_of_hosts(remaining);
    if (!link) {
        print_error(link.error().message);
        return stop ? exit_interrupted : exit_nothing_analysed;
    }
    const lab::RunMeans means{.link = *link,
                              .seconds = chosen->seconds,
                              .records_packets = chosen->experiment.records_packets,
                              .scratch = folder};
    if (events_) {
        tell(lab::begun_json(remaining.size(), done_before,
                             lab::estimated_seconds(remaining.size(), chosen->seconds, records)));
    }
    const auto tally = lab::make_runs(
        *chosen, remaining, means, keep_captures_, *file, stop,
        [this](const lab::RunNews& news) { tell(events_ ? lab::news_json(news) : lab::news_line(news)); });
    const ExitStatus status = finish(*chosen, remaining.size(), tally, *file, folder);
    if (events_) tell(lab::ended_json(status, tally ? tally->done : 0, tally ? tally->failed : 0));
    return status;
}

ExitStatus ExperimentCommand::finish(const lab::ChosenExperiment& chosen, size_t remaining,
                                     const Result<lab::RunTally>& tally, const lab::RunRecordFile& file,
                                     const std::filesystem::path& folder) const {
    if (!tally) print_error(tally.error().message);
    const auto written = lab::write_results(chosen, file.records(), folder, "sanscope " SANSCOPE_VERSION);
    if (!written) {
        print_error(written.error().message);
        return exit_nothing_analysed;
    }
    if (!events_) print_text(stdout, "{}: {}\n", folder.string(), fmt::join(*written, ", "));
    if (!events_ && std::ranges::find(*written, "figure.png") == written->end())
        print_text(stdout, "no figure.png: rsvg-convert (package librsvg2-bin) could not draw it\n");
    if (!tally) return exit_nothing_analysed;
    if (tally->interrupted) {
        print_error(fmt::format("interrupted after {} of {}; started again, it goes on from there",
                                tally->done, counted_exactly(remaining, "run")));
        return exit_interrupted;
    }
    if (tally->failed == 0) return exit_all_analysed;
    print_error(fmt::format("{} failed, {} done; started again, it tries what failed",
                            counted_exactly(tally->failed, "run"), tally->done));
    return tally->done == 0 ? exit_nothing_analysed : exit_input_damaged;
}

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/cli/filter_command.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>

#include "analyzer/base/print_text.h"
#include "analyzer/cli/captures.h"
#include "analyzer/cli/command_output.h"
#include "analyzer/cli/interrupt_handler.h"
#include "analyzer/cli/progress_bar.h"
#include "analyzer/export/block_writer.h"
#include "analyzer/export/pcapng_writer.h"
#include "analyzer/query/filter_error.h"
#include "analyzer/report/human_units.h"

namespace sanscope {

void FilterCommand::add_to(CLI::App& app) {
    command_ = app.add_subcommand("filter", "The packets that match a Wireshark display filter");
    command_->add_option("FILE", file_, "A capture; - is standard input")->required();
    command_->add_option("FILTER", filter_, "A Wireshark display filter")->required();
    command_->add_option(
        "-w,--write", output_,
        "Write the packets to this pcapng file (- is standard output) instead of their numbers");
    command_->add_flag(
        "-2,--two-passes", two_passes_,
        "Look at all packets first, so that a filter may ask of a packet what only later ones show");
    dissectors_.add_to(*command_);
    command_->footer(
        "Prints the number of each packet that matches. Your own Wireshark preferences hold, and are never "
        "written. For\nour own columns (turnaround, cwnd, ...) there is `sanscope table ... --where`.\n\n"
        "Examples:\n"
        "  sanscope filter san.pcapng 'iscsi.opcode == 0x25 && iscsi.time > 0.1'\n"
        "  sanscope filter san.pcapng 'scsi.lun == 3' -w lun3.pcapng\n"
        "  sanscope filter san.pcapng 'iscsi && !iscsi.response_frame' --two-passes\n");
}

bool FilterCommand::chosen() const {
    return command_->parsed();
}

// The filter is looked at before anything is read or written.
ExitStatus FilterCommand::check(DissectClient& client) const {
    v1::DissectRequest request;
    request.mutable_check_filter()->set_filter(filter_);
    const auto answer = client.ask(request);
    if (!answer) {
        print_text(stderr, "sanscope: {}\n", answer.error().message);
        return exit_nothing_analysed;
    }
    const v1::FilterCheck& check = answer->filter_check();
    for (const std::string& warning : check.warnings()) print_text(stderr, "sanscope: FILTER: {}\n", warning);
    if (check.valid()) return exit_all_analysed;
    print_text(
        stderr, "sanscope: FILTER: {}\n{}", check.message(),
        check.length() == 0 ? "" : underlined(filter_, {check.message(), check.start(), check.length()}));
    if (check.message().find("sanscope.") != std::string::npos) {
        print_text(
            stderr,
            "Fields that begin with sanscope. are those of sanscope's plugin for Wireshark, which is "
            "not installed here or has no such field; what sanscope itself has: sanscope table --help\n");
    }
    return exit_usage;
}

bool FilterCommand::would_overwrite_input() const {
    std::error_code error;
    return output_ != "-" && file_ != "-" && std::filesystem::equivalent(file_, output_, error) && !error;
}

ExitStatus FilterCommand::run() const {
    if (!output_.empty() && would_overwrite_input()) {
        print_text(stderr, "sanscope: {} would be overwritten by what is read from it\n", output_);
        return exit_usage;
    }
    if (two_passes_ && file_ == "-") {
        print_text(stderr, "sanscope: standard input cannot be read twice: --two-passes needs a file\n");
        return exit_usage;
    }
    DissectClient client(dissectors_.client());
    if (const ExitStatus checked = check(client); checked != exit_all_analysed) return checked;

    auto source = open_capture(file_);
    if (!source) {
        print_text(stderr, "sanscope: {}: {}\n", file_, source.error().message);
        return exit_nothing_analysed;
    }
    const std::string place = output_.empty() ? "-" : output_;
    auto file = CommandOutput::create(place);
    if (!file) {
        print_text(stderr, "sanscope: {}: {}\n", name_of_output(place), file.error().message);
        return exit_usage;
    }

    const InterruptHandler handler;
    FilterRun filter(client, filter_);
    FilterRun::Options options;
    options.stop = &InterruptHandler::interrupted;
    std::unique_ptr<ProgressBar> bar;
    const auto show_progress_of = [&](const PacketSource& read) {
        if (!ProgressBar::wanted()) return;
        bar = std::make_unique<ProgressBar>(read);
        options.progress = [&](uint64_t packets) { bar->update(packets); };
    };

    std::vector<std::string> left_out;
    if (two_passes_) {
        auto first = open_capture(file_);
        if (!first) {
            print_text(stderr, "sanscope: {}: {}\n", file_, first.error().message);
            return exit_nothing_analysed;
        }
        show_progress_of(**first);
        auto outcome = filter.look(**first, options);
        if (bar) bar->clear();
        if (!outcome) {
            print_text(stderr, "sanscope: {}: {}\n", file_, outcome.error().message);
            return exit_nothing_analysed;
        }
        left_out = std::move(outcome->left_out);
    }

    PcapngWriter writer(file->sink());
    BlockWriter numbers(file->sink());
    show_progress_of(**source);
    const auto outcome = filter.run(**source, options, [&](const RawPacket& packet, uint64_t number) {
        if (output_.empty()) {
            numbers.append(fmt::format_int(number).str());
            numbers.append('\n');
        } else {
            writer.add_interfaces((*source)->interfaces());
            writer.write(packet);
        }
    });
    if (bar) bar->clear();
    if (!outcome) {
        print_text(stderr, "sanscope: {}: {}\n", file_, outcome.error().message);
        return exit_nothing_analysed;
    }
    if (InterruptHandler::interrupted && !is_stream(place)) {
        print_text(stderr, "sanscope: {}: not written: interrupted after {}\n", place,
                   counted_exactly(outcome->packets, "packet"));
        return exit_interrupted;
    }
    output_.empty() ? numbers.finish() : writer.finish();
    if (const auto committed = file->commit(); !committed) {
        print_text(stderr, "sanscope: {}: {}\n", name_of_output(place), committed.error().message);
        return exit_nothing_analysed;
    }
    left_out.insert(left_out.end(), outcome->left_out.begin(), outcome->left_out.end());
    for (const std::string& packet : left_out) print_text(stderr, "sanscope: left out: {}\n", packet);
    if (!output_.empty() || isatty(STDERR_FILENO) == 1) {
        print_text(stderr, "{} of {} match{}\n", outcome->matched,
                   counted_exactly(outcome->packets, "packet"), outcome->matched == 1 ? "es" : "");
    }
    if (writer.left_out() > 0) {
        print_text(stderr, "sanscope: {}: {} of them are not in it: they are no packets, or too long\n",
                   output_, writer.left_out());
    }
    if (writer.too_early() > 0) {
        print_text(stderr,
                   "sanscope: {}: {} of them are too early for a pcapng, and have a later time there\n",
                   output_, writer.too_early());
    }
    const bool damaged = report_damage(**source, outcome->packets);
    if (InterruptHandler::interrupted) {
        print_text(stderr, "sanscope: interrupted after {}\n", counted_exactly(outcome->packets, "packet"));
        return exit_interrupted;
    }
    if (!left_out.empty()) return exit_input_damaged;
    return !damaged ? exit_all_analysed : outcome->packets == 0 ? exit_nothing_analysed : exit_input_damaged;
}

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/cli/scrub_command.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <memory>

#include "analyzer/base/print_text.h"
#include "analyzer/cli/error_message.h"
#include "analyzer/cli/interrupt_handler.h"
#include "analyzer/cli/progress_bar.h"
#include "analyzer/cli/unfinished_output.h"
#include "analyzer/report/human_units.h"

namespace sanscope {

void ScrubCommand::add_to(CLI::App& app) {
    command_ = app.add_subcommand("scrub", "A copy of a capture without users' data");
    command_->add_option("IN", capture_, "A capture; - is standard input")->required();
    command_
        ->add_option("OUT", target_,
                     "The copy: always a pcapng, compressed with zstd where its name ends in .zst")
        ->required();
    command_
        ->add_option(
            "--keep", keep_,
            "What is kept: headers, that is all headers from Ethernet to iSCSI, digests, login and text "
            "keys, sense data and SCSI parameter data")
        ->check(CLI::IsMember({"headers"}))
        ->capture_default_str();
    command_->add_flag("--force", force_, "Replace OUT if it is there");
    anonymize_.add_to(*command_);
    command_->footer(
        "Data segments of READ, WRITE and all commands that are not known to carry anything else are not in "
        "the\n"
        "copy, nor are payloads of connections that carry no iSCSI. Packets keep their lengths, times and "
        "numbers.\n"
        "Names, addresses and CHAP responses stay, unless --anonymize replaces them. What is kept and what "
        "is not:\n"
        "docs/scrub.md and docs/anonymize.md.\n\n"
        "Examples:\n"
        "  sanscope scrub san.pcapng for-the-vendor.pcapng.zst\n"
        "  sanscope scrub san.pcapng for-the-vendor.pcapng.zst --anonymize --write-mapping ~/case-7.csv\n"
        "  sanscope scrub - headers.pcapng < san.pcap\n");
}

bool ScrubCommand::chosen() const {
    return command_->parsed();
}

ExitStatus ScrubCommand::run() {
    std::error_code unknown;
    if (!force_ && std::filesystem::exists(target_, unknown)) {
        print_error(fmt::format("{} is there already: --force replaces it", target_));
        return exit_usage;
    }
    if (const auto prepared = anonymize_.prepare(); !prepared) {
        print_error(prepared.error().message);
        return exit_nothing_analysed;
    }
    const InterruptHandler handler;
    const UnfinishedOutput unfinished(target_);
    ProgressBar bar;
    ExportControl control;
    control.stop = &InterruptHandler::interrupted;
    if (ProgressBar::wanted()) {
        control.progress = [&](uint64_t done, uint64_t total) {
            constexpr uint64_t mebibyte = uint64_t{1} << 20;
            if (total > 0) bar.update(done / mebibyte, total / mebibyte, "MiB");
        };
    }
    const auto outcome = scrub_capture(capture_, target_, control, anonymize_.rewriter());
    if (ProgressBar::wanted()) bar.clear();
    if (!outcome || outcome->stopped) anonymize_.abandon();
    if (!outcome) {
        print_error(outcome.error().message);
        return exit_nothing_analysed;
    }
    if (outcome->stopped) {
        print_error(fmt::format("{}: not written: interrupted", target_));
        return exit_interrupted;
    }
    if (const auto finished = anonymize_.finish(); !finished) {
        print_error(finished.error().message);
        return exit_nothing_analysed;
    }
    return report(*outcome);
}

ExitStatus ScrubCommand::report(const ScrubbedCapture& outcome) const {
    const auto say = [](const std::string& sentence) { print_text(stderr, "{}\n", sentence); };
    say(fmt::format("{}: {} packets, {} of the {} captured", target_, outcome.packets,
                    human_bytes(static_cast<double>(outcome.kept_bytes)),
                    human_bytes(static_cast<double>(outcome.captured_bytes))));
    if (outcome.out_of_step > 0) {
        say(fmt::format(
            "  {} packets of iSCSI connections hold bytes that are not known for what they are: these are "
            "not kept",
            outcome.out_of_step));
    }
    if (outcome.not_iscsi > 0) {
        say(fmt::format(
            "  {} packets are of connections that carry no iSCSI, as far as is seen: nothing behind TCP is "
            "kept",
            outcome.not_iscsi));
    }
    if (outcome.fragments > 0) {
        say(fmt::format("  {} IP fragments are not put together: nothing behind their headers is kept",
                        outcome.fragments));
    }
    if (outcome.blocks_emptied > 0) {
        say(fmt::format("  {} custom blocks and journal entries are empty in the copy",
                        outcome.blocks_emptied));
    }
    if (outcome.blocks_left_out > 0) {
        say(fmt::format("  {} blocks are not in the copy: secrets, or of an unknown kind",
                        outcome.blocks_left_out));
    }
    for (const std::string& sentence : anonymize_.summary()) say(sentence);
    if (!outcome.damage) return exit_all_analysed;
    print_error(fmt::format("{}: {} at byte {}: the copy holds all before it", outcome.damage->file,
                            outcome.damage->message, outcome.damage->at_byte));
    return outcome.packets == 0 ? exit_nothing_analysed : exit_input_damaged;
}

}  // namespace sanscope

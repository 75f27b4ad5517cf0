// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/cli/details_command.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <ctime>
#include <fmt/core.h>
#include <optional>
#include <string_view>
#include <utility>

#include "dissectors/client/packet_details.h"
#include "dissectors/client/packet_tree_writer.h"

#include "analyzer/base/print_text.h"
#include "analyzer/cli/captures.h"
#include "analyzer/cli/interrupt_handler.h"
#include "analyzer/cli/progress_bar.h"
#include "analyzer/export/file_sink.h"

namespace sanscope {
namespace {

std::string local_date(int64_t time_s) {
    const auto seconds = static_cast<time_t>(time_s);
    tm parts{};
    char text[16] = "XXXX-XX-XX";
    if (localtime_r(&seconds, &parts) != nullptr) std::strftime(text, sizeof text, "%Y-%m-%d", &parts);
    return text;
}

struct Range {
    PacketNumber first = 0;
    PacketNumber last = 0;
};

bool parse_number(std::string_view text, PacketNumber& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() && number > 0;
}

// "12" or "12-15"
bool parse_range(std::string_view text, Range& range) {
    const size_t dash = text.find('-');
    if (!parse_number(text.substr(0, dash), range.first)) return false;
    range.last = range.first;
    return dash == std::string_view::npos ||
           (parse_number(text.substr(dash + 1), range.last) && range.last >= range.first);
}

std::string check_range(const std::string& text) {
    Range range;
    return parse_range(text, range) ? std::string() : fmt::format("{} is neither N nor FIRST-LAST", text);
}

// Writes the trees of packets, as text or JSON.
class TreePrinter {
  public:
    TreePrinter(bool json, bool bytes) : json_(json), bytes_(bytes) {}

    bool print(const v1::PacketTree& tree) {
        if (json_) {
            json_writer_.write(tree, local_date(tree.time_s()));
            return true;
        }
        constexpr std::string_view separator = "\n";
        const bool separated = !std::exchange(printed_, true) || out_.write(separator);
        return separated && write_tree_text(tree, out_) && (!bytes_ || write_sources(tree, out_));
    }
    // Whether all is written, but for what a reader that is gone does not want.
    bool finish() {
        if (json_) json_writer_.finish();
        if (out_.error() == nullptr) return true;
        print_text(stderr, "sanscope: standard output: {}\n", out_.error()->message);
        return false;
    }

  private:
    bool json_;
    bool bytes_;
    bool printed_ = false;
    FileSink out_{STDOUT_FILENO};
    TreeJsonWriter json_writer_{out_};
};

}  // namespace

void DetailsCommand::add_to(CLI::App& app) {
    command_ = app.add_subcommand("details", "Packets as Wireshark's dissectors see them");
    command_->add_option("FILE", file_, "A capture; - is standard input")->required();
    command_->add_option("PACKET", packets_, "Numbers of packets, from 1: N or FIRST-LAST")
        ->required()
        ->check(CLI::Validator(check_range, "N|FIRST-LAST"));
    command_->add_flag("--json", json_, "As `tshark -V -T json` writes it");
    command_->add_flag("-x,--bytes", bytes_, "Its bytes, too, and those put together from several packets");
    command_->add_flag(
        "-2,--two-passes", two_passes_,
        "Look at the packets behind it first, so that it refers to them, too (\"response in\")");
    dissectors_.add_to(*command_);
    command_->footer(
        "Your own Wireshark preferences hold, and are never written. Of the capture only the conversations "
        "that\nthe packets are part of are dissected.\n\n"
        "Examples:\n"
        "  sanscope details san.pcapng 4711\n"
        "  sanscope details san.pcapng 4711 5000-5010 --two-passes\n"
        "  sanscope details san.pcapng 4711 --json | jq '.[0]._source.layers.iscsi'\n"
        "  sanscope details san.pcapng 4711 --preference iscsi.bogus_pdu_max_data_len:16777215\n");
}

bool DetailsCommand::chosen() const {
    return command_->parsed();
}

ExitStatus DetailsCommand::run() const {
    std::vector<Range> ranges(packets_.size());
    PacketNumber last = 0;
    for (size_t i = 0; i < ranges.size(); ++i) {
        parse_range(packets_[i], ranges[i]);
        last = std::max(last, ranges[i].last);
    }

    // A preference or profile that does not exist is reported before the capture is read.
    DissectClient client(dissectors_.client());
    if (const auto running = client.run(); !running) {
        print_text(stderr, "sanscope: {}\n", running.error().message);
        return exit_nothing_analysed;
    }

    const InterruptHandler handler;
    std::optional<ProgressBar> bar;
    PacketReader::Options reading;
    reading.last = two_passes_ ? 0 : last;
    reading.stop = &InterruptHandler::interrupted;
    if (ProgressBar::wanted()) {
        reading.progress = [&](const PacketSource& source, const PacketIndex& index) {
            if (!bar) bar.emplace(source);
            bar->update(index.packets());
        };
    }
    const auto reader = PacketReader::open(file_, reading);
    if (bar) bar->clear();
    if (!reader) {
        print_text(stderr, "sanscope: {}: {}\n", file_, reader.error().message);
        return exit_nothing_analysed;
    }
    const PacketIndex& index = (*reader)->index();
    ExitStatus status =
        report_damage((*reader)->source(), index.packets()) ? exit_input_damaged : exit_all_analysed;

    PacketDetails details(**reader, client);
    PacketDetails::Options options;
    options.context = SIZE_MAX;
    options.look_ahead = two_passes_ ? SIZE_MAX : 0;
    options.stop = &InterruptHandler::interrupted;
    ProgressBar feeding;
    if (ProgressBar::wanted()) {
        options.progress = [&](size_t fed, size_t of) {
            feeding.update(fed, of, "of the conversation dissected");
        };
    }
    TreePrinter printer(json_, bytes_);
    bool any = false;
    bool wanted = true;
    for (const Range& range : ranges) {
        // A range may reach beyond the end; a first packet there is an error.
        const PacketNumber end = std::max(range.first, std::min(range.last, index.packets()));
        for (PacketNumber packet = range.first; wanted && packet <= end; ++packet) {
            if (InterruptHandler::interrupted) break;
            const auto tree = details.describe(packet, options);
            feeding.clear();
            if (tree) {
                wanted = printer.print(*tree);
                any = true;
            } else if (!InterruptHandler::interrupted) {
                print_text(stderr, "sanscope: {}: {}\n", file_, tree.error().message);
                status = exit_input_damaged;
            }
        }
    }
    for (const std::string& packet : details.left_out()) print_text(stderr, "sanscope: {}\n", packet);
    if (!printer.finish()) return exit_nothing_analysed;
    if (InterruptHandler::interrupted) return exit_interrupted;
    return any ? status : exit_nothing_analysed;
}

}  // namespace sanscope

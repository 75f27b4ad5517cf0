// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/cli/generate_output.h"

#include <cstdio>
#include <fmt/core.h>
#include <span>
#include <unistd.h>
#include <utility>

#include "captures/load/load_json.h"

#include "analyzer/base/print_text.h"

namespace sanscope {

GenerateOutput::GenerateOutput(const GenerateOptions& options)
    : options_(options), standard_output_(STDOUT_FILENO) {
    if (options.events) events_.emplace(standard_output_);
}

Result<std::monostate> GenerateOutput::open_rows() {
    if (options_.csv.empty()) return std::monostate{};
    auto sink = FileSink::create(options_.csv);
    if (!sink) return sink.error();
    rows_ = std::make_unique<FileSink>(std::move(*sink));
    write_row(load_csv_header());
    return std::monostate{};
}

void GenerateOutput::message(std::string_view text) {
    if (events_) {
        events_->message(text);
    } else {
        print_text(stderr, "sanscope: {}\n", text);
    }
}

void GenerateOutput::begun(const std::optional<LoginOutcome>& negotiated) {
    if (!std::exchange(begun_, true) && events_) events_->begun(options_.urls, negotiated);
}

bool GenerateOutput::write_row(std::string_view text) {
    if (!rows_) return rows_whole_;
    if (rows_->write(std::span(text.data(), text.size()))) return true;
    rows_whole_ = false;
    message(fmt::format("{}: {}", options_.csv,
                        rows_->error() != nullptr ? rows_->error()->message : "nobody reads it"));
    rows_.reset();
    return false;
}

bool GenerateOutput::second(const LoadAccount& second, double at_seconds, uint64_t in_flight) {
    if (!options_.silent()) print_text(stderr, "{}\n", running_line(second, at_seconds, in_flight));
    const bool row = write_row(load_csv_row(second, at_seconds, in_flight));
    return (!events_ || events_->second(second, at_seconds, in_flight)) && row;
}

bool GenerateOutput::close_rows() {
    if (rows_ && !rows_->close()) {
        rows_whole_ = false;
        message(fmt::format("{}: {}", options_.csv,
                            rows_->error() != nullptr ? rows_->error()->message : "nobody reads it"));
    }
    rows_.reset();
    return rows_whole_;
}

void GenerateOutput::summary(const LoadSummary& summary) {
    if (events_) return;
    if (!options_.json) {
        print_text(stdout, "{}", load_text(summary));
    } else if (!write_load_json(summary, standard_output_) && standard_output_.error() != nullptr) {
        message(standard_output_.error()->message);
    }
}

void GenerateOutput::report(std::string_view text) {
    // Standard output is the JSON object's.
    if (!events_) print_text(options_.json ? stderr : stdout, "\n{}", text);
}

void GenerateOutput::ended(ExitStatus status, const LoadSummary& summary) {
    if (events_) events_->ended(status, summary);
}

}  // namespace sanscope

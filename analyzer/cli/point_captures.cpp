// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/cli/point_captures.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <set>
#include <utility>

#include "analyzer/base/print_text.h"
#include "analyzer/cli/captures.h"
#include "analyzer/cli/interrupt_handler.h"
#include "analyzer/cli/progress_bar.h"
#include "analyzer/ingest/packet_source.h"

namespace sanscope {
namespace {

// As short as files can be told apart by.
std::vector<std::string> names_of(const std::vector<std::string>& files) {
    std::vector<std::string> names;
    for (const std::string& file : files) {
        const std::string name = std::filesystem::path(file).filename().string();
        names.push_back(file == "-" ? "standard input" : name.substr(0, name.find(".pcap")));
    }
    const std::set<std::string> different(names.begin(), names.end());
    return different.size() == names.size() && !different.contains("") ? names : files;
}

}  // namespace

FollowedPath follow_points(const std::vector<std::string>& files) {
    FollowedPath followed;
    const auto fail = [&](ExitStatus status, std::string_view message) {
        print_text(stderr, "sanscope: --points: {}\n", message);
        followed.status = status;
        return std::move(followed);
    };
    if (files.size() < 2) return fail(exit_usage, "takes two captures or more");
    if (files.size() > most_points)
        return fail(exit_usage, fmt::format("takes {} captures at most", most_points));
    if (std::ranges::count(files, "-") > 1) return fail(exit_usage, "only one capture can be standard input");

    constexpr size_t most_in_memory = size_t{256} << 20;
    followed.memory = std::make_unique<SpillingMemory>(most_in_memory);
    const std::vector<std::string> names = names_of(files);
    std::vector<std::unique_ptr<PointCapture>> captures;
    const std::atomic<bool>& stop = InterruptHandler::next_interrupt();
    const InterruptHandler handler;
    for (size_t i = 0; i < files.size(); ++i) {
        auto source = open_capture(files[i]);
        if (!source) {
            print_text(stderr, "sanscope: {}: {}\n", files[i], source.error().message);
            followed.status = exit_nothing_analysed;
            return followed;
        }
        captures.push_back(std::make_unique<PointCapture>(names[i], followed.memory.get()));
        ProgressBar bar(**source);
        PointReadOptions options{.stop = &stop, .progress = {}};
        if (ProgressBar::wanted()) options.progress = [&](uint64_t packets) { bar.update(packets); };
        const bool whole = read_point(**source, *captures.back(), options);
        bar.clear();
        if (!whole) return fail(exit_interrupted, "interrupted: nothing is compared");
        if (report_damage(**source, captures.back()->packets())) {
            if (captures.back()->packets() == 0) {
                followed.status = exit_nothing_analysed;
                return followed;
            }
            followed.status = exit_input_damaged;
        }
    }
    auto path = follow_path(std::move(captures), {.stop = &stop, .progress = {}});
    if (!path) return fail(stop ? exit_interrupted : exit_nothing_analysed, path.error().message);
    followed.path = std::move(*path);
    return followed;
}

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/cli/point_captures.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "analyzer/base/print_text.h"
#include "analyzer/cli/captures.h"
#include "analyzer/cli/decode_as_option.h"
#include "analyzer/cli/interrupt_handler.h"
#include "analyzer/cli/progress_bar.h"
#include "analyzer/ingest/packet_source.h"
#include "analyzer/points/point_names.h"

namespace sanscope {
namespace {

// What is wrong with it was told when it was read before.
Analysed analyse_again(const CaptureOptions& options, const std::string& file, ResultStore::Keep keep) {
    CaptureOptions of_one = options;
    of_one.files = {file};
    return analyse_captures_quietly(of_one, keep);
}

bool nothing_came(const Analysed& analysed, FollowedPath& followed) {
    if (analysed.status != exit_nothing_analysed && analysed.status != exit_interrupted) return false;
    followed.status = analysed.status;
    return true;
}

}  // namespace

FollowedPath follow_points(const CaptureOptions& given) {
    const std::vector<std::string>& files = given.files;
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
    const std::vector<std::string> names = point_names(files);
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
        captures.back()->decode_as(decode_as_of(given.decode_as));
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
    ProgressBar bar;
    PathPointsOptions following{.stop = &stop, .progress = {}, .compared = {}};
    if (ProgressBar::wanted()) {
        following.compared = [&](uint64_t done, uint64_t of) {
            bar.update(done, of, "connections compared");
        };
    }
    auto path = follow_path(std::move(captures), following);
    bar.clear();
    if (!path) return fail(stop ? exit_interrupted : exit_nothing_analysed, path.error().message);
    followed.path = std::move(*path);
    for (const auto& point : followed.path.points) {
        const auto name = std::ranges::find(names, point->name());
        followed.files.push_back(files[static_cast<size_t>(name - names.begin())]);
    }
    return followed;
}

bool split_point_commands(const CaptureOptions& options, FollowedPath& followed) {
    const std::string& first = followed.files.front();
    if (first == "-") {
        print_text(stderr,
                   "sanscope: --points: commands are not split: the capture nearest to the initiators would "
                   "have to be read again, and it is standard input\n");
        return false;
    }
    followed.commands = analyse_again(options, first, rows_for_command_split());
    if (nothing_came(followed.commands, followed)) return false;
    constexpr size_t most_in_memory = size_t{256} << 20;
    followed.split_memory = std::make_unique<SpillingMemory>(most_in_memory);
    followed.splits = std::make_unique<ChunkedRows<CommandSplit>>(followed.split_memory.get());
    const std::atomic<bool>& stop = InterruptHandler::next_interrupt();
    const InterruptHandler handler;
    ProgressBar bar;
    CommandSplitOptions splitting{.stop = &stop, .progress = {}};
    if (ProgressBar::wanted())
        splitting.progress = [&](uint64_t done, uint64_t of) { bar.update(done, of, "commands split"); };
    const bool whole =
        split_commands(followed.path, followed.commands.engine->store(), splitting, *followed.splits);
    bar.clear();
    if (whole) return true;
    print_text(stderr, "sanscope: --points: interrupted: commands are not split\n");
    followed.status = exit_interrupted;
    return false;
}

bool compare_point_senders(const CaptureOptions& options, FollowedPath& followed,
                           std::vector<SenderAgreement>& rows) {
    if (std::ranges::find(followed.files, "-") != followed.files.end()) {
        print_text(stderr,
                   "sanscope: --points: senders are not compared: the captures would have to be read again, "
                   "and one is standard input\n");
        return false;
    }
    std::optional<ReplayedSenders> before;
    for (size_t i = 0; i < followed.files.size(); ++i) {
        const Analysed analysed = analyse_again(options, followed.files[i], rows_for_senders());
        if (nothing_came(analysed, followed)) return false;
        ReplayedSenders here(*followed.path.points[i], analysed.engine->store());
        if (before) {
            const auto found = compare_senders(followed.path, static_cast<uint32_t>(i - 1), *before, here);
            rows.insert(rows.end(), found.begin(), found.end());
        }
        before = std::move(here);
    }
    return true;
}

}  // namespace sanscope

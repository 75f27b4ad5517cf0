// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/cli/generate_command.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fmt/core.h>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "captures/iscsi_peer/initiator/target_url.h"
#include "captures/load/load_plan.h"
#include "captures/load/trace.h"

#include "analyzer/cli/error_message.h"
#include "analyzer/cli/generate_listing.h"
#include "analyzer/cli/generate_login.h"
#include "analyzer/cli/generate_output.h"
#include "analyzer/cli/generate_run.h"
#include "analyzer/cli/generate_targets.h"
#include "analyzer/cli/interrupt_handler.h"

namespace sanscope {
namespace {

constexpr double default_duration = 10;

int64_t to_ns(double seconds) {
    constexpr double ns_per_second = 1e9;
    return std::llround(seconds * ns_per_second);
}

Result<std::vector<TargetUrl>> read_urls(const GenerateOptions& options) {
    std::vector<TargetUrl> urls;
    for (const std::string& text : options.urls) {
        auto url = read_target_url(text);
        if (!url) return url.error();
        if (!options.discover && (url->target_name.empty() || !url->lun)) {
            return Error{
                fmt::format("{}: which LUN? iscsi://HOST/NAME/LUN; --discover lists what is there", text)};
        }
        urls.push_back(std::move(*url));
    }
    return urls;
}

// All of a load but its targets and its trace.
LoadPlan plan_of(const GenerateOptions& options) {
    using Pattern = WorkloadOptions::Pattern;
    LoadPlan plan;
    plan.workload = {.pattern = options.pattern == "random" ? Pattern::random
                                : options.pattern == "zipf" ? Pattern::zipf
                                                            : Pattern::sequential,
                     .request_bytes = options.request_size,
                     .read_percent = options.read_percent,
                     .zipf_theta = options.zipf_theta,
                     .stripe_bytes = options.stripe,
                     .seed = options.seed};
    plan.pacing = {.rate = options.rate,
                   .think_time_ns = to_ns(options.think_time),
                   .burst = options.burst,
                   .burst_pause_ns = to_ns(options.burst_pause)};
    plan.tcp = options.tcp.settings();
    plan.sessions = options.sessions;
    plan.connections = options.connections;
    plan.queue_depth = options.queue_depth;
    plan.threads = options.threads == 0 ? std::max(std::thread::hardware_concurrency(), 1u) : options.threads;
    const bool ends_by_itself = options.has_end() || !options.trace_files.empty();
    plan.duration_ns = to_ns(options.duration.value_or(ends_by_itself ? 0 : default_duration));
    plan.most_bytes = options.bytes;
    plan.most_commands = options.commands;
    plan.patience_ns = to_ns(options.timeout);
    plan.reconnections = options.reconnections;
    plan.verify = options.verify;
    return plan;
}

Result<std::monostate> take_trace(const GenerateOptions& options, LoadPlan& plan, GenerateOutput& output) {
    const Capacity& capacity = plan.targets.front().capacity;
    auto trace = load_trace(
        options.trace_files,
        {.speed = options.speed, .lun = {.blocks = capacity.blocks, .block_size = capacity.block_length}});
    if (!trace) return trace.error();
    if (const std::string left_out = trace->left_out(); !left_out.empty()) output.message(left_out);
    if (options.allow_writes.empty()) {
        const size_t writes =
            std::erase_if(trace->commands, [](const TraceCommand& command) { return command.write; });
        if (writes > 0) {
            output.message(fmt::format("{} of the trace left out; --allow-writes SERIAL lets {} be sent",
                                       writes == 1 ? "1 write" : fmt::format("{} writes", writes),
                                       writes == 1 ? "it" : "them"));
        }
    }
    if (trace->commands.empty()) return Error{"the trace has nothing that may be sent"};
    plan.trace = std::make_shared<const std::vector<TraceCommand>>(std::move(trace->commands));
    return std::monostate{};
}

}  // namespace

void GenerateCommand::add_to(CLI::App& app) {
    command_ = app.add_subcommand("generate", "Put a load on iSCSI targets");
    options_.add_to(*command_);
}

bool GenerateCommand::chosen() const {
    return command_->parsed();
}

ExitStatus GenerateCommand::run() const {
    const auto refused = [](const Error& error, ExitStatus status) {
        print_error(error.message);
        return status;
    };
    if (auto checked = options_.check(); !checked) return refused(checked.error(), exit_usage);
    const auto urls = read_urls(options_);
    if (!urls) return refused(urls.error(), exit_usage);

    const InterruptHandler handler(InterruptHandler::Endures::two);
    GenerateOutput output(options_);
    LoadPlan plan = plan_of(options_);
    ChapSecrets secrets(options_);
    ExitStatus listed = exit_all_analysed;
    uint64_t sessions_before = 0;
    const LoginOffer offer = login_offer(options_);
    for (const TargetUrl& url : *urls) {
        LoginOffer its_offer = offer;
        its_offer.target_name = url.target_name;
        its_offer.isid += sessions_before;
        sessions_before += GenerateOptions::most_sessions;
        if (!url.user.empty()) {
            auto chap = secrets.of(url.user);
            if (!chap) return refused(chap.error(), exit_nothing_analysed);
            if (const auto weak = weakness_of(chap->initiator.secret)) output.message(*weak);
            its_offer.chap = std::move(*chap);
        }
        if (options_.discover) {
            listed = std::max(listed, list_what_is_there(options_, url, its_offer));
            continue;
        }
        auto target = prepare_target(options_, url, std::move(its_offer));
        if (!target) return refused(target.error(), exit_nothing_analysed);
        plan.targets.push_back(std::move(*target));
    }
    if (options_.discover) return listed;
    if (!options_.trace_files.empty()) {
        if (auto taken = take_trace(options_, plan, output); !taken)
            return refused(taken.error(), exit_nothing_analysed);
    }
    return run_load(options_, std::move(plan), output);
}

}  // namespace sanscope

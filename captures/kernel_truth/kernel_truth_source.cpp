// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/kernel_truth/kernel_truth_source.h"

#include <fmt/format.h>
#include <limits>
#include <utility>

#include "captures/kernel_truth/kernel_truth_bpf.h"
#include "captures/kernel_truth/open_readers.h"

namespace sanscope {
namespace {

using Method = v1::KernelTruth;

struct Rung {
    Method::Method method;
    Result<std::unique_ptr<EventReader>> (*open)(const KernelTruthOptions&);
};

constexpr Rung ladder[] = {
    {Method::METHOD_BPF, open_bpf_reader},
    {Method::METHOD_PERF_EVENTS, open_perf_reader},
    {Method::METHOD_INET_DIAG, open_inet_diag_reader},
};

constexpr auto hold_back_ns =
    uint64_t{std::chrono::duration_cast<std::chrono::nanoseconds>(KernelTruthSource::hold_back).count()};

}  // namespace

const char* method_name(v1::KernelTruth::Method method) {
    switch (method) {
        case Method::METHOD_BPF:
            return "BPF";
        case Method::METHOD_PERF_EVENTS:
            return "perf events";
        case Method::METHOD_INET_DIAG:
            return "INET_DIAG";
        default:
            return "no method";
    }
}

bool is_empty(const v1::KernelTruth& truth) {
    return truth.windows().empty() && truth.transitions().empty() && truth.events_lost() == 0;
}

Result<std::unique_ptr<KernelTruthSource>> KernelTruthSource::open(const KernelTruthOptions& options) {
    if (options.ports.size() > KERNEL_TRUTH_MOST_PORTS) {
        return Error{
            fmt::format("kernel truth can be limited to {} ports at most", int{KERNEL_TRUTH_MOST_PORTS})};
    }
    std::string why_not;
    for (const Rung& rung : ladder) {
        if (options.method && *options.method != rung.method) continue;
        auto reader = rung.open(options);
        if (reader) {
            return std::unique_ptr<KernelTruthSource>(
                new KernelTruthSource(std::move(*reader), std::move(why_not)));
        }
        why_not += fmt::format("{}{}: {}", why_not.empty() ? "" : "; ", method_name(rung.method),
                               reader.error().message);
    }
    if (why_not.empty()) return Error{"there is no such method of learning what the kernel does"};
    return Error{fmt::format("the kernel does not tell of its connections ({})", why_not)};
}

KernelTruthSource::KernelTruthSource(std::unique_ptr<EventReader> reader, std::string why_not_better)
    : reader_(std::move(reader)), assembler_(reader_->method()), why_not_better_(std::move(why_not_better)) {
    clocks_.update();
}

KernelTruthSource::~KernelTruthSource() = default;

std::optional<Error> KernelTruthSource::poll(std::chrono::milliseconds timeout, v1::KernelTruth& truth) {
    std::optional<Error> failed;
    if (!more_waits_) {
        reader_->wait(timeout);
        // Taken before reading: what happened earlier has been read when read() returns.
        horizon_ns_ = ClockOffsets::monotonic_now_ns() - hold_back_ns;
        failed = reader_->read(assembler_);
    }
    clocks_.update();
    more_waits_ = assembler_.take(horizon_ns_, most_events, clocks_, truth);
    return failed;
}

std::optional<Error> KernelTruthSource::finish(v1::KernelTruth& truth) {
    std::optional<Error> failed;
    if (!std::exchange(stopped_, true)) {
        reader_->stop();
        failed = reader_->read(assembler_);
        horizon_ns_ = std::numeric_limits<uint64_t>::max();
    }
    clocks_.update();
    more_waits_ = assembler_.take(horizon_ns_, most_events, clocks_, truth);
    return failed;
}

}  // namespace sanscope

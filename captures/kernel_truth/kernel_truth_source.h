// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "captures/kernel_truth/clock_offsets.h"
#include "captures/kernel_truth/event_reader.h"
#include "captures/kernel_truth/truth_assembler.h"
#include "sanscope/v1/kernel_truth.pb.h"

#include "analyzer/base/result.h"

namespace sanscope {

struct KernelTruthOptions {
    // Sockets of which one end has one of these ports, at most 16; empty: every TCP socket.
    std::vector<uint16_t> ports{};

    // Only sockets of the network namespace with this inode (of /proc/self/ns/net, say); 0: of all, which INET_DIAG
    // cannot do: it reports the caller's own. Perf events cannot distinguish them.
    uint32_t network_namespace = 0;

    // Only this one; without it the best that works, in the order of the schema.
    std::optional<v1::KernelTruth::Method> method{};

    // What the kernel keeps until it is read, made a power of two; with perf events of each processor.
    size_t ring_bytes = size_t{8} << 20;

    // How often INET_DIAG asks.
    std::chrono::milliseconds sample_interval{20};
};

// What the kernel of this host reports its TCP sockets, of all network namespaces, while a recording runs.
//
// Rights are needed by open() alone, and may be dropped after it: CAP_BPF and CAP_PERFMON for BPF; CAP_PERFMON and
// reading tracefs, which is root's, for perf events; none for INET_DIAG. Not for use by several threads at once.
//
// `events_lost` counts what the ring had no room for; with BPF also events that interrupted the handling of another on
// the same processor (of any port; Linux 5.19 and later), with perf events all of which the kernel left no record: some
// kernels leave few while a processor idles. Events on top of tasks that a system keeps BPF away from are not reported, nor
// counted.
//
// Time stamps are on CLOCK_REALTIME, as those of packets. Where the clock is stepped, time stamps step as those of
// packets do, at the very event with BPF on Linux 6.1 and later; else at the first poll() after it: what the kernel
// stamped between the step and that poll() is known by the clock as it is after it, and so may stand apart from its
// packets by as much as the clock was stepped.
class KernelTruthSource {
  public:
    // Events in a message, at most: at about 60 bytes each it stays below 4 MiB.
    static constexpr size_t most_events = 65'536;

    // An event is reported so much after it happened, at the earliest: by then every processor has reported what was before
    // it.
    static constexpr std::chrono::milliseconds hold_back{2};

    static Result<std::unique_ptr<KernelTruthSource>> open(const KernelTruthOptions& options);
    ~KernelTruthSource();
    KernelTruthSource(const KernelTruthSource&) = delete;
    KernelTruthSource& operator=(const KernelTruthSource&) = delete;

    v1::KernelTruth::Method method() const { return reader_->method(); }

    // Whether the kernel has the tracepoint for transitions (Linux 5.19), and the method can use it.
    bool reports_transitions() const { return reader_->reports_transitions(); }

    // Why no better method is used, for the user; empty where BPF is, or the method was asked for.
    const std::string& why_not_better() const { return why_not_better_; }

    // Waits until the time is over or a quarter of the ring is full, then fills `truth`, which is emptied first, with
    // what came. Where more is there than a message holds, the next call does not wait. Events are in order within a
    // message and from one to the next.
    std::optional<Error> poll(std::chrono::milliseconds timeout, v1::KernelTruth& truth);

    // The end of the recording: as poll(), without waiting, and nothing is held back. The first call stops the events;
    // call it until is_empty().
    std::optional<Error> finish(v1::KernelTruth& truth);

    // What poll() fills from here on goes into another file: it must tell the sockets again, by the same numbers.
    void restart_file() { assembler_.restart_file(); }

  private:
    KernelTruthSource(std::unique_ptr<EventReader> reader, std::string why_not_better);

    std::unique_ptr<EventReader> reader_;
    TruthAssembler assembler_;
    ClockOffsets clocks_;
    std::string why_not_better_;
    uint64_t horizon_ns_ = 0;  // on CLOCK_MONOTONIC: what was before it has been read
    bool more_waits_ = false;  // up to there
    bool stopped_ = false;
};

// Whether it shows nothing: it needs no place in a file.
bool is_empty(const v1::KernelTruth& truth);

// "BPF", "perf events", "INET_DIAG".
const char* method_name(v1::KernelTruth::Method method);

// Of libbpf.
std::string bpf_library_version();

}  // namespace sanscope

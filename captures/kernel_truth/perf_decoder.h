// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "captures/kernel_truth/tracepoint_format.h"
#include "captures/kernel_truth/truth_assembler.h"

#include "analyzer/base/result.h"

namespace sanscope {

// What stands in the rings of perf events (perf_event_open(2)): records of tracepoints, sampled with PERF_SAMPLE_TIME
// and PERF_SAMPLE_RAW alone.
class PerfDecoder {
  public:
    // The tracepoint tcp_probe. Error where it lacks a field that is needed.
    static Result<PerfDecoder> create(const TracepointFormat& tcp_probe);

    // Further tracepoints, which not every kernel has.
    std::optional<Error> add_cong_state_set(const TracepointFormat& format);
    std::optional<Error> add_destroy_sock(const TracepointFormat& format);

    // One record with its header of 8 bytes: to the assembler what it shows. Records of other kinds, and those too
    // short for what they should hold, tell nothing. Whether it is a sample, which an event that was not lost leaves.
    bool decode(std::span<const uint8_t> record, TruthAssembler& assembler) const;

  private:
    using Field = TracepointFormat::Field;

    struct Probe {
        uint16_t id;
        uint32_t bytes;  // where the last of the fields ends
        Field sock, local, remote, local_port, remote_port, snd_una, snd_nxt, cwnd, ssthresh, snd_wnd, srtt,
            rcv_wnd;
        Field cookie;  // where the kernel has it
    };
    struct StateSet {
        uint16_t id;
        uint32_t bytes;
        Field sock, family, local_v4, remote_v4, local_v6, remote_v6, local_port, remote_port, state;
    };
    struct Destroy {
        uint16_t id;
        uint32_t bytes;
        Field sock;
    };

    explicit PerfDecoder(const Probe& probe) : probe_(probe) {}
    void decode_sample(std::span<const uint8_t> body, TruthAssembler& assembler) const;
    kernel_event probe_event(const uint8_t* raw) const;
    kernel_event state_set_event(const uint8_t* raw) const;

    Probe probe_;
    std::optional<StateSet> state_set_;
    std::optional<Destroy> destroy_;
};

}  // namespace sanscope

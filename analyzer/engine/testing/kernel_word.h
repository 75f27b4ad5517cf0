// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sanscope/v1/kernel_truth.pb.h"

#include "analyzer/ingest/kernel_truth_block.h"

namespace sanscope::test {

// What a kernel reported, put together for tests: `word.socket(1, …).window(1, …)`, and then the body of its custom block.
class KernelWord {
  public:
    struct Ends {
        std::vector<uint8_t> local = {10, 0, 1, 1};
        uint16_t local_port = 3260;
        std::vector<uint8_t> remote = {10, 0, 0, 1};
        uint16_t remote_port = 50000;
    };

    KernelWord& socket(uint32_t number, const Ends& ends, uint32_t mss = 1000,
                       const std::string& congestion_control = "cubic") {
        v1::KernelSocket& socket = *truth.add_sockets();
        socket.set_socket(number);
        socket.set_local_address(std::string(ends.local.begin(), ends.local.end()));
        socket.set_remote_address(std::string(ends.remote.begin(), ends.remote.end()));
        socket.set_local_port(ends.local_port);
        socket.set_remote_port(ends.remote_port);
        socket.set_mss(mss);
        socket.set_congestion_control(congestion_control);
        return *this;
    }
    v1::KernelWindow& window(uint32_t socket, int64_t time_ns, uint32_t cwnd) {
        v1::KernelWindow& window = *truth.add_windows();
        window.set_socket(socket);
        window.set_time_ns(time_ns);
        window.set_cwnd(cwnd);
        return window;
    }
    KernelWord& transition(uint32_t socket, int64_t time_ns, uint32_t state) {
        v1::KernelTransition& transition = *truth.add_transitions();
        transition.set_socket(socket);
        transition.set_time_ns(time_ns);
        transition.set_state(state);
        return *this;
    }

    std::vector<uint8_t> block(bool big_endian = false) const {
        return make_kernel_truth_block(truth.SerializeAsString(), big_endian);
    }
    std::vector<uint8_t> body(bool big_endian = false) const {
        const std::vector<uint8_t> whole = block(big_endian);
        return {whole.begin() + 8, whole.end() - 4};
    }

    v1::KernelTruth truth;
};

}  // namespace sanscope::test

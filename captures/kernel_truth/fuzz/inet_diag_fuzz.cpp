// SPDX-License-Identifier: GPL-3.0-or-later

// A datagram of the kernel, whole or not, with the header's fields as they come. What is found of it is whole.

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>

#include "captures/kernel_truth/inet_diag.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    sanscope::parse_inet_diag(std::span(data, size), 7, [](const sanscope::kernel_event& event) {
        if (event.address_bytes != 4 && event.address_bytes != 16) std::abort();
        if (std::memchr(event.congestion_control, 0, sizeof event.congestion_control) == nullptr)
            std::abort();
    });
    return 0;
}

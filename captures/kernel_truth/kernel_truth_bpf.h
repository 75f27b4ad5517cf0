// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What the BPF program and its loader agree on besides the events: its read-only settings.

#include "captures/kernel_truth/kernel_event.h"

#ifdef __cplusplus
namespace sanscope {
#endif

enum { KERNEL_TRUTH_MOST_PORTS = 16 };

struct kernel_truth_settings {
    uint64_t wakeup_bytes;                       // the reader is woken once so much waits in the ring
    uint32_t network_namespace;                  // the inode of the only one of interest; 0: all
    uint32_t port_count;                         // 0: every port
    uint16_t ports_be[KERNEL_TRUTH_MOST_PORTS];  // network order; either end has one of them
    uint32_t makes_cookies;  // whether the kernel lets such a program make a socket's cookie
};

#ifdef __cplusplus
}  // namespace sanscope
#endif

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

namespace sanscope {

// The compiled BPF program, an ELF file, as the build put it into this library.
extern const std::span<const unsigned char> fair_tcp_bpf_object;

}  // namespace sanscope

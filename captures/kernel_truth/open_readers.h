// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "captures/kernel_truth/event_reader.h"
#include "captures/kernel_truth/kernel_truth_source.h"

namespace sanscope {

// The rungs of KernelTruthSource::open()'s ladder. Errors say what is missing, in a few words.
Result<std::unique_ptr<EventReader>> open_bpf_reader(const KernelTruthOptions& options);
Result<std::unique_ptr<EventReader>> open_perf_reader(const KernelTruthOptions& options);
Result<std::unique_ptr<EventReader>> open_inet_diag_reader(const KernelTruthOptions& options);

}  // namespace sanscope

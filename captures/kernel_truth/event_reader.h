// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <optional>

#include "captures/kernel_truth/truth_assembler.h"

#include "analyzer/base/result.h"

namespace sanscope {

// One way to the kernel's events. Whatever needs rights was done when it was opened.
class EventReader {
  public:
    EventReader() = default;
    EventReader(const EventReader&) = delete;
    EventReader& operator=(const EventReader&) = delete;
    virtual ~EventReader() = default;

    virtual v1::KernelTruth::Method method() const = 0;
    virtual bool reports_transitions() const = 0;

    // Until much waits to be read, or the time is over.
    virtual void wait(std::chrono::milliseconds timeout) = 0;

    // Adds all that was there when it was called, perhaps more, and what was lost. At most what the rings hold.
    virtual std::optional<Error> read(TruthAssembler& assembler) = 0;

    // No events come from here on; what is there can still be read.
    virtual void stop() = 0;
};

}  // namespace sanscope

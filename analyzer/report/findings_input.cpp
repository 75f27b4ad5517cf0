// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/findings_input.h"

namespace sanscope {

CaptureFindingsInput::CaptureFindingsInput(const Engine& engine, const PacketSource& source,
                                           const std::atomic<bool>* stop)
    : damage_(source.damage()),
      interfaces_(source.interfaces().begin(), source.interfaces().end()),
      input_{.store = engine.store(),
             .totals = engine.totals(),
             .issues = engine.issues(),
             .damage = damage_,
             .interfaces = interfaces_,
             .stop = stop} {}

}  // namespace sanscope

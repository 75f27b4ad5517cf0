// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "captures/iscsi_peer/initiator/target_url.h"
#include "captures/iscsi_peer/login/login_exchange.h"
#include "captures/load/load_plan.h"

#include "analyzer/base/result.h"
#include "analyzer/cli/generate_options.h"

namespace sanscope {

// Logs in to a target, looks at the LUN, and where the load writes makes sure that it may be written to, perhaps by a
// question on the terminal. `url` names a LUN.
Result<LoadTarget> prepare_target(const GenerateOptions& options, const TargetUrl& url, LoginOffer offer);

}  // namespace sanscope

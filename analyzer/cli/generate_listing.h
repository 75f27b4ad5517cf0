// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "captures/iscsi_peer/initiator/target_url.h"
#include "captures/iscsi_peer/login/login_exchange.h"

#include "analyzer/cli/exit_status.h"
#include "analyzer/cli/generate_options.h"

namespace sanscope {

// `generate --discover`: the targets of a portal, or the LUNs of the target that `url` and `offer` name, on standard
// output. What went wrong is reported on standard error.
ExitStatus list_what_is_there(const GenerateOptions& options, const TargetUrl& url, const LoginOffer& offer);

}  // namespace sanscope

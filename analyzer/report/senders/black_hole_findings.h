// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyzer/report/senders/of_sender.h"

namespace sanscope {

// A path whose MTU is smaller than the hosts think: large segments never arrive, and nobody says so. Nothing else is to be told of
// a sender before one. Whether it was told.
// `acks_do_not_arrive`: of what it last sent not even the acknowledgements reached the other side.
bool add_black_hole(const OfSender& sender, bool acks_do_not_arrive);

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

namespace sanscope {

// Whether a capture filter, in libpcap's language, lets through nothing but packets from or to port 3260, which is iSCSI's
// (RFC 7143 §4.2.2): by `port 3260` or `iscsi-target`, with whatever direction and protocol, in all that is joined by `or`. Of
// what this does not understand, such as arithmetic, the answer is no.
bool is_for_iscsi_port(std::string_view filter);

}  // namespace sanscope

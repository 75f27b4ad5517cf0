// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// What stands in place of the names of a session that has none. An ISID comes with a Login PDU only (RFC 7143 §11.12,
// §11.13): then the login is there, and its text is cut off or missing.
inline std::string_view unnamed_session(const SessionRow& session) {
    return session.isid == unknown<uint64_t> ? "(login not captured)" : "(names not captured)";
}

}  // namespace sanscope

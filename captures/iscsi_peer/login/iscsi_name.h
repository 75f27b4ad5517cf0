// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>
#include <variant>

#include "analyzer/base/result.h"

namespace sanscope {

// Whether text can stand for the name of an iSCSI node, whatever its type: 1 to 223 bytes of UTF-8 without control
// characters and spaces (RFC 7143 §4.2.7.1).
bool is_name_text(std::string_view text);

// An Error says what is wrong with the name: it is neither "iqn.YYYY-MM.DOMAIN[:ANYTHING]" nor "eui." with 16
// hexadecimal digits nor "naa." with 16 or 32 (§4.2.7.3 – §4.2.7.5). Letters that the RFC does not have but targets
// use, as the underscore, will do.
Result<std::monostate> check_iscsi_name(std::string_view name);

}  // namespace sanscope

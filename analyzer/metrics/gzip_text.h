// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace sanscope {

// One gzip member (RFC 1952) that holds `bytes`; empty where zlib has no memory for it.
std::string gzip_text(std::string_view bytes);

}  // namespace sanscope

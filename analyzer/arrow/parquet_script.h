// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

namespace sanscope {

// parquet_from_stream.py, put in by the build.
extern const std::span<const unsigned char> parquet_script;

}  // namespace sanscope

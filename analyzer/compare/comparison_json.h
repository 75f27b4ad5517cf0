// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyzer/compare/comparison_text.h"
#include "analyzer/export/byte_sink.h"

namespace sanscope {

// One object, RFC 8259. What is not known is null. False where the sink refused.
bool write_comparison_json(const ComparedFiles& files, const CaptureFigures& before,
                           const CaptureFigures& after, const Comparison& comparison, ByteSink& sink);

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "dissectors/client/dissect_client.h"

#include "analyzer/vocabulary/decode_as.h"

namespace sanscope {

// Has the helper process decode connections as the user says.
inline void add_decode_as(const DecodeAs& rules, DissectClient::Options& options) {
    for (const auto& [port, protocol] : rules.rules()) {
        options.arguments.emplace_back("--decode-as");
        options.arguments.push_back(format(DecodeAs::Rule{port, protocol}));
    }
}

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "dissectors/client/dissect_client.h"

namespace CLI {
class App;
}

namespace sanscope {

// What the subcommands that use Wireshark's dissectors share.
struct DissectorOptions {
    std::vector<std::string> preferences;
    std::vector<std::string> decode_as;
    std::string profile;

    void add_to(CLI::App& command);
    // The way to the helper process, whose errors go to standard error.
    DissectClient::Options client() const;
};

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "analyzer/base/result.h"

namespace sanscope {

// What the user says of writes.
struct WriteWish {
    std::vector<std::string> allowed_serials = {};  // each --allow-writes
    bool really = false;                            // --really: whatever is on the LUN
};

// The LUN that would be written to.
struct WrittenLun {
    std::string name;  // for messages: "LUN 0 of iqn.2026-01.org.example:disk"
    std::string
        serial;  // PRODUCT SERIAL NUMBER of its VPD page 80h (SPC-4 §7.8.15), as it came; empty: it reports none
    std::string content;  // of lun_content()
};

// Puts a question to the user and returns the answer, without a line feed; nullopt where none came. An empty function
// where there is no terminal.
using AskUser = std::function<std::optional<std::string>(const std::string& question)>;

// Whether a load may write to the LUN: only if the user named its serial number, as an option or in answer to a
// question, and if nothing is on it that would be missed, or that is wanted. An Error says why not. Spaces and zeros
// around serial numbers, with which targets fill their fields, do not count.
Result<std::monostate> write_permission(const WriteWish& wish, const WrittenLun& lun, const AskUser& ask);

}  // namespace sanscope

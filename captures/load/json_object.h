// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <fmt/core.h>
#include <string_view>

#include "analyzer/export/block_writer.h"
#include "analyzer/export/json_string.h"

namespace sanscope {

// The members of an object: `"name":value`, with commas between them.
class JsonObject {
  public:
    explicit JsonObject(BlockWriter& out) : out_(out) { out_.append('{'); }

    void number(std::string_view name, uint64_t value) {
        begin(name);
        out_.append(fmt::format("{}", value));
    }
    void number(std::string_view name, double value, int decimals) {
        begin(name);
        out_.append(fmt::format("{:.{}f}", value, decimals));
    }
    void text(std::string_view name, std::string_view value) {
        begin(name);
        append_json_string(value, out_);
    }
    void boolean(std::string_view name, bool value) {
        begin(name);
        out_.append(value ? std::string_view("true") : std::string_view("false"));
    }
    // The value is to be written next.
    void begin(std::string_view name) {
        if (!first_) out_.append(',');
        first_ = false;
        append_json_string(name, out_);
        out_.append(':');
    }
    void null(std::string_view name) {
        begin(name);
        out_.append(std::string_view("null"));
    }
    // Once; nothing is added after it.
    void end() { out_.append('}'); }

  private:
    BlockWriter& out_;
    bool first_ = true;
};

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "analyzer/base/result.h"

namespace sanscope {

// Where the fields of a tracepoint's record are, as tracefs' file `format` shows it (Linux,
// Documentation/trace/events.rst). It differs from kernel to kernel.
class TracepointFormat {
  public:
    struct Field {
        uint32_t offset = 0;  // from the start of the record
        uint32_t size = 0;    // 0: there is no such field
        bool is_there() const { return size != 0; }
    };

    // Records larger than this are none of the tracepoints that are read here.
    static constexpr uint32_t max_record_bytes = 4096;

    static Result<TracepointFormat> parse(std::string_view text);

    uint16_t id() const { return id_; }  // what a record's first two bytes hold

    // Empty where there is none of that name.
    Field field(const std::string& name) const;

  private:
    uint16_t id_ = 0;
    std::unordered_map<std::string, Field> fields_;
};

}  // namespace sanscope

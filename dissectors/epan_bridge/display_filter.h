// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "dissectors/wireshark_version.h"

namespace sanscope {

// A display filter as Wireshark compiled it, kept for as long as the same one is asked for.
class DisplayFilter {
  public:
    DisplayFilter() = default;
    DisplayFilter(const DisplayFilter&) = delete;
    DisplayFilter& operator=(const DisplayFilter&) = delete;
    ~DisplayFilter() { dfilter_free(code_); }

    bool compile(const std::string& text, wireshark::FilterFault& fault) {
        if (compiled_ && text == text_) return true;
        dfilter_free(code_);
        code_ = nullptr;
        compiled_ = wireshark::compile_filter(text.c_str(), &code_, fault);
        text_ = text;
        return compiled_;
    }
    dfilter_t* code() const { return code_; }  // nullptr: all packets match

  private:
    std::string text_;
    dfilter_t* code_ = nullptr;
    bool compiled_ = false;
};

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/base/print_text.h"

#include <string>

#include "analyzer/base/utf8.h"

namespace sanscope {

void write_text(std::FILE* file, std::string_view text) {
    const std::string cleaned = cleaned_text(text);
    std::fwrite(cleaned.data(), 1, cleaned.size(), file);
}

}  // namespace sanscope

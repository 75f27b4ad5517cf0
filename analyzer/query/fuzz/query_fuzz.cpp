// SPDX-License-Identifier: GPL-3.0-or-later
// Any text as a filter expression. The place of an error lies in the text. What is an expression selects the rows that
// its opposite does not. Completion works at every place of any text.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <variant>

#include "analyzer/query/completion.h"
#include "analyzer/query/testing/shelf_table.h"

namespace sanscope {
namespace {

void require(bool claim) {
    if (!claim) std::abort();
}

void fuzz(const std::string& expression) {
    static const GridTable table = test::shelf();
    const auto compile = [&](const std::string& text) {
        return RowFilter::compile(text, "shelf", table.columns());
    };

    const auto compiled = compile(expression);
    if (const auto* error = std::get_if<FilterError>(&compiled)) {
        require(!error->message.empty());
        require(error->position <= expression.size());
        require(error->length <= expression.size() - error->position);
        require(underlined(expression, *error).find('^') != std::string::npos);
    } else {
        const auto opposite = compile("not (" + expression + ")");
        if (const auto* filter = std::get_if<RowFilter>(&opposite)) {
            RowTest holds(std::get<RowFilter>(compiled), table);
            RowTest does_not(*filter, table);
            for (size_t row = 0; row < table.rows(); row++) require(holds(row) != does_not(row));
        } else {
            const std::string& message = std::get<FilterError>(opposite).message;
            require(message == "nested too deep" || message == "the expression is longer than 64 KiB");
        }
    }

    const size_t step = expression.size() / 64 + 1;
    for (size_t cursor = 0; cursor <= expression.size(); cursor += step) {
        const Completion completion = complete(expression, cursor, table.columns());
        require(completion.begin <= completion.end && completion.end <= expression.size());
    }
}

}  // namespace
}  // namespace sanscope

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    sanscope::fuzz(std::string(reinterpret_cast<const char*>(data), size));
    return 0;
}

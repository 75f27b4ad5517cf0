// SPDX-License-Identifier: GPL-3.0-or-later
// A tree from a helper process that has lost its mind is still written, as valid nesting.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "dissectors/client/packet_tree_writer.h"

using namespace sanscope;  // NOLINT(google-build-using-namespace)

namespace {

class StringSink final : public ByteSink {
  public:
    bool write(std::span<const char> bytes) override {
        text.append(bytes.data(), bytes.size());
        return true;
    }
    const Error* error() const override { return nullptr; }
    std::string text;
};

// Braces outside strings close as often as they open, and never before.
bool is_balanced(const std::string& json) {
    int open = 0;
    bool quoted = false;
    for (size_t i = 0; i < json.size(); ++i) {
        if (quoted && json[i] == '\\') {
            ++i;
        } else if (json[i] == '"') {
            quoted = !quoted;
        } else if (!quoted && (json[i] == '{' || json[i] == '[')) {
            ++open;
        } else if (!quoted && (json[i] == '}' || json[i] == ']') && --open < 0) {
            return false;
        }
    }
    return open == 0 && !quoted;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    v1::PacketTree tree;
    if (!tree.ParseFromArray(data, static_cast<int>(size))) return 0;
    StringSink text;
    StringSink bytes;
    StringSink json;
    TreeJsonWriter writer(json);
    writer.write(tree, "2026-01-01");
    if (!write_tree_text(tree, text) || !write_sources(tree, bytes) || !writer.finish()) std::abort();
    if (!is_balanced(json.text)) std::abort();
    return 0;
}

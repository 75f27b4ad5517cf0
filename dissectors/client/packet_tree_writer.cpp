// SPDX-License-Identifier: GPL-3.0-or-later
#include "dissectors/client/packet_tree_writer.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>

#include "analyzer/base/utf8.h"
#include "analyzer/export/json_string.h"

namespace sanscope {
namespace {

// Wireshark nests no deeper; what claims to would only cost stack and blanks.
constexpr uint32_t deepest = 1000;

class JsonTree {
  public:
    JsonTree(const v1::PacketTree& tree, BlockWriter& out) : nodes_(tree.nodes()), out_(out) {}

    // The nodes from `at` on that are of this depth, and all below them, as an object; returns where they end.
    int object(int at, uint32_t depth, size_t indent) {
        if (at == nodes_.size() || nodes_[at].depth() < depth) {
            out_.append("{}");
            return at;
        }
        out_.append('{');
        for (bool first = true; at < nodes_.size() && nodes_[at].depth() >= depth; first = false) {
            if (!first) out_.append(',');
            at = member(at, depth, indent + 2);
        }
        line(indent);
        out_.append('}');
        return at;
    }

  private:
    int member(int at, uint32_t depth, size_t indent) {
        const v1::TreeNode& node = nodes_[at];
        const std::string& key = node.abbreviation().empty() ? node.label() : node.abbreviation();
        const bool has_children = depth < deepest && at + 1 < nodes_.size() && nodes_[at + 1].depth() > depth;
        if (node.has_value() || !has_children) {
            name(key, indent);
            append_json_string(node.has_value() ? std::string_view(node.value()) : text_of(node), out_);
        }
        if (!has_children) return at + 1;
        if (node.has_value()) out_.append(',');
        name(node.has_value() ? key + "_tree" : key, indent);
        return object(at + 1, depth + 1, indent);
    }

    // What stands for a node without a value or children.
    static std::string_view text_of(const v1::TreeNode& node) {
        return node.type() == "FT_PROTOCOL" ? std::string_view(node.label()) : std::string_view();
    }

    void name(const std::string& key, size_t indent) {
        line(indent);
        append_json_string(key, out_);
        out_.append(": ");
    }
    void line(size_t indent) {
        out_.append('\n');
        out_.append(std::string(indent, ' '));
    }

    const google::protobuf::RepeatedPtrField<v1::TreeNode>& nodes_;
    BlockWriter& out_;
};

void append_bytes(std::string_view bytes, BlockWriter& out) {
    constexpr size_t a_line = 16;
    int digits = 4;
    while (digits < 8 && (bytes.size() - 1) >> (4 * digits) != 0) ++digits;
    for (size_t at = 0; at < bytes.size(); at += a_line) {
        const std::string_view line = bytes.substr(at, a_line);
        std::string hexadecimal;
        std::string text;
        for (const char character : line) {
            const auto byte = static_cast<unsigned char>(character);
            hexadecimal += fmt::format("{:02x} ", byte);
            text += byte >= 0x20 && byte < 0x7f ? character : '.';
        }
        out.append(fmt::format("{:0{}x}  {:<48}  {}\n", at, digits, hexadecimal, text));
    }
}

}  // namespace

bool write_tree_text(const v1::PacketTree& tree, ByteSink& sink) {
    BlockWriter out(sink);
    uint32_t hidden_above = UINT32_MAX;  // all below a hidden node is hidden with it
    for (const v1::TreeNode& node : tree.nodes()) {
        if (node.depth() > hidden_above) continue;
        hidden_above = node.hidden() ? node.depth() : UINT32_MAX;
        if (node.hidden()) continue;
        out.append(std::string(size_t{4} * std::min(node.depth(), deepest), ' '));
        if (node.generated()) out.append('[');
        out.append(cleaned_line(node.label()));
        out.append(node.generated() ? "]\n" : "\n");
        // What no dissector knows is shown as it is.
        if (node.abbreviation() != "data" || node.type() != "FT_PROTOCOL" || !node.has_source()) continue;
        if (node.source() >= static_cast<uint32_t>(tree.sources_size())) continue;
        out.append('\n');
        const std::string_view source = tree.sources(static_cast<int>(node.source())).data();
        append_bytes(source.substr(std::min<size_t>(node.start(), source.size()), node.length()), out);
    }
    return out.finish();
}

bool write_sources(const v1::PacketTree& tree, ByteSink& sink) {
    BlockWriter out(sink);
    for (const v1::DataSource& source : tree.sources()) {
        out.append(fmt::format("\n{}:\n", cleaned_line(source.name())));
        append_bytes(source.data(), out);
    }
    return out.finish();
}

void TreeJsonWriter::write(const v1::PacketTree& tree, std::string_view date) {
    out_.append(begun_ ? ",\n" : "[\n");
    begun_ = true;
    out_.append(
        fmt::format("  {{\n    \"_index\": \"packets-{}\",\n    \"_type\": \"doc\",\n    "
                    "\"_score\": null,\n    \"_source\": {{\n      \"layers\": ",
                    date));
    JsonTree(tree, out_).object(0, 0, 6);
    out_.append("\n    }\n  }");
}

bool TreeJsonWriter::finish() {
    out_.append(begun_ ? "\n]\n" : "[]\n");
    return out_.finish();
}

}  // namespace sanscope

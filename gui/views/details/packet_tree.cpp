// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/details/packet_tree.h"

#include <algorithm>

namespace sanscope {
namespace {

std::string filter_string(std::string_view text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') result += '\\';
        result += c;
    }
    return result + '"';
}

}  // namespace

std::string display_filter_for(std::string_view abbreviation, std::string_view type,
                               const std::string* value) {
    if (abbreviation.empty() || abbreviation == "_ws.expert" ||
        abbreviation.find(' ') != std::string_view::npos)
        return {};
    std::string field(abbreviation);
    if (value == nullptr || value->empty() || type == "FT_PROTOCOL" || type == "FT_NONE") return field;
    if (type == "FT_STRING" || type == "FT_STRINGZ" || type == "FT_UINT_STRING" || type == "FT_STRINGZPAD" ||
        type == "FT_STRINGZTRUNC" || type == "FT_ABSOLUTE_TIME") {
        return field + " == " + filter_string(*value);
    }
    // What a display filter takes for one word.
    const bool word = std::ranges::all_of(*value, [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' ||
               c == ':' || c == '-' || c == '_' || c == '/';
    });
    return word ? field + " == " + *value : field;
}

PacketTree::PacketTree(const v1::PacketTree& message) {
    for (const v1::DataSource& source : message.sources()) sources_.push_back({source.name(), source.data()});
    fields_.reserve(static_cast<size_t>(message.nodes_size()));
    std::vector<int> open;  // the fields that the next one can be below
    uint32_t hidden_below = UINT32_MAX;
    for (const v1::TreeNode& node : message.nodes()) {
        if (node.depth() > hidden_below) continue;
        hidden_below = node.hidden() ? node.depth() : UINT32_MAX;
        if (node.hidden()) continue;
        const size_t depth = std::min<size_t>(node.depth(), open.size());
        open.resize(depth);
        Field field;
        field.abbreviation = node.abbreviation();
        field.label = node.label();
        field.value = node.has_value() ? node.value() : std::string();
        field.type = node.type();
        field.generated = node.generated();
        field.url = node.url();
        field.severity = field.worst_within = node.severity();
        field.filter =
            display_filter_for(node.abbreviation(), node.type(), node.has_value() ? &node.value() : nullptr);
        if (!field.filter.empty()) field.language = "wireshark";
        if (node.has_source() && node.source() < sources_.size()) {
            const size_t size = sources_[node.source()].bytes.size();
            if (node.start() < size) {
                field.source = static_cast<int>(node.source());
                field.start = node.start();
                field.length = static_cast<uint32_t>(std::min<size_t>(node.length(), size - node.start()));
            }
        }
        open.push_back(add(depth == 0 ? none : open.back(), std::move(field)));
    }
}

int PacketTree::add(int parent, Field field) {
    const int index = static_cast<int>(fields_.size());
    std::vector<int>& siblings = parent == none ? roots_ : fields_[static_cast<size_t>(parent)].children;
    field.parent = parent;
    field.row = static_cast<int>(siblings.size());
    siblings.push_back(index);
    // Text has no name; where it stands among such is what it has in common with that of other packets.
    const std::string name =
        field.abbreviation.empty() ? "#" + std::to_string(field.row) : field.abbreviation;
    field.path = parent == none ? name : this->field(parent).path + '/' + name;
    for (int up = parent; up != none && this->field(up).worst_within < field.severity;
         up = this->field(up).parent) {
        fields_[static_cast<size_t>(up)].worst_within = field.severity;
    }
    fields_.push_back(std::move(field));
    return index;
}

int PacketTree::field_at(int source, uint32_t byte) const {
    int best = none;
    for (int index = 0; index < static_cast<int>(fields_.size()); ++index) {
        const Field& candidate = field(index);
        if (candidate.source != source || byte < candidate.start ||
            byte - candidate.start >= candidate.length)
            continue;
        // Children come behind their parents, and are no wider. What was only found out is no home for a byte.
        const bool better =
            best == none || candidate.length < field(best).length ||
            (candidate.length == field(best).length && !candidate.generated && candidate.parent == best);
        if (better) best = index;
    }
    return best;
}

int PacketTree::find(std::string_view path) const {
    const auto found = std::ranges::find(fields_, path, &Field::path);
    return found == fields_.end() ? none : static_cast<int>(found - fields_.begin());
}

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sanscope/v1/dissection.pb.h"

namespace sanscope {

// The protocol tree of a packet as it is shown: hidden fields left out, each with its parent and children, and which field a
// byte is of. Immutable once made.
class PacketTree {
  public:
    static constexpr int none = -1;

    struct Field {
        std::string abbreviation;  // as in display filters; empty: text only
        std::string label;         // the line
        std::string value;
        std::string type;      // as Wireshark calls it
        std::string filter;    // a filter that holds for packets like this; empty: there is none
        std::string language;  // of that: a table's name, or "wireshark"
        std::string path;      // of names from the protocol on: the same in all packets
        int parent = none;
        int row = 0;  // among its parent's children
        std::vector<int> children;
        int source = none;  // which source its bytes are in
        uint32_t start = 0;
        uint32_t length = 0;
        bool generated = false;
        bool url = false;
        v1::TreeNode::Severity severity = v1::TreeNode::NONE;
        v1::TreeNode::Severity worst_within = v1::TreeNode::NONE;  // of it and all below it
    };
    struct Source {
        std::string name;
        std::string bytes;
    };

    PacketTree() = default;
    // A message that makes no sense (depths that leap, bytes beyond their source) is put right.
    explicit PacketTree(const v1::PacketTree& message);

    // One more field below `parent` (none: a protocol), its index.
    int add(int parent, Field field);
    void add_source(Source source) { sources_.push_back(std::move(source)); }

    const std::vector<Field>& fields() const { return fields_; }
    const Field& field(int index) const { return fields_[static_cast<size_t>(index)]; }
    const std::vector<int>& roots() const { return roots_; }
    const std::vector<Source>& sources() const { return sources_; }

    // The narrowest field that has the byte, the innermost of those; none.
    int field_at(int source, uint32_t byte) const;
    // The field of the same path, the `same`-th of its kind; none.
    int find(std::string_view path) const;

  private:
    std::vector<Field> fields_;
    std::vector<int> roots_;
    std::vector<Source> sources_;
};

// A display filter for a field of that type and value; empty where none can be made.
std::string display_filter_for(std::string_view abbreviation, std::string_view type,
                               const std::string* value);

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "dissectors/epan_bridge/tree_copy.h"

#include <string_view>

#include "analyzer/base/utf8.h"

namespace sanscope {
namespace {

// Wireshark's text is nearly always well-formed; what goes into a message must be.
std::string well_formed(std::string_view text) {
    if (is_printable_ascii(text)) return std::string(text);
    std::string result;
    while (!text.empty()) {
        const size_t length = utf8_sequence_length(text);
        result += length == 0 ? utf8_replacement : text.substr(0, length);
        text.remove_prefix(std::max<size_t>(length, 1));
    }
    return result;
}

v1::TreeNode::Severity severity_of(uint32_t flags) {
    switch (flags & PI_SEVERITY_MASK) {
        case PI_COMMENT:
            return v1::TreeNode::COMMENT;
        case PI_CHAT:
            return v1::TreeNode::CHAT;
        case PI_NOTE:
            return v1::TreeNode::NOTE;
        case PI_WARN:
            return v1::TreeNode::WARN;
        case PI_ERROR:
            return v1::TreeNode::ERROR;
        default:
            return v1::TreeNode::NONE;
    }
}

class TreeCopier {
  public:
    TreeCopier(const epan_dissect_t& dissection, v1::PacketTree& copy) : copy_(copy) {
        for (const GSList* entry = dissection.pi.data_src; entry != nullptr; entry = entry->next) {
            auto* const source = static_cast<const data_source*>(entry->data);
            tvbuff_t* const bytes = get_data_source_tvb(source);
            sources_.push_back(bytes);
            v1::DataSource& copied = *copy_.add_sources();
            char* const name = wireshark::describe_source(source);
            copied.set_name(well_formed(name));
            wmem_free(nullptr, name);
            const auto length = static_cast<gint>(tvb_captured_length(bytes));
            if (length > 0) copied.set_data(tvb_get_ptr(bytes, 0, length), static_cast<size_t>(length));
        }
    }

    void children_of(const proto_node* parent, uint32_t depth) {
        for (const proto_node* node = parent->first_child; node != nullptr; node = node->next) {
            if (node->finfo == nullptr) continue;
            one(*node->finfo, depth);
            children_of(node, depth + 1);
        }
    }

  private:
    void one(field_info& field, uint32_t depth) {
        const header_field_info& header = *field.hfinfo;
        v1::TreeNode& node = *copy_.add_nodes();
        node.set_depth(depth);
        if (header.id != hf_text_only) {
            node.set_abbreviation(header.abbrev);
            node.set_name(well_formed(header.name));
            node.set_type(ftype_name(header.type));
        }
        if (field.rep != nullptr) {
            node.set_label(well_formed(field.rep->representation));
        } else {
            char label[ITEM_LABEL_LENGTH];
            wireshark::fill_label(field, label);
            node.set_label(well_formed(label));
        }
        if (char* const value =
                fvalue_to_string_repr(nullptr, wireshark::value_of(field), FTREPR_DISPLAY, header.display)) {
            node.set_value(well_formed(value));
            wmem_free(nullptr, value);
        }
        place(field, node);
        node.set_generated(FI_GET_FLAG(&field, FI_GENERATED) != 0);
        node.set_hidden((field.flags & FI_HIDDEN) != 0);
        node.set_url(FI_GET_FLAG(&field, FI_URL) != 0);
        node.set_severity(severity_of(field.flags));
    }

    void place(const field_info& field, v1::TreeNode& node) const {
        if (field.ds_tvb == nullptr || field.length <= 0 || field.start < 0) return;
        for (size_t i = 0; i < sources_.size(); ++i) {
            if (sources_[i] != field.ds_tvb) continue;
            node.set_source(static_cast<uint32_t>(i));
            node.set_start(static_cast<uint32_t>(field.start));
            node.set_length(static_cast<uint32_t>(field.length));
            return;
        }
    }

    v1::PacketTree& copy_;
    std::vector<tvbuff_t*> sources_;
};

}  // namespace

void copy_tree(const epan_dissect_t& dissection, v1::PacketTree& copy) {
    TreeCopier(dissection, copy).children_of(dissection.tree, 0);
}

}  // namespace sanscope

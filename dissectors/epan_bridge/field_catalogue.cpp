// SPDX-License-Identifier: GPL-3.0-or-later
#include "dissectors/epan_bridge/field_catalogue.h"

#include <algorithm>
#include <cstring>

namespace sanscope {

v1::FieldNames FieldCatalogue::complete(const std::string& prefix, uint32_t most) {
    if (fields_.empty()) fill();
    v1::FieldNames names;
    auto next = std::lower_bound(
        fields_.begin(), fields_.end(), prefix,
        [](const header_field_info* field, const std::string& text) { return field->abbrev < text; });
    for (; next != fields_.end() && std::strncmp((*next)->abbrev, prefix.c_str(), prefix.size()) == 0;
         ++next) {
        if (static_cast<uint32_t>(names.fields_size()) == most) {
            names.set_more(true);
            break;
        }
        v1::FieldNames::FieldName& name = *names.add_fields();
        name.set_abbreviation((*next)->abbrev);
        name.set_name((*next)->name);
        name.set_type(ftype_name((*next)->type));
    }
    return names;
}

void FieldCatalogue::fill() {
    proto_initialize_all_prefixes();
    void* protocols = nullptr;
    for (int id = proto_get_first_protocol(&protocols); id >= 0; id = proto_get_next_protocol(&protocols)) {
        fields_.push_back(proto_registrar_get_nth(static_cast<guint>(id)));
        void* fields = nullptr;
        for (const header_field_info* field = proto_get_first_protocol_field(id, &fields); field != nullptr;
             field = proto_get_next_protocol_field(id, &fields)) {
            if (field->same_name_prev_id == -1) fields_.push_back(field);  // one of those with that name
        }
    }
    std::sort(fields_.begin(), fields_.end(), [](const header_field_info* a, const header_field_info* b) {
        return std::strcmp(a->abbrev, b->abbrev) < 0;
    });
    const auto same = [](const header_field_info* a, const header_field_info* b) {
        return std::strcmp(a->abbrev, b->abbrev) == 0;
    };
    fields_.erase(std::unique(fields_.begin(), fields_.end(), same), fields_.end());
}

}  // namespace sanscope

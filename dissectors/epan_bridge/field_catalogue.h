// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "dissectors/wireshark_version.h"
#include "sanscope/v1/dissection.pb.h"

namespace sanscope {

// All fields and protocols that a display filter may name (some 250,000), in alphabetical order. Made when first asked.
class FieldCatalogue {
  public:
    v1::FieldNames complete(const std::string& prefix, uint32_t most);

  private:
    void fill();

    std::vector<const header_field_info*> fields_;
};

}  // namespace sanscope

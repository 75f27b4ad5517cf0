// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <variant>

#include "captures/anonymize/anonymizer.h"

#include "analyzer/base/file_descriptor.h"
#include "analyzer/base/result.h"

namespace sanscope {

// The file for what was replaced by what, which takes all replacements back: only its owner may read it (mode 0600), and one that
// is there already is never written to. Errors begin with its name.
class MappingFile {
  public:
    static Result<MappingFile> create(const std::string& path);
    // With the copy whole. Where it cannot be written, it is removed.
    Result<std::monostate> write(const Anonymizer& anonymizer);
    // There is no copy: no file of a mapping either.
    void abandon();

  private:
    MappingFile(std::string path, FileDescriptor file, bool has_name)
        : path_(std::move(path)), file_(std::move(file)), has_name_(has_name) {}

    std::string path_;
    FileDescriptor file_;
    bool has_name_;  // already: others get it with what is in them
};

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "captures/anonymize/anonymizer.h"
#include "captures/anonymize/capture_anonymizer.h"
#include "captures/anonymize/mapping_file.h"

#include "analyzer/base/result.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace sanscope {

// `--anonymize` and what belongs to it.
class AnonymizeOptions {
  public:
    void add_to(CLI::App& command);

    // To be called before the capture is read: takes the key, and makes the file for the mapping. An Error begins with the name
    // of the file it is about.
    Result<std::monostate> prepare();
    // None where it was not asked for.
    CaptureRewriter* rewriter() { return capture_.get(); }
    // The copy is there: the mapping is written.
    Result<std::monostate> finish();
    // There is no copy: no file of a mapping either.
    void abandon();

    // For standard error, a sentence each.
    std::vector<std::string> summary() const;

  private:
    bool asked_ = false;
    std::string mapping_path_;
    std::string key_path_;
    std::optional<MappingFile> mapping_;
    std::unique_ptr<Anonymizer> anonymizer_;
    std::unique_ptr<CaptureAnonymizer> capture_;
};

}  // namespace sanscope

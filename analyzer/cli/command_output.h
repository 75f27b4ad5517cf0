// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "analyzer/base/result.h"
#include "analyzer/cli/unfinished_output.h"
#include "analyzer/export/file_sink.h"
#include "analyzer/export/replacement_file.h"

namespace sanscope {

// Whether something is there under this name that is no regular file, as a pipe or a device, or it is `-`, standard output:
// bytes written there are gone at once, where a file can be whole or not be.
bool is_stream(const std::string& place);
// As messages call it.
std::string name_of_output(const std::string& place);

// Where a command writes what it was asked for: a file that takes its place once it is whole, or a stream.
class CommandOutput {
  public:
    // `place`: a path, or `-`. An Error without its name.
    static Result<CommandOutput> create(const std::string& place);

    ByteSink& sink();
    // Nothing may be written after. A stream whose reader is gone is no error. Where this is not called, or fails, a file is as
    // it was before.
    Result<std::monostate> commit();

  private:
    CommandOutput() = default;

    std::unique_ptr<ReplacementFile> file_;
    std::optional<FileSink> stream_;
    std::unique_ptr<UnfinishedOutput> unfinished_;
};

}  // namespace sanscope

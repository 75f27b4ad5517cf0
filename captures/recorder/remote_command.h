// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sanscope/v1/recording.pb.h"

#include "analyzer/base/result.h"

namespace sanscope {

// The words of `text` as a POSIX shell would split them: blanks between them, quotes and backslashes around what is
// none. Nothing is expanded. An Error where a quote does not end.
Result<std::vector<std::string>> words_of(std::string_view text);

// As one word for a shell, whatever is in it.
std::string shell_word(std::string_view word);

// The program and the arguments that run a host's recorder through ssh. What the remote shell sees holds nothing it
// could take apart. Where the recorder is not found there, that ends with status `recorder_not_found`. An Error where a
// host or a path is none.
Result<std::vector<std::string>> remote_command(const v1::RemoteHost& remote);
constexpr int recorder_not_found = 127;

}  // namespace sanscope

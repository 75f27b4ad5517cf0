// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "captures/iscsi_peer/initiator/tcp_socket.h"
#include "captures/iscsi_peer/login/login_exchange.h"
#include "captures/iscsi_peer/login/secret.h"

#include "analyzer/base/result.h"
#include "analyzer/cli/generate_options.h"

namespace sanscope {

// What `sanscope generate` offers a target in its logins, without the target's name and without CHAP. The ISID is
// random; those that differ from it by less than 65,536 in the qualifier are this run's.
LoginOffer login_offer(const GenerateOptions& options);
std::chrono::milliseconds login_patience(const GenerateOptions& options);

// The secrets of a run: from files, from standard input, or from whoever sits at the terminal.
class ChapSecrets {
  public:
    // `options` outlive this.
    explicit ChapSecrets(const GenerateOptions& options) : options_(options) {}

    Result<ChapCredentials> of(const std::string& user);

  private:
    Result<Secret> initiators(const std::string& user);
    Result<Secret> targets();

    const GenerateOptions& options_;
    // Lines of standard input, which are there once.
    std::optional<Secret> initiators_line_;
    std::optional<Secret> targets_line_;
};

}  // namespace sanscope

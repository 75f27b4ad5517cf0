// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "captures/iscsi_peer/target/target_session.h"
#include "captures/iscsi_peer/target/target_settings.h"

#include "analyzer/base/result.h"

namespace sanscope {

// A memory target that listens: one thread that takes connections, and others that serve them, those of one session by
// the same.
class TargetServer {
  public:
    // `host`: a numeric address, IPv4 or IPv6 without brackets; port 0 has the system choose one. An Error where it
    // cannot listen there, or there is no room for the logical units.
    static Result<std::unique_ptr<TargetServer>> start(const TargetSettings& settings,
                                                       const std::string& host, uint16_t port,
                                                       unsigned threads);
    TargetServer(const TargetServer&) = delete;
    TargetServer& operator=(const TargetServer&) = delete;
    // Ends as stop() does.
    ~TargetServer();

    // Where it listens, as "127.0.0.1:3260" or "[::1]:3260".
    const std::string& address() const;

    // Closes all connections at once; what was done.
    TargetAccount stop();
    // Once stopped: what connections have had other than their TCP was asked for, in sentences, each once.
    std::vector<std::string> tcp_differences() const;

  private:
    class Worker;
    class Acceptor;
    struct Parts;
    explicit TargetServer(std::unique_ptr<Parts> parts);

    std::unique_ptr<Parts> parts_;
};

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>

#include "analyzer/base/result.h"
#include "analyzer/metrics/listen_address.h"
#include "analyzer/metrics/metrics_snapshot.h"

namespace sanscope {

// Answers GET /metrics with the snapshot published last, in the format that the request accepts (exposition_format.h), on threads
// of its own: those never wait for whoever publishes, nor keep them waiting. Whoever connects may be hostile: nothing but that
// request is answered, a request has a few kilobytes and a second, and so many connections at once are served, the others closed.
class MetricsServer {
  public:
    static constexpr unsigned threads = 3;
    static constexpr unsigned waiting_connections = 16;
    static constexpr unsigned request_bytes = 8192;
    static constexpr unsigned request_ms = 1000;

    // An Error where start() would find that nobody can listen there, or that CivetWeb was built without IPv6.
    static Result<std::monostate> check(const ListenAddress& address);
    // Checks as well. `version`: of build_info.
    static Result<std::unique_ptr<MetricsServer>> start(const ListenAddress& address, std::string version);
    MetricsServer(const MetricsServer&) = delete;
    MetricsServer& operator=(const MetricsServer&) = delete;
    ~MetricsServer();

    void publish(std::shared_ptr<const MetricsSnapshot> snapshot);
    // Where it listens.
    const ListenAddress& address() const { return address_; }

  private:
    struct Parts;
    MetricsServer(std::unique_ptr<Parts> parts, ListenAddress address);

    std::unique_ptr<Parts> parts_;
    ListenAddress address_;
};

}  // namespace sanscope

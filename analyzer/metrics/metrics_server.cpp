// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/metrics/metrics_server.h"

#include <CivetServer.h>
#include <array>
#include <atomic>
#include <cstring>
#include <exception>
#include <fmt/format.h>
#include <mutex>
#include <prometheus/text_serializer.h>
#include <sstream>
#include <string_view>
#include <utility>

#include "analyzer/metrics/exposition.h"
#include "analyzer/metrics/exposition_format.h"
#include "analyzer/metrics/gzip_text.h"
#include "analyzer/metrics/openmetrics_text.h"
#include "analyzer/metrics/protobuf_exposition.h"

namespace sanscope {
namespace {

// All values that a header has, as one list; a request's size bounds it.
std::string header_list(const mg_connection* connection, const char* name) {
    const mg_request_info* const request = mg_get_request_info(connection);
    std::string list;
    for (int i = 0; i < request->num_headers; ++i) {
        const mg_header& header = request->http_headers[i];
        if (mg_strcasecmp(header.name, name) != 0 || header.value == nullptr) continue;
        if (!list.empty()) list += ',';
        list += header.value;
    }
    return list;
}

class Published final : public CivetHandler {
  public:
    explicit Published(std::string version) : version_(std::move(version)) {}

    using CivetHandler::handleGet;
    bool handleGet(CivetServer*, mg_connection* connection) override {
        const ExpositionFormat format = negotiated_format(header_list(connection, "Accept"));
        std::string body = shown(format);
        const char* encoding = "";
        if (accepts_gzip(header_list(connection, "Accept-Encoding"))) {
            if (std::string smaller = gzip_text(body); !smaller.empty()) {
                body = std::move(smaller);
                encoding = "Content-Encoding: gzip\r\n";
            }
        }
        const std::string head = fmt::format(
            "HTTP/1.1 200 OK\r\nContent-Type: {}\r\n{}Vary: Accept, Accept-Encoding\r\n"
            "Content-Length: {}\r\nConnection: close\r\n\r\n",
            content_type(format), encoding, body.size());
        mg_write(connection, head.data(), head.size());
        mg_write(connection, body.data(), body.size());
        return true;
    }
    void set(std::shared_ptr<const MetricsSnapshot> snapshot) {
        const std::lock_guard lock(mutex_);
        snapshot_.swap(snapshot);
    }

  private:
    std::string shown(ExpositionFormat format) {
        ++scrapes_[static_cast<size_t>(format)];
        std::shared_ptr<const MetricsSnapshot> snapshot;
        {
            const std::lock_guard lock(mutex_);
            snapshot = snapshot_;
        }
        Scrapes scrapes{};
        for (size_t i = 0; i < scrapes.size(); ++i) scrapes[i] = scrapes_[i];
        const auto families = metric_families(*snapshot, version_, scrapes);
        if (format == ExpositionFormat::openmetrics) return openmetrics_text(families);
        if (format == ExpositionFormat::protobuf) return protobuf_exposition(families, *snapshot);
        std::ostringstream text;
        prometheus::TextSerializer().Serialize(text, families);
        return std::move(text).str();
    }

    std::string version_;
    std::array<std::atomic<uint64_t>, exposition_formats> scrapes_{};
    std::mutex mutex_;
    std::shared_ptr<const MetricsSnapshot> snapshot_ = std::make_shared<MetricsSnapshot>();
};

int refuse(mg_connection* connection, int status, const char* reason, const char* header) {
    mg_printf(connection, "HTTP/1.1 %d %s\r\n%sContent-Length: 0\r\nConnection: close\r\n\r\n", status,
              reason, header);
    return status;
}

// CivetWeb could do much more. Returns 0 where the request is for its handler.
int let_only_scrapes_pass(mg_connection* connection) {
    const mg_request_info* const request = mg_get_request_info(connection);
    const char* const path = request->local_uri;
    if (path == nullptr || std::strcmp(path, "/metrics") != 0)
        return refuse(connection, 404, "Not Found", "");
    if (std::strcmp(request->request_method, "GET") != 0)
        return refuse(connection, 405, "Method Not Allowed", "Allow: GET\r\n");
    if (request->content_length > 0) return refuse(connection, 413, "Content Too Large", "");
    return 0;
}

// What somebody sent is not for our standard error.
int log_nothing(const mg_connection*, const char*) {
    return 1;
}

}  // namespace

struct MetricsServer::Parts {
    explicit Parts(std::string version) : published(std::move(version)) {}

    Published published;
    std::unique_ptr<CivetServer> server;  // ends before what it shows
};

MetricsServer::MetricsServer(std::unique_ptr<Parts> parts, ListenAddress address)
    : parts_(std::move(parts)), address_(std::move(address)) {}

MetricsServer::~MetricsServer() = default;

Result<std::monostate> MetricsServer::check(const ListenAddress& address) {
    if (address.is_v6 && mg_check_feature(MG_FEATURES_IPV6) == 0) {
        return Error{fmt::format("cannot listen on {}: this system's CivetWeb was built without IPv6",
                                 address.text())};
    }
    return check_listening(address);
}

Result<std::unique_ptr<MetricsServer>> MetricsServer::start(const ListenAddress& address,
                                                            std::string version) {
    // CivetWeb does not say what stood in its way.
    if (const auto can = check(address); !can) return can.error();
    auto parts = std::make_unique<Parts>(std::move(version));
    CivetCallbacks callbacks;
    callbacks.begin_request = let_only_scrapes_pass;
    callbacks.log_message = log_nothing;
    const std::vector<std::string> options = {"listening_ports",    address.text(),
                                              "num_threads",        fmt::to_string(threads),
                                              "connection_queue",   fmt::to_string(waiting_connections),
                                              "listen_backlog",     fmt::to_string(waiting_connections),
                                              "max_request_size",   fmt::to_string(request_bytes),
                                              "request_timeout_ms", fmt::to_string(request_ms),
                                              "enable_keep_alive",  "no"};
    ListenAddress at = address;
    try {
        parts->server = std::make_unique<CivetServer>(options, &callbacks);
        parts->server->addHandler("/metrics", parts->published);
        if (const auto ports = parts->server->getListeningPorts(); at.port == 0 && !ports.empty())
            at.port = static_cast<uint16_t>(ports.front());
    } catch (const std::exception& error) {
        return Error{fmt::format("cannot listen on {}: {}", address.text(), error.what())};
    }
    return std::unique_ptr<MetricsServer>(new MetricsServer(std::move(parts), std::move(at)));
}

void MetricsServer::publish(std::shared_ptr<const MetricsSnapshot> snapshot) {
    parts_->published.set(std::move(snapshot));
}

}  // namespace sanscope

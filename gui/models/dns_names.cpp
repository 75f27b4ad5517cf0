// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/models/dns_names.h"

#include <arpa/inet.h>
#include <array>
#include <cstring>
#include <deque>
#include <mutex>
#include <netdb.h>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <system_error>
#include <thread>
#include <utility>

namespace sanscope {
namespace {

constexpr int most_threads = 4;
constexpr int between_publications_ms = 200;

struct SocketAddress {
    sockaddr_storage storage{};
    socklen_t length = 0;  // 0: it is none
};

SocketAddress socket_address(const QString& address) {
    SocketAddress result;
    const std::string text = address.toStdString();
    sockaddr_in v4{};
    sockaddr_in6 v6{};
    if (inet_pton(AF_INET, text.c_str(), &v4.sin_addr) == 1) {
        v4.sin_family = AF_INET;
        result.length = sizeof v4;
        std::memcpy(&result.storage, &v4, sizeof v4);
    } else if (inet_pton(AF_INET6, text.c_str(), &v6.sin6_addr) == 1) {
        v6.sin6_family = AF_INET6;
        result.length = sizeof v6;
        std::memcpy(&result.storage, &v6, sizeof v6);
    }
    return result;
}

bool is_of_one_host(const QString& address) {
    const SocketAddress socket = socket_address(address);
    if (socket.length == 0) return false;
    if (socket.storage.ss_family == AF_INET) {
        sockaddr_in v4{};
        std::memcpy(&v4, &socket.storage, sizeof v4);
        const uint32_t host = ntohl(v4.sin_addr.s_addr);
        return host != INADDR_ANY && host != INADDR_BROADCAST && !IN_MULTICAST(host);
    }
    sockaddr_in6 v6{};
    std::memcpy(&v6, &socket.storage, sizeof v6);
    return !IN6_IS_ADDR_UNSPECIFIED(&v6.sin6_addr) && !IN6_IS_ADDR_MULTICAST(&v6.sin6_addr);
}

// Whoever has the reverse zone may write anything there.
QString checked(QString name) {
    if (name.endsWith(QLatin1Char('.'))) name.chop(1);
    const std::string text = name.toStdString();
    in_addr shorthand{};
    const bool is_address = socket_address(name).length != 0 || inet_aton(text.c_str(), &shorthand) != 0;
    return is_host_name(text) && !is_address ? name : QString();
}

}  // namespace

// What the threads have, which may outlive the names they ask for.
struct DnsNames::Shared {
    std::mutex mutex;
    std::deque<QString> queue;
    int threads = 0;
    DnsNames* receiver = nullptr;  // nullptr: nobody waits any more
    Resolve resolve;

    // Until there is nothing to ask for.
    void work() {
        for (;;) {
            QString address;
            {
                const std::lock_guard lock(mutex);
                if (receiver == nullptr || queue.empty()) {
                    --threads;
                    return;
                }
                address = std::move(queue.front());
                queue.pop_front();
            }
            QString name = resolve(address);
            const std::lock_guard lock(mutex);
            if (receiver == nullptr) continue;
            QMetaObject::invokeMethod(
                receiver, [to = receiver, address, name = std::move(name)] { to->take(address, name); },
                Qt::QueuedConnection);
        }
    }
};

QString DnsNames::ask_name_service(const QString& address) {
    const SocketAddress socket = socket_address(address);
    if (socket.length == 0) return {};
    std::array<char, NI_MAXHOST> name{};
    const int failed = getnameinfo(reinterpret_cast<const sockaddr*>(&socket.storage), socket.length,
                                   name.data(), name.size(), nullptr, 0, NI_NAMEREQD);
    return failed != 0 ? QString() : QString::fromUtf8(name.data());
}

DnsNames::DnsNames(QObject* parent, Resolve resolve) : QObject(parent), shared_(std::make_shared<Shared>()) {
    shared_->receiver = this;
    shared_->resolve = std::move(resolve);
    publish_timer_.setSingleShot(true);
    publish_timer_.setInterval(between_publications_ms);
    connect(&publish_timer_, &QTimer::timeout, this, &DnsNames::publish);
}

DnsNames::~DnsNames() {
    const std::lock_guard lock(shared_->mutex);
    shared_->receiver = nullptr;
    shared_->queue.clear();
}

void DnsNames::want(const QStringList& ends) {
    const std::lock_guard lock(shared_->mutex);
    for (const QString& end : ends) {
        const QString address = HostNames::address_of(end);
        if (known_.contains(address) || waiting_.contains(address) || !is_of_one_host(address)) continue;
        if (known_.size() + waiting_.size() >= most_addresses) break;
        waiting_.insert(address);
        shared_->queue.push_back(address);
        if (shared_->threads == most_threads) continue;
        ++shared_->threads;
        // Not of a pool, which its end waits for: no answer may keep the program from closing.
        try {
            std::thread([shared = shared_] { shared->work(); }).detach();
        } catch (const std::system_error&) {
            --shared_->threads;
        }
    }
}

void DnsNames::cancel() {
    const std::lock_guard lock(shared_->mutex);
    for (const QString& address : shared_->queue) waiting_.remove(address);
    shared_->queue.clear();
}

void DnsNames::take(const QString& address, const QString& name) {
    waiting_.remove(address);
    const QString good = checked(name);
    known_.insert(address, good);
    if (!good.isEmpty() && !publish_timer_.isActive()) publish_timer_.start();
}

void DnsNames::publish() {
    names_ = std::make_shared<const HostNames>(HostNames::of(known_));
    Q_EMIT changed();
}

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/iscsi_peer/target/target_server.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fmt/core.h>
#include <list>
#include <mutex>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <optional>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <unordered_map>
#include <utility>
#include <vector>

#include "captures/iscsi_peer/target/event_thread.h"
#include "captures/iscsi_peer/target/memory_backing.h"
#include "captures/iscsi_peer/target/scsi_device.h"
#include "captures/iscsi_peer/target/target_connection.h"

#include "analyzer/base/file_descriptor.h"
#include "analyzer/iscsi/bhs.h"

namespace sanscope {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds look_around{1000};

Error system_error(const char* what) {
    return {fmt::format("{}: {}", what, std::strerror(errno))};
}

std::string address_text(const sockaddr_storage& address, socklen_t length) {
    std::array<char, NI_MAXHOST> host{};
    std::array<char, NI_MAXSERV> port{};
    if (::getnameinfo(reinterpret_cast<const sockaddr*>(&address), length, host.data(), host.size(),
                      port.data(), port.size(), NI_NUMERICHOST | NI_NUMERICSERV) != 0)
        return {};
    const bool brackets = address.ss_family == AF_INET6;
    return fmt::format("{}{}{}:{}", brackets ? "[" : "", host.data(), brackets ? "]" : "", port.data());
}

std::string local_address(int socket) {
    sockaddr_storage address{};
    socklen_t length = sizeof address;
    if (::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &length) != 0) return {};
    return address_text(address, length);
}

Result<FileDescriptor> listen_at(const std::string& host, uint16_t port, const TcpSettings& tcp) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE;
    addrinfo* found = nullptr;
    if (const int status = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
        status != 0)
        return Error{fmt::format("'{}' is no address: {}", host, ::gai_strerror(status))};
    const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> list(found, ::freeaddrinfo);
    FileDescriptor socket(::socket(found->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (socket.get() < 0) return system_error("no socket");
    constexpr int yes = 1;
    ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (const auto set = set_tcp_settings(socket.get(), tcp); !set) return set.error();
    constexpr int backlog = 256;
    if (::bind(socket.get(), found->ai_addr, found->ai_addrlen) != 0 || ::listen(socket.get(), backlog) != 0)
        return Error{fmt::format("cannot listen at {} port {}: {}", host, port, std::strerror(errno))};
    return socket;
}

// A session's connections, which all come with the same ISID, go to one thread: by a slot that the ISID falls into,
// which stays with its thread for as long as a connection of it lives.
struct Route {
    std::atomic<uint32_t> connections = 0;
    uint32_t worker = 0;  // of the acceptor alone
};
constexpr size_t route_count = 4096;

}  // namespace

// A thread that serves connections.
class TargetServer::Worker {
  public:
    Worker(const TargetSettings& settings, const ScsiDevice& device, MemoryBacking& backing,
           UnitOccupation& occupation, uint16_t index, uint16_t of)
        : table_(settings, device, backing, occupation, static_cast<uint16_t>(index + 1), of),
          buffer_(buffer_size),
          most_held_(settings.most_held) {}
    ~Worker() { stop(); }

    Result<std::monostate> start() {
        if (!thread_.start([this] { run(); })) return system_error("no events");
        return std::monostate{};
    }

    void stop() { thread_.stop(); }

    // From another thread.
    void hand_over(FileDescriptor socket, Route& route) {
        ++load_;
        ++route.connections;
        const std::lock_guard lock(mutex_);
        incoming_.emplace_back(std::move(socket), &route);
        thread_.wake();
    }
    uint32_t load() const { return load_; }

    // Once stopped.
    const TargetAccount& account() const { return table_.account; }
    const std::vector<std::string>& tcp_differences() const { return tcp_differences_; }

  private:
    // Large enough for the headers of many commands, and for the data of a few; what is not wanted never comes here.
    static constexpr size_t buffer_size = size_t{256} * 1024;
    static constexpr uint32_t worth_passing_over = 4096;
    // That are not logged in yet; the oldest makes room for more.
    static constexpr size_t most_logins = 1024;

    struct Served {
        Served(SessionTable& table, FileDescriptor socket_given, Route* route_given)
            : socket(std::move(socket_given)),
              route(route_given),
              connection(table, local_address(socket.get())),
              since(table.now),
              moved(table.now) {}

        bool all_sent() const { return !batch || batch->empty(); }

        FileDescriptor socket;
        Route* route;
        std::unique_ptr<OutputBatch> batch;  // while something is on its way
        TargetConnection connection;
        Clock::time_point since;
        Clock::time_point moved;  // the last time a byte was received or sent
        uint64_t held = 0;        // as counted in `held_`
        bool logging_in = true;
        bool readable = true;
        bool writable = true;
        bool in_ready = false;
    };

    void run() {
        std::array<epoll_event, 64> events;
        Clock::time_point looked{};
        while (!thread_.stopping()) {
            const int count = wait(events);
            table_.now = Clock::now();
            bool woken = false;
            for (int i = 0; i < count; ++i) {
                const epoll_event& event = events[static_cast<size_t>(i)];
                if (thread_.is_wake(event)) {
                    woken = true;
                    continue;
                }
                const auto found = served_.find(event.data.fd);
                if (found == served_.end()) continue;
                Served& served = *found->second;
                served.readable = served.readable || (event.events & ~static_cast<uint32_t>(EPOLLOUT)) != 0;
                served.writable = served.writable || (event.events & EPOLLOUT) != 0;
                serve(served);
                serve_woken();
                keep_within_budget();
            }
            for (const int file : std::exchange(ready_, {})) {
                const auto found = served_.find(file);
                if (found == served_.end()) continue;
                found->second->in_ready = false;
                serve(*found->second);
                serve_woken();
                keep_within_budget();
            }
            if (table_.settings.takes_time()) serve_due();
            if (woken) take_incoming();
            if (table_.now - looked >= look_around) {
                looked = table_.now;
                end_idle();
            }
        }
        served_.clear();
    }

    int wait(std::array<epoll_event, 64>& events) {
        std::optional<Clock::duration> patience = look_around;
        if (!ready_.empty()) patience = Clock::duration::zero();
        if (table_.settings.takes_time()) {
            const Clock::time_point now = Clock::now();
            for (const auto& [file, served] : served_) {
                if (const auto due = served->connection.next_due())
                    patience = std::min(*patience, std::max(*due - now, Clock::duration::zero()));
            }
        }
        const auto nanoseconds = std::chrono::nanoseconds(*patience).count();
        const timespec timeout{nanoseconds / 1'000'000'000, nanoseconds % 1'000'000'000};
        return ::epoll_pwait2(thread_.epoll(), events.data(), static_cast<int>(events.size()), &timeout,
                              nullptr);
    }

    void take_incoming() {
        thread_.take_wakes();
        std::vector<std::pair<FileDescriptor, Route*>> incoming;
        {
            const std::lock_guard lock(mutex_);
            incoming.swap(incoming_);
        }
        for (auto& [socket, route] : incoming) {
            const int file = socket.get();
            if (table_.settings.tcp.any())
                merge_tcp_differences(tcp_differences_, settle_tcp_settings(file, table_.settings.tcp));
            Served& served = *(served_[file] = std::make_unique<Served>(table_, std::move(socket), route));
            thread_.watch(file, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET);
            logins_.push_back(file);
            if (logins_.size() > most_logins) {
                const int oldest = logins_.front();
                if (oldest != file) drop(oldest);
            }
            serve(served);
            serve_woken();
            keep_within_budget();
        }
    }

    // Without a last word: it does not listen, or has said nothing for long.
    void drop(int file) {
        const auto found = served_.find(file);
        if (found == served_.end()) return;
        forget(*found->second);
        served_.erase(found);
        serve_woken();
    }

    // Those go that have taken nothing for longest, and several at once, so that this is seldom.
    void keep_within_budget() {
        const auto all = [this] { return held_ + table_.held; };
        if (all() <= most_held_) return;
        const uint64_t enough = most_held_ / 4 * 3;
        std::vector<std::pair<Clock::time_point, int>> stuck;
        for (const auto& [file, served] : served_) {
            if (const auto since = served->connection.stuck_since()) stuck.emplace_back(*since, file);
        }
        std::ranges::sort(stuck);
        for (const auto& [since, file] : stuck) {
            if (all() <= enough) return;
            drop(file);
        }
        // What is left is held for requests whose turn does not come.
        while (table_.held > enough && !table_.sessions().empty()) {
            const auto& largest =
                *std::ranges::max_element(table_.sessions(), {}, [](const auto& one) { return one->held(); });
            for (TargetConnection* const connection : largest->connections) connection->give_way();
            const size_t before = table_.sessions().size();
            serve_woken();
            if (table_.sessions().size() == before) return;
        }
    }

    void serve_woken() {
        while (!table_.woken.empty()) {
            const TargetConnection* const connection = table_.woken.back();
            table_.woken.pop_back();
            const auto found = std::ranges::find_if(
                served_, [&](const auto& one) { return &one.second->connection == connection; });
            if (found != served_.end()) serve(*found->second);
        }
    }

    void serve_due() {
        table_.now = Clock::now();
        due_.clear();
        for (const auto& [file, served] : served_) {
            const auto due = served->connection.next_due();
            if (due && *due <= table_.now) due_.push_back(file);
        }
        for (const int file : due_) {
            const auto found = served_.find(file);
            if (found == served_.end()) continue;
            found->second->connection.on_time();
            serve(*found->second);
            serve_woken();
        }
    }

    void end_idle() {
        due_.clear();
        for (const auto& [file, served] : served_) {
            const bool lingers =
                !served->connection.logged_in() && table_.now - served->since > table_.settings.login_time;
            const bool idle = table_.settings.idle_time.count() > 0 &&
                              table_.now - served->moved > table_.settings.idle_time;
            if (lingers || idle) due_.push_back(file);
        }
        for (const int file : due_) drop(file);
    }

    // Receives and sends until nothing more goes, or others are to have their turn. May close the connection.
    void serve(Served& served) {
        constexpr int most_rounds = 16;
        for (int round = 0; round < most_rounds; ++round) {
            const bool wanted =
                served.connection.wants_input() &&
                (served.all_sent() || served.batch->kept_bytes() < table_.settings.most_held_for_one);
            const bool received = served.readable && wanted && receive(served);
            const bool sent = send(served);
            count(served, sent);
            if (close_if_ended(served)) return;
            if (!received && !sent) return;
        }
        if (!std::exchange(served.in_ready, true)) ready_.push_back(served.socket.get());
    }

    // What it holds, for whoever looks at the budget; and whether it is logged in by now.
    void count(Served& served, bool sent) {
        uint64_t held = served.connection.held();
        if (!served.all_sent()) held += sizeof(OutputBatch) + served.batch->kept_bytes();
        held_ += held - served.held;
        served.held = held;
        if (sent) served.moved = table_.now;
        if (served.all_sent() && !served.connection.has_output() && served.connection.partial() == 0) {
            served.connection.set_stuck_since(std::nullopt);
        } else if (sent || !served.connection.stuck_since()) {
            served.connection.set_stuck_since(table_.now);
        }
        if (!served.logging_in || !served.connection.logged_in()) return;
        served.logging_in = false;
        std::erase(logins_, served.socket.get());
    }

    // Whether there may be more.
    bool receive(Served& served) {
        const uint32_t unwanted = served.connection.unwanted();
        const bool pass_over = unwanted >= worth_passing_over;
        renew_window_clamp(served.socket.get(), table_.settings.tcp);
        // With MSG_TRUNC the kernel gives up what TCP received without copying it (tcp(7)).
        const ssize_t got =
            pass_over ? ::recv(served.socket.get(), buffer_.data(),
                               std::min<size_t>(unwanted, buffer_.size()), MSG_TRUNC)
                      : ::recv(served.socket.get(), buffer_.data(),
                               std::min<size_t>(served.connection.worth_taking(), buffer_.size()), 0);
        if (got < 0) {
            if (errno == EINTR) return true;
            served.readable = false;
            broken_ = errno != EAGAIN;
            return false;
        }
        if (got == 0) {
            served.readable = false;
            broken_ = true;
            return false;
        }
        served.moved = table_.now;
        const auto bytes = static_cast<size_t>(got);
        if (pass_over) {
            served.connection.passed_over(static_cast<uint32_t>(bytes));
        } else {
            served.connection.take(std::span(buffer_).first(bytes));
        }
        return true;
    }

    // Whether anything was sent and there may be more.
    bool send(Served& served) {
        bool any = false;
        while (served.writable && !broken_) {
            if (served.all_sent()) {
                if (!served.connection.has_output()) break;
                if (!served.batch) served.batch = spare_batch();
                served.connection.fill(*served.batch);
            }
            const std::span<iovec> pieces = served.batch->pieces();
            if (pieces.empty()) break;
            msghdr message{};
            message.msg_iov = pieces.data();
            message.msg_iovlen = pieces.size();
            const int more = served.connection.has_output() ? MSG_MORE : 0;
            const ssize_t sent = ::sendmsg(served.socket.get(), &message, MSG_NOSIGNAL | more);
            if (sent < 0) {
                if (errno == EINTR) continue;
                served.writable = false;
                broken_ = errno != EAGAIN;
                break;
            }
            served.batch->sent(static_cast<size_t>(sent));
            any = true;
        }
        if (served.batch && served.batch->empty()) {
            constexpr size_t most_spare = 64;
            if (spare_.size() < most_spare) spare_.push_back(std::move(served.batch));
            served.batch.reset();
        }
        return any;
    }

    std::unique_ptr<OutputBatch> spare_batch() {
        if (spare_.empty()) return std::make_unique<OutputBatch>();
        std::unique_ptr<OutputBatch> batch = std::move(spare_.back());
        spare_.pop_back();
        return batch;
    }

    bool close_if_ended(Served& served) {
        using Ending = TargetConnection::Ending;
        const Ending ending = served.connection.ending();
        const bool all_sent = served.all_sent() && !served.connection.has_output();
        const bool ended = std::exchange(broken_, false) || ending == Ending::now ||
                           ending == Ending::reset || (ending == Ending::after_output && all_sent);
        if (!ended) return false;
        if (ending == Ending::reset) {
            constexpr linger at_once{1, 0};
            ::setsockopt(served.socket.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
        } else {
            // What came and was not read would make it a reset, which may take our last words away.
            constexpr int most_rounds = 16;
            ::shutdown(served.socket.get(), SHUT_WR);
            for (int i = 0; i < most_rounds; ++i) {
                if (::recv(served.socket.get(), buffer_.data(), buffer_.size(), 0) <= 0) break;
            }
        }
        forget(served);
        served_.erase(served.socket.get());
        return true;
    }

    void forget(Served& served) {
        held_ -= served.held;
        if (served.logging_in) std::erase(logins_, served.socket.get());
        --load_;
        --served.route->connections;
    }

    SessionTable table_;
    std::vector<uint8_t> buffer_;
    std::unordered_map<int, std::unique_ptr<Served>> served_;
    std::vector<int> ready_;
    std::vector<int> due_;
    std::vector<int> logins_;  // that are not logged in, the oldest first
    std::vector<std::unique_ptr<OutputBatch>> spare_;
    uint64_t held_ = 0;  // by connections and their batches
    uint64_t most_held_;
    bool broken_ = false;  // the connection that is served
    std::vector<std::string> tcp_differences_;
    std::atomic<uint32_t> load_ = 0;
    std::mutex mutex_;
    std::vector<std::pair<FileDescriptor, Route*>> incoming_;
    EventThread thread_;
};

// The thread that takes connections, and gives each to a worker once its first header names its session.
class TargetServer::Acceptor {
  public:
    Acceptor(FileDescriptor listening, std::vector<std::unique_ptr<Worker>>& workers,
             std::chrono::milliseconds login_time)
        : listening_(std::move(listening)),
          workers_(workers),
          routes_(route_count),
          login_time_(login_time) {}
    ~Acceptor() { stop(); }

    Result<std::monostate> start() {
        thread_.watch(listening_.get(), EPOLLIN);
        if (!thread_.start([this] { run(); })) return system_error("no events");
        return std::monostate{};
    }

    void stop() { thread_.stop(); }

  private:
    static constexpr size_t most_silent = 1024;  // connections that have not sent a header yet

    struct Silent {
        FileDescriptor socket;
        Clock::time_point since;
    };

    void run() {
        std::array<epoll_event, 64> events;
        while (!thread_.stopping()) {
            const auto patience = static_cast<int>(look_around.count());
            const int count = ::epoll_wait(thread_.epoll(), events.data(), events.size(), patience);
            bool more = false;
            for (int i = 0; i < count; ++i) {
                const int file = events[static_cast<size_t>(i)].data.fd;
                if (file == listening_.get()) {
                    more = true;
                } else if (const auto found = silent_.find(file); found != silent_.end()) {
                    if (!still_silent(found->second)) silent_.erase(found);
                }
            }
            if (more) accept_all();
            const auto now = Clock::now();
            std::erase_if(silent_, [&](const auto& one) { return now - one.second.since > login_time_; });
        }
    }

    // Who came first and has said nothing makes room.
    bool drop_oldest() {
        const auto oldest =
            std::ranges::min_element(silent_, {}, [](const auto& one) { return one.second.since; });
        if (oldest == silent_.end()) return false;
        silent_.erase(oldest);
        return true;
    }

    void accept_all() {
        for (;;) {
            FileDescriptor socket(
                ::accept4(listening_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
            if (socket.get() < 0) {
                // Without descriptors the next one takes that of a silent one, or is to wait.
                if (errno != EMFILE && errno != ENFILE) return;
                if (drop_oldest()) continue;
                std::this_thread::sleep_for(std::chrono::milliseconds(10));
                return;
            }
            if (silent_.size() >= most_silent) drop_oldest();
            constexpr int yes = 1;
            ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
            const int file = socket.get();
            Silent silent{std::move(socket), Clock::now()};
            if (!still_silent(silent)) continue;
            silent_.emplace(file, std::move(silent));
            thread_.watch(file, EPOLLIN | EPOLLRDHUP | EPOLLET);
        }
    }

    // Whether more of it has to come; else it was handed over, or is over.
    bool still_silent(Silent& silent) {
        std::array<uint8_t, bhs_length> header{};
        const ssize_t got = ::recv(silent.socket.get(), header.data(), header.size(), MSG_PEEK);
        if (got < 0) return errno == EAGAIN || errno == EINTR;
        if (got == 0) return false;
        if (static_cast<size_t>(got) < header.size()) return true;
        const uint64_t isid = Bhs(header.data()).isid();
        Route& route = routes_[(isid * 0x9e3779b97f4a7c15) >> 52];
        static_assert(route_count == 1u << 12);
        if (route.connections == 0) {
            uint32_t least = 0;
            for (uint32_t i = 1; i < workers_.size(); ++i) {
                if (workers_[i]->load() < workers_[least]->load()) least = i;
            }
            route.worker = least;
        }
        ::epoll_ctl(thread_.epoll(), EPOLL_CTL_DEL, silent.socket.get(), nullptr);
        workers_[route.worker]->hand_over(std::move(silent.socket), route);
        return false;
    }

    FileDescriptor listening_;
    std::vector<std::unique_ptr<Worker>>& workers_;
    std::vector<Route> routes_;
    std::unordered_map<int, Silent> silent_;
    std::chrono::milliseconds login_time_;
    EventThread thread_;
};

struct TargetServer::Parts {
    Parts(const TargetSettings& given, MemoryBacking memory)
        : settings(given), device(settings), backing(std::move(memory)), occupation(settings.luns) {}
    ~Parts() {
        // The workers' connections know the acceptor's routes.
        if (acceptor) acceptor->stop();
        workers.clear();
    }

    TargetSettings settings;
    ScsiDevice device;
    MemoryBacking backing;
    UnitOccupation occupation;
    std::string address;
    std::vector<std::unique_ptr<Worker>> workers;
    std::unique_ptr<Acceptor> acceptor;
};

TargetServer::TargetServer(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
TargetServer::~TargetServer() = default;

Result<std::unique_ptr<TargetServer>> TargetServer::start(const TargetSettings& settings,
                                                          const std::string& host, uint16_t port,
                                                          unsigned threads) {
    auto backing = MemoryBacking::make(settings.backing, settings.luns, settings.size);
    if (!backing) return backing.error();
    auto listening = listen_at(host, port, settings.tcp);
    if (!listening) return listening.error();
    auto parts = std::make_unique<Parts>(settings, std::move(*backing));
    parts->address = local_address(listening->get());
    for (unsigned i = 0; i < threads; ++i) {
        parts->workers.push_back(std::make_unique<Worker>(parts->settings, parts->device, parts->backing,
                                                          parts->occupation, static_cast<uint16_t>(i),
                                                          static_cast<uint16_t>(threads)));
        if (const auto started = parts->workers.back()->start(); !started) return started.error();
    }
    parts->acceptor = std::make_unique<Acceptor>(std::move(*listening), parts->workers, settings.login_time);
    if (const auto started = parts->acceptor->start(); !started) return started.error();
    return std::unique_ptr<TargetServer>(new TargetServer(std::move(parts)));
}

const std::string& TargetServer::address() const {
    return parts_->address;
}

TargetAccount TargetServer::stop() {
    parts_->acceptor->stop();
    TargetAccount account;
    for (const auto& worker : parts_->workers) {
        worker->stop();
        account += worker->account();
    }
    return account;
}

std::vector<std::string> TargetServer::tcp_differences() const {
    std::vector<std::string> all;
    for (const auto& worker : parts_->workers) merge_tcp_differences(all, worker->tcp_differences());
    return all;
}

}  // namespace sanscope

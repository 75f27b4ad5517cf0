// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/load/load_thread.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fmt/core.h>
#include <string_view>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <utility>

#include "captures/iscsi_peer/initiator/portal_address.h"
#include "captures/iscsi_peer/initiator/target_client.h"
#include "captures/load/monotonic_clock.h"

#include "analyzer/iscsi/pdu_codes.h"
#include "analyzer/scsi/sense.h"
#include "analyzer/scsi/sense_keys.h"
#include "analyzer/scsi/status.h"

namespace sanscope {
namespace {

constexpr int64_t second_ns = 1'000'000'000;
constexpr int64_t between_looks_ns = second_ns / 10;
constexpr int64_t patience_with_logout_ns = 2 * second_ns;
constexpr int64_t pause_when_busy_ns = second_ns / 1000;
constexpr size_t scratch_length = size_t{256} * 1024;
constexpr unsigned most_reported_conditions = 5;
constexpr unsigned most_unit_attentions = 8;

LoadFailure failure_of(const TaskEnd& end) {
    switch (end.how) {
        case TaskEnd::How::target_failure:
            return LoadFailure::target_failure;
        case TaskEnd::How::rejected:
            return LoadFailure::rejected;
        case TaskEnd::How::data_digest_wrong:
            return LoadFailure::digest_error;
        case TaskEnd::How::data_missing:
            return LoadFailure::short_transfer;
        case TaskEnd::How::answered:
            break;
    }
    switch (end.status) {
        case scsi_status::good:  // with less data than was asked for
            return LoadFailure::short_transfer;
        case scsi_status::check_condition:
            return LoadFailure::check_condition;
        case scsi_status::busy:
            return LoadFailure::busy;
        case scsi_status::task_set_full:
            return LoadFailure::task_set_full;
        case scsi_status::reservation_conflict:
            return LoadFailure::reservation_conflict;
        default:
            return LoadFailure::other_status;
    }
}

LoadKind kind_of(bool write) {
    return write ? LoadKind::write : LoadKind::read;
}

}  // namespace

struct LoadThread::Command {
    int64_t sent_ns = 0;
    int64_t due_ns = 0;
    int64_t free_since_ns = 0;  // of the slot
    int64_t aborted_ns = 0;     // 0: not
    uint64_t lba = 0;
    uint32_t bytes = 0;
    uint32_t lun = 0;  // index of the target
    bool write = false;
    bool reads_back = false;
    bool wrong_data = false;
    bool readiness_test = false;
};

struct LoadThread::Connection {
    enum class State : uint8_t { closed, connecting, login, ready, leaving };

    Session* session = nullptr;
    uint16_t cid = 0;
    State state = State::closed;
    bool waits_to_write = false;
    size_t address = 0;
    int64_t since_ns = 0;  // of the state
    FileDescriptor connecting;
    std::optional<InitiatorSocket> socket;
    std::vector<Command> commands;  // by slot

    bool leads() const { return cid == 0; }
    int descriptor() const { return socket ? socket->descriptor() : connecting.get(); }
};

struct LoadThread::Session {
    Worker* worker = nullptr;
    const LoadTarget* target = nullptr;
    LoginOffer offer;
    std::vector<SocketAddress> addresses;  // where the target sent it, or its own
    SessionNumbers numbers;
    std::vector<std::unique_ptr<Connection>> connections;
    size_t next_connection = 0;
    bool ready = false;          // its commands may be sent
    bool was_ready = false;      // it was so once
    bool logout_wanted = false;  // the target asked for it
    bool logged_out = false;     // … and so it was done
    bool ended = false;
    bool connections_reported = false;
    unsigned attentions = 0;
    unsigned failures = 0;    // since a command was answered
    int64_t retry_at_ns = 0;  // 0: not
    std::string fault;        // found where it could not be dealt with
};

struct LoadThread::Worker {
    Worker(Workload its_workload, unsigned its_number)
        : workload(std::move(its_workload)), number(its_number) {}

    Workload workload;
    unsigned number;
    std::optional<Pacing> pacing;                    // since all sessions were ready
    std::vector<std::unique_ptr<Session>> sessions;  // one to each target
    std::optional<WorkloadCommand> held;             // the next one
    bool held_reads_back = false;
    int64_t held_due_ns = 0;                    // of a trace
    std::vector<WorkloadCommand> to_read_back;  // what was written
    size_t next_in_trace = 0;
    uint64_t commands_left = UINT64_MAX;
    uint64_t bytes_left = UINT64_MAX;
    uint64_t in_flight = 0;
    int64_t hold_until_ns = 0;
    bool finished = false;  // sends no more
    bool left = false;      // … and logs out
};

// What a connection reports to the thread.
struct LoadThread::Owner {
    LoadThread& thread;
    Connection& connection;

    void on_data(uint32_t slot, std::span<const uint8_t> piece, uint32_t at) {
        thread.on_data(connection, slot, piece, at);
    }
    void fill(uint32_t slot, std::span<uint8_t> piece, uint32_t at) {
        thread.fill_data(connection, slot, piece, at);
    }
    void on_done(uint32_t slot, const TaskEnd& end) { thread.on_done(connection, slot, end); }
    void on_management(uint32_t slot, uint8_t response) { thread.on_management(connection, slot, response); }
    void on_async(uint8_t event) { thread.on_async(connection, event); }
};

LoadThread::LoadThread(const LoadPlan& plan, LoadMessages& messages)
    : plan_(plan),
      messages_(messages),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      scratch_(scratch_length),
      pattern_(plan.workload.seed) {
    if (plan.log != nullptr) log_.emplace(*plan.log, realtime_ns() - monotonic_ns());
}

LoadThread::~LoadThread() = default;

Result<std::unique_ptr<LoadThread>> LoadThread::create(const LoadPlan& plan, unsigned first, unsigned step,
                                                       LoadMessages& messages) {
    std::unique_ptr<LoadThread> thread(new LoadThread(plan, messages));
    epoll_event event{.events = EPOLLIN, .data = {.ptr = nullptr}};
    if (thread->epoll_.get() < 0 || thread->wake_.get() < 0 ||
        ::epoll_ctl(thread->epoll_.get(), EPOLL_CTL_ADD, thread->wake_.get(), &event) != 0) {
        return Error{fmt::format("no way to wait for sockets: {}", std::strerror(errno))};
    }
    for (unsigned number = first; number < plan.sessions; number += step) {
        if (auto added = thread->add_worker(number); !added) return added.error();
    }
    return thread;
}

Result<std::monostate> LoadThread::add_worker(unsigned number) {
    std::vector<LunShape> shapes;
    for (const LoadTarget& target : plan_.targets)
        shapes.push_back({.blocks = target.capacity.blocks, .block_size = target.capacity.block_length});
    WorkloadOptions options = plan_.workload;
    options.worker = number;
    options.workers = plan_.sessions;
    auto workload = Workload::create(options, shapes);
    if (!workload) return workload.error();
    auto worker = std::make_unique<Worker>(std::move(*workload), number);
    // The load's limits are shared out evenly.
    const auto share = [&](uint64_t all) {
        return all == 0 ? UINT64_MAX : all / plan_.sessions + (number < all % plan_.sessions ? 1 : 0);
    };
    if (plan_.verify)
        worker->to_read_back.reserve(size_t{plan_.queue_depth} * plan_.connections * plan_.targets.size());
    worker->next_in_trace = number;
    worker->commands_left = share(plan_.most_commands);
    worker->bytes_left = share(plan_.most_bytes);
    for (const LoadTarget& target : plan_.targets) {
        auto session = std::make_unique<Session>();
        session->worker = worker.get();
        session->target = &target;
        session->offer = target.offer;
        session->offer.isid += number;
        session->offer.max_connections = std::max(session->offer.max_connections, plan_.connections);
        session->addresses = target.addresses;
        for (unsigned cid = 0; cid < plan_.connections; ++cid) {
            auto connection = std::make_unique<Connection>();
            connection->session = session.get();
            connection->cid = static_cast<uint16_t>(cid);
            connection->commands.resize(std::max(plan_.queue_depth, 1u));
            session->connections.push_back(std::move(connection));
        }
        worker->sessions.push_back(std::move(session));
    }
    workers_.push_back(std::move(worker));
    return std::monostate{};
}

void LoadThread::request_stop() {
    stop_ = true;
    const uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(wake_.get(), &one, sizeof one);
}

void LoadThread::abort() {
    aborted_ = true;
    request_stop();
}

std::optional<LoginOutcome> LoadThread::outcome() {
    const std::lock_guard lock(outcome_mutex_);
    return outcome_;
}

std::vector<std::string> LoadThread::tcp_differences() {
    const std::lock_guard lock(outcome_mutex_);
    return tcp_differences_;
}

void LoadThread::run() {
    now_ns_ = monotonic_ns();
    for (const auto& worker : workers_) {
        for (const auto& session : worker->sessions) open(*session->connections.front());
    }
    std::array<epoll_event, 64> events{};
    while (!all_ended()) {
        wake_at_ns_ = now_ns_ + between_looks_ns;
        look_at_clocks();
        for (const auto& worker : workers_) fill(*worker);
        published_.publish_if_asked(account_);
        const int count = wait_for(events);
        now_ns_ = monotonic_ns();
        for (int i = 0; i < count; ++i) {
            const epoll_event& event = events[static_cast<size_t>(i)];
            if (event.data.ptr == nullptr) {
                uint64_t many = 0;
                [[maybe_unused]] const ssize_t taken = ::read(wake_.get(), &many, sizeof many);
            } else {
                on_event(*static_cast<Connection*>(event.data.ptr), event.events);
            }
        }
    }
    account_.fail_in_flight(LoadFailure::never_answered);
    if (log_) log_->flush();
    published_.publish(account_);
}

int LoadThread::wait_for(std::span<epoll_event> events) {
    const int64_t wait_ns = std::max<int64_t>(wake_at_ns_ - monotonic_ns(), 0);
    const timespec wait{.tv_sec = wait_ns / second_ns, .tv_nsec = wait_ns % second_ns};
    return ::epoll_pwait2(epoll_.get(), events.data(), static_cast<int>(events.size()), &wait, nullptr);
}

bool LoadThread::all_ended() const {
    return std::ranges::all_of(workers_, [](const auto& worker) {
        return std::ranges::all_of(worker->sessions, [](const auto& session) { return session->ended; });
    });
}

void LoadThread::open(Connection& connection) {
    Session& session = *connection.session;
    const SocketAddress& address = session.addresses[connection.address % session.addresses.size()];
    auto socket = begin_connect(address, plan_.tcp);
    if (!socket) return lose(session, socket.error().message);
    connection.connecting = std::move(*socket);
    connection.state = Connection::State::connecting;
    connection.since_ns = now_ns_;
    connection.waits_to_write = true;
    epoll_event event{.events = EPOLLOUT, .data = {.ptr = &connection}};
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, connection.connecting.get(), &event);
}

void LoadThread::on_connected(Connection& connection) {
    Session& session = *connection.session;
    const SocketAddress& address = session.addresses[connection.address % session.addresses.size()];
    if (auto outcome = connect_outcome(connection.connecting.get(), address); !outcome) {
        close(connection);
        if (++connection.address < session.addresses.size()) return open(connection);
        connection.address = 0;
        return lose(session, outcome.error().message);
    }
    settle_tcp(connection.connecting.get());
    LoginOffer offer = session.offer;
    offer.cid = connection.cid;
    connection.socket.emplace(std::move(connection.connecting), std::move(offer), session.numbers,
                              InitiatorConnection::Options{.slots = plan_.queue_depth});
    connection.state = Connection::State::login;
    connection.since_ns = now_ns_;
    flush(connection);
}

void LoadThread::settle_tcp(int socket) {
    if (!plan_.tcp.any()) return;
    std::vector<std::string> differences = settle_tcp_settings(socket, plan_.tcp);
    const std::lock_guard lock(outcome_mutex_);
    merge_tcp_differences(tcp_differences_, std::move(differences));
}

void LoadThread::on_event(Connection& connection, uint32_t events) {
    using State = Connection::State;
    if (connection.state == State::closed) return;
    if (connection.state == State::connecting) return on_connected(connection);
    if ((events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0) {
        Owner owner{*this, connection};
        renew_window_clamp(connection.socket->descriptor(), plan_.tcp);
        const auto more = connection.socket->receive(scratch_, owner);
        if (!more) {
            if (connection.state == State::leaving) return close(connection);
            return lose(*connection.session, more.error().message);
        }
    }
    settle(connection);
}

// After something came: what it changed.
void LoadThread::settle(Connection& connection) {
    Session& session = *connection.session;
    using Phase = InitiatorConnection::Phase;
    if (!session.fault.empty()) return lose(session, std::exchange(session.fault, {}));
    const Phase phase = connection.socket->connection().phase();
    if (phase == Phase::logged_out) return close(connection);
    if (phase == Phase::redirected) {
        auto addresses = resolve_portal(connection.socket->connection().target_address());
        close(connection);
        if (!addresses) return lose(session, addresses.error().message);
        session.addresses = std::move(*addresses);
        connection.address = 0;
        return open(connection);
    }
    if (phase == Phase::full_feature && connection.state == Connection::State::login) {
        connection.state = Connection::State::ready;
        connection.since_ns = now_ns_;
        on_full_feature(connection);
    }
    flush(connection);
}

void LoadThread::on_full_feature(Connection& connection) {
    Session& session = *connection.session;
    const LoginOutcome& outcome = connection.socket->connection().outcome();
    if (!connection.leads()) return;
    {
        const std::lock_guard lock(outcome_mutex_);
        if (!outcome_) outcome_ = outcome;
    }
    session.offer.joined = outcome;
    const size_t allowed = std::min<size_t>(session.connections.size(), outcome.max_connections);
    if (allowed < session.connections.size() && !session.connections_reported) {
        session.connections_reported = true;
        messages_.add(fmt::format("{}: the target allows {} connection{} to a session, not {}",
                                  session.target->name, allowed, allowed == 1 ? "" : "s",
                                  session.connections.size()));
    }
    for (size_t i = 1; i < allowed; ++i) open(*session.connections[i]);
    issue_readiness_test(connection);
}

// A target reports to a new session what happened before by failing its first command (unit attention).
void LoadThread::issue_readiness_test(Connection& connection) {
    Owner owner{*this, connection};
    const uint32_t slot = connection.socket->connection().issue(
        {.cdb = test_unit_ready_cdb(), .lun_field = connection.session->target->lun_field}, owner);
    connection.commands[slot] = {.sent_ns = now_ns_, .readiness_test = true};
}

void LoadThread::flush(Connection& connection) {
    Owner owner{*this, connection};
    const auto all = connection.socket->send(owner);
    if (!all) {
        if (connection.state == Connection::State::leaving) return close(connection);
        return lose(*connection.session, all.error().message);
    }
    watch(connection, !*all);
}

void LoadThread::watch(Connection& connection, bool for_writing) {
    if (connection.waits_to_write == for_writing) return;
    connection.waits_to_write = for_writing;
    epoll_event event{.events = EPOLLIN | (for_writing ? EPOLLOUT : 0u), .data = {.ptr = &connection}};
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, connection.descriptor(), &event);
}

void LoadThread::close(Connection& connection) {
    connection.state = Connection::State::closed;
    connection.socket.reset();  // which takes it out of the epoll set
    connection.connecting = FileDescriptor();
    connection.waits_to_write = false;
    Session& session = *connection.session;
    const bool none_left = std::ranges::all_of(
        session.connections, [](const auto& one) { return one->state == Connection::State::closed; });
    // A session that leaves has ended with its last connection.
    if (none_left && session.worker->finished) session.ended = true;
}

// At error recovery level 0 a session ends with any of its connections (RFC 7143 §7.1).
void LoadThread::lose(Session& session, const std::string& why) {
    Worker& worker = *session.worker;
    uint64_t lost = 0;
    for (const auto& connection : session.connections) {
        if (connection->state == Connection::State::ready) {
            const InitiatorConnection& protocol = connection->socket->connection();
            for (uint32_t slot = 0; slot < connection->commands.size(); ++slot) {
                Command& command = connection->commands[slot];
                if (!protocol.is_active(slot) || command.readiness_test) continue;
                end_command(*connection, slot, LoadFailure::connection_lost, now_ns_);
                ++lost;
            }
        }
        for (Command& command : connection->commands) command = {.free_since_ns = now_ns_};
        close(*connection);
    }
    if (session.was_ready) account_.on_connection_lost();
    session.ready = false;
    session.logout_wanted = false;
    session.logged_out = false;
    session.numbers = SessionNumbers{};
    session.offer.joined.reset();
    std::string message = fmt::format("{}: {}", session.target->name, why);
    if (lost > 0) message += fmt::format("; {} command{} had no answer yet", lost, lost == 1 ? "" : "s");
    if (worker.finished) {
        session.ended = true;
    } else if (!session.was_ready || session.failures >= plan_.reconnections) {
        give_up(session);
    } else {
        const auto wait_s = std::max<int64_t>(outcome_ ? outcome_->default_time2wait : 0, 1);
        ++session.failures;
        session.retry_at_ns = now_ns_ + wait_s * second_ns;
        message += fmt::format("; the next attempt is in {} s", wait_s);
    }
    messages_.add(std::move(message));
}

void LoadThread::give_up(Session& session) {
    lost_a_session_ = true;
    end_ns_ = now_ns_;
    session.ended = true;
    session.worker->finished = true;
}

void LoadThread::on_done(Connection& connection, uint32_t slot, const TaskEnd& end) {
    Session& session = *connection.session;
    Worker& worker = *session.worker;
    Command& command = connection.commands[slot];
    const bool good = end.how == TaskEnd::How::answered && end.status == scsi_status::good;
    if (command.readiness_test) {
        command.readiness_test = false;
        if (good) {
            session.ready = true;
            if (session.was_ready) account_.on_reconnected();
            session.was_ready = true;
            session.attentions = 0;
            return;
        }
        const auto sense = parse_sense(end.sense);
        const bool again = sense && sense->sense_key == sense_key::unit_attention &&
                           ++session.attentions <= most_unit_attentions;
        if (again) return issue_readiness_test(connection);
        session.fault = fmt::format("the LUN is not ready: {}", task_end_text(end, end.sense));
        return;
    }
    const int64_t done_ns = monotonic_ns();
    std::optional<LoadFailure> failure;
    if (command.aborted_ns != 0) {
        failure = LoadFailure::timed_out;
    } else if (!good || end.moved != command.bytes) {
        failure = failure_of(end);
    } else if (command.wrong_data) {
        failure = LoadFailure::wrong_data;
    }
    if (failure == LoadFailure::busy || failure == LoadFailure::task_set_full) {
        worker.hold_until_ns = done_ns + pause_when_busy_ns;
    } else if (failure && failure != LoadFailure::timed_out && failure != LoadFailure::wrong_data) {
        report_failure(connection, command,
                       good ? "only a part of the data came" : task_end_text(end, end.sense));
    }
    if (!failure) {
        session.failures = 0;
        if (plan_.verify && command.write) {
            const uint32_t block_length = session.target->capacity.block_length;
            worker.to_read_back.push_back(
                {.lba = command.lba, .blocks = command.bytes / block_length, .lun = command.lun});
        }
    }
    end_command(connection, slot, failure, done_ns);
}

void LoadThread::report_failure(const Connection& connection, const Command& command,
                                const std::string& why) {
    if (reported_conditions_ == most_reported_conditions) return;
    ++reported_conditions_;
    messages_.add(
        fmt::format("{}: a {} of {} bytes at block {} failed: {}{}", connection.session->target->name,
                    command.write ? "write" : "read", command.bytes, command.lba, why,
                    reported_conditions_ == most_reported_conditions ? " (no more of these are told)" : ""));
}

void LoadThread::end_command(Connection& connection, uint32_t slot, std::optional<LoadFailure> failure,
                             int64_t done_ns) {
    Command& command = connection.commands[slot];
    Worker& worker = *connection.session->worker;
    const LoadKind kind = kind_of(command.write);
    if (failure) {
        account_.on_failed(kind, *failure);
    } else {
        account_.on_done(kind, command.bytes, done_ns - command.sent_ns, command.sent_ns - command.due_ns);
    }
    if (log_) log_command(connection, slot, failure, done_ns);
    command = {.free_since_ns = done_ns};
    worker.pacing->on_ended(done_ns);
    --worker.in_flight;
}

void LoadThread::log_command(const Connection& connection, uint32_t slot, std::optional<LoadFailure> failure,
                             int64_t done_ns) {
    const Command& command = connection.commands[slot];
    const Session& session = *connection.session;
    const bool ended = failure != LoadFailure::never_answered && failure != LoadFailure::connection_lost;
    log_->add({.send_ns = command.sent_ns,
               .done_ns = done_ns,
               .ended = ended,
               .itt = connection.socket->connection().itt(slot),
               .session = session.worker->number + 1,
               .connection = connection.cid + 1u,
               .lun = lun_number(session.target->lun_field),
               .lba = command.lba,
               .bytes = command.bytes,
               .kind = kind_of(command.write),
               .status = failure ? load_failure_key(*failure) : scsi_status_name(scsi_status::good)});
}

// What is under way when the sessions end.
void LoadThread::log_unanswered(const Worker& worker) {
    for (const auto& session : worker.sessions) {
        for (const auto& connection : session->connections) {
            if (!connection->socket) continue;
            for (uint32_t slot = 0; slot < connection->commands.size(); ++slot) {
                const bool active = connection->socket->connection().is_active(slot);
                if (active && !connection->commands[slot].readiness_test)
                    log_command(*connection, slot, LoadFailure::never_answered, 0);
            }
        }
    }
}

void LoadThread::on_data(Connection& connection, uint32_t slot, std::span<const uint8_t> piece, uint32_t at) {
    Command& command = connection.commands[slot];
    if (!command.reads_back || command.wrong_data) return;
    const uint64_t offset = command.lba * connection.session->target->capacity.block_length + at;
    const auto mismatch = pattern_.check(piece, offset, 0);
    if (!mismatch) return;
    command.wrong_data = true;
    report_failure(connection, command,
                   fmt::format("wrong data at byte {} of the LUN: {}", mismatch->offset, mismatch->happened));
}

void LoadThread::fill_data(Connection& connection, uint32_t slot, std::span<uint8_t> piece, uint32_t at) {
    const Command& command = connection.commands[slot];
    if (!plan_.verify) {
        std::memset(piece.data(), static_cast<int>(slot & 0xff), piece.size());
        return;
    }
    constexpr uint64_t unit = VerifyPattern::piece_bytes;
    const uint64_t begin = command.lba * connection.session->target->capacity.block_length + at;
    if (begin % unit == 0 && piece.size() % unit == 0) return pattern_.fill(piece, begin, 0);
    const uint64_t first = begin / unit * unit;
    const uint64_t last = (begin + piece.size() + unit - 1) / unit * unit;
    whole_pieces_.resize(last - first);
    pattern_.fill(whole_pieces_, first, 0);
    std::memcpy(piece.data(), &whole_pieces_[begin - first], piece.size());
}

void LoadThread::on_management(Connection& connection, uint32_t slot, uint8_t response) {
    InitiatorConnection& protocol = connection.socket->connection();
    const Command& command = connection.commands[slot];
    if (!protocol.is_active(slot) || command.aborted_ns == 0) return;
    if (response != task_management::function_complete && response != task_management::task_does_not_exist) {
        connection.session->fault =
            fmt::format("the target did not abort a command that it did not answer (response {})", response);
        return;
    }
    protocol.give_up(slot);
    end_command(connection, slot, LoadFailure::timed_out, now_ns_);
}

void LoadThread::on_async(Connection& connection, uint8_t event) {
    // §11.9.1: 1 asks for a logout, 2 and 3 announce that connections are dropped, 4 asks for negotiation or a logout.
    Session& session = *connection.session;
    switch (event) {
        case 1:
        case 4:
            session.logout_wanted = true;
            break;
        case 2:
        case 3:
            session.fault = "the target announced that it drops the connection";
            break;
        default:
            messages_.add(
                fmt::format("{}: the target sent an asynchronous event ({})", session.target->name, event));
    }
}

bool LoadThread::out_of_work(const Worker& worker) const {
    if (worker.held || !worker.to_read_back.empty()) return false;
    if (plan_.trace != nullptr && worker.next_in_trace >= plan_.trace->size()) return true;
    return worker.commands_left == 0 || worker.bytes_left == 0;
}

// Which command comes next; false where there is none, or none yet. What was written is read back also once no more is
// written.
bool LoadThread::find_next(Worker& worker) {
    if (worker.held) return true;
    worker.held_reads_back = !worker.to_read_back.empty();
    if (worker.held_reads_back) {
        worker.held = worker.to_read_back.back();
        worker.to_read_back.pop_back();
        return true;
    }
    if (stopping_ || out_of_work(worker)) return false;
    if (plan_.trace != nullptr) {
        const TraceCommand& next = (*plan_.trace)[worker.next_in_trace];
        worker.next_in_trace += plan_.sessions;
        worker.held = WorkloadCommand{.lba = next.lba, .blocks = next.blocks, .write = next.write};
        worker.held_due_ns = start_ns_ + next.offset_ns;
    } else {
        worker.held = worker.workload.next();
        if (plan_.verify) worker.held->write = true;
    }
    const uint64_t bytes =
        uint64_t{worker.held->blocks} * plan_.targets[worker.held->lun].capacity.block_length;
    if (worker.commands_left != UINT64_MAX) --worker.commands_left;
    if (worker.bytes_left != UINT64_MAX) worker.bytes_left -= std::min(worker.bytes_left, bytes);
    return true;
}

LoadThread::Connection* LoadThread::connection_for(Session& session) {
    if (!session.ready || session.logout_wanted) return nullptr;
    for (size_t tries = 0; tries < session.connections.size(); ++tries) {
        Connection& connection = *session.connections[session.next_connection];
        session.next_connection = (session.next_connection + 1) % session.connections.size();
        if (connection.state == Connection::State::ready && connection.socket->connection().can_issue())
            return &connection;
    }
    return nullptr;
}

void LoadThread::fill(Worker& worker) {
    if (worker.finished) return;
    if (!worker.pacing) {
        if (!std::ranges::all_of(worker.sessions, [](const auto& session) { return session->ready; })) return;
        worker.pacing.emplace(plan_.pacing, now_ns_, worker.number, plan_.sessions);
        if (start_ns_ == 0) start_ns_ = now_ns_;
        for (const auto& session : worker.sessions) {
            for (const auto& connection : session->connections) {
                for (Command& command : connection->commands) command.free_since_ns = now_ns_;
            }
        }
    }
    if (now_ns_ < worker.hold_until_ns) return wake_at(worker.hold_until_ns);
    bool issued = false;
    while (find_next(worker)) {
        Session& session = *worker.sessions[worker.held->lun];
        Connection* const connection = connection_for(session);
        if (connection == nullptr) break;
        InitiatorConnection& protocol = connection->socket->connection();
        Command& command = connection->commands[protocol.next_slot()];
        const int64_t due_ns =
            plan_.trace != nullptr ? worker.held_due_ns : worker.pacing->due_ns(command.free_since_ns);
        if (due_ns > now_ns_) {
            if (due_ns != Pacing::not_before_answer) wake_at(due_ns);
            break;
        }
        const WorkloadCommand& next = *worker.held;
        const uint32_t bytes = next.blocks * session.target->capacity.block_length;
        command = {.sent_ns = now_ns_,
                   .due_ns = plan_.pacing.rate > 0 || plan_.trace != nullptr ? due_ns : now_ns_,
                   .lba = next.lba,
                   .bytes = bytes,
                   .lun = next.lun,
                   .write = next.write,
                   .reads_back = worker.held_reads_back};
        const ScsiTask task{
            .cdb = next.write ? write_cdb(next.lba, next.blocks) : read_cdb(next.lba, next.blocks),
            .lun_field = session.target->lun_field,
            .bytes = bytes,
            .direction = next.write ? ScsiTask::Direction::write : ScsiTask::Direction::read,
            .wants_data = worker.held_reads_back};
        Owner owner{*this, *connection};
        protocol.issue(task, owner);
        account_.on_sent(kind_of(next.write));
        worker.pacing->on_sent();
        ++worker.in_flight;
        worker.held.reset();
        issued = true;
    }
    if (!issued) return;
    for (const auto& session : worker.sessions) {
        for (const auto& connection : session->connections) {
            if (connection->state == Connection::State::ready && !connection->waits_to_write &&
                !connection->socket->connection().to_send().empty()) {
                flush(*connection);
            }
        }
    }
}

void LoadThread::look_at_commands(Connection& connection) {
    InitiatorConnection& protocol = connection.socket->connection();
    bool aborting = false;
    for (const Command& command : connection.commands) aborting |= command.aborted_ns != 0;
    for (uint32_t slot = 0; slot < connection.commands.size(); ++slot) {
        Command& command = connection.commands[slot];
        if (!protocol.is_active(slot)) continue;
        const bool given_time = now_ns_ - std::max(command.sent_ns, command.aborted_ns) < plan_.patience_ns;
        if (given_time) continue;
        if (command.readiness_test || command.aborted_ns != 0) {
            connection.session->fault = fmt::format("the target did not answer for {:.3g} s",
                                                    static_cast<double>(plan_.patience_ns) * 1e-9);
            return;
        }
        if (aborting) continue;  // one at a time
        aborting = true;
        command.aborted_ns = now_ns_;
        protocol.abort_task(slot);
    }
}

// The session ends with its leading connection's logout.
void LoadThread::log_out(Session& session) {
    for (const auto& connection : session.connections) {
        if (connection->state == Connection::State::leaving) continue;
        const bool says_so = connection->leads() && connection->state == Connection::State::ready &&
                             connection->socket->connection().can_log_out();
        if (!says_so) {
            close(*connection);
            continue;
        }
        connection->socket->connection().log_out();
        connection->state = Connection::State::leaving;
        connection->since_ns = now_ns_;
        flush(*connection);
    }
}

// What is due because time has passed.
void LoadThread::look_at_clocks() {
    if (start_ns_ != 0 && plan_.duration_ns > 0) {
        const int64_t end_ns = start_ns_ + plan_.duration_ns;
        if (now_ns_ >= end_ns) stopping_ = true;
        wake_at(std::max(end_ns, now_ns_ + (stopping_ ? between_looks_ns : 0)));
    }
    if (stop_) stopping_ = true;
    for (const auto& worker : workers_) {
        // A stop leaves out what was not sent, but reads back what was written.
        if (stopping_ && !worker->held_reads_back) worker->held.reset();
        const bool to_read_back = worker->held || !worker->to_read_back.empty();
        const bool work_left = !aborted_ && (stopping_ ? to_read_back : !out_of_work(*worker));
        if (work_left && !worker->finished) continue;
        if (worker->in_flight > 0 && !aborted_ && !worker->finished) continue;
        if (std::ranges::all_of(worker->sessions, [](const auto& session) { return session->ended; }))
            continue;
        if (!worker->left) {
            end_ns_ = now_ns_;
            if (log_ && worker->in_flight > 0) log_unanswered(*worker);
        }
        worker->left = true;
        worker->finished = true;
        for (const auto& session : worker->sessions) {
            if (session->ended) continue;
            log_out(*session);
        }
    }
    if (now_ns_ < look_at_ns_) return;
    look_at_ns_ = now_ns_ + between_looks_ns;
    for (const auto& worker : workers_) {
        for (const auto& session : worker->sessions) {
            if (session->ended) continue;
            if (session->retry_at_ns != 0 && now_ns_ >= session->retry_at_ns) {
                session->retry_at_ns = 0;
                open(*session->connections.front());
                continue;
            }
            for (const auto& connection : session->connections) {
                const int64_t age_ns = now_ns_ - connection->since_ns;
                switch (connection->state) {
                    case Connection::State::closed:
                        break;
                    case Connection::State::connecting:
                    case Connection::State::login:
                        if (age_ns > plan_.patience_ns)
                            session->fault = "the target did not answer the login";
                        break;
                    case Connection::State::ready:
                        look_at_commands(*connection);
                        if (session->fault.empty()) flush(*connection);
                        break;
                    case Connection::State::leaving:
                        if (age_ns > patience_with_logout_ns) close(*connection);
                        break;
                }
                if (!session->fault.empty()) {
                    lose(*session, std::exchange(session->fault, {}));
                    break;
                }
            }
            if (session->logout_wanted && worker->in_flight == 0) {
                session->logout_wanted = false;
                session->logged_out = true;
                session->ready = false;
                log_out(*session);
            }
            const bool over = std::ranges::all_of(session->connections, [](const auto& connection) {
                return connection->state == Connection::State::closed;
            });
            if (session->logged_out && over && !session->ended)
                lose(*session, "the target asked for a logout");
        }
    }
}

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/generating/load_process.h"

#include <csignal>

#include "gui/generating/generator_program.h"

namespace sanscope {
namespace {

constexpr qsizetype most_errors = 1 << 16;

std::optional<double> duration_of(const QJsonObject& object, const char* name) {
    const double value = number_of(object, name);
    if (value < 0) return std::nullopt;
    return value;
}

}  // namespace

std::optional<LoadSecond> read_second(const QJsonObject& object) {
    LoadSecond second;
    second.at = number_of(object, "seconds");
    second.bytes_per_second = number_of(object, "bytes_per_second");
    second.commands_per_second = number_of(object, "commands_per_second");
    if (second.at < 0 || second.bytes_per_second < 0 || second.commands_per_second < 0) return std::nullopt;
    second.p50_ns = duration_of(object, "p50_ns");
    second.p99_ns = duration_of(object, "p99_ns");
    second.commands = count_of(object, "commands");
    second.bytes = count_of(object, "bytes");
    second.errors = count_of(object, "errors");
    second.in_flight = count_of(object, "in_flight");
    second.cpu_seconds = std::max(0.0, number_of(object, "cpu_seconds"));
    return second;
}

LoadProcess::LoadProcess(QObject* parent) : QObject(parent) {}

LoadProcess::~LoadProcess() {
    if (process_ == nullptr) return;
    process_->disconnect(this);
    process_->kill();
    process_->waitForFinished();
}

void LoadProcess::start(const LoadSettings& settings, const LoadSecrets& secrets) {
    if (state_ != State::idle) return;
    state_ = State::running;
    lines_ = {};
    errors_.clear();
    has_begun_ = false;
    reported_end_.reset();
    process_ = new QProcess(this);
    connect(process_, &QProcess::readyReadStandardOutput, this, [this] {
        lines_.add(process_->readAllStandardOutput(), [this](const QJsonObject& object) { take(object); });
    });
    connect(process_, &QProcess::readyReadStandardError, this, &LoadProcess::read_errors);
    connect(process_, &QProcess::finished, this, &LoadProcess::end);
    connect(process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart) end();
    });
    start_generator(*process_, load_arguments(settings), secret_lines(settings, secrets));
}

void LoadProcess::stop() {
    if (process_ == nullptr) return;
    const auto pid = static_cast<pid_t>(process_->processId());
    if (pid <= 0) return;
    if (state_ == State::aborting) {
        process_->kill();
        return;
    }
    state_ = state_ == State::running ? State::stopping : State::aborting;
    ::kill(pid, SIGINT);
    Q_EMIT stopping();
}

void LoadProcess::take(const QJsonObject& object) {
    const QString kind = text_of(object, "kind");
    if (reported_end_) return;
    if (kind == u"begun" && !std::exchange(has_begun_, true)) {
        Q_EMIT begun();
    } else if (kind == u"second") {
        if (const auto told = read_second(object)) Q_EMIT second(*told);
    } else if (kind == u"message") {
        if (const QString text = text_of(object, "text"); !text.isEmpty()) Q_EMIT message(text);
    } else if (kind == u"ended") {
        reported_end_ = LoadEnd{.status = object.value(QStringLiteral("status")).toInt(1),
                                .summary = object.value(QStringLiteral("summary")).toObject(),
                                .why = {}};
    }
}

void LoadProcess::read_errors() {
    errors_ += process_->readAllStandardError();
    if (errors_.size() > most_errors) errors_ = errors_.right(most_errors);
}

void LoadProcess::end() {
    lines_.add(process_->readAllStandardOutput(), [this](const QJsonObject& object) { take(object); });
    lines_.finish([this](const QJsonObject& object) { take(object); });
    read_errors();
    QProcess* const ended_one = std::exchange(process_, nullptr);
    ended_one->disconnect(this);
    LoadEnd end = reported_end_.value_or(LoadEnd{});
    const QString said = sentences_of(errors_);
    if (!reported_end_) {
        if (ended_one->exitStatus() == QProcess::NormalExit && ended_one->error() == QProcess::UnknownError)
            end.status = ended_one->exitCode();
        end.why = said.isEmpty() || ended_one->exitStatus() == QProcess::CrashExit ? how_it_ended(*ended_one)
                                                                                   : said;
    } else if (!said.isEmpty()) {
        // What went wrong with it all the same.
        for (const QString& line : said.split(u'\n')) Q_EMIT message(line);
    }
    ended_one->deleteLater();
    state_ = State::idle;
    Q_EMIT ended(end);
}

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/experimenting/experiment_process.h"

#include <csignal>
#include <sys/prctl.h>
#include <unistd.h>
#include <utility>

#include "gui/generating/generator_program.h"

namespace sanscope {
namespace {

constexpr qsizetype most_errors = 1 << 16;
constexpr int to_remove_hosts_ms = 10'000;

}  // namespace

ExperimentProcess::ExperimentProcess(QObject* parent) : QObject(parent) {}

ExperimentProcess::~ExperimentProcess() {
    if (process_ == nullptr) return;
    process_->disconnect(this);
    process_->terminate();
    if (process_->waitForFinished(to_remove_hosts_ms)) return;
    process_->kill();
    process_->waitForFinished();
}

void ExperimentProcess::start(const QStringList& arguments) {
    if (state_ != State::idle) return;
    state_ = State::running;
    lines_ = {};
    errors_.clear();
    end_ = {};
    process_ = new QProcess(this);
    const pid_t parent = ::getpid();
    process_->setChildProcessModifier([parent] {
        // Nobody would see it any more; of this signal it removes its hosts.
        ::prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (::getppid() != parent) ::_exit(1);
        // A window that a shell started in the background has it ignored, and so would what it starts.
        ::signal(SIGINT, SIG_DFL);
    });
    connect(process_, &QProcess::readyReadStandardOutput, this, &ExperimentProcess::read_output);
    connect(process_, &QProcess::readyReadStandardError, this, &ExperimentProcess::read_errors);
    connect(process_, &QProcess::finished, this, &ExperimentProcess::end);
    connect(process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart) end();
    });
    process_->start(generator_program(), arguments + QStringList(QStringLiteral("--events")));
    process_->closeWriteChannel();
}

void ExperimentProcess::stop() {
    if (process_ == nullptr) return;
    const auto pid = static_cast<pid_t>(process_->processId());
    if (pid <= 0) return;
    if (state_ == State::stopping) {
        process_->kill();
        return;
    }
    state_ = State::stopping;
    ::kill(pid, SIGINT);
}

void ExperimentProcess::take(const QJsonObject& object) {
    const QString kind = text_of(object, "kind");
    if (kind == u"message") {
        if (const QString text = text_of(object, "text"); !text.isEmpty()) Q_EMIT message(text);
    } else if (kind == u"begun") {
        Q_EMIT begun(count_of(object, "runs"));
    } else if (kind == u"ended") {
        end_.done = count_of(object, "done");
        end_.failed = count_of(object, "failed");
    } else if (kind == u"run" || kind == u"done" || kind == u"failed") {
        RunTold run{.kind = kind == u"run"    ? RunTold::Kind::begins
                            : kind == u"done" ? RunTold::Kind::done
                                              : RunTold::Kind::failed,
                    .number = count_of(object, "number"),
                    .of = count_of(object, "of"),
                    .label = text_of(object, "label"),
                    .repetition = count_of(object, "repetition"),
                    .text = text_of(object, "text"),
                    .seconds_left = std::max(0.0, number_of(object, "seconds_left"))};
        if (run.number > 0 && run.number <= run.of) Q_EMIT told(run);
    }
}

void ExperimentProcess::read_output() {
    lines_.add(process_->readAllStandardOutput(), [this](const QJsonObject& object) { take(object); });
}

void ExperimentProcess::read_errors() {
    errors_ += process_->readAllStandardError();
    if (errors_.size() > most_errors) errors_ = errors_.right(most_errors);
}

void ExperimentProcess::end() {
    read_output();
    lines_.finish([this](const QJsonObject& object) { take(object); });
    read_errors();
    QProcess* const ended_one = std::exchange(process_, nullptr);
    ended_one->disconnect(this);
    const bool by_itself =
        ended_one->error() != QProcess::FailedToStart && ended_one->exitStatus() == QProcess::NormalExit;
    end_.status = by_itself ? ended_one->exitCode() : 1;
    end_.why = sentences_of(errors_);
    if (!by_itself || (end_.status != 0 && end_.why.isEmpty())) {
        const QString how = how_it_ended(*ended_one);
        end_.why = end_.why.isEmpty() ? how : how + u'\n' + end_.why;
    }
    ended_one->deleteLater();
    state_ = State::idle;
    Q_EMIT ended(end_);
}

}  // namespace sanscope

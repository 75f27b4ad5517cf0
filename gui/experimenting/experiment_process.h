// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QProcess>
#include <QString>
#include <QStringList>

#include "gui/generating/json_lines.h"

namespace sanscope {

// A run as `sanscope experiment --events` tells of it.
struct RunTold {
    enum class Kind : uint8_t { begins, done, failed };

    Kind kind = Kind::begins;
    uint64_t number = 0;  // from 1, of so many …
    uint64_t of = 0;
    QString label;
    uint64_t repetition = 0;
    QString text;             // figures of one that is done, of one that failed why
    double seconds_left = 0;  // for those after it; 0: it does not say
};

struct ExperimentEnd {
    int status = 1;     // as `sanscope experiment` exits
    uint64_t done = 0;  // since it was started
    uint64_t failed = 0;
    QString why;  // in words, where it had something to say
};

// An experiment in a process of its own, which ends with this, and removes its hosts then. GUI thread only.
class ExperimentProcess : public QObject {
    Q_OBJECT

  public:
    enum class State : uint8_t { idle, running, stopping };

    explicit ExperimentProcess(QObject* parent = nullptr);
    ~ExperimentProcess() override;

    // Only while it is idle. Signals report all the rest, and that it could not be started.
    void start(const QStringList& arguments);
    // The run that is under way is given up, and its hosts are removed; asked again, the process is killed.
    void stop();
    State state() const { return state_; }

  Q_SIGNALS:
    void message(const QString& text);
    void begun(uint64_t runs);
    void told(const RunTold& run);
    void ended(const ExperimentEnd& end);  // the last one

  private:
    void take(const QJsonObject& object);
    void read_output();
    void read_errors();
    void end();

    QProcess* process_ = nullptr;
    State state_ = State::idle;
    JsonLines lines_;
    QByteArray errors_;
    ExperimentEnd end_;
};

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QProcess>
#include <optional>

#include "gui/generating/json_lines.h"
#include "gui/generating/load_settings.h"

namespace sanscope {

// One second of a load, or as much of one as it lasted.
struct LoadSecond {
    double at = 0;  // of its end, seconds since the load began
    double bytes_per_second = 0;
    double commands_per_second = 0;
    std::optional<double> p50_ns;  // of turnaround; nothing: no command ended well
    std::optional<double> p99_ns;
    uint64_t commands = 0;
    uint64_t bytes = 0;
    uint64_t errors = 0;
    uint64_t in_flight = 0;  // at its end
    double cpu_seconds = 0;
};

struct LoadEnd {
    int status = 1;       // as `sanscope generate` exits
    QJsonObject summary;  // empty: it printed none
    QString why;          // in words, where no load came about or it did not end by itself
};

// Puts on a load in a process of its own, which ends with this. GUI thread only.
class LoadProcess : public QObject {
    Q_OBJECT

  public:
    enum class State : uint8_t { idle, running, stopping, aborting };

    explicit LoadProcess(QObject* parent = nullptr);
    ~LoadProcess() override;

    // Only while it is idle. Signals report all the rest, and that it could not be started.
    void start(const LoadSettings& settings, const LoadSecrets& secrets);
    // The first time, commands under way are waited for; the second time not. After that, the process is killed.
    void stop();
    State state() const { return state_; }
    qint64 process() const { return process_ == nullptr ? 0 : process_->processId(); }

  Q_SIGNALS:
    void begun();
    void second(const LoadSecond& second);
    void message(const QString& text);
    void stopping();                 // or aborting
    void ended(const LoadEnd& end);  // the last one

  private:
    void take(const QJsonObject& object);
    void read_errors();
    void end();

    QProcess* process_ = nullptr;
    State state_ = State::idle;
    JsonLines lines_;
    QByteArray errors_;
    bool has_begun_ = false;
    std::optional<LoadEnd> reported_end_;
};

// Reads a line of kind `second`; nothing where it has no time or no rates.
std::optional<LoadSecond> read_second(const QJsonObject& object);

}  // namespace sanscope

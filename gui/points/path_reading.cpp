// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/points/path_reading.h"

#include <QFile>
#include <algorithm>
#include <utility>

namespace sanscope {

PathReading::PathReading(const QStringList& files, Done done, QObject* parent)
    : QObject(parent), figures_(std::make_shared<Figures>()) {
    thread_.setMaxThreadCount(1);
    constexpr int between_looks_ms = 100;
    connect(&timer_, &QTimer::timeout, this, &PathReading::progressed);
    timer_.start(between_looks_ms);
    std::vector<std::string> names;
    for (const QString& file : files) names.push_back(QFile::encodeName(file).toStdString());
    using PathOutcome = Result<std::shared_ptr<const OpenPath>>;
    job_.request(
        [names = std::move(names), figures = figures_](const StopFlag& stop) {
            lower_priority(NiceIncrement::job);
            return std::make_shared<PathOutcome>(
                OpenPath::follow(names, {&stop, [&](uint64_t read, uint64_t total) {
                                             figures->read = read;
                                             figures->total = total;
                                         }}));
        },
        [this, done = std::move(done)](const std::shared_ptr<PathOutcome>& outcome) {
            timer_.stop();
            if (*outcome) return done(**outcome, {});
            done(nullptr, QString::fromStdString(outcome->error().message));
        });
}

PathReading::~PathReading() = default;

void PathReading::cancel() {
    timer_.stop();
    job_.cancel();
}

int PathReading::permille() const {
    const uint64_t total = figures_->total;
    return total == 0 ? 0 : static_cast<int>(std::min<uint64_t>(figures_->read * 1000 / total, 1000));
}

}  // namespace sanscope

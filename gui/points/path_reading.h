// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QStringList>
#include <QThreadPool>
#include <QTimer>
#include <atomic>
#include <functional>
#include <memory>

#include "gui/document/latest_job.h"
#include "gui/document/open_path.h"

namespace sanscope {

// Reads captures as points of one path behind the window; ends, with nothing, when it goes.
class PathReading : public QObject {
    Q_OBJECT

  public:
    // Either the path, or what is wrong.
    using Done = std::function<void(std::shared_ptr<const OpenPath> path, const QString& error)>;

    // `done` is called once, unless it was cancelled.
    PathReading(const QStringList& files, Done done, QObject* parent);
    ~PathReading() override;

    void cancel();
    // In thousandths of the bytes of all files; 0 where their size is not known.
    int permille() const;

  Q_SIGNALS:
    void progressed();

  private:
    struct Figures {
        std::atomic<uint64_t> read = 0;
        std::atomic<uint64_t> total = 0;
    };
    std::shared_ptr<Figures> figures_;
    QTimer timer_;
    QThreadPool thread_;  // reading takes long: views' pictures do not wait for it
    LatestJob<std::shared_ptr<Result<std::shared_ptr<const OpenPath>>>> job_{false, &thread_};
};

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QThreadPool>
#include <QTimer>
#include <memory>

#include "gui/document/latest_job.h"
#include "gui/models/table_model.h"

namespace sanscope {

// Writes what is shown of a table to a CSV file (as `sanscope table` does), behind the GUI thread. One at a time. The file is
// there once it is whole.
class CsvExport : public QObject {
    Q_OBJECT

  public:
    explicit CsvExport(QObject* parent);
    ~CsvExport() override;

    // The table must be final. `capture` is the file that must not be overwritten.
    void start(std::shared_ptr<const TableAccess> access, ShownRows rows, const QString& path,
               const QString& capture);
    void cancel();
    bool running() const { return running_; }

  Q_SIGNALS:
    void progress(int percent);
    // `error` is empty where all went well, or it was cancelled.
    void finished(bool written, const QString& error);

  private:
    struct Progress;
    struct Outcome {
        bool written = false;
        QString error;
    };
    bool running_ = false;
    std::shared_ptr<Progress> progress_;
    QTimer timer_;
    QThreadPool thread_;
    LatestJob<Outcome> job_{false, &thread_};
};

}  // namespace sanscope

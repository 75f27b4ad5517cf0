// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QProcess>
#include <QString>
#include <QStringList>
#include <QThreadPool>
#include <QTimer>
#include <atomic>
#include <memory>
#include <vector>

#include "analyzer/tables/captures_table.h"

namespace sanscope {

// Reads what captures there are, and what is in each, behind the window. GUI thread only.
class CollectionReading : public QObject {
    Q_OBJECT

  public:
    explicit CollectionReading(QObject* parent = nullptr);
    ~CollectionReading() override;

    // A folder with everything below it: files whose names are those of captures (.pcap, .pcapng, .cap, .ntar, compressed or
    // not). Or one that `sanscope archive` made.
    void start(const QString& folder);
    // What was read stays read.
    void stop();
    bool running() const { return running_; }
    // Whether the folder is an archive.
    static bool is_archive(const QString& folder);
    // The captures below a folder, in order of their names, relative to it.
    static QStringList captures_in(const QString& folder);

  Q_SIGNALS:
    // `all`: 0 while it is not known.
    void read(std::vector<CaptureRow> rows, qsizetype done, qsizetype all);
    // Once, unless stopped; empty where nothing went wrong with the reading as such.
    void ended(const QString& error);

  private:
    void read_files(const QString& folder, const QStringList& files);
    void read_archive(const QString& folder);
    void take_lines();
    void end(const QString& error);

    bool running_ = false;
    QThreadPool pool_;
    std::shared_ptr<std::atomic<bool>> stop_;
    std::unique_ptr<QProcess> process_;
    QTimer lines_timer_;  // runs while there are some that nobody was told of
    qsizetype from_archive_ = 0;
};

// A line of what the reader of an archive prints: a row of `captures` as JSON, names as columns, moments and times as whole
// nanoseconds. False where it is none.
bool parse_capture_row(const QByteArray& line, CaptureRow& row);

}  // namespace sanscope

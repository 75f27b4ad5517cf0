// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QSet>
#include <QStringList>
#include <functional>
#include <memory>
#include <vector>

#include "gui/document/latest_job.h"
#include "gui/points/path_reading.h"

namespace sanscope {

class CaptureWindow;
class InfoBar;

// Opens captures as points of one path, and offers it where captures that are open have connections in common.
class PointsControls : public QObject {
    Q_OBJECT

  public:
    // What it does in the main window.
    struct Window {
        QWidget* widget;
        std::function<std::vector<CaptureWindow*>()> captures;
        // In a tab in front; nullptr, after a message, where it cannot be opened.
        std::function<CaptureWindow*(const QString& path)> open;
        std::function<void(CaptureWindow&)> close;
        std::function<void(const QString& why)> complain;
    };

    // `bar` must outlive this.
    PointsControls(Window window, InfoBar& bar);
    ~PointsControls() override;

    void ask_for_files();
    // Shows the first of them at once. Once all are read, the one nearest to the initiators stands in its place, with what they tell
    // together.
    void open(const QStringList& paths);
    // Of a workspace, whose captures are in tabs already: once they are read, that of the first point is shown as such, and nothing
    // else in the window changes. Several are read one after the other.
    void restore(const QStringList& paths);
    bool reading() const { return reading_ != nullptr; }
    // A capture is loaded: whether it shares connections with others that are open is found behind the window.
    void consider(CaptureWindow& capture);
    // The tab of a capture goes: what is offered of it does, too.
    void closing(const CaptureWindow& capture);

  private:
    struct Match {
        QString path;
        size_t connections = 0;
    };
    void read(const QStringList& paths);
    void start_reading(const QStringList& paths, PathReading::Done done);
    void take(const std::shared_ptr<const OpenPath>& path, const QString& error);
    void restore_next();
    CaptureWindow* find(const QString& absolute_path) const;
    void offer(const QString& path, const std::vector<Match>& matches);
    void end_reading();

    Window window_;
    InfoBar& bar_;
    PathReading* reading_ = nullptr;
    QString opened_;  // to be seen until all is read; empty: it was open before
    QStringList offered_;
    QList<QStringList> to_restore_;
    QSet<QString> declined_;
    LatestJob<std::vector<Match>> matching_;
};

}  // namespace sanscope

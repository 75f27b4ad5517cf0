// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPlainTextEdit>
#include <QTabWidget>
#include <memory>

#include "gui/document/latest_job.h"
#include "gui/view_engine/view.h"

#include "analyzer/tables/table.h"

namespace sanscope {

class OpenPath;
class PathCommands;
class RowsView;
class SplitBars;

// What follows from captures at several points of a path: the words of `sanscope report --points`, and its tables.
class PointsView : public View {
    Q_OBJECT

  public:
    PointsView(Document& document, QWidget* parent);
    ~PointsView() override;

    bool settled() const override;
    void draw(QPainter& painter) override;

    const QPlainTextEdit& text() const { return *text_; }
    // nullptr while the capture is open by itself.
    RowsView* points() const { return points_; }
    RowsView* losses() const { return losses_; }
    // nullptr until the capture is loaded and its commands are split.
    RowsView* commands() const { return commands_; }
    const SplitBars* bars() const { return bars_; }

    // As a click on that row of `point_losses` or `points` does: goes to the packet where it is the open capture's, else to its
    // moment on that one's clock.
    void go_to_loss(size_t row);
    void go_to_point(size_t row);
    // Of `point_commands`: selects the command.
    void go_to_command(size_t row);
    // As a click on the tab of the commands' times does.
    void show_commands();

  Q_SIGNALS:
    // Where a click has led to, if not to a packet of this capture.
    void told(const QString& text);

  protected:
    void changeEvent(QEvent* event) override;

  private:
    using Go = void (PointsView::*)(size_t row);

    void show_path();
    void split_commands();
    void show_split(const std::shared_ptr<const PathCommands>& split);
    RowsView* make_table(std::shared_ptr<const void> owner, std::unique_ptr<Table> table,
                         const QString& title, Go go);
    void set_text_font();

    QPlainTextEdit* text_;
    QTabWidget* tables_;
    RowsView* points_ = nullptr;
    RowsView* losses_ = nullptr;
    QWidget* split_ = nullptr;  // the tab of the commands' times, once they are known
    RowsView* commands_ = nullptr;
    SplitBars* bars_ = nullptr;
    std::shared_ptr<const PathCommands> command_times_;
    LatestJob<std::shared_ptr<const PathCommands>> splitting_;
};

}  // namespace sanscope

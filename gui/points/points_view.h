// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPlainTextEdit>
#include <QTabWidget>

#include "gui/view_engine/view.h"

namespace sanscope {

class OpenPath;
class RowsView;

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

    // As a click on that row of `point_losses` or `points` does: goes to the packet where it is the open capture's, else to its
    // moment on that one's clock.
    void go_to_loss(size_t row);
    void go_to_point(size_t row);

  Q_SIGNALS:
    // Where a click has led to, if not to a packet of this capture.
    void told(const QString& text);

  protected:
    void changeEvent(QEvent* event) override;

  private:
    void show_path();
    RowsView* add_table(const std::shared_ptr<const OpenPath>& path, bool losses, const QString& title);
    void set_text_font();

    QPlainTextEdit* text_;
    QTabWidget* tables_;
    RowsView* points_ = nullptr;
    RowsView* losses_ = nullptr;
};

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QRect>
#include <QWidget>
#include <optional>
#include <vector>

#include "gui/plot/budget_bar.h"

namespace sanscope {

// Where the time of one command went: a title, a bar of its parts, and each part by name with its time and share. As high as its
// legend needs; hidden while there is no command.
class BudgetStrip : public QWidget {
    Q_OBJECT

  public:
    explicit BudgetStrip(QWidget* parent);

    void show_parts(const QString& title, const BudgetSums& parts);
    // Instead of a bar, why there is none.
    void show_reason(const QString& title, const QString& reason);
    void show_nothing();
    void draw(QPainter& painter, const QRect& at);

    // For tests: what is shown.
    const QString& title() const { return title_; }
    const std::optional<BudgetSums>& parts() const { return parts_; }
    const QString& reason() const { return reason_; }

    QSize sizeHint() const override { return {400, heightForWidth(width())}; }
    QSize minimumSizeHint() const override { return {100, heightForWidth(width())}; }
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;

  protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool event(QEvent* event) override;

  private:
    struct Entry {
        BudgetPart part;
        QString text;
        QRect place;
    };
    std::vector<Entry> entries(int width) const;
    void changed();

    QString title_;
    QString reason_;
    std::optional<BudgetSums> parts_;
};

}  // namespace sanscope

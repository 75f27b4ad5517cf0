// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QToolBar>
#include <functional>

#include "gui/views/filter_line/saved_filters.h"

class QMenu;
class QToolButton;

namespace sanscope {

// The saved filters as buttons, in a row that is there while there are any. A click applies one; its menu, of a right click or the
// menu key, renames, moves and removes it.
class FilterButtons : public QToolBar {
    Q_OBJECT

  public:
    explicit FilterButtons(QWidget* parent);

    // Shows what is saved by now.
    void read_again();
    // Asks for a name, and saves the filter under it.
    void ask_to_save(const QString& expression, const QString& language);
    QList<QToolButton*> buttons() const;
    const QList<SavedFilter>& filters() const { return filters_; }
    // The menu of the one of that place; lives until it is closed.
    QMenu* make_menu(qsizetype place);

  Q_SIGNALS:
    void applied(const QString& expression, const QString& language);

  private:
    void fill();
    void ask_for_name(const QString& title, const QString& name, std::function<void(const QString&)> take);
    // Changes what is saved by now, at the place of this filter; does nothing where it is there no more.
    void change(const SavedFilter& filter,
                const std::function<void(QList<SavedFilter>& filters, qsizetype place)>& how);

    QList<SavedFilter> filters_;
};

}  // namespace sanscope

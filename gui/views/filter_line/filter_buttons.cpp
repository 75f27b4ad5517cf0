// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/filter_line/filter_buttons.h"

#include <QInputDialog>
#include <QMenu>
#include <QToolButton>
#include <utility>

#include "gui/document/plain_text.h"

namespace sanscope {
namespace {

constexpr int widest_name = 220;

}  // namespace

FilterButtons::FilterButtons(QWidget* parent) : QToolBar(tr("Saved filters"), parent) {
    setAccessibleName(tr("Saved filters"));
    setContextMenuPolicy(Qt::PreventContextMenu);
    setMovable(false);
    // Qt's, for those that there is no room for.
    if (auto* const more = findChild<QToolButton*>(QStringLiteral("qt_toolbar_ext_button")))
        more->setAccessibleName(tr("More saved filters"));
    hide();
    read_again();
}

void FilterButtons::read_again() {
    QList<SavedFilter> saved = saved_filters();
    if (saved == filters_) return;
    filters_ = std::move(saved);
    fill();
}

void FilterButtons::fill() {
    const QList<QAction*> before = actions();
    clear();
    for (QAction* const action : before) action->deleteLater();
    for (qsizetype place = 0; place < filters_.size(); ++place) {
        const SavedFilter& filter = filters_[place];
        QString shown = fontMetrics().elidedText(filter.name, Qt::ElideRight, widest_name);
        shown.replace(QLatin1Char('&'), QLatin1String("&&"));
        QAction* const action = addAction(shown);
        action->setIconText(shown);
        action->setToolTip(plain_text(filter.expression));
        connect(action, &QAction::triggered, this,
                [this, filter] { Q_EMIT applied(filter.expression, filter.language); });
        auto* const button = qobject_cast<QToolButton*>(widgetForAction(action));
        button->setFocusPolicy(Qt::TabFocus);
        button->setAccessibleName(tr("Filter %1").arg(filter.name));
        button->setAccessibleDescription(filter.expression);
        button->setContextMenuPolicy(Qt::CustomContextMenu);
        connect(button, &QWidget::customContextMenuRequested, this, [this, place, button](const QPoint& at) {
            make_menu(place)->popup(button->mapToGlobal(at));
        });
    }
    setVisible(!filters_.isEmpty());
}

QList<QToolButton*> FilterButtons::buttons() const {
    QList<QToolButton*> found;
    for (QAction* const action : actions()) found.append(qobject_cast<QToolButton*>(widgetForAction(action)));
    return found;
}

QMenu* FilterButtons::make_menu(qsizetype place) {
    const SavedFilter filter = filters_[place];
    auto* const menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addAction(tr("&Apply"), this,
                    [this, filter] { Q_EMIT applied(filter.expression, filter.language); });
    menu->addSeparator();
    menu->addAction(tr("&Rename…"), this, [this, filter] {
        ask_for_name(tr("Rename the filter"), filter.name, [this, filter](const QString& name) {
            change(filter, [&](QList<SavedFilter>& filters, qsizetype at) { filters[at].name = name; });
        });
    });
    const auto add_move = [&](const QString& text, qsizetype by) {
        QAction* const move = menu->addAction(text, this, [this, filter, by] {
            change(filter, [&](QList<SavedFilter>& filters, qsizetype at) {
                if (at + by >= 0 && at + by < filters.size()) filters.move(at, at + by);
            });
        });
        move->setEnabled(place + by >= 0 && place + by < filters_.size());
    };
    add_move(tr("Move to the &left"), -1);
    add_move(tr("Move to the ri&ght"), 1);
    menu->addSeparator();
    menu->addAction(tr("Re&move"), this, [this, filter] {
        change(filter, [](QList<SavedFilter>& filters, qsizetype at) { filters.removeAt(at); });
    });
    return menu;
}

void FilterButtons::ask_to_save(const QString& expression, const QString& language) {
    ask_for_name(tr("Save the filter as a button"), {}, [this, expression, language](const QString& name) {
        QList<SavedFilter> filters = saved_filters();
        filters.append({name, language, expression});
        save_filters(filters);
        read_again();
    });
}

void FilterButtons::ask_for_name(const QString& title, const QString& name,
                                 std::function<void(const QString&)> take) {
    auto* const dialog = new QInputDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(title);
    dialog->setLabelText(tr("Name of the button"));
    dialog->setTextValue(name);
    connect(dialog, &QInputDialog::textValueSelected, this, [take = std::move(take)](const QString& text) {
        const QString chosen = text.simplified();
        if (!chosen.isEmpty()) take(chosen);
    });
    dialog->open();
}

void FilterButtons::change(const SavedFilter& filter,
                           const std::function<void(QList<SavedFilter>&, qsizetype)>& how) {
    QList<SavedFilter> filters = saved_filters();
    const qsizetype place = filters.indexOf(filter);
    if (place >= 0) {
        how(filters, place);
        save_filters(filters);
    }
    read_again();
}

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/command_palette.h"

#include <QApplication>
#include <QKeyEvent>
#include <QMenu>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>
#include <optional>
#include <utility>

namespace sanscope {
namespace {

constexpr int command_number = Qt::UserRole;

QString plain(QString text) {
    text.remove(QLatin1Char('&'));
    return text;
}

// How far behind the name fits what was typed: each word is somewhere in it, best at the beginning of one of its own words. Nothing
// where it does not fit.
std::optional<int> misfit(const QString& name, const QStringList& words) {
    int misfit = 0;
    for (const QString& word : words) {
        const auto at = name.indexOf(word, 0, Qt::CaseInsensitive);
        if (at < 0) return std::nullopt;
        const bool begins = at == 0 || !name.at(at - 1).isLetterOrNumber();
        misfit += static_cast<int>(at) + (begins ? 0 : 1000);
    }
    return misfit;
}

}  // namespace

CommandPalette::CommandPalette(QMenuBar& menus, QWidget* parent)
    : QDialog(parent), line_(new QLineEdit(this)), list_(new QListWidget(this)) {
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Commands"));
    setModal(true);
    line_->setPlaceholderText(tr("Type parts of a command's name"));
    line_->setAccessibleName(tr("Parts of a command's name"));
    line_->installEventFilter(this);
    list_->setAccessibleName(tr("Commands that fit"));
    list_->setFocusPolicy(Qt::NoFocus);
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* const column = new QVBoxLayout(this);
    column->addWidget(line_);
    column->addWidget(list_);
    resize(560, 420);
    for (QAction* const action : menus.actions()) {
        if (action->menu() != nullptr) collect(*action->menu(), plain(action->text()));
    }
    connect(line_, &QLineEdit::textChanged, this, &CommandPalette::find);
    connect(list_, &QListWidget::itemClicked, this, &CommandPalette::carry_out);
    find();
}

void CommandPalette::collect(QMenu& menu, const QString& path) {
    // Those that are filled when they are opened.
    Q_EMIT menu.aboutToShow();
    for (QAction* const action : menu.actions()) {
        if (action->isSeparator() || !action->isEnabled() || !action->isVisible()) continue;
        const QString name = path + QStringLiteral(" › ") + plain(action->text());
        if (action->menu() != nullptr) {
            collect(*action->menu(), name);
        } else {
            commands_.push_back({name, action});
        }
    }
}

void CommandPalette::find() {
    const QStringList words = line_->text().split(QLatin1Char(' '), Qt::SkipEmptyParts);
    std::vector<std::pair<int, size_t>> fitting;
    for (size_t i = 0; i < commands_.size(); ++i) {
        if (const auto how = misfit(commands_[i].name, words)) fitting.emplace_back(*how, i);
    }
    std::ranges::stable_sort(fitting, {}, [](const auto& one) { return one.first; });
    list_->clear();
    for (const auto& [how, number] : fitting) {
        const Command& command = commands_[number];
        const QString keys = command.action == nullptr
                                 ? QString()
                                 : command.action->shortcut().toString(QKeySequence::NativeText);
        auto* const item = new QListWidgetItem(
            keys.isEmpty() ? command.name : QStringLiteral("%1   (%2)").arg(command.name, keys), list_);
        item->setData(command_number, static_cast<int>(number));
    }
    list_->setCurrentRow(0);
}

QStringList CommandPalette::found() const {
    QStringList names;
    for (int row = 0; row < list_->count(); ++row)
        names << commands_[static_cast<size_t>(list_->item(row)->data(command_number).toInt())].name;
    return names;
}

// Once this is gone, so that a command meets the window as its menu would.
void CommandPalette::carry_out() {
    const QListWidgetItem* const item = list_->currentItem();
    if (item == nullptr) return;
    const QPointer<QAction> action =
        commands_[static_cast<size_t>(item->data(command_number).toInt())].action;
    close();
    QTimer::singleShot(0, qApp, [action] {
        if (action != nullptr) action->trigger();
    });
}

// The list is walked through while the line keeps the keyboard.
bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
    if (watched != line_ || event->type() != QEvent::KeyPress) return QDialog::eventFilter(watched, event);
    auto* const key = static_cast<QKeyEvent*>(event);
    switch (key->key()) {
        case Qt::Key_Up:
        case Qt::Key_Down:
        case Qt::Key_PageUp:
        case Qt::Key_PageDown:
            QApplication::sendEvent(list_, key);
            return true;
        case Qt::Key_Return:
        case Qt::Key_Enter:
            carry_out();
            return true;
        default:
            return QDialog::eventFilter(watched, event);
    }
}

}  // namespace sanscope

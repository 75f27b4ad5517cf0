// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/tables/find_bar.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QStringList>
#include <QTableView>
#include <QToolButton>
#include <algorithm>
#include <utility>
#include <variant>

namespace sanscope {

FindBar::FindBar(Document& document, std::shared_ptr<const TableAccess> access, const TableModel& model,
                 QTableView& table, QWidget* parent)
    : QWidget(parent),
      document_(document),
      access_(std::move(access)),
      model_(model),
      table_(table),
      kind_(new QComboBox(this)),
      line_(new QLineEdit(this)),
      progress_(new QProgressBar(this)),
      cancel_(new QToolButton(this)),
      message_(new QLabel(this)) {
    thread_.setMaxThreadCount(1);
    make_widgets();
    constexpr int between_looks_ms = 100;
    timer_.setInterval(between_looks_ms);
    connect(&timer_, &QTimer::timeout, this, [this] {
        const int rows = std::max(1, model_.rowCount());
        progress_->setValue(static_cast<int>(*looked_at_ * 100 / static_cast<size_t>(rows)));
    });
    hide();
}

FindBar::~FindBar() = default;

void FindBar::make_widgets() {
    kind_->addItems({tr("Text in Info"), tr("Regular expression in Info"), tr("Text in the bytes"),
                     tr("Regular expression in the bytes"), tr("Hex bytes")});
    kind_->setAccessibleName(tr("What is looked for"));
    line_->setPlaceholderText(tr("Find packet"));
    line_->setAccessibleName(tr("Find packet"));
    line_->setClearButtonEnabled(true);
    line_->installEventFilter(this);
    progress_->setMaximumWidth(120);
    progress_->setMaximumHeight(fontMetrics().height());
    progress_->setRange(0, 100);
    progress_->setAccessibleName(tr("How much has been searched"));
    cancel_->setText(tr("Cancel"));
    cancel_->setAutoRaise(true);
    message_->setTextFormat(Qt::PlainText);
    auto* const row = new QHBoxLayout(this);
    row->setContentsMargins(6, 1, 2, 1);
    row->addWidget(kind_);
    row->addWidget(line_, 1);
    const auto add_button = [&](const QString& text, const QString& tooltip, auto act) {
        auto* const button = new QToolButton(this);
        button->setText(text);
        button->setToolTip(tooltip);
        button->setAutoRaise(true);
        connect(button, &QToolButton::clicked, this, act);
        row->addWidget(button);
    };
    add_button(tr("Previous"), tr("The one before it (Shift+F3)"), [this] { find(false); });
    add_button(tr("Next"), tr("The next one (F3)"), [this] { find(true); });
    row->addWidget(progress_);
    row->addWidget(cancel_);
    row->addWidget(message_, 1);
    add_button(tr("Close"), tr("Close (Esc)"), [this] {
        cancel();
        hide();
    });
    connect(cancel_, &QToolButton::clicked, this, [this] {
        cancel();
        message_->setText(tr("Cancelled"));
    });
    set_searching(false);
}

void FindBar::begin() {
    show();
    line_->setFocus();
    line_->selectAll();
}

QString FindBar::message() const {
    return message_->text();
}

void FindBar::set_searching(bool searching) {
    searching_ = searching;
    progress_->setValue(0);
    progress_->setVisible(searching);
    cancel_->setVisible(searching);
    searching ? timer_.start() : timer_.stop();
}

void FindBar::cancel() {
    job_.cancel();
    set_searching(false);
}

void FindBar::find(bool forward) {
    if (line_->text().isEmpty()) return begin();
    show();
    cancel();
    auto needle = PacketNeedle::make(static_cast<PacketNeedle::Kind>(kind_->currentIndex()), line_->text());
    if (const auto* const fault = std::get_if<QString>(&needle)) return message_->setText(*fault);
    if (access_->final_table() == nullptr)
        return message_->setText(tr("Packets can be searched once the capture is read."));
    message_->setText(tr("Searching"));
    const QModelIndex current = table_.currentIndex();
    PacketSearch search{std::move(std::get<PacketNeedle>(needle)), model_.shown(),
                        static_cast<size_t>(model_.rowCount()), std::nullopt, forward};
    if (current.isValid()) search.from = static_cast<size_t>(current.row());
    looked_at_ = std::make_shared<std::atomic<size_t>>(0);
    set_searching(true);
    job_.request(
        [data = document_.data(), access = access_, search = std::move(search),
         looked_at = looked_at_](const StopFlag& stop) {
            return find_packet(*data, *access->final_table(), search, *looked_at, stop);
        },
        [this, forward](const PacketFound& found) { show_found(found, forward); });
}

void FindBar::show_found(const PacketFound& found, bool forward) {
    set_searching(false);
    QStringList parts{go_to(found, forward)};
    if (found.given_up > 0) {
        parts.append(found.given_up == 1
                         ? tr("In 1 packet the regular expression took too long.")
                         : tr("In %1 packets the regular expression took too long.").arg(found.given_up));
    }
    if (found.unreadable > 0) {
        parts.append(found.unreadable == 1 ? tr("1 packet could not be read.")
                                           : tr("%1 packets could not be read.").arg(found.unreadable));
    }
    parts.removeAll(QString());
    message_->setText(parts.join(QLatin1Char(' ')));
}

// What there is to say of that.
QString FindBar::go_to(const PacketFound& found, bool forward) {
    if (!found.table_row) {
        const bool all_searched = found.given_up == 0 && found.unreadable == 0;
        return all_searched ? tr("No packet shown has it.") : tr("No other packet shown has it.");
    }
    const int row = model_.position_of(*found.table_row);
    if (row < 0) return tr("The packet found is not shown any more.");
    const int column = table_.currentIndex().isValid() ? table_.currentIndex().column() : 0;
    table_.setCurrentIndex(model_.index(row, column));
    if (!found.wrapped) return {};
    return forward ? tr("Went on from the first packet.") : tr("Went on from the last packet.");
}

bool FindBar::eventFilter(QObject* watched, QEvent* event) {
    if (watched == line_ && event->type() == QEvent::KeyPress) {
        const auto* const key = static_cast<QKeyEvent*>(event);
        if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) {
            find(!key->modifiers().testFlag(Qt::ShiftModifier));
            return true;
        }
        if (key->key() == Qt::Key_Escape) {
            cancel();
            hide();
            table_.setFocus();
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

}  // namespace sanscope

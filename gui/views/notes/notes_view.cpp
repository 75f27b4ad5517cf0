// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/notes/notes_view.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLocale>
#include <QShortcut>
#include <QVBoxLayout>

#include "gui/plot/time_axis.h"

namespace sanscope {
namespace {

enum Column { packet_column, time_column, text_column, columns };

}  // namespace

NotesView::NotesView(Document& document, QWidget* parent)
    : View(document, parent), table_(new QTableWidget(0, columns, this)), hint_(new QLabel(this)) {
    auto* const column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(table_);
    column->addWidget(hint_, 1);
    auto* const hint = qobject_cast<QLabel*>(hint_);
    hint->setText(
        tr("Ctrl+B bookmarks the selected packet, and opens its note here for typing.\n"
           "File → Save a copy with notes keeps them, in a pcapng any analyzer reads."));
    hint->setAlignment(Qt::AlignCenter);
    hint->setWordWrap(true);
    hint->setForegroundRole(QPalette::PlaceholderText);
    table_->setHorizontalHeaderLabels({tr("Packet"), tr("Time"), tr("Note")});
    table_->setAccessibleName(tr("Bookmarks and notes"));
    table_->verticalHeader()->hide();
    table_->horizontalHeader()->setStretchLastSection(true);
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed |
                            QAbstractItemView::AnyKeyPressed);
    table_->setShowGrid(false);
    connect(table_, &QTableWidget::currentCellChanged, this, [this](int row) {
        if (!filling_) go_to(row);
    });
    connect(table_, &QTableWidget::cellClicked, this, [this](int row) { go_to(row); });
    connect(table_, &QTableWidget::cellChanged, this, &NotesView::take_text);
    auto* const remove = new QShortcut(QKeySequence::Delete, table_);
    remove->setContext(Qt::WidgetShortcut);
    connect(remove, &QShortcut::activated, this, [this] {
        if (const PacketNumber packet = packet_of(table_->currentRow()))
            this->document().notes().remove(packet);
    });
    connect(&document.notes(), &Notes::changed, this, &NotesView::fill);
    connect(&document, &Document::loaded, this, &NotesView::fill);
    connect(&state(), &ViewState::time_format_changed, this, &NotesView::fill);
    fill();
}

PacketNumber NotesView::packet_of(int row) const {
    const QTableWidgetItem* const item = table_->item(row, packet_column);
    return item == nullptr ? 0 : item->data(Qt::UserRole).toULongLong();
}

void NotesView::fill() {
    if (filling_) return;
    filling_ = true;
    const PacketNumber current = packet_of(table_->currentRow());
    const auto& notes = document().notes().all();
    table_->setRowCount(static_cast<int>(notes.size()));
    table_->setVisible(!notes.empty());
    hint_->setVisible(notes.empty());
    const auto reading = document().data()->try_read();
    int row = 0;
    for (const auto& [packet, text] : notes) {
        const auto put = [&, packet = packet](Column column, const QString& words, bool editable) {
            auto* const item = new QTableWidgetItem(words);
            item->setData(Qt::UserRole, static_cast<qulonglong>(packet));
            if (!editable) item->setFlags(item->flags() & ~Qt::ItemIsEditable);
            table_->setItem(row, column, item);
        };
        QString time;
        if (reading && packet <= reading->index().packets()) {
            time =
                full_time(reading->timeline().time_of(packet), document().first_ns(), state().time_format());
        }
        put(packet_column, QLocale().toString(static_cast<qulonglong>(packet)), false);
        put(time_column, time, false);
        put(text_column, text, true);
        if (packet == current) table_->setCurrentCell(row, text_column);
        ++row;
    }
    table_->resizeColumnToContents(packet_column);
    table_->resizeColumnToContents(time_column);
    filling_ = false;
}

void NotesView::edit(PacketNumber packet) {
    for (int row = 0; row < table_->rowCount(); ++row) {
        if (packet_of(row) != packet) continue;
        // What is selected stays selected.
        filling_ = true;
        table_->setCurrentCell(row, text_column);
        filling_ = false;
        table_->setFocus(Qt::OtherFocusReason);
        return table_->editItem(table_->item(row, text_column));
    }
}

void NotesView::go_to(int row) {
    const PacketNumber packet = packet_of(row);
    if (packet == 0) return;
    state().select({Selection::Kind::packet, packet});
    if (const auto reading = document().data()->try_read(); reading && packet <= reading->index().packets()) {
        const int64_t time_ns = reading->timeline().time_of(packet);
        state().reveal({time_ns, time_ns + 1});
    }
}

void NotesView::take_text(int row, int column) {
    if (filling_ || column != text_column) return;
    filling_ = true;  // the table shows it already
    document().notes().set(packet_of(row), table_->item(row, column)->text());
    filling_ = false;
}

}  // namespace sanscope

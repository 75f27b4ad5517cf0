// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/decode_as_dialog.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <QSpinBox>
#include <QTableWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace sanscope {

struct DecodeAsDialog::Port {
    uint64_t packets = 0;
    uint64_t connections = 0;
    // What they are decoded as now.
    bool iscsi = false;
    bool other = false;
    bool serves = false;  // is a target's

    QString current() const {
        if (iscsi && other) return tr("iSCSI and others");
        if (iscsi) return tr("iSCSI");
        return other ? tr("data") : tr("no connection");
    }
};

namespace {

enum Column : int {
    port_column,
    packets_column,
    connections_column,
    current_column,
    protocol_column,
    columns
};

// That many rows with a box in each open at once.
constexpr size_t most_listed = 200;

QTableWidgetItem* number_item(uint64_t number) {
    auto* const item = new QTableWidgetItem(QLocale().toString(static_cast<qulonglong>(number)));
    item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    return item;
}

}  // namespace

DecodeAsDialog::DecodeAsDialog(std::shared_ptr<const CaptureData> capture, uint32_t connection,
                               QWidget* parent)
    : QDialog(parent),
      data_(std::move(capture)),
      table_(new QTableWidget(0, columns, this)),
      port_(new QSpinBox(this)),
      listed_(new QLabel(this)),
      wanted_(connection) {
    setWindowTitle(tr("Decode As"));
    table_->setHorizontalHeaderLabels(
        {tr("TCP port"), tr("Packets"), tr("Connections"), tr("Current"), tr("Decode as")});
    table_->horizontalHeader()->setSectionResizeMode(protocol_column, QHeaderView::Stretch);
    table_->verticalHeader()->hide();
    table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setTabKeyNavigation(false);
    table_->setAccessibleName(tr("Ports and what they are decoded as"));
    listed_->setWordWrap(true);
    port_->setRange(1, std::numeric_limits<uint16_t>::max());
    port_->setValue(3260);
    port_->setAccessibleName(tr("TCP port to add"));
    auto* const add = new QPushButton(tr("&Add port"), this);
    add->setAutoDefault(false);
    connect(add, &QPushButton::clicked, this, [this] { add_port(static_cast<uint16_t>(port_->value())); });
    auto* const note = new QLabel(
        tr("The capture is analysed anew. Of a connection between two of these ports, the lower one counts."),
        this);
    note->setWordWrap(true);
    auto* const buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this);
    connect(buttons, &QDialogButtonBox::accepted, this, &DecodeAsDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* const adding = new QHBoxLayout;
    adding->addWidget(port_);
    adding->addWidget(add);
    adding->addStretch();
    auto* const column = new QVBoxLayout(this);
    column->addWidget(table_, 1);
    column->addWidget(listed_);
    column->addLayout(adding);
    column->addWidget(note);
    column->addWidget(buttons);
    const QFontMetrics font(table_->font());
    resize(font.averageCharWidth() * 90, font.lineSpacing() * 24);
    for (const auto& [port, protocol] : data_->decode_as().rules()) {
        add_port(port);
        protocol_box(table_->rowCount() - 1)->setCurrentIndex(static_cast<int>(protocol));
    }
    // A moment later, where the capture is being written to.
    retry_.setInterval(50);
    connect(&retry_, &QTimer::timeout, this, &DecodeAsDialog::list_ports);
    list_ports();
}

DecodeAsDialog::~DecodeAsDialog() = default;

void DecodeAsDialog::list_ports() {
    const auto reading = data_->try_read();
    if (!reading) {
        listed_->setText(tr("The capture's ports are not known yet."));
        retry_.start();
        return;
    }
    retry_.stop();
    const auto& connections = reading->store().connections();
    for (const ConnectionRow& row : connections) {
        for (const uint16_t number : {row.initiator.port, row.target.port}) {
            Port& port = ports_[number];
            port.packets += row.packets_out + row.packets_in;
            ++port.connections;
            (row.iscsi ? port.iscsi : port.other) = true;
            if (row.initiator.port == row.target.port) break;
        }
        ports_[row.target.port].serves = true;
    }
    known_ = true;
    for (int row = 0; row < table_->rowCount(); ++row) show_port(row);
    int current = 0;
    if (wanted_ != 0 && wanted_ <= connections.size()) {
        const ConnectionRow& row = reading->store().connection(wanted_);
        // The target's first: it is what one mostly means.
        current = row_of(row.target.port);
        row_of(row.initiator.port);
    }
    // What nothing has claimed first, and of that, what there is most of.
    std::vector<std::pair<uint16_t, const Port*>> serving;
    for (const auto& [number, port] : ports_) {
        if (port.serves) serving.emplace_back(number, &port);
    }
    std::ranges::stable_sort(serving, [](const auto& a, const auto& b) {
        return std::pair(!a.second->other, b.second->packets) <
               std::pair(!b.second->other, a.second->packets);
    });
    for (size_t i = 0; i < std::min(serving.size(), most_listed); ++i) row_of(serving[i].first);
    if (serving.empty()) {
        listed_->setText(tr("The capture has no TCP connection."));
    } else if (serving.size() > most_listed) {
        listed_->setText(tr("%1 of %2 ports are listed; type another one.")
                             .arg(QLocale().toString(static_cast<qulonglong>(most_listed)),
                                  QLocale().toString(static_cast<qulonglong>(serving.size()))));
    } else {
        listed_->setText(tr("Listed are the ports that connections were made to."));
    }
    for (const int column : {port_column, packets_column, connections_column, current_column})
        table_->resizeColumnToContents(column);
    if (table_->rowCount() > 0) table_->setCurrentCell(current, port_column);
}

void DecodeAsDialog::add_port(uint16_t port) {
    table_->setCurrentCell(row_of(port), port_column);
}

int DecodeAsDialog::row_of(uint16_t port) {
    int row = 0;
    while (row < table_->rowCount() && port_of(row) != port) ++row;
    if (row == table_->rowCount()) add_row(port);
    return row;
}

void DecodeAsDialog::add_row(uint16_t port) {
    const int row = table_->rowCount();
    table_->insertRow(row);
    auto* const number = new QTableWidgetItem(QString::number(port));
    number->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    table_->setItem(row, port_column, number);
    show_port(row);
    auto* const protocol = new QComboBox(table_);
    protocol->addItems({tr("By content"), tr("iSCSI"), tr("Data (not iSCSI)")});
    protocol->setAccessibleName(tr("Decode port %1 as").arg(port));
    table_->setCellWidget(row, protocol_column, protocol);
    // From row to row, then on to the port that can be typed.
    setTabOrder(row == 0 ? static_cast<QWidget*>(table_) : protocol_box(row - 1), protocol);
}

void DecodeAsDialog::show_port(int row) {
    if (!known_) {
        table_->setItem(row, current_column, new QTableWidgetItem(tr("not known yet")));
        return;
    }
    const auto at = ports_.find(port_of(row));
    const Port port = at == ports_.end() ? Port() : at->second;
    table_->setItem(row, packets_column, number_item(port.packets));
    table_->setItem(row, connections_column, number_item(port.connections));
    table_->setItem(row, current_column, new QTableWidgetItem(port.current()));
}

uint16_t DecodeAsDialog::port_of(int row) const {
    return table_->item(row, port_column)->text().toUShort();
}

QComboBox* DecodeAsDialog::protocol_box(int row) const {
    return qobject_cast<QComboBox*>(table_->cellWidget(row, protocol_column));
}

DecodeAs DecodeAsDialog::rules() const {
    DecodeAs rules;
    for (int row = 0; row < table_->rowCount(); ++row) {
        const auto protocol = static_cast<DecodeAs::Protocol>(protocol_box(row)->currentIndex());
        if (protocol != DecodeAs::Protocol::by_content) rules.add({port_of(row), protocol});
    }
    return rules;
}

void DecodeAsDialog::accept() {
    QDialog::accept();
    Q_EMIT rules_chosen(rules());
}

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/decode_as_dialog.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QTableWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <utility>

namespace sanscope {
namespace {

enum Column : int { port_column, current_column, protocol_column, columns };

// What a port's connections are decoded as now.
struct PortState {
    bool iscsi = false;
    bool other = false;
};

QString text_of(const PortState& state) {
    if (state.iscsi && state.other) return DecodeAsDialog::tr("iSCSI and others");
    if (state.iscsi) return DecodeAsDialog::tr("iSCSI");
    return state.other ? DecodeAsDialog::tr("data") : DecodeAsDialog::tr("no connection");
}

// Of these ports, in one pass over all connections; nothing while that is not known.
std::optional<std::map<uint16_t, PortState>> states_of(const CaptureData& data,
                                                       const std::vector<uint16_t>& ports) {
    const auto reading = data.try_read();
    if (!reading) return std::nullopt;
    std::map<uint16_t, PortState> states;
    for (const uint16_t port : ports) states.try_emplace(port);
    for (const ConnectionRow& row : reading->store().connections()) {
        for (const uint16_t port : {row.initiator.port, row.target.port}) {
            const auto state = states.find(port);
            if (state != states.end()) (row.iscsi ? state->second.iscsi : state->second.other) = true;
        }
    }
    return states;
}

}  // namespace

DecodeAsDialog::DecodeAsDialog(std::shared_ptr<const CaptureData> capture, uint32_t connection,
                               QWidget* parent)
    : QDialog(parent),
      data_(std::move(capture)),
      table_(new QTableWidget(0, columns, this)),
      port_(new QSpinBox(this)) {
    setWindowTitle(tr("Decode As"));
    table_->setHorizontalHeaderLabels({tr("TCP port"), tr("Current"), tr("Decode as")});
    table_->horizontalHeader()->setSectionResizeMode(protocol_column, QHeaderView::Stretch);
    table_->verticalHeader()->hide();
    table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table_->setAccessibleName(tr("Ports and what they are decoded as"));
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
    column->addWidget(table_);
    column->addLayout(adding);
    column->addWidget(note);
    column->addWidget(buttons);
    std::vector<uint16_t> ports;
    for (const auto& [port, protocol] : data_->decode_as().rules()) ports.push_back(port);
    std::ranges::copy(ports_of(connection), std::back_inserter(ports));
    add_ports(ports);
    int row = 0;
    for (const auto& [port, protocol] : data_->decode_as().rules())
        protocol_box(row++)->setCurrentIndex(static_cast<int>(protocol));
    resize(520, 320);
}

// The target's first: it is what one mostly means.
std::vector<uint16_t> DecodeAsDialog::ports_of(uint32_t connection) const {
    const auto reading = data_->try_read();
    if (!reading || connection == 0 || connection > reading->store().connections().size()) return {};
    const ConnectionRow& row = reading->store().connection(connection);
    return {row.target.port, row.initiator.port};
}

void DecodeAsDialog::add_port(uint16_t port) {
    add_ports({port});
}

void DecodeAsDialog::add_ports(const std::vector<uint16_t>& ports) {
    const auto states = states_of(*data_, ports);
    for (const uint16_t port : ports) {
        int row = 0;
        while (row < table_->rowCount() && port_of(row) != port) ++row;
        if (row == table_->rowCount())
            add_row(port, states ? text_of(states->at(port)) : tr("not known yet"));
        table_->setCurrentCell(row, port_column);
    }
}

void DecodeAsDialog::add_row(uint16_t port, const QString& current) {
    const int row = table_->rowCount();
    table_->insertRow(row);
    table_->setItem(row, port_column, new QTableWidgetItem(QString::number(port)));
    table_->setItem(row, current_column, new QTableWidgetItem(current));
    auto* const protocol = new QComboBox(table_);
    protocol->addItems({tr("By content"), tr("iSCSI"), tr("Data (not iSCSI)")});
    protocol->setAccessibleName(tr("Decode port %1 as").arg(port));
    table_->setCellWidget(row, protocol_column, protocol);
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

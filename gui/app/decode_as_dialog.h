// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <memory>
#include <vector>

#include "gui/document/capture_data.h"

class QComboBox;
class QSpinBox;
class QTableWidget;

namespace sanscope {

// What a capture's TCP connections of certain ports are decoded as, a row a port. Nothing holds before OK.
class DecodeAsDialog : public QDialog {
    Q_OBJECT

  public:
    // With the capture's rules, and the ports of that connection (1-based; 0: none).
    DecodeAsDialog(std::shared_ptr<const CaptureData> capture, uint32_t connection, QWidget* parent);

    QTableWidget& table() const { return *table_; }
    QSpinBox& port_box() const { return *port_; }
    // Adds a row, where the port has none.
    void add_port(uint16_t port);
    // The entries are in the order of DecodeAs::Protocol.
    QComboBox* protocol_box(int row) const;
    DecodeAs rules() const;
    void accept() override;

  Q_SIGNALS:
    void rules_chosen(const DecodeAs& rules);

  private:
    std::vector<uint16_t> ports_of(uint32_t connection) const;
    void add_ports(const std::vector<uint16_t>& ports);
    void add_row(uint16_t port, const QString& current);
    uint16_t port_of(int row) const;

    std::shared_ptr<const CaptureData> data_;
    QTableWidget* table_;
    QSpinBox* port_;
};

}  // namespace sanscope

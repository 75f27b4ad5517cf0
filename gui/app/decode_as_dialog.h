// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <QTimer>
#include <cstdint>
#include <map>
#include <memory>

#include "gui/document/capture_data.h"

class QComboBox;
class QLabel;
class QSpinBox;
class QTableWidget;

namespace sanscope {

// What a capture's TCP connections of certain ports are decoded as, a row a port: those of rules, then those that connections
// were made to, with how many packets they have. Nothing holds before OK.
class DecodeAsDialog : public QDialog {
    Q_OBJECT

  public:
    // The ports of that connection (1-based; 0: none) come before the others.
    DecodeAsDialog(std::shared_ptr<const CaptureData> capture, uint32_t connection, QWidget* parent);
    ~DecodeAsDialog() override;

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
    struct Port;

    void list_ports();
    int row_of(uint16_t port);
    void add_row(uint16_t port);
    void show_port(int row);
    uint16_t port_of(int row) const;

    std::shared_ptr<const CaptureData> data_;
    QTableWidget* table_;
    QSpinBox* port_;
    QLabel* listed_;
    const uint32_t wanted_;
    std::map<uint16_t, Port> ports_;  // of both ends
    bool known_ = false;
    QTimer retry_;
};

}  // namespace sanscope

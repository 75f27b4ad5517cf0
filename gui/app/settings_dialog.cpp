// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/settings_dialog.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QVBoxLayout>

namespace sanscope {

// The entries of each box are in the order of its values.
SettingsDialog::SettingsDialog(Settings& settings, QWidget* parent)
    : QDialog(parent),
      settings_(settings),
      theme_(new QComboBox(this)),
      time_(new QComboBox(this)),
      rates_(new QComboBox(this)) {
    setWindowTitle(tr("Settings"));
    theme_->addItems({tr("As the desktop has it"), tr("Light"), tr("Dark")});
    time_->addItems({tr("Seconds since the capture began"), tr("Date and time of day"), tr("UTC")});
    rates_->addItems({tr("Bytes per second (MB/s)"), tr("Bits per second (Mbit/s)")});
    auto* const form = new QFormLayout;
    form->addRow(tr("&Theme"), theme_);
    form->addRow(tr("T&imes"), time_);
    form->addRow(tr("&Rates"), rates_);
    auto* const note = new QLabel(tr("Findings and reports always tell rates in bytes per second."), this);
    note->setForegroundRole(QPalette::PlaceholderText);
    auto* const buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::close);
    auto* const column = new QVBoxLayout(this);
    column->addLayout(form);
    column->addWidget(note);
    column->addWidget(buttons);
    column->setSizeConstraint(QLayout::SetFixedSize);
    follow();

    connect(theme_, &QComboBox::activated, &settings_,
            [this](int i) { settings_.set_theme(static_cast<Settings::ThemeChoice>(i)); });
    connect(time_, &QComboBox::activated, &settings_,
            [this](int i) { settings_.set_time_format(static_cast<TimeFormat>(i)); });
    connect(rates_, &QComboBox::activated, &settings_,
            [this](int i) { settings_.set_rates(static_cast<RateUnit>(i)); });
    connect(&settings_, &Settings::time_format_changed, this, &SettingsDialog::follow);
}

void SettingsDialog::follow() {
    theme_->setCurrentIndex(static_cast<int>(settings_.theme()));
    time_->setCurrentIndex(static_cast<int>(settings_.time_format()));
    rates_->setCurrentIndex(static_cast<int>(settings_.rates()));
}

}  // namespace sanscope

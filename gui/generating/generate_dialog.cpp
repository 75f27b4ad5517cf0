// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/generating/generate_dialog.h"

#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFontDatabase>
#include <QGroupBox>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

#include "gui/generating/load_form.h"
#include "gui/generating/target_chooser.h"
#include "gui/generating/write_consent.h"
#include "gui/plot/theme.h"

namespace sanscope {
namespace {

// What is chosen of packets is kept: so many first bytes, 0 for all, or this.
constexpr int headers_kept = -1;

}  // namespace

GenerateDialog::GenerateDialog(QWidget* parent)
    : QDialog(parent),
      targets_(new TargetChooser(this)),
      form_(new LoadForm(this)),
      consent_(new WriteConsent(this)),
      record_(new QCheckBox(tr("Rec&ord the load"), this)),
      snap_length_(new QComboBox(this)),
      kernel_truth_(new QCheckBox(tr("&Kernel truth"), this)),
      command_line_(new QPlainTextEdit(this)),
      message_(new QLabel(this)),
      start_(new QPushButton(tr("&Start"), this)) {
    setWindowTitle(tr("Generate load"));
    auto* const column = new QVBoxLayout(this);
    auto* const where = new QGroupBox(tr("Target"), this);
    (new QVBoxLayout(where))->addWidget(targets_);
    column->addWidget(where, 1);
    auto* const what = new QGroupBox(tr("Load"), this);
    auto* const rows = new QVBoxLayout(what);
    rows->addWidget(form_);
    rows->addWidget(consent_);
    rows->addLayout(build_recording());
    column->addWidget(what);
    column->addLayout(build_command_line());
    message_->setWordWrap(true);
    message_->setTextFormat(Qt::PlainText);
    message_->setMinimumHeight(fontMetrics().height());
    column->addWidget(message_);
    auto* const buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    buttons->addButton(start_, QDialogButtonBox::AcceptRole);
    start_->setDefault(true);
    connect(buttons, &QDialogButtonBox::accepted, this, &GenerateDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &GenerateDialog::reject);
    column->addWidget(buttons);

    const LoadSettings last = remembered_load();
    targets_->restore(last);
    form_->set(last);
    record_->setChecked(last.record);
    kernel_truth_->setChecked(last.kernel_truth);
    const int kept = last.keep_headers ? headers_kept : static_cast<int>(last.snap_length);
    snap_length_->setCurrentIndex(std::max(0, snap_length_->findData(kept)));
    connect(targets_, &TargetChooser::changed, this, &GenerateDialog::update_all);
    connect(form_, &LoadForm::changed, this, &GenerateDialog::update_all);
    connect(consent_, &WriteConsent::changed, this, &GenerateDialog::update_all);
    connect(record_, &QCheckBox::toggled, this, &GenerateDialog::update_all);
    connect(kernel_truth_, &QCheckBox::toggled, this, &GenerateDialog::update_all);
    connect(snap_length_, &QComboBox::currentIndexChanged, this, &GenerateDialog::update_all);
    update_all();
}

QLayout* GenerateDialog::build_recording() {
    auto* const row = new QHBoxLayout;
    record_->setToolTip(tr("The packets of the load, in a tab that opens by itself"));
    row->addWidget(record_);
    snap_length_->setAccessibleName(tr("Keep of each packet"));
    snap_length_->addItem(tr("headers, and no users' data"), headers_kept);
    snap_length_->addItem(tr("all bytes of each packet"), 0);
    snap_length_->addItem(tr("the first 128 bytes of each packet"), 128);
    snap_length_->addItem(tr("the first 256 bytes of each packet"), 256);
    row->addWidget(snap_length_);
    kernel_truth_->setToolTip(tr("Also what this host's TCP says of its windows"));
    row->addWidget(kernel_truth_);
    row->addStretch();
    return row;
}

QLayout* GenerateDialog::build_command_line() {
    auto* const row = new QHBoxLayout;
    command_line_->setAccessibleName(tr("The same as a command"));
    command_line_->setToolTip(tr("The same, as a command"));
    command_line_->setReadOnly(true);
    command_line_->setTabChangesFocus(true);
    command_line_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    constexpr int lines = 3;
    constexpr int frame = 14;
    command_line_->setFixedHeight(lines * QFontMetrics(command_line_->font()).lineSpacing() + frame);
    row->addWidget(command_line_, 1);
    auto* const copy = new QPushButton(tr("Cop&y"), this);
    copy->setAutoDefault(false);
    connect(copy, &QPushButton::clicked, this,
            [this] { QGuiApplication::clipboard()->setText(command_line_->toPlainText()); });
    row->addWidget(copy, 0, Qt::AlignTop);
    return row;
}

LoadSettings GenerateDialog::settings() const {
    LoadSettings settings;
    targets_->take_into(settings);
    form_->take_into(settings);
    consent_->take_into(settings);
    settings.record = record_->isChecked();
    const int kept = snap_length_->currentData().toInt();
    settings.keep_headers = kept == headers_kept;
    settings.snap_length = settings.keep_headers ? 0 : static_cast<uint32_t>(kept);
    settings.kernel_truth = kernel_truth_->isChecked();
    return settings;
}

LoadRun GenerateDialog::run() const {
    LoadRun run{.settings = settings(), .secrets = targets_->secrets(), .interfaces = {}, .filter = {}};
    QStringList filters;
    for (const DiscoveredLun& lun : targets_->chosen()) {
        if (!lun.interface.isEmpty()) run.interfaces << lun.interface;
        if (!lun.filter.isEmpty()) filters << lun.filter;
    }
    run.interfaces.removeDuplicates();
    filters.removeDuplicates();
    run.filter = filters.join(QStringLiteral(" or "));
    return run;
}

bool GenerateDialog::settled() const {
    return !targets_->asking();
}

QString GenerateDialog::trouble() const {
    LoadSettings entered = settings();
    QString wrong = form_->take_into(entered);
    if (wrong.isEmpty()) wrong = targets_->trouble();
    if (wrong.isEmpty() && !entered.luns.isEmpty() && entered.writes()) wrong = consent_->trouble();
    if (wrong.isEmpty()) wrong = trouble_with(entered);
    return wrong;
}

void GenerateDialog::update_all() {
    // What is reported on changes others.
    if (std::exchange(updating_, true)) return;
    consent_->set_luns(targets_->chosen());
    const LoadSettings entered = settings();
    consent_->setVisible(entered.writes());
    snap_length_->setEnabled(entered.record);
    kernel_truth_->setEnabled(entered.record);
    command_line_->setPlainText(command_line(entered));
    const QString wrong = trouble();
    message_->setText(wrong);
    start_->setEnabled(wrong.isEmpty());
    updating_ = false;
}

void GenerateDialog::keyPressEvent(QKeyEvent* event) {
    if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && targets_->enter_asks()) {
        if (!targets_->asking()) targets_->ask();
        return;
    }
    QDialog::keyPressEvent(event);
}

void GenerateDialog::accept() {
    if (!start_->isEnabled()) return;
    targets_->remember();
    remember(settings());
    QDialog::accept();
}

}  // namespace sanscope

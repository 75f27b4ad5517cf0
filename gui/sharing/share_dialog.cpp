// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/sharing/share_dialog.h"

#include <QCheckBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QPushButton>
#include <QSettings>
#include <QVBoxLayout>

#include "gui/document/plain_text.h"
#include "gui/plot/text_scale.h"

namespace sanscope {
namespace {

QString trimmed_path(const QLineEdit& edit) {
    const QString path = edit.text().trimmed();
    return path.isEmpty() ? path : QFileInfo(path).absoluteFilePath();
}

}  // namespace

QString ShareDialog::suggested_name(const QString& capture, const QString& ending) {
    const QFileInfo file(capture);
    const QString base = file.absoluteDir().filePath(file.baseName());
    QString name = base + ending;
    const qsizetype dot = ending.indexOf(QLatin1Char('.'));
    for (int i = 2; QFileInfo::exists(name); ++i)
        name = base + ending.left(dot) + QLatin1Char('-') + QString::number(i) + ending.mid(dot);
    return name;
}

ShareDialog::ShareDialog(const QString& capture, QWidget* parent)
    : QDialog(parent),
      capture_(QFileInfo(capture).absoluteFilePath()),
      target_(new QLineEdit(this)),
      anonymize_(new QCheckBox(tr("&Anonymize: replace addresses, names, serial numbers and authentication "
                                  "values"),
                               this)),
      writes_mapping_(new QCheckBox(tr("&Write what was replaced by what into a file of its own"), this)),
      mapping_(new QLineEdit(this)),
      ask_mapping_(new QPushButton(tr("C&hoose…"), this)),
      holds_(new QLabel(this)),
      fault_(new QLabel(this)) {
    setWindowTitle(tr("Save a copy to share"));
    auto* const column = new QVBoxLayout(this);
    const auto add_text = [&](QLabel* label) {
        label->setTextFormat(Qt::PlainText);
        label->setWordWrap(true);
        column->addWidget(label);
    };
    auto* const about = new QLabel(this);
    about->setText(tr(
        "The copy has all headers from Ethernet to iSCSI, digests, login and text keys, sense data and SCSI "
        "parameter data, and none of the data that users read or wrote. The analysis finds the same in it."));
    add_text(about);
    auto* const grid = new QGridLayout;
    auto* const name = new QLabel(tr("&File"), this);
    name->setBuddy(target_);
    auto* const ask_target = new QPushButton(tr("&Choose…"), this);
    ask_target->setAccessibleName(tr("Choose the copy's file"));
    ask_mapping_->setAccessibleName(tr("Choose the file for what was replaced by what"));
    target_->setAccessibleName(tr("The copy's file"));
    mapping_->setAccessibleName(tr("The file for what was replaced by what"));
    grid->addWidget(name, 0, 0);
    grid->addWidget(target_, 0, 1);
    grid->addWidget(ask_target, 0, 2);
    auto* const endings = new QLabel(
        tr("A pcapng; compressed with zstd where its name ends in .zst. Most of what is left are zeros."),
        this);
    endings->setTextFormat(Qt::PlainText);
    endings->setForegroundRole(QPalette::PlaceholderText);
    grid->addWidget(endings, 1, 1, 1, 2);
    column->addLayout(grid);
    column->addWidget(anonymize_);
    auto* const indented = new QGridLayout;
    indented->setContentsMargins(beside_text(24), 0, 0, 0);
    indented->addWidget(writes_mapping_, 0, 0, 1, 2);
    indented->addWidget(mapping_, 1, 0);
    indented->addWidget(ask_mapping_, 1, 1);
    column->addLayout(indented);
    add_text(holds_);
    fault_->setAccessibleName(tr("Why it cannot be saved"));
    add_text(fault_);
    column->addStretch(1);
    auto* const buttons = new QDialogButtonBox(QDialogButtonBox::Save | QDialogButtonBox::Cancel, this);
    save_ = buttons->button(QDialogButtonBox::Save);
    column->addWidget(buttons);
    resize(beside_text(720), sizeHint().height());

    const QSettings settings;
    anonymize_->setChecked(settings.value(QStringLiteral("share/anonymize"), true).toBool());
    writes_mapping_->setChecked(settings.value(QStringLiteral("share/mapping"), false).toBool());
    target_->setText(suggested_name(capture_, QStringLiteral("-to-share.pcapng.zst")));
    mapping_->setText(suggested_name(capture_, QStringLiteral("-mapping.csv")));

    connect(buttons, &QDialogButtonBox::accepted, this, &ShareDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(ask_target, &QPushButton::clicked, this, [this] {
        ask_for(*target_, tr("The copy"), tr("Compressed pcapng (*.pcapng.zst);;pcapng (*.pcapng)"));
    });
    connect(ask_mapping_, &QPushButton::clicked, this,
            [this] { ask_for(*mapping_, tr("What was replaced by what"), tr("CSV (*.csv)")); });
    for (const QLineEdit* const edit : {target_, mapping_})
        connect(edit, &QLineEdit::textChanged, this, &ShareDialog::update_state);
    for (const QCheckBox* const box : {anonymize_, writes_mapping_})
        connect(box, &QCheckBox::toggled, this, &ShareDialog::update_state);
    update_state();
}

void ShareDialog::ask_for(QLineEdit& into, const QString& title, const QString& kinds) {
    // accept() asks before anything is replaced.
    const QString path = QFileDialog::getSaveFileName(this, title, trimmed_path(into), kinds, nullptr,
                                                      QFileDialog::DontConfirmOverwrite);
    if (!path.isEmpty()) into.setText(path);
}

ShareRequest ShareDialog::request() const {
    ShareRequest request;
    request.source = QFile::encodeName(capture_).toStdString();
    request.target = QFile::encodeName(trimmed_path(*target_)).toStdString();
    request.anonymize = anonymize_->isChecked();
    if (request.anonymize && writes_mapping_->isChecked())
        request.mapping = QFile::encodeName(trimmed_path(*mapping_)).toStdString();
    return request;
}

QString ShareDialog::fault() const {
    const QString target = trimmed_path(*target_);
    if (target.isEmpty()) return tr("The copy needs a name.");
    const QFileInfo file(target);
    if (!target.endsWith(QStringLiteral(".pcapng")) && !target.endsWith(QStringLiteral(".pcapng.zst")))
        return tr("The copy's name ends in .pcapng, or in .pcapng.zst to be compressed.");
    if (file.exists() && file.canonicalFilePath() == QFileInfo(capture_).canonicalFilePath())
        return tr("That is the capture itself, which is never overwritten.");
    if (file.isDir()) return tr("%1 is a folder.").arg(target);
    if (!file.absoluteDir().exists()) return tr("There is no folder %1.").arg(file.absolutePath());
    if (!anonymize_->isChecked() || !writes_mapping_->isChecked()) return {};
    const QString mapping = trimmed_path(*mapping_);
    if (mapping.isEmpty()) return tr("The file for what was replaced by what needs a name.");
    if (mapping == target) return tr("The copy and what was replaced by what need different names.");
    const QFileInfo mapping_file(mapping);
    if (mapping_file.exists())
        return tr("%1 is there already, and a mapping never replaces a file.").arg(mapping);
    if (!mapping_file.absoluteDir().exists())
        return tr("There is no folder %1.").arg(mapping_file.absolutePath());
    return {};
}

void ShareDialog::update_state() {
    const bool anonymize = anonymize_->isChecked();
    writes_mapping_->setEnabled(anonymize);
    mapping_->setEnabled(anonymize && writes_mapping_->isChecked());
    ask_mapping_->setEnabled(mapping_->isEnabled());
    holds_->setText(anonymize ? tr("Still to be seen: times, sizes, logical unit numbers, block addresses, "
                                   "ports, VLANs, vendor "
                                   "and product of disks. Who knows the site may recognise it by these.")
                              : tr("Still in it: IP and MAC addresses, iSCSI names, CHAP names and responses "
                                   "(from which a weak "
                                   "secret can be guessed), serial numbers, comments."));
    fault_->setText(fault());
    save_->setEnabled(fault_->text().isEmpty());
}

void ShareDialog::accept() {
    update_state();
    if (!save_->isEnabled()) return;
    const QString target = trimmed_path(*target_);
    if (QFileInfo::exists(target) &&
        QMessageBox::question(
            this, windowTitle(),
            plain_text(tr("%1 exists already. Replace it?").arg(QFileInfo(target).fileName())),
            QMessageBox::Yes | QMessageBox::No, QMessageBox::No) != QMessageBox::Yes)
        return;
    QSettings settings;
    settings.setValue(QStringLiteral("share/anonymize"), anonymize_->isChecked());
    settings.setValue(QStringLiteral("share/mapping"), writes_mapping_->isChecked());
    QDialog::accept();
}

}  // namespace sanscope

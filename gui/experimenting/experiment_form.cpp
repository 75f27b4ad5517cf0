// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/experimenting/experiment_form.h"

#include <QCheckBox>
#include <QDir>
#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSettings>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QStandardPaths>
#include <QTableWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "gui/document/plain_text.h"

namespace sanscope {
namespace {

enum Column : int { setting, values, only, other };
constexpr int most_repetitions = 100;
constexpr double least_seconds = 0.1;
constexpr double most_seconds = 3600;

QString text_of(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

// The values of a setting that the experiment's own runs have, as --only takes them.
QString own_values(const lab::ChosenExperiment& chosen, const lab::SettingColumn& column) {
    QStringList all;
    for (const lab::RunSettings& settings : chosen.settings) {
        if (!column.means_something_to(settings.load)) continue;
        const QString value = QString::fromStdString(column.text(settings));
        if (!all.contains(value)) all << value;
    }
    return all.join(u',');
}

QString folder_for(const std::string& name) {
    const QDir documents(QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation));
    return documents.filePath(QStringLiteral("experiments/") + QString::fromStdString(name));
}

}  // namespace

ExperimentForm::ExperimentForm(QWidget* parent)
    : QWidget(parent),
      experiments_(new QListWidget(this)),
      about_(new QPlainTextEdit(this)),
      settings_(new QTableWidget(this)),
      repetitions_(new QSpinBox(this)),
      seconds_(new QDoubleSpinBox(this)),
      folder_(new QLineEdit(this)),
      keep_captures_(new QCheckBox(tr("&Keep the captures"), this)) {
    build();
    const QSettings store;
    const QString last = store.value(QStringLiteral("experimenting/name")).toString();
    int row = 0;
    for (const lab::Experiment& experiment : lab::experiments()) {
        auto* const item = new QListWidgetItem(
            tr("%1: %2").arg(text_of(experiment.name), text_of(experiment.title)), experiments_);
        item->setData(Qt::UserRole, text_of(experiment.name));
        if (text_of(experiment.name) == last) row = experiments_->count() - 1;
    }
    keep_captures_->setChecked(store.value(QStringLiteral("experimenting/keep_captures")).toBool());
    experiments_->setCurrentRow(row);
    show_experiment();
    connect(experiments_, &QListWidget::currentRowChanged, this, [this] {
        show_experiment();
        Q_EMIT changed();
    });
    connect(settings_, &QTableWidget::itemChanged, this, &ExperimentForm::changed);
    connect(repetitions_, &QSpinBox::valueChanged, this, &ExperimentForm::changed);
    connect(seconds_, &QDoubleSpinBox::valueChanged, this, &ExperimentForm::changed);
    connect(folder_, &QLineEdit::textChanged, this, &ExperimentForm::changed);
    connect(keep_captures_, &QCheckBox::toggled, this, &ExperimentForm::changed);
}

void ExperimentForm::build() {
    auto* const column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    experiments_->setAccessibleName(tr("Experiments"));
    experiments_->setWordWrap(true);
    experiments_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    column->addWidget(experiments_, 2);
    about_->setAccessibleName(tr("What the experiment is about"));
    about_->setReadOnly(true);
    about_->setTabChangesFocus(true);
    column->addWidget(about_, 2);
    settings_->setAccessibleName(tr("Settings of the experiment"));
    settings_->setColumnCount(4);
    settings_->setHorizontalHeaderLabels({tr("Setting"), tr("Values"), tr("Only these"), tr("Other values")});
    settings_->horizontalHeaderItem(values)->setToolTip(tr("The experiment’s own, with commas between them"));
    settings_->horizontalHeaderItem(only)->setToolTip(
        tr("Values with commas between them: runs with others are left out (--only)"));
    settings_->horizontalHeaderItem(other)->setToolTip(
        tr("Values with commas between them, in place of the experiment’s own (--set)"));
    settings_->verticalHeader()->hide();
    settings_->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 6);
    settings_->setTabKeyNavigation(false);
    settings_->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed |
                               QAbstractItemView::AnyKeyPressed | QAbstractItemView::SelectedClicked);
    settings_->horizontalHeader()->setSectionResizeMode(QHeaderView::Interactive);
    settings_->horizontalHeader()->setStretchLastSection(true);
    list_settings();
    column->addWidget(settings_, 4);
    column->addLayout(build_rows());
}

void ExperimentForm::list_settings() {
    const auto columns = lab::setting_columns();
    settings_->setRowCount(static_cast<int>(columns.size()));
    for (int row = 0; row < settings_->rowCount(); ++row) {
        const lab::SettingColumn& of_row = columns[static_cast<size_t>(row)];
        for (const int place : {setting, values, only, other}) {
            auto* const item = new QTableWidgetItem;
            if (place < only) item->setFlags(item->flags() & ~Qt::ItemIsEditable);
            settings_->setItem(row, place, item);
        }
        settings_->item(row, setting)->setText(text_of(of_row.heading));
        const QString takes =
            tr("%1 takes %2").arg(text_of(of_row.name), QString::fromStdString(of_row.bounds()));
        for (const int place : {setting, only, other})
            settings_->item(row, place)->setToolTip(plain_text(takes));
    }
    const int widest = 24 * fontMetrics().averageCharWidth();
    settings_->resizeColumnToContents(setting);
    settings_->setColumnWidth(setting, std::min(widest, settings_->columnWidth(setting)));
    constexpr int characters = 14;  // of a few values: more are in its tip
    for (const int place : {values, only})
        settings_->setColumnWidth(place, characters * fontMetrics().averageCharWidth());
}

QLayout* ExperimentForm::build_rows() {
    auto* const rows = new QFormLayout;
    repetitions_->setAccessibleName(tr("Repetitions of each run"));
    repetitions_->setRange(1, most_repetitions);
    rows->addRow(tr("&Repetitions"), repetitions_);
    seconds_->setAccessibleName(tr("Seconds of load in a run"));
    seconds_->setRange(least_seconds, most_seconds);
    seconds_->setDecimals(1);
    seconds_->setSuffix(tr(" s of load"));
    rows->addRow(tr("Each r&un"), seconds_);
    auto* const where = new QHBoxLayout;
    folder_->setAccessibleName(tr("Folder for what comes out"));
    where->addWidget(folder_, 1);
    auto* const choose = new QPushButton(tr("Choose…"), this);
    choose->setAutoDefault(false);
    choose->setAccessibleName(tr("Choose the folder"));
    connect(choose, &QPushButton::clicked, this, &ExperimentForm::ask_for_folder);
    where->addWidget(choose);
    auto* const label = new QLabel(tr("&Folder"), this);
    label->setBuddy(folder_);
    rows->addRow(label, where);
    keep_captures_->setToolTip(
        tr("The first 128 bytes of each packet of runs whose load is iSCSI, to be opened from their points"));
    rows->addRow(QString(), keep_captures_);
    return rows;
}

// What was entered for the experiment before goes, but for a folder.
void ExperimentForm::show_experiment() {
    const QListWidgetItem* const item = experiments_->currentItem();
    if (item == nullptr) return;
    const auto chosen = lab::choose({.name = item->data(Qt::UserRole).toString().toStdString()});
    if (!chosen) return;
    const lab::Experiment& experiment = chosen->experiment;
    const QSignalBlocker no_table(settings_);
    const QSignalBlocker no_repetitions(repetitions_);
    const QSignalBlocker no_seconds(seconds_);
    const QSignalBlocker no_folder(folder_);
    about_->setPlainText(
        QStringList{text_of(experiment.title), text_of(experiment.source), text_of(experiment.method)}.join(
            QStringLiteral("\n\n")));
    const auto columns = lab::setting_columns();
    for (int row = 0; row < settings_->rowCount(); ++row) {
        const QString own = own_values(*chosen, columns[static_cast<size_t>(row)]);
        settings_->item(row, values)->setText(own);
        settings_->item(row, values)->setToolTip(plain_text(own));
        settings_->item(row, only)->setText({});
        settings_->item(row, other)->setText({});
    }
    repetitions_->setValue(static_cast<int>(experiment.repetitions));
    seconds_->setValue(experiment.seconds);
    const QString own_folder = folder_for(std::string(experiment.name));
    if (folder_->text() == own_folder_) folder_->setText(own_folder);
    own_folder_ = own_folder;
}

std::vector<std::string> ExperimentForm::settings_in(int column) const {
    std::vector<std::string> all;
    const auto columns = lab::setting_columns();
    for (int row = 0; row < settings_->rowCount(); ++row) {
        QString text = settings_->item(row, column)->text();
        text.remove(u' ');
        if (!text.isEmpty())
            all.push_back(std::string(columns[static_cast<size_t>(row)].name) + '=' + text.toStdString());
    }
    return all;
}

ExperimentChoice ExperimentForm::choice() const {
    ExperimentChoice choice;
    if (const QListWidgetItem* const item = experiments_->currentItem())
        choice.wishes.name = item->data(Qt::UserRole).toString().toStdString();
    choice.wishes.set = settings_in(other);
    choice.wishes.only = settings_in(only);
    const lab::Experiment* const experiment = lab::find_experiment(choice.wishes.name);
    const auto repetitions = static_cast<unsigned>(repetitions_->value());
    if (experiment == nullptr || repetitions != experiment->repetitions)
        choice.wishes.repetitions = repetitions;
    if (experiment == nullptr || seconds_->value() != experiment->seconds)
        choice.wishes.seconds = seconds_->value();
    const QString folder = folder_->text().trimmed();
    if (!folder.isEmpty()) choice.folder = QDir::cleanPath(QFileInfo(folder).absoluteFilePath());
    choice.keep_captures = keep_captures_->isChecked();
    return choice;
}

void ExperimentForm::remember() const {
    QSettings store;
    store.setValue(QStringLiteral("experimenting/name"), QString::fromStdString(choice().wishes.name));
    store.setValue(QStringLiteral("experimenting/keep_captures"), keep_captures_->isChecked());
}

void ExperimentForm::ask_for_folder() {
    const QString folder =
        QFileDialog::getExistingDirectory(this, tr("Folder for what comes out"), folder_->text());
    if (!folder.isEmpty()) folder_->setText(folder);
}

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/recording/capture_dialog.h"

#include <QCompleter>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFormLayout>
#include <QHeaderView>
#include <QSettings>
#include <QStringListModel>
#include <QVBoxLayout>

#include "gui/plot/theme.h"
#include "gui/recording/sparkline_delegate.h"

namespace sanscope {
namespace {

constexpr int activity_ms = 250;
constexpr int most_remembered = 20;
enum Column : int { name_column, activity_column, address_column };

QStringList usual_filters() {
    return {QStringLiteral("tcp port 3260"),
            QStringLiteral("tcp"),
            QStringLiteral("host "),
            QStringLiteral("net "),
            QStringLiteral("tcp port 3260 or tcp port 860"),
            QStringLiteral("tcp portrange 3260-3269")};
}

}  // namespace

CaptureDialog::CaptureDialog(QWidget* parent, Recording::Options recorder)
    : QDialog(parent),
      recorder_(std::move(recorder)),
      interfaces_(new QTreeWidget(this)),
      filter_(new QLineEdit(this)),
      filter_message_(new QLabel(this)),
      snap_length_(new QComboBox(this)),
      buffer_(new QSpinBox(this)),
      promiscuous_(new QCheckBox(tr("&Promiscuous: also what is addressed to other hosts"), this)),
      kernel_truth_(new QCheckBox(tr("&Kernel truth: also what this host's TCP says of its windows"), this)),
      path_(new QLineEdit(this)),
      message_(new QLabel(this)),
      start_(new QPushButton(tr("&Start"), this)) {
    setWindowTitle(tr("Record"));
    build();
    restore();
    clock_.start();
    activity_.look(0);
    activity_timer_.setInterval(activity_ms);
    connect(&activity_timer_, &QTimer::timeout, this, [this] {
        activity_.look(clock_.nsecsElapsed());
        interfaces_->viewport()->update();
    });
    activity_timer_.start();
    list_interfaces();
    check_filter();
}

void CaptureDialog::build() {
    auto* const column = new QVBoxLayout(this);
    auto* const words = new QLabel(tr("&Interfaces; more than one with Ctrl"), this);
    words->setBuddy(interfaces_);
    column->addWidget(words);
    interfaces_->setAccessibleName(tr("Interfaces"));
    interfaces_->setColumnCount(3);
    interfaces_->setHeaderLabels({tr("Interface"), tr("Traffic"), tr("Addresses")});
    interfaces_->setRootIsDecorated(false);
    interfaces_->setUniformRowHeights(true);
    interfaces_->setAllColumnsShowFocus(true);
    interfaces_->setSelectionMode(QAbstractItemView::ExtendedSelection);
    interfaces_->setItemDelegateForColumn(activity_column, new SparklineDelegate(activity_, interfaces_));
    interfaces_->header()->resizeSection(name_column, 170);
    interfaces_->header()->resizeSection(activity_column, 230);
    interfaces_->setMinimumSize(720, 220);
    connect(interfaces_, &QTreeWidget::itemSelectionChanged, this, [this] {
        check_filter();
        update_start();
    });
    connect(interfaces_, &QTreeWidget::itemDoubleClicked, this, [this] { start_->click(); });
    column->addWidget(interfaces_, 1);

    auto* const form = new QFormLayout;
    filter_->setClearButtonEnabled(true);
    filter_->setPlaceholderText(tr("everything; such as tcp port 3260"));
    filter_->setAccessibleName(tr("Capture filter"));
    connect(filter_, &QLineEdit::textChanged, this, &CaptureDialog::check_filter);
    form->addRow(tr("Capture &filter"), filter_);
    filter_message_->setWordWrap(true);
    form->addRow(QString(), filter_message_);
    snap_length_->addItem(tr("all bytes of each packet"), 0);
    snap_length_->addItem(tr("headers only (128 bytes)"), 128);
    snap_length_->addItem(tr("headers and a little data (256 bytes)"), 256);
    form->addRow(tr("Kee&p"), snap_length_);
    buffer_->setRange(1, 2048);
    buffer_->setSuffix(tr(" MiB"));
    form->addRow(tr("Kernel's &buffer"), buffer_);
    form->addRow(QString(), promiscuous_);
    form->addRow(QString(), kernel_truth_);
    auto* const path_row = new QHBoxLayout;
    path_->setPlaceholderText(tr("none yet; it can be saved afterwards"));
    path_->setAccessibleName(tr("File"));
    auto* const browse = new QPushButton(tr("&Choose…"), this);
    connect(browse, &QPushButton::clicked, this, &CaptureDialog::ask_for_path);
    path_row->addWidget(path_, 1);
    path_row->addWidget(browse);
    auto* const path_words = new QLabel(tr("Fi&le"), this);
    path_words->setBuddy(path_);
    form->addRow(path_words, path_row);
    column->addLayout(form);
    message_->setWordWrap(true);
    message_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    message_->hide();
    column->addWidget(message_);

    auto* const buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    buttons->addButton(start_, QDialogButtonBox::AcceptRole);
    start_->setDefault(true);
    connect(buttons, &QDialogButtonBox::accepted, this, &CaptureDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &CaptureDialog::reject);
    column->addWidget(buttons);
}

void CaptureDialog::list_interfaces() {
    list_job_.request(
        [recorder = recorder_](const StopFlag&) {
            auto list = list_capture_interfaces(recorder);
            Listed listed;
            if (!list) {
                listed.error = QString::fromStdString(list.error().message);
            } else {
                listed.list = std::move(*list);
                listed.error = QString::fromStdString(listed.list.error());
            }
            return listed;
        },
        [this](const Listed& listed) { show_interfaces(listed); });
    update_start();
}

void CaptureDialog::show_interfaces(const Listed& listed) {
    interfaces_->clear();
    for (const auto& interface : listed.list.interfaces()) {
        const QString name = QString::fromStdString(interface.name());
        QStringList addresses;
        for (const std::string& address : interface.addresses())
            addresses.append(QString::fromStdString(address));
        if (!interface.up()) addresses.append(tr("down"));
        const QString description = QString::fromStdString(interface.description());
        auto* const item = new QTreeWidgetItem({name, QString(), addresses.join(QStringLiteral(", "))});
        item->setData(name_column, Qt::UserRole, name);
        item->setData(activity_column, SparklineDelegate::name_role, name);
        if (!description.isEmpty()) item->setToolTip(name_column, description);
        interfaces_->addTopLevelItem(item);
        item->setSelected(to_choose_.contains(name));
    }
    if (chosen().isEmpty() && interfaces_->topLevelItemCount() > 0)
        interfaces_->topLevelItem(0)->setSelected(true);
    message_->setText(listed.error);
    message_->setVisible(!listed.error.isEmpty());
    update_start();
}

void CaptureDialog::check_filter() {
    const QStringList names = chosen();
    check_job_.request(
        [recorder = recorder_, filter = filter_->text().trimmed().toStdString(),
         interface = names.isEmpty() ? std::string() : names.first().toStdString()](const StopFlag&) {
            Checked checked;
            if (filter.empty()) return checked;
            const auto answer = check_capture_filter(filter, interface, recorder);
            if (!answer) return checked;  // then the recording will tell
            checked.valid = answer->valid();
            checked.message = QString::fromStdString(answer->message());
            return checked;
        },
        [this](const Checked& checked) { show_checked(checked); });
}

void CaptureDialog::show_checked(const Checked& checked) {
    filter_valid_ = checked.valid;
    filter_message_->setText(checked.valid ? QString() : checked.message);
    QPalette colors = filter_->palette();
    colors.setColor(QPalette::Text,
                    checked.valid ? palette().color(QPalette::Text) : Theme::of(palette()).problem);
    filter_->setPalette(colors);
    filter_message_->setPalette(colors);
    update_start();
}

void CaptureDialog::update_start() {
    start_->setEnabled(filter_valid_ && !chosen().isEmpty());
}

QStringList CaptureDialog::chosen() const {
    QStringList names;
    for (const QTreeWidgetItem* const item : interfaces_->selectedItems())
        names.append(item->data(name_column, Qt::UserRole).toString());
    return names;
}

v1::RecordingRequest CaptureDialog::request() const {
    v1::RecordingRequest request;
    for (const QString& name : chosen()) request.add_interfaces(name.toStdString());
    request.set_filter(filter_->text().trimmed().toStdString());
    request.set_snap_length(snap_length_->currentData().toUInt());
    request.set_buffer_mib(static_cast<uint32_t>(buffer_->value()));
    request.set_promiscuous(promiscuous_->isChecked());
    request.set_kernel_truth(kernel_truth_->isChecked());
    request.set_path(QFile::encodeName(path_->text().trimmed()).toStdString());
    return request;
}

void CaptureDialog::accept() {
    if (!start_->isEnabled()) return;
    remember();
    QDialog::accept();
}

void CaptureDialog::remember() const {
    QSettings settings;
    settings.beginGroup(QStringLiteral("recording"));
    settings.setValue(QStringLiteral("interfaces"), chosen());
    settings.setValue(QStringLiteral("filter"), filter_->text().trimmed());
    settings.setValue(QStringLiteral("snap_length"), snap_length_->currentData());
    settings.setValue(QStringLiteral("buffer_mib"), buffer_->value());
    settings.setValue(QStringLiteral("promiscuous"), promiscuous_->isChecked());
    settings.setValue(QStringLiteral("kernel_truth"), kernel_truth_->isChecked());
    QStringList filters = settings.value(QStringLiteral("filters")).toStringList();
    const QString filter = filter_->text().trimmed();
    if (!filter.isEmpty()) {
        filters.removeAll(filter);
        filters.prepend(filter);
        settings.setValue(QStringLiteral("filters"), QStringList(filters.mid(0, most_remembered)));
    }
}

void CaptureDialog::restore() {
    QSettings settings;
    settings.beginGroup(QStringLiteral("recording"));
    to_choose_ = settings.value(QStringLiteral("interfaces")).toStringList();
    filter_->setText(settings.value(QStringLiteral("filter"), QStringLiteral("tcp port 3260")).toString());
    const int snap = snap_length_->findData(settings.value(QStringLiteral("snap_length"), 0));
    snap_length_->setCurrentIndex(std::max(0, snap));
    buffer_->setValue(settings.value(QStringLiteral("buffer_mib"), 32).toInt());
    promiscuous_->setChecked(settings.value(QStringLiteral("promiscuous"), true).toBool());
    kernel_truth_->setChecked(settings.value(QStringLiteral("kernel_truth"), false).toBool());
    QStringList filters = settings.value(QStringLiteral("filters")).toStringList() + usual_filters();
    filters.removeDuplicates();
    auto* const completer = new QCompleter(filters, this);
    completer->setCompletionMode(QCompleter::PopupCompletion);
    completer->setFilterMode(Qt::MatchContains);
    filter_->setCompleter(completer);
}

void CaptureDialog::ask_for_path() {
    const QString path = QFileDialog::getSaveFileName(this, tr("Record to"), path_->text(),
                                                      tr("pcapng (*.pcapng);;All files (*)"));
    if (!path.isEmpty()) path_->setText(path);
}

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/recording/capture_dialog.h"

#include <QCompleter>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFormLayout>
#include <QHeaderView>
#include <QRegularExpression>
#include <QSettings>
#include <QStringListModel>
#include <QThreadPool>
#include <QVBoxLayout>

#include "gui/document/plain_text.h"
#include "gui/plot/clear_button.h"
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

// Puts it in front of what is remembered so.
void remember_among(QSettings& settings, const QString& name, const QString& text) {
    if (text.isEmpty()) return;
    QStringList all = settings.value(name).toStringList();
    all.removeAll(text);
    all.prepend(text);
    settings.setValue(name, QStringList(all.mid(0, most_remembered)));
}

void complete_from(const QStringList& texts, QLineEdit* edit) {
    auto* const completer = new QCompleter(texts, edit);
    completer->setCompletionMode(QCompleter::PopupCompletion);
    completer->setFilterMode(Qt::MatchContains);
    edit->setCompleter(completer);
}

// For asking other hosts, which may take as long as somebody needs to log in.
QThreadPool& asking_threads() {
    static QThreadPool pool;
    return pool;
}

}  // namespace

CaptureDialog::CaptureDialog(QWidget* parent, Recording::Options recorder)
    : QDialog(parent),
      recorder_(std::move(recorder)),
      host_(new QLineEdit(this)),
      ask_host_(new QPushButton(tr("&Ask for its interfaces"), this)),
      advanced_(new QToolButton(this)),
      ssh_command_(new QLineEdit(this)),
      remote_recorder_(new QLineEdit(this)),
      with_ssh_(new QCheckBox(tr("Also the packets of that ssh connection i&tself"), this)),
      interfaces_(new QTreeWidget(this)),
      names_words_(new QLabel(tr("Interface &names"), this)),
      names_(new QLineEdit(this)),
      filter_(new QLineEdit(this)),
      filter_message_(new QLabel(this)),
      snap_length_(new QComboBox(this)),
      buffer_(new QSpinBox(this)),
      promiscuous_(new QCheckBox(tr("&Promiscuous: also what is addressed to other hosts"), this)),
      kernel_truth_(
          new QCheckBox(tr("&Kernel truth: also what the TCP of that host says of its windows"), this)),
      path_(new QLineEdit(this)),
      message_(new QLabel(this)),
      start_(new QPushButton(tr("&Start"), this)),
      list_job_(false, &asking_threads()) {
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
    take_host();
}

void CaptureDialog::build() {
    auto* const column = new QVBoxLayout(this);
    column->addWidget(build_host_rows());
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
    column->addLayout(build_form());
    message_->setWordWrap(true);
    // Another host may have had a say in them.
    message_->setTextFormat(Qt::PlainText);
    filter_message_->setTextFormat(Qt::PlainText);
    message_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    message_->hide();
    column->addWidget(message_);

    auto* const buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    buttons->addButton(start_, QDialogButtonBox::AcceptRole);
    start_->setDefault(true);
    connect(buttons, &QDialogButtonBox::accepted, this, &CaptureDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &CaptureDialog::reject);
    column->addWidget(buttons);
    interfaces_->setFocus();
}

// Which host records, and how it is reached.
QWidget* CaptureDialog::build_host_rows() {
    auto* const rows = new QWidget(this);
    auto* const column = new QVBoxLayout(rows);
    column->setContentsMargins(0, 0, 0, 0);
    auto* const first = new QHBoxLayout;
    auto* const words = new QLabel(tr("On &host"), rows);
    words->setBuddy(host_);
    first->addWidget(words);
    host_->setPlaceholderText(tr("this one; another: HOST or USER@HOST, through ssh"));
    host_->setAccessibleName(tr("On host"));
    add_clear_button(*host_);
    connect(host_, &QLineEdit::textChanged, this, &CaptureDialog::take_host);
    connect(host_, &QLineEdit::returnPressed, this, [this] {
        if (elsewhere() && !start_->isEnabled()) list_interfaces();
    });
    first->addWidget(host_, 1);
    ask_host_->setAutoDefault(false);
    connect(ask_host_, &QPushButton::clicked, this, &CaptureDialog::list_interfaces);
    first->addWidget(ask_host_);
    advanced_->setText(tr("Ad&vanced"));
    advanced_->setCheckable(true);
    advanced_->setAutoRaise(true);
    advanced_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    advanced_->setArrowType(Qt::RightArrow);
    first->addWidget(advanced_);
    column->addLayout(first);

    auto* const further = new QWidget(rows);
    auto* const form = new QFormLayout(further);
    form->setContentsMargins(24, 0, 0, 0);
    ssh_command_->setPlaceholderText(QStringLiteral("ssh"));
    ssh_command_->setToolTip(tr("In place of ssh: a command and options, as 'ssh -p 2222 -i key'"));
    ssh_command_->setAccessibleName(tr("Command for ssh"));
    form->addRow(tr("C&ommand for ssh"), ssh_command_);
    remote_recorder_->setPlaceholderText(tr("looked for in the usual places"));
    remote_recorder_->setToolTip(tr("Where sanscope-recorder is on that host"));
    remote_recorder_->setAccessibleName(tr("Recorder there"));
    form->addRow(tr("&Recorder there"), remote_recorder_);
    form->addRow(QString(), with_ssh_);
    further->hide();
    connect(advanced_, &QToolButton::toggled, further, [this, further](bool on) {
        further->setVisible(on);
        advanced_->setArrowType(on ? Qt::DownArrow : Qt::RightArrow);
    });
    column->addWidget(further);
    return rows;
}

QLayout* CaptureDialog::build_form() {
    auto* const form = new QFormLayout;
    names_words_->setBuddy(names_);
    names_->setPlaceholderText(tr("where they are known: eth0 eth1"));
    names_->setAccessibleName(tr("Interface names"));
    connect(names_, &QLineEdit::textChanged, this, &CaptureDialog::update_start);
    form->addRow(names_words_, names_);
    add_clear_button(*filter_);
    filter_->setPlaceholderText(tr("everything; such as tcp port 3260"));
    filter_->setAccessibleName(tr("Capture filter"));
    connect(filter_, &QLineEdit::textChanged, this, &CaptureDialog::check_filter);
    form->addRow(tr("Capture &filter"), filter_);
    filter_message_->setWordWrap(true);
    form->addRow(QString(), filter_message_);
    snap_length_->addItem(tr("headers, and no users' data"), headers_kept);
    snap_length_->addItem(tr("all bytes of each packet"), 0);
    snap_length_->addItem(tr("the first %1 bytes of each packet").arg(headers_only),
                          static_cast<int>(headers_only));
    snap_length_->addItem(tr("the first 256 bytes of each packet"), 256);
    snap_length_->setToolTip(tr(
        "Without users' data: all headers, login text, sense and SCSI parameter data; of other traffic than "
        "iSCSI its headers"));
    form->addRow(tr("Kee&p"), snap_length_);
    buffer_->setRange(1, 2048);
    buffer_->setSuffix(tr(" MiB"));
    form->addRow(tr("Kernel's &buffer"), buffer_);
    form->addRow(QString(), promiscuous_);
    form->addRow(QString(), kernel_truth_);
    auto* const path_words = new QLabel(tr("Fi&le"), this);
    path_words->setBuddy(path_);
    form->addRow(path_words, build_path_row());
    return form;
}

QLayout* CaptureDialog::build_path_row() {
    auto* const path_row = new QHBoxLayout;
    path_->setPlaceholderText(tr("none yet; it can be saved afterwards"));
    path_->setAccessibleName(tr("File"));
    auto* const browse = new QPushButton(tr("&Choose…"), this);
    connect(browse, &QPushButton::clicked, this, &CaptureDialog::ask_for_path);
    path_row->addWidget(path_, 1);
    path_row->addWidget(browse);
    return path_row;
}

// What was listed is of the host before. This one is asked at once; another one when its user says so, since somebody may have
// to log in there.
void CaptureDialog::take_host() {
    const bool there = elsewhere();
    list_job_.cancel();
    interfaces_->clear();
    message_->hide();
    names_words_->setVisible(there);
    names_->setVisible(there);
    ask_host_->setEnabled(there);
    interfaces_->setColumnHidden(activity_column, there);
    if (there != was_elsewhere_) {
        snap_lengths_[was_elsewhere_ ? 1 : 0] = snap_length_->currentData().toInt();
        snap_length_->setCurrentIndex(std::max(0, snap_length_->findData(snap_lengths_[there ? 1 : 0])));
        was_elsewhere_ = there;
    }
    if (!there) list_interfaces();
    check_filter();
    update_start();
}

std::optional<v1::RemoteHost> CaptureDialog::remote() const {
    if (!elsewhere()) return std::nullopt;
    v1::RemoteHost remote;
    remote.set_host(host_->text().trimmed().toStdString());
    remote.set_ssh_command(ssh_command_->text().trimmed().toStdString());
    remote.set_recorder(QFile::encodeName(remote_recorder_->text().trimmed()).toStdString());
    return remote;
}

void CaptureDialog::list_interfaces() {
    if (elsewhere()) {
        message_->setText(tr("Asking %1 for its interfaces…").arg(host_->text().trimmed()));
        message_->show();
    }
    Recording::Options options = recorder_;
    if ((options.remote = remote())) options.program.clear();
    list_job_.request(
        [options](const StopFlag& stop) {
            Recording::Options asking = options;
            asking.stop = &stop;
            auto list = list_capture_interfaces(asking);
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
        if (!description.isEmpty()) item->setToolTip(name_column, plain_text(description));
        interfaces_->addTopLevelItem(item);
        item->setSelected(!elsewhere() && to_choose_.contains(name));
    }
    if (elsewhere()) select_typed();
    if (chosen().isEmpty() && interfaces_->topLevelItemCount() > 0)
        interfaces_->topLevelItem(0)->setSelected(true);
    message_->setText(listed.error);
    message_->setVisible(!listed.error.isEmpty());
    update_start();
}

void CaptureDialog::check_filter() {
    // Of another host's interfaces nothing is known here; what they do not take, its recorder reports.
    const QStringList names = elsewhere() ? QStringList() : chosen();
    check_job_.request(
        [recorder = recorder_, filter = filter_->text().trimmed().toStdString(),
         interface = names.isEmpty() ? std::string() : names.first().toStdString()](const StopFlag&) {
            Checked checked;
            if (filter.empty()) return checked;
            const auto answer = check_capture_filter(filter, interface, recorder);
            if (!answer) return checked;  // then the recording will show
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
    if (elsewhere()) names += typed_names();
    names.removeDuplicates();
    return names;
}

QStringList CaptureDialog::typed_names() const {
    static const QRegularExpression between(QStringLiteral("[\\s,]+"));
    return names_->text().split(between, Qt::SkipEmptyParts);
}

// Names that were typed and are in the list are chosen there from now on.
void CaptureDialog::select_typed() {
    QStringList left = typed_names();
    for (int i = 0; i < interfaces_->topLevelItemCount(); ++i) {
        QTreeWidgetItem* const item = interfaces_->topLevelItem(i);
        if (left.removeAll(item->data(name_column, Qt::UserRole).toString()) > 0) item->setSelected(true);
    }
    names_->setText(left.join(QLatin1Char(' ')));
}

v1::RecordingRequest CaptureDialog::request() const {
    v1::RecordingRequest request;
    for (const QString& name : chosen()) request.add_interfaces(name.toStdString());
    request.set_filter(filter_->text().trimmed().toStdString());
    const int kept = snap_length_->currentData().toInt();
    if (kept == headers_kept) request.set_keep(v1::RecordingRequest::HEADERS);
    request.set_snap_length(kept == headers_kept ? 0 : static_cast<uint32_t>(kept));
    request.set_buffer_mib(static_cast<uint32_t>(buffer_->value()));
    request.set_promiscuous(promiscuous_->isChecked());
    request.set_kernel_truth(kernel_truth_->isChecked());
    request.set_with_ssh(elsewhere() && with_ssh_->isChecked());
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
    const QString host = host_->text().trimmed();
    settings.setValue(QStringLiteral("host"), host);
    settings.setValue(QStringLiteral("ssh_command"), ssh_command_->text().trimmed());
    settings.setValue(QStringLiteral("remote_recorder"), remote_recorder_->text().trimmed());
    settings.setValue(QStringLiteral("with_ssh"), with_ssh_->isChecked());
    settings.setValue(elsewhere() ? QStringLiteral("remote_interfaces") : QStringLiteral("interfaces"),
                      chosen());
    settings.setValue(QStringLiteral("filter"), filter_->text().trimmed());
    settings.setValue(elsewhere() ? QStringLiteral("remote_snap_length") : QStringLiteral("snap_length"),
                      snap_length_->currentData());
    settings.setValue(QStringLiteral("buffer_mib"), buffer_->value());
    settings.setValue(QStringLiteral("promiscuous"), promiscuous_->isChecked());
    settings.setValue(QStringLiteral("kernel_truth"), kernel_truth_->isChecked());
    remember_among(settings, QStringLiteral("filters"), filter_->text().trimmed());
    remember_among(settings, QStringLiteral("hosts"), host);
}

void CaptureDialog::restore() {
    QSettings settings;
    settings.beginGroup(QStringLiteral("recording"));
    to_choose_ = settings.value(QStringLiteral("interfaces")).toStringList();
    filter_->setText(settings.value(QStringLiteral("filter"), QStringLiteral("tcp port 3260")).toString());
    snap_lengths_ = {settings.value(QStringLiteral("snap_length"), headers_kept).toInt(),
                     settings.value(QStringLiteral("remote_snap_length"), headers_kept).toInt()};
    snap_length_->setCurrentIndex(std::max(0, snap_length_->findData(snap_lengths_[0])));
    buffer_->setValue(settings.value(QStringLiteral("buffer_mib"), 32).toInt());
    promiscuous_->setChecked(settings.value(QStringLiteral("promiscuous"), true).toBool());
    kernel_truth_->setChecked(settings.value(QStringLiteral("kernel_truth"), false).toBool());
    QStringList filters = settings.value(QStringLiteral("filters")).toStringList() + usual_filters();
    filters.removeDuplicates();
    complete_from(filters, filter_);
    complete_from(settings.value(QStringLiteral("hosts")).toStringList(), host_);
    ssh_command_->setText(settings.value(QStringLiteral("ssh_command")).toString());
    remote_recorder_->setText(settings.value(QStringLiteral("remote_recorder")).toString());
    with_ssh_->setChecked(settings.value(QStringLiteral("with_ssh"), false).toBool());
    names_->setText(
        settings.value(QStringLiteral("remote_interfaces")).toStringList().join(QLatin1Char(' ')));
    advanced_->setChecked(!ssh_command_->text().isEmpty() || !remote_recorder_->text().isEmpty() ||
                          with_ssh_->isChecked());
    host_->setText(settings.value(QStringLiteral("host")).toString());
}

void CaptureDialog::ask_for_path() {
    const QString path = QFileDialog::getSaveFileName(this, tr("Record to"), path_->text(),
                                                      tr("pcapng (*.pcapng);;All files (*)"));
    if (!path.isEmpty()) path_->setText(path);
}

}  // namespace sanscope

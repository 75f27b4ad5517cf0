// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/generating/load_form.h"

#include <QCheckBox>
#include <QComboBox>
#include <QCoreApplication>
#include <QDoubleSpinBox>
#include <QFile>
#include <QGridLayout>
#include <QGroupBox>
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>
#include <QToolButton>
#include <QVBoxLayout>
#include <optional>
#include <utility>

#include "gui/plot/theme.h"

namespace sanscope {
namespace {

constexpr int custom = -1;

QStringList known_algorithms() {
    QFile file(QStringLiteral("/proc/sys/net/ipv4/tcp_available_congestion_control"));
    if (!file.open(QIODevice::ReadOnly)) return {};
    return QString::fromLatin1(file.readAll())
        .split(u' ', Qt::SkipEmptyParts)
        .replaceInStrings(QStringLiteral("\n"), QString());
}

void mark(QWidget& field, bool good) {
    QPalette colors = field.parentWidget()->palette();
    if (!good) colors.setColor(QPalette::Text, Theme::of(colors).problem);
    field.setPalette(colors);
}

void show_size(QComboBox& field, uint64_t bytes) {
    field.setCurrentText(size_text(bytes));
}

// Of what the system has otherwise.
void show_optional_size(QLineEdit& field, uint64_t bytes) {
    field.setText(bytes == 0 ? QString() : size_text(bytes));
}

// Nothing is nothing asked for.
std::optional<uint64_t> read_optional_size(const QString& text) {
    return text.trimmed().isEmpty() ? std::optional<uint64_t>(0) : read_size(text);
}

}  // namespace

LoadForm::LoadForm(QWidget* parent)
    : QWidget(parent),
      preset_(new QComboBox(this)),
      pdu_size_(new QComboBox(this)),
      request_size_(new QComboBox(this)),
      queue_depth_(new QSpinBox(this)),
      connections_(new QSpinBox(this)),
      sessions_(new QSpinBox(this)),
      pattern_(new QComboBox(this)),
      read_percent_(new QSpinBox(this)),
      rate_(new QDoubleSpinBox(this)),
      end_(new QComboBox(this)),
      end_value_(new QLineEdit(this)),
      advanced_(new QToolButton(this)),
      congestion_control_(new QComboBox(this)),
      receive_buffer_(new QLineEdit(this)),
      send_buffer_(new QLineEdit(this)),
      maximum_segment_size_(new QLineEdit(this)),
      window_clamp_(new QLineEdit(this)),
      header_digest_(new QCheckBox(tr("Digests of &headers"), this)),
      data_digest_(new QCheckBox(tr("Digests of da&ta"), this)) {
    auto* const column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    auto* const grid = new QGridLayout;
    grid->setColumnStretch(1, 1);
    grid->setColumnStretch(3, 1);
    grid->setHorizontalSpacing(12);
    build_fields(*grid);
    column->addLayout(grid);
    column->addWidget(build_advanced());
    set({});
}

void LoadForm::build_fields(QGridLayout& grid) {
    const auto add = [&](int row, int place, const QString& name, QWidget* field) {
        auto* const words = new QLabel(name, this);
        words->setBuddy(field);
        field->setAccessibleName(QString(name).remove(u'&'));
        grid.addWidget(words, row, 2 * place);
        grid.addWidget(field, row, 2 * place + 1);
    };
    for (size_t i = 0; i < load_presets().size(); ++i) {
        preset_->addItem(QCoreApplication::translate("LoadPreset", load_presets()[i].name),
                         static_cast<int>(i));
    }
    preset_->addItem(tr("Custom"), custom);
    connect(preset_, &QComboBox::activated, this, [this] {
        const int chosen = preset_->currentData().toInt();
        if (chosen == custom) return;
        LoadSettings settings;
        take_into(settings);
        apply(load_presets()[static_cast<size_t>(chosen)], settings);
        set(settings);
        Q_EMIT changed();
    });
    add(0, 0, tr("&Preset"), preset_);
    for (QComboBox* const size : {pdu_size_, request_size_}) {
        size->setEditable(true);
        size->setInsertPolicy(QComboBox::NoInsert);
        for (uint64_t bytes = 4096; bytes <= uint64_t{16} << 20; bytes *= 2) size->addItem(size_text(bytes));
        size->setToolTip(tr("Bytes, or with K, M or G: powers of 1024"));
        connect(size, &QComboBox::currentTextChanged, this, &LoadForm::take_change);
    }
    pattern_->addItem(tr("one block after the other"), static_cast<int>(LoadSettings::Pattern::sequential));
    pattern_->addItem(tr("random"), static_cast<int>(LoadSettings::Pattern::random));
    pattern_->addItem(tr("random, some far more often (Zipf)"),
                      static_cast<int>(LoadSettings::Pattern::zipf));
    connect(pattern_, &QComboBox::currentIndexChanged, this, &LoadForm::take_change);
    add(0, 1, tr("Blo&cks"), pattern_);
    add(1, 0, tr("PDU si&ze"), pdu_size_);
    add(1, 1, tr("Re&quest size"), request_size_);
    const auto number = [&](int row, int place, const QString& name, QSpinBox* field, int least, int most) {
        field->setRange(least, most);
        connect(field, &QSpinBox::valueChanged, this, &LoadForm::take_change);
        add(row, place, name, field);
    };
    number(2, 0, tr("Queue &depth"), queue_depth_, 1, UINT16_MAX);
    queue_depth_->setToolTip(tr("Commands outstanding on each connection"));
    number(2, 1, tr("Reads amon&g the commands"), read_percent_, 0, 100);
    read_percent_->setSuffix(tr(" %"));
    number(3, 0, tr("Sess&ions"), sessions_, 1, 1000);
    sessions_->setToolTip(tr("With each target"));
    number(3, 1, tr("Co&nnections"), connections_, 1, 64);
    connections_->setToolTip(tr("Of each session, as far as the target allows"));
    rate_->setRange(0, 1e9);
    rate_->setDecimals(0);
    rate_->setSpecialValueText(tr("as fast as answers come"));
    rate_->setSuffix(tr(" commands/s"));
    rate_->setToolTip(tr("0: as fast as answers come"));
    connect(rate_, &QDoubleSpinBox::valueChanged, this, &LoadForm::take_change);
    add(4, 0, tr("R&ate"), rate_);
    auto* const ending = new QWidget(this);
    auto* const row = new QHBoxLayout(ending);
    row->setContentsMargins(0, 0, 0, 0);
    end_->addItem(tr("a duration"), static_cast<int>(LoadSettings::End::duration));
    end_->addItem(tr("an amount of data"), static_cast<int>(LoadSettings::End::bytes));
    end_->addItem(tr("a number of commands"), static_cast<int>(LoadSettings::End::commands));
    connect(end_, &QComboBox::currentIndexChanged, this, [this] {
        if (setting_) return;
        show_end_value();
        take_change();
    });
    connect(end_value_, &QLineEdit::textChanged, this, &LoadForm::take_change);
    row->addWidget(end_, 1);
    row->addWidget(end_value_, 1);
    add(4, 1, tr("Stop aft&er"), ending);
    ending->setFocusProxy(end_);
    end_->setAccessibleName(tr("Stop condition"));
    end_value_->setAccessibleName(tr("Stop after"));
}

QWidget* LoadForm::build_advanced() {
    auto* const box = new QWidget(this);
    auto* const column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 0, 0);
    advanced_->setText(tr("Ad&vanced"));
    advanced_->setCheckable(true);
    advanced_->setAutoRaise(true);
    advanced_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    advanced_->setArrowType(Qt::RightArrow);
    column->addWidget(advanced_, 0, Qt::AlignLeft);
    auto* const further = new QWidget(box);
    auto* const rows = new QVBoxLayout(further);
    rows->setContentsMargins(12, 0, 0, 0);
    auto* const digests = new QHBoxLayout;
    for (QCheckBox* const digest : {header_digest_, data_digest_}) {
        digests->addWidget(digest);
        connect(digest, &QCheckBox::toggled, this, &LoadForm::take_change);
    }
    digests->addStretch();
    rows->addLayout(digests);
    setTabOrder(data_digest_, congestion_control_);
    rows->addWidget(build_tcp());
    further->hide();
    connect(advanced_, &QToolButton::toggled, further, [this, further](bool on) {
        further->setVisible(on);
        advanced_->setArrowType(on ? Qt::DownArrow : Qt::RightArrow);
    });
    column->addWidget(further);
    return box;
}

QWidget* LoadForm::build_tcp() {
    auto* const group = new QGroupBox(tr("TCP"), this);
    auto* const grid = new QGridLayout(group);
    grid->setColumnStretch(1, 1);
    grid->setColumnStretch(3, 1);
    const auto add = [&](int row, int place, const QString& name, const QString& explanation,
                         QWidget* field) {
        auto* const words = new QLabel(name, group);
        words->setBuddy(field);
        words->setToolTip(explanation);
        field->setToolTip(explanation);
        field->setAccessibleName(QString(name).remove(u'&'));
        field->setAccessibleDescription(explanation);
        grid->addWidget(words, row, 2 * place);
        grid->addWidget(field, row, 2 * place + 1);
    };
    congestion_control_->setEditable(true);
    congestion_control_->addItem(QString());
    congestion_control_->addItems(known_algorithms());
    congestion_control_->lineEdit()->setPlaceholderText(tr("the usual one"));
    connect(congestion_control_, &QComboBox::currentTextChanged, this, &LoadForm::take_change);
    add(0, 0, tr("Congestion contro&l"), tr("cubic, reno, bbr, …: --tcp-congestion"), congestion_control_);
    for (QLineEdit* const field : {maximum_segment_size_, receive_buffer_, send_buffer_, window_clamp_}) {
        field->setPlaceholderText(tr("as the system has it"));
        connect(field, &QLineEdit::textChanged, this, &LoadForm::take_change);
    }
    add(0, 1, tr("&MSS"),
        tr("Bytes of data of a TCP segment at most, sent or received; TCP options take some of it: --mss"),
        maximum_segment_size_);
    add(1, 0, tr("Receive &buffer"),
        tr("Bytes, or with K or M, of each socket: bounds the receive window: --receive-buffer"),
        receive_buffer_);
    add(1, 1, tr("Send bu&ffer"),
        tr("Bytes, or with K or M, of each socket: bounds what is sent and not acknowledged: --send-buffer"),
        send_buffer_);
    add(2, 0, tr("&Window clamp"),
        tr("Bytes, or with K or M: the receive window advertised at most, what the target may have in "
           "flight; fixes the receive buffer, too: --window-clamp"),
        window_clamp_);
    QWidget* before = congestion_control_;
    for (QWidget* const field : {maximum_segment_size_, receive_buffer_, send_buffer_, window_clamp_}) {
        setTabOrder(before, field);
        before = field;
    }
    return group;
}

LoadSettings::End LoadForm::end() const {
    return static_cast<LoadSettings::End>(end_->currentData().toInt());
}

void LoadForm::set(const LoadSettings& settings) {
    setting_ = true;
    ends_ = settings;
    show_size(*pdu_size_, settings.pdu_bytes);
    show_size(*request_size_, settings.request_bytes);
    queue_depth_->setValue(settings.queue_depth);
    connections_->setValue(settings.connections);
    sessions_->setValue(settings.sessions);
    pattern_->setCurrentIndex(pattern_->findData(static_cast<int>(settings.pattern)));
    read_percent_->setValue(settings.read_percent);
    rate_->setValue(settings.rate);
    end_->setCurrentIndex(end_->findData(static_cast<int>(settings.end)));
    show_end_value();
    congestion_control_->setCurrentText(settings.congestion_control);
    show_optional_size(*receive_buffer_, settings.receive_buffer);
    show_optional_size(*send_buffer_, settings.send_buffer);
    show_optional_size(*maximum_segment_size_, settings.maximum_segment_size);
    show_optional_size(*window_clamp_, settings.window_clamp);
    header_digest_->setChecked(settings.header_digest);
    data_digest_->setChecked(settings.data_digest);
    if (settings.asks_of_tcp() || settings.header_digest || settings.data_digest) advanced_->setChecked(true);
    setting_ = false;
    show_preset(settings);
}

void LoadForm::show_end_value() {
    const QString text = end() == LoadSettings::End::duration ? duration_text(ends_.seconds)
                         : end() == LoadSettings::End::bytes  ? size_text(ends_.bytes)
                                                              : QString::number(ends_.commands);
    const bool before = std::exchange(setting_, true);
    end_value_->setText(text);
    setting_ = before;
    end_value_->setToolTip(end() == LoadSettings::End::duration ? tr("10, 500ms, 1min, 2h")
                           : end() == LoadSettings::End::bytes
                               ? tr("Bytes, or with K, M, G or T: powers of 1024")
                               : tr("A number of commands"));
}

void LoadForm::take_change() {
    if (setting_) return;
    LoadSettings settings;
    const bool read = take_into(settings).isEmpty();
    ends_.seconds = settings.seconds;
    ends_.bytes = settings.bytes;
    ends_.commands = settings.commands;
    if (read) {
        show_preset(settings);
    } else {
        preset_->setCurrentIndex(preset_->findData(custom));
    }
    Q_EMIT changed();
}

void LoadForm::show_preset(const LoadSettings& settings) {
    const auto preset = preset_of(settings);
    preset_->setCurrentIndex(preset_->findData(preset ? static_cast<int>(*preset) : custom));
}

QString LoadForm::take_into(LoadSettings& settings) const {
    QString trouble;
    const auto take = [&](QWidget& field, const auto& read, auto& value, const QString& sentence) {
        if (read) value = static_cast<std::remove_reference_t<decltype(value)>>(*read);
        if (!read && trouble.isEmpty()) trouble = sentence;
        mark(field, read.has_value());
    };
    const auto size_sentence = [](const QString& text) {
        return tr("“%1” is no size: want 8192, 8K or 1M.").arg(text);
    };
    const QString pdu = pdu_size_->currentText();
    const QString request = request_size_->currentText();
    take(*pdu_size_, read_size(pdu), settings.pdu_bytes, size_sentence(pdu));
    take(*request_size_, read_size(request), settings.request_bytes, size_sentence(request));
    settings.queue_depth = queue_depth_->value();
    settings.connections = connections_->value();
    settings.sessions = sessions_->value();
    settings.pattern = static_cast<LoadSettings::Pattern>(pattern_->currentData().toInt());
    settings.read_percent = read_percent_->value();
    settings.rate = rate_->value();
    settings.end = end();
    settings.seconds = ends_.seconds;
    settings.bytes = ends_.bytes;
    settings.commands = ends_.commands;
    const QString value = end_value_->text();
    if (end() == LoadSettings::End::duration) {
        take(*end_value_, read_duration(value), settings.seconds,
             tr("“%1” is no duration: want 10, 500ms or 1min.").arg(value));
    } else if (end() == LoadSettings::End::bytes) {
        take(*end_value_, read_size(value), settings.bytes, size_sentence(value));
    } else {
        take(*end_value_, read_size(value), settings.commands,
             tr("“%1” is no number of commands.").arg(value));
    }
    settings.congestion_control = congestion_control_->currentText().trimmed();
    const auto take_optional = [&](QLineEdit& field, uint64_t& bytes) {
        take(field, read_optional_size(field.text()), bytes, size_sentence(field.text()));
    };
    take_optional(*receive_buffer_, settings.receive_buffer);
    take_optional(*send_buffer_, settings.send_buffer);
    take_optional(*maximum_segment_size_, settings.maximum_segment_size);
    take_optional(*window_clamp_, settings.window_clamp);
    settings.header_digest = header_digest_->isChecked();
    settings.data_digest = data_digest_->isChecked();
    return trouble;
}

}  // namespace sanscope

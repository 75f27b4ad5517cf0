// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/coloring_rules_dialog.h"

#include <QColorDialog>
#include <QDialogButtonBox>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QTableWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "gui/app/packet_coloring.h"
#include "gui/document/plain_text.h"
#include "gui/plot/theme.h"

namespace sanscope {
namespace {

enum Column { name_column, filter_column, problem_column, columns };

// Of a rule by itself; empty where it colours.
QString problem_of(const ColorRule& rule) {
    return RowColors({rule}, "packets").problem(0);
}

}  // namespace

ColoringRulesDialog::ColoringRulesDialog(PacketColoring& coloring, QWidget* parent)
    : QDialog(parent),
      coloring_(coloring),
      rules_(coloring.rules(Theme::of(palette()).dark)),
      before_(rules_),
      table_(new QTableWidget(0, columns, this)),
      message_(new QLabel(this)) {
    setWindowTitle(tr("Coloring rules"));
    table_->setHorizontalHeaderLabels({tr("Name"), tr("Filter"), tr("Why it colours nothing")});
    table_->horizontalHeader()->setSectionResizeMode(filter_column, QHeaderView::Stretch);
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->verticalHeader()->hide();
    table_->setAccessibleName(tr("Coloring rules, the first that a packet passes counts"));
    message_->setTextFormat(Qt::PlainText);
    message_->setWordWrap(true);
    message_->setText(
        tr("The first rule that a packet passes colours it. A filter is one over the columns of Packets, "
           "or a Wireshark display filter that they can tell."));
    auto* const side = new QVBoxLayout;
    const auto add_button = [&](const QString& text, auto act) {
        auto* const button = new QPushButton(text, this);
        button->setAutoDefault(false);
        connect(button, &QPushButton::clicked, this, act);
        side->addWidget(button);
    };
    add_button(tr("&Add"), [this] { add(); });
    add_button(tr("&Remove"), [this] { remove(); });
    add_button(tr("&Up"), [this] { move(-1); });
    add_button(tr("&Down"), [this] { move(1); });
    add_button(tr("&Text colour…"), [this] { choose_color(&ColorRule::foreground, tr("Text colour")); });
    add_button(tr("&Background…"), [this] { choose_color(&ColorRule::background, tr("Background")); });
    add_button(tr("&Import from Wireshark…"), [this] { ask_for_file(); });
    add_button(tr("Rules as at &first"), [this] { take_first_rules(); });
    side->addStretch();
    auto* const buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* const row = new QHBoxLayout;
    row->addWidget(table_, 1);
    row->addLayout(side);
    auto* const column = new QVBoxLayout(this);
    column->addLayout(row, 1);
    column->addWidget(message_);
    column->addWidget(buttons);
    connect(table_, &QTableWidget::itemChanged, this, [this](QTableWidgetItem* item) { on_edited(*item); });
    resize(960, 480);
    show_rules(0);
    table_->resizeColumnToContents(name_column);
    // Room for its header: what stands below may be long, and is in the tool tip as a whole.
    table_->setColumnWidth(problem_column, table_->horizontalHeader()->sectionSizeHint(problem_column));
}

void ColoringRulesDialog::show_rules(int current) {
    {
        const QSignalBlocker blocker(table_);
        table_->setRowCount(static_cast<int>(rules_.size()));
    }
    for (int row = 0; row < table_->rowCount(); ++row) show_row(row);
    if (table_->rowCount() > 0)
        table_->setCurrentCell(std::clamp(current, 0, table_->rowCount() - 1), name_column);
}

void ColoringRulesDialog::show_row(int row) {
    const QSignalBlocker blocker(table_);
    const ColorRule& rule = rules_[static_cast<size_t>(row)];
    auto* const name = new QTableWidgetItem(rule.name);
    name->setFlags(name->flags() | Qt::ItemIsUserCheckable);
    name->setCheckState(rule.enabled ? Qt::Checked : Qt::Unchecked);
    auto* const filter = new QTableWidgetItem(rule.filter);
    const QString problem = problem_of(rule);
    auto* const why = new QTableWidgetItem(problem);
    why->setFlags(why->flags() & ~Qt::ItemIsEditable);
    why->setToolTip(plain_text(problem));
    for (QTableWidgetItem* const item : {name, filter}) {
        if (rule.foreground.isValid()) item->setForeground(rule.foreground);
        if (rule.background.isValid()) item->setBackground(rule.background);
    }
    table_->setItem(row, name_column, name);
    table_->setItem(row, filter_column, filter);
    table_->setItem(row, problem_column, why);
}

void ColoringRulesDialog::on_edited(const QTableWidgetItem& item) {
    const int row = item.row();
    ColorRule& rule = rules_[static_cast<size_t>(row)];
    rule.name = table_->item(row, name_column)->text();
    rule.enabled = table_->item(row, name_column)->checkState() == Qt::Checked;
    rule.filter = table_->item(row, filter_column)->text();
    first_rules_ = false;
    // Its items are made anew, which must not happen while one of them is being edited.
    QMetaObject::invokeMethod(
        this,
        [this, row] {
            if (row < table_->rowCount()) show_row(row);
        },
        Qt::QueuedConnection);
}

void ColoringRulesDialog::add() {
    if (rules_.size() >= most_color_rules)
        return message_->setText(tr("There are %1 rules, and cannot be more.").arg(most_color_rules));
    const int row = std::max(0, table_->currentRow());
    rules_.insert(rules_.begin() + row, {tr("New rule"), QString(), palette().color(QPalette::Text),
                                         palette().color(QPalette::Base)});
    first_rules_ = false;
    show_rules(row);
    table_->editItem(table_->item(row, filter_column));
}

void ColoringRulesDialog::remove() {
    const int row = table_->currentRow();
    if (row < 0) return;
    rules_.erase(rules_.begin() + row);
    first_rules_ = false;
    show_rules(row);
}

void ColoringRulesDialog::move(int by) {
    const int row = table_->currentRow();
    const int other = row + by;
    if (row < 0 || other < 0 || other >= table_->rowCount()) return;
    std::swap(rules_[static_cast<size_t>(row)], rules_[static_cast<size_t>(other)]);
    first_rules_ = false;
    show_rules(other);
}

void ColoringRulesDialog::choose_color(QColor ColorRule::*color, const QString& title) {
    const int row = table_->currentRow();
    if (row < 0) return;
    QColor& now = rules_[static_cast<size_t>(row)].*color;
    const QColor chosen = QColorDialog::getColor(now, this, title);
    if (!chosen.isValid()) return;
    now = chosen;
    first_rules_ = false;
    show_row(row);
}

void ColoringRulesDialog::ask_for_file() {
    const QString path =
        QFileDialog::getOpenFileName(this, tr("Import coloring rules"), QString(),
                                     tr("Wireshark's coloring rules (colorfilters*);;All files (*)"));
    if (!path.isEmpty()) import_file(path);
}

void ColoringRulesDialog::import_file(const QString& path) {
    constexpr qint64 most_bytes = 1 << 20;
    if (QFileInfo::exists(path) && !QFileInfo(path).isFile())
        return message_->setText(tr("%1 is not a regular file.").arg(path));
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) return message_->setText(file.errorString());
    const size_t most = most_color_rules - std::min(most_color_rules, rules_.size());
    ReadColorRules read = read_colorfilters(QString::fromUtf8(file.read(most_bytes)), most);
    const auto idle =
        std::ranges::count_if(read.rules, [](const ColorRule& rule) { return !problem_of(rule).isEmpty(); });
    QString text =
        tr("%1 rules imported; %2 of them colour nothing, as their filters ask what Packets does not have")
            .arg(read.rules.size())
            .arg(idle);
    if (!read.problems.isEmpty()) text += QLatin1Char('\n') + read.problems.mid(0, 3).join(QLatin1Char('\n'));
    message_->setText(text);
    if (read.rules.empty()) return;
    rules_.insert(rules_.begin(), read.rules.begin(), read.rules.end());
    first_rules_ = false;
    show_rules(0);
}

void ColoringRulesDialog::take_first_rules() {
    rules_ = default_color_rules(Theme::of(palette()).dark);
    first_rules_ = true;
    show_rules(0);
}

void ColoringRulesDialog::accept() {
    if (first_rules_) {
        coloring_.set_first_rules();
    } else if (rules_ != before_) {
        coloring_.set_rules(rules_);
    }
    QDialog::accept();
}

}  // namespace sanscope

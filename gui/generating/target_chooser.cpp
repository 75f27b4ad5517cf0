// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/generating/target_chooser.h"

#include <QCompleter>
#include <QFormLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>
#include <QToolButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include "gui/document/plain_text.h"
#include "gui/plot/clear_button.h"
#include "gui/plot/theme.h"

#include "analyzer/report/human_units.h"

namespace sanscope {
namespace {

enum Column : int { name_column, size_column, product_column, serial_column, content_column };
constexpr int url_role = Qt::UserRole;
constexpr int asked_role = Qt::UserRole + 1;
// Of more, a login each would be a load in itself; they are asked when they are opened.
constexpr int most_asked_by_itself = 16;
constexpr int most_remembered = 20;
constexpr int most_secret = 255;

QString portal_of(const QString& target_url) {
    const QString rest = target_url.mid(QStringLiteral("iscsi://").size());
    return rest.left(rest.indexOf(u'/'));
}

}  // namespace

TargetChooser::TargetChooser(QWidget* parent)
    : QWidget(parent),
      discovery_(this),
      address_(new QLineEdit(this)),
      ask_(new QPushButton(tr("&Discover"), this)),
      account_(new QToolButton(this)),
      user_(new QLineEdit(this)),
      secret_(new QLineEdit(this)),
      mutual_user_(new QLineEdit(this)),
      mutual_secret_(new QLineEdit(this)),
      list_(new QTreeWidget(this)),
      message_(new QLabel(this)) {
    auto* const column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    auto* const row = new QHBoxLayout;
    auto* const words = new QLabel(tr("A&ddress"), this);
    words->setBuddy(address_);
    row->addWidget(words);
    address_->setAccessibleName(tr("Address"));
    address_->setPlaceholderText(tr("192.0.2.7, [2001:db8::7]:3260, or iscsi://HOST/NAME"));
    add_clear_button(*address_);
    connect(address_, &QLineEdit::textChanged, this, [this] {
        stop_asking();
        clear();
        show_asking();
    });
    row->addWidget(address_, 1);
    ask_->setAutoDefault(false);
    connect(ask_, &QPushButton::clicked, this, [this] {
        if (asking()) {
            stop_asking();
            show_asking();
        } else {
            ask();
        }
    });
    row->addWidget(ask_);
    account_->setText(tr("&CHAP"));
    account_->setToolTip(tr("User and secret, where targets ask for them"));
    account_->setCheckable(true);
    account_->setAutoRaise(true);
    account_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    account_->setArrowType(Qt::RightArrow);
    row->addWidget(account_);
    column->addLayout(row);
    column->addWidget(build_account());
    build_list();
    column->addWidget(list_, 1);
    message_->setWordWrap(true);
    message_->setTextFormat(Qt::PlainText);  // targets have a say in it
    message_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    message_->hide();
    column->addWidget(message_);

    connect(&discovery_, &DiscoveryProcess::target, this, &TargetChooser::add_target);
    connect(&discovery_, &DiscoveryProcess::lun, this, &TargetChooser::add_lun);
    connect(&discovery_, &DiscoveryProcess::failed, this, &TargetChooser::report_failure);
    connect(&discovery_, &DiscoveryProcess::finished, this, [this] {
        // Where there is one only, it is meant.
        if (luns_.size() == 1 && chosen().empty()) {
            for (QTreeWidgetItem* const target : std::as_const(items_)) {
                QTreeWidgetItem* const item = target->child(0);
                if (item != nullptr && item->flags().testFlag(Qt::ItemIsUserCheckable))
                    item->setCheckState(name_column, Qt::Checked);
            }
        }
        show_asking();
    });
}

QWidget* TargetChooser::build_account() {
    auto* const box = new QWidget(this);
    auto* const grid = new QGridLayout(box);
    grid->setContentsMargins(24, 0, 0, 0);
    const auto add = [&](int row, int place, const QString& name, QLineEdit* edit, bool hidden) {
        auto* const words = new QLabel(name, box);
        words->setBuddy(edit);
        edit->setAccessibleName(QString(name).remove(u'&'));
        if (hidden) {
            edit->setEchoMode(QLineEdit::Password);
            edit->setMaxLength(most_secret);
        }
        connect(edit, &QLineEdit::textChanged, this, &TargetChooser::changed);
        grid->addWidget(words, row, 2 * place);
        grid->addWidget(edit, row, 2 * place + 1);
    };
    add(0, 0, tr("CHAP &user"), user_, false);
    add(0, 1, tr("S&ecret"), secret_, true);
    add(1, 0, tr("User of the &target"), mutual_user_, false);
    add(1, 1, tr("Its sec&ret"), mutual_secret_, true);
    mutual_user_->setPlaceholderText(tr("only where it is to prove itself, too"));
    box->hide();
    connect(account_, &QToolButton::toggled, box, [this, box](bool on) {
        box->setVisible(on);
        account_->setArrowType(on ? Qt::DownArrow : Qt::RightArrow);
    });
    return box;
}

void TargetChooser::build_list() {
    list_->setAccessibleName(tr("Targets and LUNs"));
    list_->setHeaderLabels(
        {tr("Target, LUN"), tr("Size"), tr("Vendor, product"), tr("Serial number"), tr("What lies on it")});
    list_->setAllColumnsShowFocus(true);
    list_->setUniformRowHeights(true);
    list_->header()->resizeSection(name_column, 260);
    list_->header()->resizeSection(size_column, 80);
    list_->header()->resizeSection(product_column, 190);
    list_->header()->resizeSection(serial_column, 130);
    list_->setMinimumSize(860, 130);
    // Of the colour of windows, boxes to be checked are drawn darker: on a dark list, too dark to be seen.
    if (Theme::of(palette()).dark) {
        QPalette colors = list_->palette();
        colors.setColor(QPalette::Window, Theme::of(palette()).axis);
        list_->setPalette(colors);
    }
    connect(list_, &QTreeWidget::itemChanged, this, &TargetChooser::changed);
    connect(list_, &QTreeWidget::itemExpanded, this, [this](QTreeWidgetItem* item) { ask_target(*item); });
}

void TargetChooser::restore(const LoadSettings& settings) {
    QSettings store;
    store.beginGroup(QStringLiteral("generating"));
    auto* const completer = new QCompleter(store.value(QStringLiteral("addresses")).toStringList(), address_);
    completer->setFilterMode(Qt::MatchContains);
    address_->setCompleter(completer);
    address_->setText(store.value(QStringLiteral("address")).toString());
    user_->setText(settings.user);
    mutual_user_->setText(settings.mutual_user);
    account_->setChecked(!settings.user.isEmpty());
    to_choose_ = settings.luns;
}

void TargetChooser::remember() const {
    QSettings store;
    store.beginGroup(QStringLiteral("generating"));
    const QString typed = address_->text().trimmed();
    store.setValue(QStringLiteral("address"), typed);
    QStringList all = store.value(QStringLiteral("addresses")).toStringList();
    all.removeAll(typed);
    all.prepend(typed);
    store.setValue(QStringLiteral("addresses"), QStringList(all.mid(0, most_remembered)));
}

DiscoveryProcess::Account TargetChooser::account() const {
    return {.user = user_->text(), .mutual_user = mutual_user_->text(), .secrets = secrets()};
}

LoadSecrets TargetChooser::secrets() const {
    return {.initiator = secret_->text().toUtf8(), .target = mutual_secret_->text().toUtf8()};
}

void TargetChooser::take_into(LoadSettings& settings) const {
    settings.luns.clear();
    for (const DiscoveredLun& lun : chosen()) settings.luns << lun.url;
    settings.user = user_->text();
    settings.mutual_user = mutual_user_->text();
}

std::vector<DiscoveredLun> TargetChooser::chosen() const {
    std::vector<DiscoveredLun> found;
    for (int i = 0; i < list_->topLevelItemCount(); ++i) {
        const QTreeWidgetItem* const target = list_->topLevelItem(i);
        for (int j = 0; j < target->childCount(); ++j) {
            const QTreeWidgetItem* const item = target->child(j);
            if (item->checkState(name_column) != Qt::Checked) continue;
            found.push_back(luns_.value(item->data(name_column, url_role).toString()));
        }
    }
    return found;
}

QString TargetChooser::trouble() const {
    if (user_->text().isEmpty() && (!secret_->text().isEmpty() || !mutual_user_->text().isEmpty()))
        return tr("Whose secret is it? A CHAP user belongs to it.");
    if (!user_->text().isEmpty() && secret_->text().isEmpty()) return tr("The CHAP user has a secret.");
    if (!mutual_user_->text().isEmpty() && mutual_secret_->text().isEmpty())
        return tr("The target proves itself by a secret of its own.");
    return {};
}

bool TargetChooser::enter_asks() const {
    const QWidget* const focus = focusWidget();
    return focus != nullptr && focus->hasFocus() &&
           (focus == address_ || focus == user_ || focus == secret_ || focus == mutual_user_ ||
            focus == mutual_secret_);
}

void TargetChooser::clear() {
    list_->clear();
    items_.clear();
    luns_.clear();
    asked_by_itself_ = 0;
    show_message({});
    Q_EMIT changed();
}

void TargetChooser::stop_asking() {
    discovery_.cancel();
    // What was not answered may be asked for by opening it.
    for (QTreeWidgetItem* const item : std::as_const(items_)) {
        if (item->childCount() == 0) item->setData(name_column, asked_role, false);
    }
}

void TargetChooser::ask() {
    stop_asking();
    const TypedAddress typed = read_address(address_->text());
    for (const DiscoveredLun& lun : chosen()) to_choose_ << lun.url;
    if (!typed.lun_url.isEmpty()) to_choose_ = {typed.lun_url};
    if (!typed.user.isEmpty()) {
        user_->setText(typed.user);
        account_->setChecked(true);
    }
    clear();
    if (!typed.error.isEmpty()) return show_message(typed.error);
    if (const QString wrong = trouble(); !wrong.isEmpty()) {
        account_->setChecked(true);
        return show_message(wrong);
    }
    if (typed.url.count(u'/') > 2) {
        add_target(typed.url.mid(typed.url.lastIndexOf(u'/') + 1), typed.url);
    } else {
        discovery_.ask(typed.url, account());
    }
    show_asking();
}

void TargetChooser::add_target(const QString& name, const QString& url) {
    if (items_.contains(url)) return;
    auto* const item = new QTreeWidgetItem(list_);
    item->setText(name_column, tr("%1 at %2").arg(name, portal_of(url)));
    item->setToolTip(name_column, plain_text(url));
    item->setData(name_column, url_role, url);
    item->setFirstColumnSpanned(true);
    item->setChildIndicatorPolicy(QTreeWidgetItem::ShowIndicator);
    items_.insert(url, item);
    if (++asked_by_itself_ <= most_asked_by_itself) item->setExpanded(true);
}

void TargetChooser::ask_target(QTreeWidgetItem& item) {
    if (item.data(name_column, asked_role).toBool()) return;
    item.setData(name_column, asked_role, true);
    qDeleteAll(item.takeChildren());
    discovery_.ask(item.data(name_column, url_role).toString(), account());
    show_asking();
}

void TargetChooser::add_lun(const QString& target_url, const DiscoveredLun& lun) {
    QTreeWidgetItem* const target = item_of(target_url);
    if (target == nullptr || luns_.contains(lun.url)) return;
    auto* const item = new QTreeWidgetItem(target);
    item->setText(name_column, tr("LUN %1").arg(lun.number));
    item->setData(name_column, url_role, lun.url);
    item->setToolTip(name_column, plain_text(lun.url));
    if (!lun.error.isEmpty()) {
        item->setText(name_column, tr("LUN %1: %2").arg(lun.number).arg(lun.error));
        item->setFirstColumnSpanned(true);
        item->setForeground(name_column, Theme::of(palette()).problem);
        item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable);
        return;
    }
    luns_.insert(lun.url, lun);
    item->setText(size_column, QString::fromStdString(human_binary_bytes(lun.bytes)));
    item->setText(product_column, (lun.vendor + u' ' + lun.product).trimmed());
    item->setText(serial_column, lun.serial_number.isEmpty() ? tr("not told") : lun.serial_number);
    item->setText(content_column, lun.content);
    item->setToolTip(content_column, plain_text(lun.content));
    item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
    item->setCheckState(name_column, to_choose_.contains(lun.url) ? Qt::Checked : Qt::Unchecked);
}

void TargetChooser::report_failure(const QString& url, const QString& why) {
    QTreeWidgetItem* const target = item_of(url);
    if (target == nullptr) return show_message(why);
    auto* const item = new QTreeWidgetItem(target);
    item->setText(name_column, why.section(u'\n', 0, 0));
    item->setToolTip(name_column, plain_text(why));
    item->setFirstColumnSpanned(true);
    item->setForeground(name_column, Theme::of(palette()).problem);
    item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable);
    show_message(why);
}

void TargetChooser::show_asking() {
    ask_->setText(asking() ? tr("&Cancel") : tr("&Discover"));
    ask_->setEnabled(asking() || !address_->text().trimmed().isEmpty());
    Q_EMIT changed();
}

void TargetChooser::show_message(const QString& sentence) {
    message_->setText(sentence);
    message_->setVisible(!sentence.isEmpty());
    QPalette colors = message_->palette();
    colors.setColor(QPalette::WindowText, Theme::of(palette()).problem);
    message_->setPalette(colors);
}

}  // namespace sanscope

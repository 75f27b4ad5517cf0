// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/senders/connection_chooser.h"

#include <QAbstractItemView>
#include <QHBoxLayout>
#include <QSignalBlocker>
#include <algorithm>
#include <map>

#include "gui/plot/text_scale.h"
#include "gui/plot/time_axis.h"
#include "gui/senders/long_choice_box.h"

namespace sanscope {
namespace {

using Kind = ConnectionChooser::Scope::Kind;

constexpr uint32_t most_sessions = 1000;  // that are listed

// A scope as the box keeps it.
QVariant data_of(const ConnectionChooser::Scope& scope) {
    return QVariant::fromValue<qulonglong>(uint64_t{static_cast<uint8_t>(scope.kind)} << 32 | scope.number);
}

ConnectionChooser::Scope scope_of(const QVariant& data) {
    const uint64_t value = data.toULongLong();
    return {static_cast<Kind>(value >> 32), static_cast<uint32_t>(value)};
}

QString ends_text(const ConnectionChoice& choice) {
    return connection_text(choice.initiator, choice.target);
}

}  // namespace

ConnectionChooser::ConnectionChooser(Document& document, Offers offers, QWidget* parent)
    : QWidget(parent), document_(document), offers_(offers), what_(new LongChoiceBox(this)) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(what_);
    // Its longest entry is not to make a panel wide.
    constexpr int least_letters = 12;
    what_->setMinimumWidth(fontMetrics().averageCharWidth() * least_letters + beside_text(24));
    connect(what_, &QComboBox::activated, this, &ConnectionChooser::choose);
    connect(&document_, &Document::grown, this, &ConnectionChooser::look);
    connect(&document_, &Document::loaded, this, &ConnectionChooser::look);
    if (offers_ == Offers::scopes) {
        scope_ = {Kind::all, 0};
        what_->setAccessibleName(tr("Whose commands"));
    } else {
        what_->setAccessibleName(tr("Connection"));
        what_->setToolTip(tr("The TCP connection to look at"));
        what_->setMinimumContentsLength(20);
        side_ = new QComboBox(this);
        row->addWidget(side_);
        side_->setAccessibleName(tr("Sender"));
        side_->setToolTip(tr("Whose sending to look at: the target's (reads) or the initiator's (writes)"));
        side_->addItem(tr("target sends"));
        side_->addItem(tr("initiator sends"));
        connect(side_, &QComboBox::activated, this, [this](int index) {
            document_.state().set_connection(document_.state().connection(), index == 0);
        });
        connect(&document_.state(), &ViewState::connection_changed, this, [this] {
            leave_sum_of_others();
            follow_state();
        });
    }
    fill();
    look();
}

// While a capture is loaded there are other figures of its connections thirty times a second; to list a thousand of them anew each
// time, in each view that was ever opened, would leave the window no time for anything else.
void ConnectionChooser::look() {
    constexpr int between_looks_ms = 1000;
    if (document_.loading()) {
        if (visibleRegion().isEmpty() || !job_.idle()) return;
        if (since_look_.isValid() && since_look_.elapsed() < between_looks_ms) return;
    }
    since_look_.start();
    job_.request(
        [data = document_.data()](const StopFlag&) {
            const auto reading = data->read();
            return Choices{static_cast<uint32_t>(reading.store().sessions().size()),
                           connection_choices(reading)};
        },
        [this](Choices choices) { take(std::move(choices)); });
}

void ConnectionChooser::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    if (document_.loading()) look();
}

void ConnectionChooser::take(Choices choices) {
    // Not while the user is choosing: what is under the pointer would move.
    if (choices == choices_ || what_->view()->isVisible()) return;
    choices_ = std::move(choices);
    fill();
}

std::vector<ConnectionChooser::Item> ConnectionChooser::items() const {
    std::vector<Item> items;
    if (offers_ == Offers::scopes) {
        items.push_back({tr("all commands"), {Kind::all, 0}});
        for (uint32_t session = 1; session <= std::min(choices_.sessions, most_sessions); ++session)
            items.push_back({tr("session %1").arg(session), {Kind::session, session}});
        for (const ConnectionChoice& choice : choices_.connections) {
            if (choice.session == 0) continue;
            items.push_back({tr("connection %1: %2").arg(choice.connection).arg(ends_text(choice)),
                             {Kind::connection, choice.connection}});
        }
        return items;
    }
    if (offers_ == Offers::connections_and_sums) {
        std::map<uint32_t, uint32_t> connections_of;  // by session
        for (const ConnectionChoice& choice : choices_.connections) ++connections_of[choice.session];
        const size_t sessions = connections_of.size();
        const uint32_t of_none = connections_of.contains(0) ? connections_of.at(0) : 0;
        const auto of_sessions = static_cast<uint32_t>(choices_.connections.size()) - of_none;
        if (of_sessions > 1 && sessions > 1)
            items.push_back({tr("All %1 iSCSI connections summed").arg(of_sessions), {Kind::all, 0}});
        for (const auto& [session, connections] : connections_of) {
            if (session == 0 || connections < 2) continue;
            items.push_back({tr("Session %1: its %2 connections summed").arg(session).arg(connections),
                             {Kind::session, session}});
        }
    }
    for (const ConnectionChoice& choice : choices_.connections) {
        if (choice.idle && !lists_idle_) continue;
        items.push_back({tr("Connection %1: %2, %3 out, %4 in")
                             .arg(choice.connection)
                             .arg(ends_text(choice), short_bytes(static_cast<double>(choice.bytes_out)),
                                  short_bytes(static_cast<double>(choice.bytes_in))),
                         {Kind::shared, choice.connection}});
    }
    return items;
}

void ConnectionChooser::add(const Item& item) {
    what_->addItem(item.text, data_of(item.scope));
}

int ConnectionChooser::index_of(const Scope& scope) const {
    return what_->findData(data_of(scope));
}

void ConnectionChooser::fill() {
    const QSignalBlocker quiet(what_);
    what_->clear();
    for (const Item& item : items()) add(item);
    const auto idle = std::ranges::count(choices_.connections, true, &ConnectionChoice::idle);
    if (offers_ != Offers::scopes && idle > 0 && !lists_idle_) {
        // Without a scope: it is chosen to see more.
        what_->addItem(idle == 1 ? tr("1 idle connection…") : tr("%1 idle connections…").arg(idle));
    }
    follow_state();
}

void ConnectionChooser::follow_state() {
    const QSignalBlocker quiet(what_);
    Scope shown = scope_;
    if (shown.kind == Kind::shared) {
        shown.number = document_.state().connection();
        // Of very many connections not all are listed, nor are idle ones.
        if (shown.number != 0 && index_of(shown) < 0) add({name_of(shown.number), shown});
    }
    const int index = index_of(shown);
    what_->setCurrentIndex(offers_ == Offers::scopes ? std::max(0, index) : index);
    if (side_ != nullptr) side_->setCurrentIndex(document_.state().sender_is_target() ? 0 : 1);
}

// A connection of the session that is summed is no reason to leave the sum.
void ConnectionChooser::leave_sum_of_others() {
    if (scope_.kind == Kind::shared) return;
    const auto chosen = std::ranges::find(choices_.connections, document_.state().connection(),
                                          &ConnectionChoice::connection);
    if (chosen == choices_.connections.end()) return;
    const bool summed = scope_.kind == Kind::all ? chosen->session != 0 : chosen->session == scope_.number;
    if (summed) return;
    scope_ = {};
    Q_EMIT scope_changed();
}

QString ConnectionChooser::name_of(uint32_t connection) const {
    const auto found = std::ranges::find(choices_.connections, connection, &ConnectionChoice::connection);
    const QString number = tr("Connection %1").arg(connection);
    return found == choices_.connections.end() ? number : tr("%1: %2").arg(number, ends_text(*found));
}

void ConnectionChooser::list_idle() {
    lists_idle_ = true;
    fill();
    what_->showPopup();
}

void ConnectionChooser::choose(int index) {
    if (!what_->itemData(index).isValid()) return list_idle();
    const Scope chosen = scope_of(what_->itemData(index));
    const bool shared = chosen.kind == Kind::shared;
    const Scope own = shared ? Scope{} : chosen;
    const bool other = own != scope_;
    scope_ = own;
    if (shared) document_.state().set_connection(chosen.number);
    if (other) Q_EMIT scope_changed();
}

QString ConnectionChooser::title() const {
    return side_ == nullptr ? what_->currentText()
                            : what_->currentText() + QStringLiteral(" – ") + side_->currentText();
}

}  // namespace sanscope

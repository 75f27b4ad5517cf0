// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/senders/connection_chooser.h"

#include <QHBoxLayout>
#include <QSignalBlocker>
#include <map>

#include "gui/plot/time_axis.h"

namespace sanscope {
namespace {

// Items of the box hold the connection's number, or the session's with this bit.
constexpr uint64_t session_bit = uint64_t{1} << 40;

}  // namespace

SenderChooser::SenderChooser(Document& document, Sums sums, QWidget* parent)
    : QWidget(parent),
      document_(document),
      sums_(sums),
      what_(new QComboBox(this)),
      side_(new QComboBox(this)) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(what_);
    row->addWidget(side_);
    what_->setAccessibleName(tr("Connection"));
    what_->setToolTip(tr("The TCP connection to look at"));
    what_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    what_->setMinimumContentsLength(20);
    side_->setAccessibleName(tr("Sender"));
    side_->setToolTip(tr("Whose sending to look at: the target's (reads) or the initiator's (writes)"));
    side_->addItem(tr("target sends"));
    side_->addItem(tr("initiator sends"));
    connect(what_, &QComboBox::activated, this, &SenderChooser::choose);
    connect(side_, &QComboBox::activated, this, [this](int index) {
        document_.state().set_connection(document_.state().connection(), index == 0);
    });
    connect(&document_, &Document::grown, this, &SenderChooser::look);
    connect(&document_, &Document::loaded, this, &SenderChooser::look);
    connect(&document_.state(), &ViewState::connection_changed, this, [this] {
        // A connection of the session that is summed is no reason to leave the sum.
        const uint32_t connection = document_.state().connection();
        for (const ConnectionChoice& choice : choices_) {
            if (choice.connection != connection || session_ == 0 || choice.session == session_) continue;
            if (session_ == all_sessions && choice.session != 0) continue;
            session_ = 0;
            Q_EMIT session_changed();
        }
        follow_state();
    });
    look();
    follow_state();
}

void SenderChooser::look() {
    if (document_.loading() && !job_.idle()) return;
    job_.request(
        [data = document_.data()](const StopFlag&) {
            const auto reading = data->read();
            return connection_choices(reading);
        },
        [this](std::vector<ConnectionChoice> choices) {
            if (choices != choices_) fill(std::move(choices));
        });
}

void SenderChooser::fill(std::vector<ConnectionChoice> choices) {
    choices_ = std::move(choices);
    const QSignalBlocker quiet(what_);
    what_->clear();
    std::map<uint32_t, uint32_t> sessions;
    for (const ConnectionChoice& choice : choices_) ++sessions[choice.session];
    uint32_t of_sessions = 0;
    for (const auto& [session, connections] : sessions) of_sessions += session == 0 ? 0 : connections;
    if (sums_ == Sums::yes && of_sessions > 1 && sessions.size() > 1) {
        what_->addItem(tr("All %1 iSCSI connections summed").arg(of_sessions),
                       QVariant::fromValue<qulonglong>(session_bit | all_sessions));
    }
    for (const auto& [session, connections] : sessions) {
        if (sums_ == Sums::no || session == 0 || connections < 2) continue;
        what_->addItem(tr("Session %1: its %2 connections summed").arg(session).arg(connections),
                       QVariant::fromValue<qulonglong>(session_bit | session));
    }
    for (const ConnectionChoice& choice : choices_) {
        what_->addItem(tr("Connection %1: %2 ⇄ %3, %4 out, %5 in")
                           .arg(choice.connection)
                           .arg(endpoint_text(choice.initiator), endpoint_text(choice.target),
                                short_bytes(static_cast<double>(choice.bytes_out)),
                                short_bytes(static_cast<double>(choice.bytes_in))),
                       QVariant::fromValue<qulonglong>(choice.connection));
    }
    follow_state();
}

void SenderChooser::follow_state() {
    const QSignalBlocker quiet(what_);
    const uint64_t wanted = session_ != 0 ? session_bit | session_ : document_.state().connection();
    // Of very many connections not all are listed.
    if (wanted != 0 && session_ == 0 && what_->findData(QVariant::fromValue<qulonglong>(wanted)) < 0) {
        what_->addItem(tr("Connection %1").arg(wanted), QVariant::fromValue<qulonglong>(wanted));
    }
    what_->setCurrentIndex(what_->findData(QVariant::fromValue<qulonglong>(wanted)));
    side_->setCurrentIndex(document_.state().sender_is_target() ? 0 : 1);
}

void SenderChooser::choose(int index) {
    const uint64_t chosen = what_->itemData(index).toULongLong();
    const uint32_t session = (chosen & session_bit) != 0 ? static_cast<uint32_t>(chosen) : 0;
    const bool other = session != session_;
    session_ = session;
    if (session == 0) document_.state().set_connection(static_cast<uint32_t>(chosen));
    if (other) Q_EMIT session_changed();
}

QString SenderChooser::title() const {
    return what_->currentText() + QStringLiteral(" – ") + side_->currentText();
}

}  // namespace sanscope

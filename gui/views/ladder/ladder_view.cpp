// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/ladder/ladder_view.h"

#include <QAbstractItemView>
#include <QHBoxLayout>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "gui/senders/sender_list.h"
#include "gui/plot/time_axis.h"
#include "gui/views/ladder/ladder_words.h"
#include "gui/views/ladder/prepare_ladder.h"

namespace sanscope {

LadderView::LadderView(Document& document, QWidget* parent) : View(document, parent) {
    connection_ = new QComboBox;
    connection_->setAccessibleName(tr("Connection"));
    connection_->setToolTip(tr("The connection that is shown"));
    connection_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    connection_->setMinimumContentsLength(36);
    sender_ = new QComboBox;
    sender_->setAccessibleName(tr("Sender"));
    sender_->setToolTip(tr("Whose congestion window and state are shown"));
    sender_->addItem(tr("Target sends"), true);
    sender_->addItem(tr("Initiator sends"), false);
    details_ = new QButtonGroup(this);
    note_ = new QLabel;
    note_->setTextFormat(Qt::PlainText);
    note_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);

    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(6, 4, 6, 4);
    bar->setSpacing(6);
    bar->addWidget(connection_);
    auto* segments = new QHBoxLayout;
    segments->setSpacing(0);
    const auto add = [&](LadderDetail detail, const QString& name, const QString& tip) {
        auto* button = new QToolButton;
        button->setText(name);
        button->setToolTip(tip);
        button->setCheckable(true);
        details_->addButton(button, static_cast<int>(detail));
        segments->addWidget(button);
    };
    add(LadderDetail::automatic, tr("Auto"),
        tr("Packets where there is room, else PDUs, commands or their density"));
    add(LadderDetail::packets, tr("Packets"), tr("An arrow for every packet"));
    add(LadderDetail::pdus, tr("PDUs"),
        tr("A band for every PDU, from its first packet's departure to its completion"));
    add(LadderDetail::commands, tr("Commands"), tr("A bracket for every command, from request to status"));
    details_->button(static_cast<int>(detail_))->setChecked(true);
    bar->addLayout(segments);
    bar->addWidget(sender_);
    bar->addWidget(note_, 1);
    canvas_ = new LadderCanvas(state(), this);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(bar);
    column->addWidget(canvas_, 1);

    connect(details_, &QButtonGroup::idClicked, this,
            [this](int id) { set_detail(static_cast<LadderDetail>(id)); });
    connect(connection_, &QComboBox::activated, this, [this](int index) {
        if (index >= 0) this->state().set_connection(connection_->itemData(index).toUInt());
    });
    connect(sender_, &QComboBox::activated, this, [this](int index) {
        this->state().set_connection(this->state().connection(), sender_->itemData(index).toBool());
    });
    connect(canvas_, &LadderCanvas::resized, this, &LadderView::request_unless_served);
    connect(&state(), &ViewState::range_changed, this, &LadderView::request_unless_served);
    connect(&state(), &ViewState::connection_changed, this, [this] {
        show_focus();
        request_unless_served();
    });
    connect(&state(), &ViewState::filter_changed, this, &LadderView::request);
    const auto grown = [this] {
        request();
        request_choices();
    };
    connect(&document, &Document::grown, this, grown);
    connect(&document, &Document::loaded, this, grown);
    tell_emptiness();
    grown();
}

void LadderView::set_detail(LadderDetail detail) {
    if (detail == LadderDetail::density) return;
    detail_ = detail;
    details_->button(static_cast<int>(detail))->setChecked(true);
    request_unless_served();
}

LadderRequest LadderView::wanted() const {
    const TimeViewport view = canvas_->viewport();
    return {state().connection(),
            state().sender_is_target(),
            PreparedRange::around(view),
            view.ns_per_pixel(),
            detail_,
            !document().loading(),
            state().filter()};
}

bool LadderView::serves(const LadderPicture& picture) const {
    return picture.connection == state().connection() &&
           picture.sender_is_target == state().sender_is_target() && picture.asked == detail_ &&
           picture.prepared.serves(canvas_->viewport());
}

void LadderView::request_unless_served() {
    const LadderPicture* picture = canvas_->picture();
    if (picture == nullptr || !serves(*picture)) request();
}

void LadderView::request() {
    if (state().range().empty()) return tell_emptiness();
    outdated_ = true;
    job_.request(
        [data = document().data(), request = wanted()](const StopFlag& stop) {
            const CaptureData::Reading reading = data->read();
            return std::make_shared<const LadderPicture>(prepare_ladder(reading, request, stop));
        },
        [this](std::shared_ptr<const LadderPicture> picture) {
            // What the ends are like is known once all is read.
            const bool early = document().loading() && !picture->delay.measured;
            note_->setText(early                ? tr("The capture is being read; delays are drawn then")
                           : picture->has_track ? delay_words(picture->delay)
                                                : QString());
            note_->setToolTip(note_->text() +
                              (picture->delay.measured
                                   ? tr("\nHalf the least round trip each way; what waited in a queue "
                                        "left earlier where the sender's replay tells so.")
                                   : QString()));
            canvas_->set_picture(std::move(picture));
            count_picture();
            tell_emptiness();
            outdated_ = !job_.idle();
            if (job_.idle()) request_unless_served();
        });
}

void LadderView::tell_emptiness() {
    const LadderPicture* picture = canvas_->picture();
    if (picture != nullptr && picture->has_track) return;
    if (document().loading()) {
        canvas_->set_empty_text(tr("The capture is being read"));
    } else if (state().connection() == 0) {
        canvas_->set_empty_text(tr("There is no TCP connection in this capture"));
    } else {
        canvas_->set_empty_text(
            tr("This connection carries no data: there is nothing to draw between its ends"));
    }
}

bool LadderView::settled() const {
    if (!job_.idle() || !choices_job_.idle()) return false;
    const LadderPicture* picture = canvas_->picture();
    return state().range().empty() || (picture != nullptr && !outdated_ && serves(*picture));
}

void LadderView::draw(QPainter& painter) {
    painter.save();
    painter.fillRect(rect(), canvas_->theme().background);
    const int height = canvas_->y();
    painter.setPen(canvas_->theme().text);
    const QString words = connection_->currentText() +
                          (note_->text().isEmpty() ? QString() : QStringLiteral("   ") + note_->text());
    painter.drawText(QRect(8, 0, width() - 16, height), Qt::AlignLeft | Qt::AlignVCenter, words);
    painter.translate(canvas_->pos());
    canvas_->draw(painter);
    painter.restore();
}

std::vector<LadderView::Choice> LadderView::find_choices(const CaptureData::Reading& reading) {
    constexpr size_t most = 500;
    struct Candidate {
        uint32_t connection;
        bool iscsi;
        uint64_t bytes;
    };
    std::vector<Candidate> candidates;
    const auto& rows = reading.store().connections();
    for (uint32_t connection = 1; connection <= rows.size(); ++connection) {
        if (reading.timeline().track(connection) == nullptr) continue;
        const ConnectionRow& row = rows[connection - 1];
        candidates.push_back({connection, row.iscsi, row.bytes_out + row.bytes_in});
    }
    std::ranges::sort(candidates, [](const Candidate& one, const Candidate& other) {
        if (one.iscsi != other.iscsi) return one.iscsi;
        return one.bytes != other.bytes ? one.bytes > other.bytes : one.connection < other.connection;
    });
    if (candidates.size() > most) candidates.resize(most);
    std::vector<Choice> choices;
    for (const Candidate& candidate : candidates) {
        const ConnectionRow& row = rows[candidate.connection - 1];
        choices.push_back(
            {candidate.connection, tr("%1: %2 ↔ %3, %4%5")
                                       .arg(candidate.connection)
                                       .arg(endpoint_text(row.initiator), endpoint_text(row.target),
                                            short_bytes(static_cast<double>(candidate.bytes)),
                                            candidate.iscsi ? QString() : tr(", not iSCSI"))});
    }
    return choices;
}

void LadderView::request_choices() {
    choices_job_.request(
        [data = document().data()](const StopFlag&) {
            const CaptureData::Reading reading = data->read();
            return find_choices(reading);
        },
        [this](std::vector<Choice> choices) { take_choices(std::move(choices)); });
}

void LadderView::take_choices(std::vector<Choice> choices) {
    const auto same = [](const Choice& one, const Choice& other) {
        return one.connection == other.connection && one.words == other.words;
    };
    // Not under a user's eyes without need.
    if (std::ranges::equal(choices, choices_, same) || connection_->view()->isVisible()) return;
    choices_ = std::move(choices);
    connection_->clear();
    for (const Choice& choice : choices_) connection_->addItem(choice.words, choice.connection);
    show_focus();
}

void LadderView::show_focus() {
    const uint32_t connection = state().connection();
    int index = connection_->findData(connection);
    if (index < 0 && connection != 0 && !choices_.empty()) {
        connection_->addItem(tr("%1").arg(connection), connection);
        index = connection_->count() - 1;
    }
    connection_->setCurrentIndex(index);
    sender_->setCurrentIndex(state().sender_is_target() ? 0 : 1);
}

}  // namespace sanscope

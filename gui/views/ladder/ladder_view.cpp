// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/ladder/ladder_view.h"

#include <QHBoxLayout>
#include <QToolButton>
#include <QVBoxLayout>

#include "gui/document/open_path.h"
#include "gui/views/ladder/ladder_words.h"
#include "gui/views/ladder/prepare_ladder.h"

namespace sanscope {

LadderView::LadderView(Document& document, QWidget* parent) : PreparedView(document, parent) {
    chooser_ = new ConnectionChooser(document, ConnectionChooser::Offers::connections, this);
    details_ = new QButtonGroup(this);
    note_ = new QLabel;
    note_->setTextFormat(Qt::PlainText);
    note_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);

    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(6, 4, 6, 4);
    bar->setSpacing(6);
    bar->addWidget(chooser_);
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
    far_point_ = new QComboBox;
    far_point_->setAccessibleName(tr("The other end"));
    far_point_->setToolTip(tr("The point of the path where the other end is measured"));
    far_point_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    bar->addWidget(far_point_);
    bar->addWidget(note_, 1);
    canvas_ = new LadderCanvas(state(), picture(), this);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(bar);
    column->addWidget(canvas_, 1);

    connect(details_, &QButtonGroup::idClicked, this,
            [this](int id) { set_detail(static_cast<LadderDetail>(id)); });
    connect(canvas_, &LadderCanvas::resized, this, [this] { refresh(); });
    connect(&state(), &ViewState::connection_changed, this, [this] { refresh(); });
    connect(&document, &Document::points_changed, this, [this] {
        offer_far_points();
        renew();
    });
    connect(far_point_, &QComboBox::activated, this, [this] { refresh(); });
    offer_far_points();
    show_why_empty();
    renew();
}

// The farthest first: both ends of the path.
void LadderView::offer_far_points() {
    far_point_->clear();
    const auto& points = document().points();
    const size_t count = points == nullptr ? 0 : points->path().points.size();
    for (size_t point = count; point-- > 1;) {
        const QString name = QString::fromStdString(points->path().points[point]->name());
        far_point_->addItem(tr("to %1").arg(name), static_cast<uint>(point));
    }
    far_point_->setVisible(count > 2);
}

size_t LadderView::farthest_point() const {
    return far_point_->currentData().toUInt();
}

void LadderView::set_detail(LadderDetail detail) {
    if (detail == LadderDetail::density) return;
    detail_ = detail;
    details_->button(static_cast<int>(detail))->setChecked(true);
    refresh();
}

LadderView::Preparation LadderView::preparation() {
    const TimeViewport view = canvas_->viewport();
    const LadderRequest request{state().connection(),
                                state().sender_is_target(),
                                PreparedRange::around(view),
                                view.ns_per_pixel(),
                                detail_,
                                !document().loading(),
                                document().has_loaded() ? document().points() : nullptr,
                                farthest_point(),
                                state().filter()};
    return [data = document().data(), request](const StopFlag& stop) {
        const CaptureData::Reading reading = data->read();
        return prepare_ladder(reading, request, stop);
    };
}

bool LadderView::serves() const {
    return picture().connection == state().connection() &&
           picture().sender_is_target == state().sender_is_target() && picture().asked == detail_ &&
           picture().farthest_point == farthest_point() && picture().prepared.serves(canvas_->viewport());
}

void LadderView::on_picture(const LadderPicture&) {
    const PathDelay& delay = picture().delay;
    // What the ends are like is known once all is read.
    const bool early = document().loading() && !delay.measured;
    note_->setText(early ? tr("The capture is being read; delays are drawn then")
                   : picture().has_track
                       ? (picture().points ? points_words(*picture().points, delay) : delay_words(delay))
                       : QString());
    const bool both_ends = picture().points && picture().points->known == LadderPoints::Known::both_ends;
    note_->setToolTip(
        note_->text() +
        (both_ends        ? tr("\nThe far end's clock may be so much earlier or later, all of its times by "
                                      "nearly the same: each way is drawn as if the shortest times there and back were "
                                      "equally long.")
         : delay.measured ? tr("\nHalf the least round trip each way; what waited in a queue "
                               "left earlier where the sender's replay tells so.")
                          : QString()));
    canvas_->take_picture();
}

void LadderView::redraw() {
    show_why_empty();
}

void LadderView::show_why_empty() {
    if (picture().has_track) return;
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
    return PreparedView::settled() && chooser_->settled();
}

void LadderView::draw(QPainter& painter) {
    painter.save();
    painter.fillRect(rect(), canvas_->theme().background);
    const int height = canvas_->y();
    painter.setPen(canvas_->theme().text);
    const QString words =
        chooser_->title() + (note_->text().isEmpty() ? QString() : QStringLiteral("   ") + note_->text());
    painter.drawText(QRect(8, 0, width() - 16, height), Qt::AlignLeft | Qt::AlignVCenter, words);
    painter.translate(canvas_->pos());
    canvas_->draw(painter);
    painter.restore();
}

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/findings/finding_delegate.h"

#include <QAbstractItemView>
#include <QPainter>
#include <QStringList>
#include <algorithm>
#include <vector>

#include "gui/plot/theme.h"

namespace sanscope {
namespace {

constexpr int margin = 8;
constexpr int mark_width = 26;
constexpr int between = 3;
constexpr int text_flags = Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap;

// Shapes as well as colours: a cross in an octagon, an exclamation in a triangle, an i in a circle.
void paint_mark(QPainter& painter, const Theme& theme, Finding::Severity severity, QPointF center) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.translate(center);
    painter.setPen(Qt::NoPen);
    QPen ink(theme.dark ? QColor(Qt::black) : QColor(Qt::white), 1.8, Qt::SolidLine, Qt::RoundCap);
    switch (severity) {
        case Finding::Severity::problem: {
            QPolygonF octagon;
            for (const auto& [x, y] : {std::pair{-3.3, -8.0},
                                       {3.3, -8.0},
                                       {8.0, -3.3},
                                       {8.0, 3.3},
                                       {3.3, 8.0},
                                       {-3.3, 8.0},
                                       {-8.0, 3.3},
                                       {-8.0, -3.3}})
                octagon.append(QPointF(x, y));
            painter.setBrush(theme.problem);
            painter.drawPolygon(octagon);
            painter.setPen(ink);
            painter.drawLine(QPointF(-3, -3), QPointF(3, 3));
            painter.drawLine(QPointF(-3, 3), QPointF(3, -3));
            break;
        }
        case Finding::Severity::notice:
            painter.setBrush(theme.in_flight);
            painter.drawPolygon(QPolygonF{QPointF(0, -8), QPointF(9, 7.5), QPointF(-9, 7.5)});
            ink.setColor(Qt::black);
            painter.setPen(ink);
            painter.drawLine(QPointF(0, -2.5), QPointF(0, 2));
            painter.drawPoint(QPointF(0, 5));
            break;
        case Finding::Severity::information:
            painter.setBrush(theme.read);
            painter.drawEllipse(QPointF(0, 0), 8, 8);
            painter.setPen(ink);
            painter.drawPoint(QPointF(0, -3.8));
            painter.drawLine(QPointF(0, -0.5), QPointF(0, 4));
            break;
    }
    painter.restore();
}

QFont title_font(const QFont& font) {
    QFont bold(font);
    bold.setBold(true);
    return bold;
}

int text_left(const QModelIndex& index) {
    return margin + (index.data(FindingDelegate::is_member).toBool() ? 2 : 1) * mark_width;
}

int text_width(const QStyleOptionViewItem& option, const QModelIndex& index) {
    const auto* const view = qobject_cast<const QAbstractItemView*>(option.widget);
    const int width = view != nullptr ? view->viewport()->width() : option.rect.width();
    return std::max(80, width - margin - text_left(index));
}

// The cost stands beside the title where that leaves the title the greater part of the width, else on a line below it.
struct CostPlace {
    int beside = 0;  // width taken from the title
    int below = 0;   // height taken from the explanation
};

CostPlace place_cost(const QStyleOptionViewItem& option, const QModelIndex& index) {
    const QString cost = index.data(FindingDelegate::cost).toString();
    if (cost.isEmpty()) return {};
    const QFontMetrics metrics(option.font);
    const int beside = metrics.horizontalAdvance(cost) + 16;
    if (5 * beside <= 2 * text_width(option, index)) return {beside, 0};
    return {0, metrics.height() + between};
}

// What shows it, a line each behind a dash, or as many as that takes; as in the report.
class EvidenceLines {
  public:
    EvidenceLines(const QStyleOptionViewItem& option, const QModelIndex& index)
        : signs_(index.data(FindingDelegate::evidence).toStringList()),
          metrics_(option.font),
          indent_(metrics_.horizontalAdvance(dash())) {}

    int height(int width) const {
        int sum = 0;
        for (const QString& sign : signs_) sum += height_of(sign, width);
        return signs_.isEmpty() ? 0 : sum + between;
    }
    // Takes what it paints from the top of the room.
    void paint(QPainter& painter, QRect& room) const {
        if (signs_.isEmpty()) return;
        for (const QString& sign : signs_) {
            painter.drawText(room, Qt::AlignLeft | Qt::AlignTop, dash());
            painter.drawText(room.adjusted(indent_, 0, 0, 0), text_flags, sign);
            room.setTop(room.top() + height_of(sign, room.width()));
        }
        room.setTop(room.top() + between);
    }

  private:
    static QString dash() { return QStringLiteral("– "); }
    int height_of(const QString& sign, int width) const {
        return metrics_.boundingRect(QRect(0, 0, width - indent_, 10'000), text_flags, sign).height();
    }

    QStringList signs_;
    QFontMetrics metrics_;
    int indent_;
};

int place_height(const QStyleOptionViewItem& option, const QModelIndex& index) {
    const QString place = index.data(FindingDelegate::place).toString();
    if (place.isEmpty()) return 0;
    return QFontMetrics(option.font)
               .boundingRect(QRect(0, 0, text_width(option, index), 10'000), text_flags, place)
               .height() +
           between;
}

// Beside each other, as many as there is room for, at the foot of the row.
std::vector<QRect> link_rects(const QStyleOptionViewItem& option, const QModelIndex& index) {
    const QFontMetrics metrics(option.font);
    const int room = text_width(option, index);
    std::vector<QRect> rects;
    int left = 0;
    int top = 0;
    for (const QString& link : index.data(FindingDelegate::links).toStringList()) {
        const int width = metrics.horizontalAdvance(link);
        if (left > 0 && left + width > room) {
            left = 0;
            top += metrics.height() + between;
        }
        rects.emplace_back(left, top, width, metrics.height());
        left += width + 2 * metrics.height();
    }
    return rects;
}

int links_height(const std::vector<QRect>& rects) {
    return rects.empty() ? 0 : rects.back().bottom() + 1 + 2 * between;
}

// Where they are in the row.
std::vector<QRect> placed_links(const QStyleOptionViewItem& option, const QModelIndex& index) {
    std::vector<QRect> rects = link_rects(option, index);
    const int top = option.rect.bottom() - margin - links_height(rects) + 2 * between;
    for (QRect& rect : rects) rect.translate(option.rect.left() + text_left(index), top);
    return rects;
}

}  // namespace

int FindingDelegate::link_at(const QStyleOptionViewItem& option, const QModelIndex& index, QPoint at) {
    const std::vector<QRect> rects = placed_links(option, index);
    const auto found = std::ranges::find_if(rects, [&](const QRect& rect) { return rect.contains(at); });
    return found == rects.end() ? -1 : static_cast<int>(found - rects.begin());
}

QSize FindingDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const int width = text_width(option, index);
    const CostPlace cost_place = place_cost(option, index);
    const QRect title_rect = QFontMetrics(title_font(option.font))
                                 .boundingRect(QRect(0, 0, width - cost_place.beside, 10'000), text_flags,
                                               index.data(title).toString());
    const QRect explanation_rect =
        QFontMetrics(option.font)
            .boundingRect(QRect(0, 0, width, 10'000), text_flags, index.data(explanation).toString());
    return {width, title_rect.height() + between + cost_place.below + place_height(option, index) +
                       EvidenceLines(option, index).height(width) + explanation_rect.height() +
                       links_height(link_rects(option, index)) + 2 * margin};
}

void FindingDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                            const QModelIndex& index) const {
    const Theme& theme = Theme::of(option.palette);
    const bool selected = option.state.testFlag(QStyle::State_Selected);
    const bool hovered = option.state.testFlag(QStyle::State_MouseOver);
    painter->save();
    painter->setClipRect(option.rect);
    if (selected) {
        painter->fillRect(option.rect, theme.selection_fill);
    } else if (hovered) {
        painter->fillRect(option.rect, theme.alternate_background);
    }
    painter->setPen(theme.grid);
    painter->drawLine(option.rect.bottomLeft(), option.rect.bottomRight());
    const QRect inner = option.rect.adjusted(margin, margin, -margin, -margin);
    if (!index.data(is_member).toBool()) {
        paint_mark(*painter, theme, static_cast<Finding::Severity>(index.data(severity).toInt()),
                   QPointF(inner.left() + 9, inner.top() + QFontMetrics(option.font).height() / 2.0 + 1));
    }
    QRect room = inner.adjusted(text_left(index) - margin, 0, 0, 0);
    const QString spent = index.data(cost).toString();
    const CostPlace cost_place = place_cost(option, index);
    painter->setFont(option.font);
    painter->setPen(theme.faint_text);
    if (cost_place.beside > 0) painter->drawText(room, Qt::AlignRight | Qt::AlignTop, spent);
    painter->setFont(title_font(option.font));
    painter->setPen(option.palette.color(QPalette::Text));
    QRect taken;
    painter->drawText(room.adjusted(0, 0, -cost_place.beside, 0), text_flags, index.data(title).toString(),
                      &taken);
    room.setTop(room.top() + taken.height() + between);
    painter->setFont(option.font);
    painter->setPen(theme.faint_text);
    if (cost_place.below > 0) {
        painter->drawText(room, Qt::AlignLeft | Qt::AlignTop, spent);
        room.setTop(room.top() + cost_place.below);
    }
    painter->drawText(room, text_flags, index.data(place).toString());
    room.setTop(room.top() + place_height(option, index));
    painter->setPen(option.palette.color(QPalette::Text));
    EvidenceLines(option, index).paint(*painter, room);
    painter->setPen(theme.faint_text);
    painter->drawText(room, text_flags, index.data(explanation).toString());
    painter->setPen(option.palette.color(QPalette::Link));
    const QStringList names = index.data(links).toStringList();
    const std::vector<QRect> places = placed_links(option, index);
    for (size_t i = 0; i < places.size(); ++i)
        painter->drawText(places[i], Qt::AlignLeft | Qt::AlignVCenter, names[static_cast<qsizetype>(i)]);
    if (option.state.testFlag(QStyle::State_HasFocus)) {
        painter->setPen(QPen(theme.axis, 1, Qt::DotLine));
        painter->drawRect(option.rect.adjusted(0, 0, -1, -1));
    }
    painter->restore();
}

}  // namespace sanscope

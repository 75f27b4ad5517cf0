// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/layers/layers_view.h"

#include <QEvent>
#include <QHBoxLayout>
#include <algorithm>
#include <unordered_set>
#include <utility>

#include "gui/views/layers/layers_canvas.h"

namespace sanscope {
namespace {

constexpr size_t open_at_first = 3;

}  // namespace

LayersView::LayersView(Document& document, QWidget* parent) : PreparedView(document, parent) {
    setAccessibleName(tr("Layers"));
    canvas_ = new LayersCanvas(*this);
    bar_ = new QScrollBar(Qt::Vertical, this);
    bar_->setSingleStep(20);
    bar_->setAccessibleName(tr("Scroll the connections"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    row->addWidget(canvas_, 1);
    row->addWidget(bar_);
    setFocusProxy(canvas_);
    connect(bar_, &QScrollBar::valueChanged, this, [this] { refresh(); });
    connect(&state(), &ViewState::selected_things_changed, this, [this] {
        show_selected();
        // Of what is drawn as columns, the items selected are drawn one by one.
        renew();
    });
    connect(&state(), &ViewState::connection_changed, canvas_, [this] { canvas_->update(); });
    survey();
}

LayersView::~LayersView() = default;

QWidget* LayersView::canvas() const {
    return canvas_;
}

TimeViewport LayersView::viewport() const {
    return canvas_->viewport();
}

int LayersView::y_of(size_t group) const {
    return canvas_->area().top() - scrolled() + layout_.top_of(group);
}

bool LayersView::settled() const {
    return surveyed_ && survey_job_.idle() && PreparedView::settled();
}

void LayersView::draw(QPainter& painter) {
    canvas_->draw(painter);
}

GroupOpening LayersView::opening(size_t group) const {
    const auto by_hand = expanded_.find(groups_[group].connection);
    return {by_hand != expanded_.end() ? by_hand->second : group < open_at_first && !groups_[group].idle,
            compact_};
}

void LayersView::survey() {
    const bool last = !document().loading();
    survey_job_.request(
        [data = document().data(), last](const StopFlag&) { return survey_groups(data->read(), last); },
        [this](std::vector<GroupShape> groups) {
            surveyed_ = true;
            take_groups(std::move(groups));
            renew();
        });
}

void LayersView::take_groups(std::vector<GroupShape> groups) {
    if (groups == groups_) return;
    // What stands at the top stays there.
    const size_t top = scrolled() > 0 ? layout_.group_at(scrolled()) : layout_.groups();
    const uint32_t anchor = top < layout_.groups() ? groups_[top].connection : 0;
    const int into = anchor != 0 ? scrolled() - layout_.top_of(top) : 0;
    groups_ = std::move(groups);
    lay_out();
    if (anchor != 0) {
        const auto found = std::ranges::find(groups_, anchor, &GroupShape::connection);
        const auto place = static_cast<size_t>(found - groups_.begin());
        if (place < layout_.groups()) scroll_to(layout_.top_of(place) + into);
    }
}

void LayersView::lay_out() {
    layout_.set(
        groups_, [this](size_t group) { return opening(group); }, idle_open_);
    const int page = canvas_->area().height();
    bar_->setPageStep(std::max(1, page));
    bar_->setRange(0, std::max(0, layout_.height() - page));
    bar_->setVisible(layout_.height() > page);
    canvas_->update();
}

void LayersView::resizeEvent(QResizeEvent* event) {
    PreparedView::resizeEvent(event);
    lay_out();
    refresh();
}

void LayersView::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) canvas_->update();
    PreparedView::changeEvent(event);
}

void LayersView::set_expanded(uint32_t connection, bool expanded) {
    expanded_[connection] = expanded;
    lay_out();
    refresh();
}

void LayersView::set_idle_open(bool open) {
    if (open == idle_open_) return;
    idle_open_ = open;
    lay_out();
    refresh();
}

void LayersView::toggle_compact(LaneKind kind) {
    compact_ = static_cast<LaneBits>(compact_ ^ bit_of(kind));
    lay_out();
    // These are drawn as columns then, however near.
    if (kind == LaneKind::commands) return renew();
    refresh();
}

void LayersView::scroll_to(int y) {
    bar_->setValue(y);
}

void LayersView::show_connection(uint32_t connection) {
    const auto found = std::ranges::find(groups_, connection, &GroupShape::connection);
    if (found == groups_.end()) return;
    const auto group = static_cast<size_t>(found - groups_.begin());
    if (group >= layout_.groups()) set_idle_open(true);
    const bool above = layout_.bottom_of(group) < scrolled() + 2 * header_height();
    const bool below = layout_.top_of(group) + header_height() > scrolled() + canvas_->area().height();
    if (above || below) scroll_to(layout_.top_of(group));
}

// What was selected elsewhere is brought into sight, and its connection opened.
void LayersView::show_selected() {
    const SelectedThings& things = state().selected();
    if (things.connection == 0 || things.selection.kind == Selection::Kind::none) return;
    const auto found = std::ranges::find(groups_, things.connection, &GroupShape::connection);
    if (found == groups_.end()) return;
    const bool within = things.selection.kind != Selection::Kind::connection &&
                        things.selection.kind != Selection::Kind::session;
    if (within && !opening(static_cast<size_t>(found - groups_.begin())).expanded) {
        expanded_[things.connection] = true;
        lay_out();
    }
    show_connection(things.connection);
}

// Those in sight, and half a page above and below.
std::vector<GroupRequest> LayersView::wanted_groups() const {
    std::vector<GroupRequest> wanted;
    const int page = std::max(canvas_->area().height(), 100);
    const int from = std::max(0, scrolled() - page / 2);
    for (size_t i = layout_.first_below(from);
         i < layout_.groups() && layout_.top_of(i) < scrolled() + page * 3 / 2; ++i) {
        wanted.push_back(
            {groups_[i].connection, opening(i).expanded, (compact_ & bit_of(LaneKind::commands)) != 0});
    }
    return wanted;
}

// Everything in sight is drawn up, finely enough.
bool LayersView::serves() const {
    if (!picture().prepared.serves(viewport())) return false;
    const int page = canvas_->area().height();
    for (size_t i = layout_.first_below(scrolled());
         i < layout_.groups() && layout_.top_of(i) < scrolled() + page; ++i) {
        const GroupPicture* drawn = picture().group(groups_[i].connection);
        if (drawn == nullptr || (opening(i).expanded && !drawn->expanded)) return false;
    }
    return true;
}

LayersView::Preparation LayersView::preparation() {
    return [data = document().data(), summaries = summaries_, prepared = PreparedRange::around(viewport()),
            wanted = wanted_groups(), selected = state().selected(),
            filter = state().filter()](const StopFlag& stop) {
        LayersPicture picture;
        picture.prepared = prepared;
        for (const GroupRequest& request : wanted) {
            if (stop) break;
            // Let go between groups, for the loader's sake.
            const auto reading = data->read();
            picture.groups.push_back(prepare_group(reading, *summaries, request, prepared, selected, filter));
        }
        return picture;
    };
}

void LayersView::redraw() {
    canvas_->update();
}

}  // namespace sanscope

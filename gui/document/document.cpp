// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/document/document.h"

#include <QFile>
#include <QLocale>
#include <algorithm>
#include <utility>

#include "gui/document/brief_worker_threads.h"
#include "gui/document/iscsi_traffic.h"
#include "gui/document/selected_things.h"
#include "gui/document/worker_threads.h"

namespace sanscope {
namespace {

// The one with most iSCSI data, or most data where there is none of that; 0 without connections.
uint32_t busiest_connection(const ResultStore& store) {
    uint32_t busiest = 0;
    std::pair<bool, uint64_t> most{false, 0};
    uint32_t number = 0;
    for (const ConnectionRow& row : store.connections()) {
        ++number;
        const std::pair<bool, uint64_t> much{row.iscsi, row.bytes_in + row.bytes_out};
        if (busiest == 0 || much > most) {
            busiest = number;
            most = much;
        }
    }
    return busiest;
}

constexpr int64_t least_margin_ns = 1000;  // of what is framed, on either side

bool target_sends_more(const ConnectionRow& row) {
    return row.bytes_in >= row.bytes_out;
}

}  // namespace

std::unique_ptr<Document> Document::open(const QString& path, QString& error, const DecodeAs& decode_as) {
    auto data = CaptureData::open(QFile::encodeName(path).toStdString(), decode_as);
    if (!data) {
        error = QString::fromStdString(data.error().message);
        return nullptr;
    }
    return std::unique_ptr<Document>(new Document(path, std::move(*data), nullptr));
}

std::unique_ptr<Document> Document::follow(const QString& path, std::shared_ptr<FileGrowth> growth,
                                           QString& error, size_t most_in_memory) {
    auto data = CaptureData::open_growing(QFile::encodeName(path).toStdString(), growth, most_in_memory);
    if (!data) {
        error = QString::fromStdString(data.error().message);
        return nullptr;
    }
    return std::unique_ptr<Document>(new Document(path, std::move(*data), std::move(growth)));
}

Document::Document(QString path, std::shared_ptr<CaptureData> data, std::shared_ptr<FileGrowth> growth)
    : path_(std::move(path)), data_(data), growth_(std::move(growth)), look_(false, &brief_worker_threads()) {
    connect(&state_, &ViewState::selection_changed, this, &Document::resolve_selection);
    connect(&state_, &ViewState::connection_changed, this, [this] { focus_is_ours_ = false; });
    connect(&memory_timer_, &QTimer::timeout, this, &Document::keep_within_memory);
    loader_ = std::thread([this, data = std::move(data)] {
        lower_priority(NiceIncrement::loader);
        data->load(stop_, abandoned_, [this] {
            if (growth_reported_.exchange(true)) return;
            QMetaObject::invokeMethod(this, &Document::on_grown, Qt::QueuedConnection);
        });
    });
}

Document::~Document() {
    abandoned_ = true;
    stop_loading();
    loader_.join();
}

// Giving back many pages takes longer than a frame may.
void Document::keep_within_memory() {
    if (!memory_job_.idle()) return;
    memory_job_.request(
        [data = data_](const StopFlag&) {
            data->keep_within_memory();
            return std::monostate{};
        },
        [](std::monostate) {});
}

void Document::set_points(std::shared_ptr<const OpenPath> points) {
    if (points_ == points) return;
    points_ = std::move(points);
    Q_EMIT points_changed();
}

void Document::stop_loading() {
    stop_ = true;
    if (growth_) growth_->end();
}

void Document::on_grown() {
    growth_reported_ = false;
    if (!loading_) return;
    constexpr int between_looks_ms = 250;
    if (!memory_timer_.isActive() && data_->has_rows_in_file()) memory_timer_.start(between_looks_ms);
    if (data_->complete()) {
        loading_ = false;
        if (const CaptureNotes* const notes = data_->notes()) notes_.take(*notes);
        if (!data_->fault().empty()) {
            warning_ = tr("The capture could not be read to its end: %1")
                           .arg(QString::fromStdString(data_->fault()));
        } else if (!data_->damage().empty()) {
            const Damage& damage = data_->damage().front();
            const QString message = QString::fromStdString(damage.message);
            // Where in the file is not known of what another reader made of it.
            warning_ = damage.at_byte == 0
                           ? tr("The file is damaged: %1. What comes before is shown.").arg(message)
                           : tr("The file is damaged at byte %1: %2. What comes before is shown.")
                                 .arg(QLocale().toString(static_cast<qulonglong>(damage.at_byte)), message);
        } else if (data_->stopped()) {
            warning_ = tr("Loading was stopped. What was read until then is shown.");
        }
    }
    // What a recording's views show is all there is, and their connection is chosen once: what else there is to know of thousands
    // of connections is not looked for thirty times a second.
    const bool of_file = growth_ == nullptr;
    const bool busiest_wanted = of_file || state_.connection() == 0;
    look_.request(
        [data = data_, of_file, busiest_wanted](const StopFlag&) {
            const auto reading = data->read();
            Look look;
            const Timeline& timeline = reading.timeline();
            if (timeline.first_ns() != no_time) look.whole = {timeline.first_ns(), timeline.last_ns() + 1};
            if (of_file) look.traffic = iscsi_traffic(reading);
            if (busiest_wanted) look.busiest = busiest_connection(reading.store());
            if (look.busiest != 0) {
                look.target_sends_more = target_sends_more(reading.store().connections()[look.busiest - 1]);
            }
            return look;
        },
        [this, of_file, last = !loading_](const Look& look) {
            // Of a recording, what comes last is as much worth seeing as what is iSCSI.
            if (!look.whole.empty()) state_.set_whole(look.whole, of_file ? look.traffic : look.whole);
            // Which is the busiest of a file, all of it says; a recording is looked at from its beginning.
            const bool first = state_.connection() == 0;
            const bool final = last && of_file && focus_is_ours_ && !state_.selection();
            if (look.busiest != 0 && (first || final)) {
                state_.set_connection(look.busiest, look.target_sends_more);
                focus_is_ours_ = true;
            }
            Q_EMIT grown();
            if (!last) return;
            has_loaded_ = true;
            Q_EMIT loaded();
        });
}

// What was selected while loading may have become more by now; asked anew with every selection only.
void Document::resolve_selection() {
    end_pick();
    when_resolved_.clear();
    resolve_.request(
        [data = data_, selection = state_.selection()](const StopFlag& stop) {
            return find_selected_things(data->read(), selection, stop);
        },
        [this](SelectedThings things) { take_resolved(std::move(things)); });
}

void Document::take_resolved(SelectedThings things) {
    if (things.connection != 0) state_.set_connection(things.connection);
    const std::vector<Waiting> waiting = std::exchange(when_resolved_, {});
    const Selection selection = things.selection;
    state_.set_selected_things(std::move(things));
    for (const Waiting& one : waiting) {
        // Views that were notified of it, and those that act, may have selected something else.
        if (state_.selection() != selection) return;
        if (one.context != nullptr) one.act(state_.selected());
    }
}

void Document::end_pick() {
    if (!picking_) return;
    picking_ = false;
    pick_job_.cancel();
    when_picked_.clear();
}

void Document::pick(QObject* context, Find find, std::function<void()> selected) {
    when_picked_.clear();
    picking_ = true;
    pick_job_.request(std::move(find), [this, context = QPointer<QObject>(context),
                                        selected = std::move(selected)](Selection selection) {
        take_picked(selection, [&] {
            if (selected && context != nullptr) selected();
        });
    });
}

void Document::take_picked(Selection selection, const std::function<void()>& selected) {
    picking_ = false;
    const std::vector<WaitingForPick> waiting = std::exchange(when_picked_, {});
    if (selection) {
        state_.select(selection);
        selected();
    }
    for (const WaitingForPick& one : waiting) {
        if (one.context != nullptr) one.act();
    }
}

void Document::when_picked(QObject* context, std::function<void()> act) {
    if (!picking_) return act();
    when_picked_.push_back({context, std::move(act)});
}

void Document::when_resolved(QObject* context, Act act) {
    if (picking_) {
        return when_picked(context, [this, context, act = std::move(act)]() mutable {
            when_resolved(context, std::move(act));
        });
    }
    if (state_.selected().selection == state_.selection()) return act(state_.selected());
    when_resolved_.push_back({context, std::move(act)});
}

void Document::frame_when_resolved() {
    when_resolved(this, [this](const SelectedThings& things) {
        if (things.story.empty()) return;
        const int64_t margin_ns = std::max(things.story.span_ns() / 5, least_margin_ns);
        state_.set_range({things.story.begin_ns - margin_ns, things.story.end_ns + margin_ns});
    });
}

void Document::reveal_when_resolved() {
    when_resolved(this, [this](const SelectedThings& things) {
        if (!things.range.empty()) state_.reveal(things.range);
    });
}

}  // namespace sanscope

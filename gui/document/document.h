// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QPointer>
#include <QString>
#include <QTimer>
#include <atomic>
#include <functional>
#include <memory>
#include <thread>
#include <variant>
#include <vector>

#include "gui/document/capture_data.h"
#include "gui/document/latest_job.h"
#include "gui/document/notes.h"
#include "gui/document/view_state.h"
#include "gui/document/writings.h"

namespace sanscope {

class OpenPath;  // open_path.h

// An open capture: its data, which fill up behind the GUI thread, and what all its views have in common. GUI thread only.
class Document : public QObject {
    Q_OBJECT

  public:
    // Opens the file and begins to load it; nullptr and `error` where nothing can be read. `decode_as`: what the user says of
    // connections.
    static std::unique_ptr<Document> open(const QString& path, QString& error,
                                          const DecodeAs& decode_as = {});
    // The same of a capture that is being recorded to a file, which must have begun: loading ends when `growth` does.
    // `most_in_memory`: as CaptureData::open_growing() takes it.
    static std::unique_ptr<Document> follow(const QString& path, std::shared_ptr<FileGrowth> growth,
                                            QString& error,
                                            size_t most_in_memory = CaptureData::most_in_memory_of_recording);
    // Stops loading and waits for that: some milliseconds.
    ~Document() override;

    const QString& path() const { return path_; }
    // The file has another name now; what was opened stays open.
    void moved_to(const QString& path) { path_ = path; }
    const std::shared_ptr<const CaptureData>& data() const { return data_; }
    ViewState& state() { return state_; }
    Notes& notes() { return notes_; }
    // Whoever writes a file of it that its end would end.
    Writings& writings() { return writings_; }

    // The path that it is open as the first point of, which must have been read of the same file; nullptr: it is open by itself.
    const std::shared_ptr<const OpenPath>& points() const { return points_; }
    void set_points(std::shared_ptr<const OpenPath> points);

    // Loading goes on; the figures are those of the part read by now.
    bool loading() const { return loading_; }
    // loaded() was emitted, or is being emitted: only now is all that comes of loading, such as the state's whole(), in place.
    bool has_loaded() const { return has_loaded_; }
    // While loading(): what there is more of comes as it is recorded.
    bool live() const { return loading_ && growth_ != nullptr; }
    // What was read by then stays.
    void stop_loading();
    // To be said on opening: damage, a stop, an error on this side. Empty while nothing is.
    const QString& warning() const { return warning_; }

    // Now and then it takes rows that lie in a file out of memory: only where there are such.
    bool keeps_within_memory() const { return memory_timer_.isActive(); }

    // When the capture began: what relative times are relative to.
    int64_t first_ns() const { return state_.whole().begin_ns; }

    // Calls `act` once it is known what the present selection consists of: at once where it is. Not at all if something else
    // is selected, or `context` ends, before that. A pick() under way comes first. Whatever acts on the selection goes through this: state().selected() is
    // that of the selection before until its worker has answered.
    using Act = std::function<void(const SelectedThings&)>;
    void when_resolved(QObject* context, Act act);
    // Selects what `find` comes to on a worker, of a click on what stands for many; where that is nothing, the selection stays.
    // Whatever acts on the selection waits until it is known; `selected` is called then, where it is something and `context` is
    // still there. Selecting anything else meanwhile ends it, and what waits for it.
    using Find = std::function<Selection(const StopFlag& stop)>;
    void pick(QObject* context, Find find, std::function<void()> selected = {});
    // As selecting anything else does, for a click on what is selected already.
    void end_pick();
    bool picking() const { return picking_; }
    // Calls `act` once no pick is under way: at once where none is.
    void when_picked(QObject* context, std::function<void()> act);
    // Shows the selection's story with a margin around it; of nothing, or what has no time, nothing changes.
    void frame_when_resolved();
    // Moves the range only if the selection is out of sight.
    void reveal_when_resolved();

  Q_SIGNALS:
    void grown();   // there is more to see; some ten times a second while loading
    void loaded();  // for the last time
    void points_changed();

  private:
    Document(QString path, std::shared_ptr<CaptureData> data, std::shared_ptr<FileGrowth> growth);
    void on_grown();
    void keep_within_memory();
    void resolve_selection();
    void take_resolved(SelectedThings things);
    void take_picked(Selection selection, const std::function<void()>& selected);

    QString path_;
    std::shared_ptr<const CaptureData> data_;
    std::shared_ptr<const OpenPath> points_;
    ViewState state_;
    Notes notes_;
    Writings writings_;
    std::shared_ptr<FileGrowth> growth_;  // of a file that is being written, else nullptr
    std::atomic<bool> stop_ = false;
    std::atomic<bool> growth_reported_ = false;  // and not yet taken
    bool loading_ = true;
    bool has_loaded_ = false;
    QString warning_;
    struct Look {
        TimeRange whole;
        TimeRange traffic;              // iSCSI
        uint32_t busiest = 0;           // connection
        bool target_sends_more = true;  // on that connection
    };
    LatestJob<Look> look_;
    LatestJob<std::monostate> memory_job_;
    LatestJob<SelectedThings> resolve_;
    struct Waiting {
        QPointer<QObject> context;
        Act act;
    };
    std::vector<Waiting> when_resolved_;  // of the selection being resolved
    struct WaitingForPick {
        QPointer<QObject> context;
        std::function<void()> act;
    };
    LatestJob<Selection> pick_job_;
    bool picking_ = false;
    std::vector<WaitingForPick> when_picked_;
    std::atomic<bool> abandoned_ = false;
    std::thread loader_;
    QTimer memory_timer_;
    bool focus_is_ours_ = false;  // connection and side in focus were chosen here, and by nobody else since
};

}  // namespace sanscope

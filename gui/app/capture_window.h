// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMainWindow>
#include <QPointer>
#include <QStringList>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "gui/app/message_bar.h"
#include "gui/app/view_kinds.h"
#include "gui/app/workspace.h"
#include "gui/document/document.h"
#include "gui/models/host_names.h"
#include "gui/models/row_colors.h"
#include "gui/recording/live_recording.h"
#include "gui/recording/unsaved_recordings.h"

class QAction;
class QDockWidget;
class QLabel;
class QProgressBar;
class QToolButton;

namespace sanscope {

class FilterLine;
class OpenPath;
class FindBar;
class OverviewView;
class RowsView;

// One open capture: its views in docks, the filter line above them, how far loading is below. Views are made when they are
// first seen.
class CaptureWindow : public QMainWindow {
    Q_OBJECT

  public:
    explicit CaptureWindow(std::unique_ptr<Document> document, QWidget* parent = nullptr);
    ~CaptureWindow() override;

    Document& document() const { return *document_; }
    ViewState& state() const { return document_->state(); }

    QDockWidget* dock(std::string_view view) const;
    // The view of that name, made if it was not yet; nullptr for a name that is none.
    View* view(std::string_view name);
    // Brings its dock to the front.
    void show_view(std::string_view name);
    // The view with the keyboard focus, or seen last.
    View* current_view() const { return current_; }
    const QString& current_view_name() const { return current_name_; }
    // The table with the keyboard focus, or looked at last of those in sight; nullptr where none is.
    RowsView* table_in_front() const;
    // The tables that were seen, by the names of their views.
    std::map<QString, RowsView*> tables() const;
    void focus_neighbour_view(int direction);

    // Shows it as the first point of that path; nullptr: by itself.
    void set_points(std::shared_ptr<const OpenPath> path);
    // Absolute paths of what a workspace has it with as points of one path, for the next workspace while they are not read.
    const QStringList& wanted_points() const { return wanted_points_; }
    void set_wanted_points(QStringList points) { wanted_points_ = std::move(points); }
    void focus_filter();
    // Where there is no such packet, the status bar says so.
    void go_to_packet(PacketNumber packet);
    // Whether there is such a row; selects it, where there is.
    bool has_row(Selection row) const;
    void select_row(Selection row);
    void select_neighbour(int direction);  // the next or previous row of the selection's kind
    // Opens the note of the selected packet for typing, bookmarks it where it was not; a bookmark without a text is removed.
    void toggle_bookmark();
    // In Packets, times are told from the selected packet, or from the capture's beginning again where they are already.
    void toggle_time_reference();
    // In Packets: asks what to look for; finds the next one of that, or the previous one.
    void ask_to_find();
    void find_next(bool forward);
    // Shows what both sides of a connection (1-based) sent, and filters by it.
    void follow_stream(uint32_t connection);
    // … of that of what is selected.
    void follow_selected_stream();
    FilterLine& filter_line() const { return *filter_line_; }
    void reset_layout();
    // Whether views have bars by which they can be moved, floated and closed.
    void set_movable(bool movable);
    bool is_movable() const;
    // In the tables, in place of addresses; those that the capture itself brings along once it is loaded, and no address is told
    // before.
    void set_host_names(HostNameSources sources);
    // Coloring rules for the table of packets.
    void set_packet_colors(ThemedRowColors colors);
    void save_layout() const;
    // How the views are arranged, as set_layout_state() takes it: false, and nothing changes, for what is none.
    QByteArray layout_state() const;
    bool set_layout_state(const QByteArray& layout);

    // What this capture is recorded by; nullptr for one that was opened. Of a recording the latest seconds are followed, as
    // long as nothing else is looked at.
    void set_recording(std::unique_ptr<LiveRecording> recording);
    LiveRecording* recording() const { return recording_.get(); }
    // Keeps the file, a recording without a name, from being taken as left behind.
    void claim_file() { claim_ = UnsavedRecordings::Claim(document_->path()); }

    // How a workspace has it, until it is loaded and shown like that; nothing afterwards.
    const std::optional<WorkspaceCapture>& pending() const { return pending_; }
    void set_pending(std::optional<WorkspaceCapture> pending) { pending_ = std::move(pending); }
    // Notes of a workspace on packets that were not read, as after a stop: kept for the next workspace.
    const std::map<PacketNumber, QString>& notes_beyond() const { return notes_beyond_; }
    void set_notes_beyond(std::map<PacketNumber, QString> notes) { notes_beyond_ = std::move(notes); }

  Q_SIGNALS:
    void current_view_changed();
    // What a connection (1-based) is decoded as is to be chosen.
    void decode_as_wanted(uint32_t connection);
    // Addresses in sight for which there is no name, where such are wanted.
    void unnamed_in_sight(const QStringList& ends);

  protected:
    void keyPressEvent(QKeyEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void closeEvent(QCloseEvent* event) override;

  private:
    FindBar& find_bar();
    void toggle_bookmark_on(PacketNumber packet);
    void select_neighbour_of_selected(int direction);
    void make_docks();
    void make_top();
    void make_status();
    void arrange();
    bool restore_layout();
    void share_out_space();
    void ensure_view(QDockWidget* dock);
    void look_at(View* view, const QString& name);
    // Those that pass the filter over their columns, the greatest of a column first.
    void show_commands(const QString& filter, const QString& column);
    // Those of a table that pass the filter over its columns.
    void show_rows(const QString& filter, const QString& table);
    void take_names_of_capture();
    std::shared_ptr<const HostNames> shown_names() const;
    void show_names();
    void show_names_in(RowsView& rows) const;
    void mark_notes(OverviewView& overview) const;
    void show_progress();
    void show_range();
    void show_cursor();
    void show_selection();
    void show_warning();
    void show_recording();
    void follow_once_long_enough();
    void on_focus_changed(QWidget* now);

    std::unique_ptr<Document> document_;
    std::unique_ptr<LiveRecording> recording_;
    UnsavedRecordings::Claim claim_;
    std::optional<WorkspaceCapture> pending_;
    std::map<PacketNumber, QString> notes_beyond_;
    QStringList wanted_points_;
    bool may_begin_to_follow_ = false;
    QString trouble_;  // of the recording, the last one
    std::map<QString, QDockWidget*> docks_;
    std::map<QString, View*> views_;
    View* current_ = nullptr;
    QString current_name_;
    QPointer<RowsView> last_table_;
    ThemedRowColors packet_colors_;
    HostNameSources name_sources_;
    std::shared_ptr<const HostNames> names_of_capture_;
    bool sized_ = false;
    FilterLine* filter_line_ = nullptr;
    MessageBar* messages_ = nullptr;
    QLabel* range_label_ = nullptr;
    QLabel* cursor_label_ = nullptr;
    QLabel* selection_label_ = nullptr;
    QLabel* progress_label_ = nullptr;
    QProgressBar* progress_bar_ = nullptr;
    QToolButton* stop_button_ = nullptr;
    QToolButton* follow_button_ = nullptr;
};

}  // namespace sanscope

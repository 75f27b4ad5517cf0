// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMainWindow>
#include <QStringList>
#include <functional>
#include <memory>

#include "analyzer/vocabulary/decode_as.h"

class QAction;
class QActionGroup;
class QMenu;
class QStackedWidget;
class QTabWidget;

namespace sanscope {

class Document;
class CaptureWindow;
class CollectionView;
class ComparisonView;
class ExperimentControls;
class LiveControls;
struct MergedCapture;
class LoadControls;
class InfoBar;
class NameResolution;
class PacketColoring;
class PointsControls;
class PracticeControls;
class Settings;
class StartPage;
class Writings;
struct StartPlace;

// The program's window: captures in tabs, and the menus that act on the one in front.
class MainWindow : public QMainWindow {
    Q_OBJECT

  public:
    explicit MainWindow(QWidget* parent = nullptr);
    ~MainWindow() override;

    // Opens captures, each in a tab of its own; one that is open already comes to the front. What cannot be opened is reported in
    // a message. Whether all could.
    bool open(const QStringList& paths);
    // Several captures as one, in a tab, packets in order of time; the merge is an unsaved recording. Nothing waits: it opens once
    // it is written. What cannot be merged is reported in a message.
    void merge(const QStringList& paths);
    // Captures of the same traffic at several points of its path: in the tab of that nearest to the initiators.
    void open_points(const QStringList& paths);
    // The same of one, at a place in it.
    void open_at(const QString& path, const StartPlace& place);
    // Two captures, before and after a change, side by side in a tab of their own.
    ComparisonView* compare(const QString& before, const QString& after);
    // A folder of captures, as a list in a tab of its own; one that is open comes to the front.
    CollectionView* open_folder(const QString& path);
    // Writes how all captures are looked at now into a file, which open() opens again; false, and why, where that failed.
    bool save_workspace(const QString& path, QString& error);
    // Opens a capture anew, in its tab and looked at as it is, with other rules for what its connections are decoded as. Not one that
    // is or was being recorded in this window; a message says so.
    void decode_as(CaptureWindow& capture, const DecodeAs& rules);
    CaptureWindow* current() const;
    int captures() const;
    LiveControls& live() const { return *live_; }
    PointsControls& points() const { return *points_; }
    PracticeControls& practice() const { return *practice_; }
    InfoBar& info_bar() const { return *info_bar_; }
    LoadControls& load() const { return *load_; }
    ExperimentControls& experiments() const { return *experiments_; }
    Settings& settings() const { return *settings_; }
    NameResolution& names() const { return *names_; }
    PacketColoring& coloring() const { return *coloring_; }

  protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void closeEvent(QCloseEvent* event) override;

  private:
    bool open_one(const QString& path, QString& error, const DecodeAs& rules = {});
    void ask_for_decode_as(CaptureWindow& capture, uint32_t connection);
    bool open_workspace(const QString& path, QString& error);
    void ask_to_save_workspace();
    void ask_for_workspace();
    void show_not_opened(const QStringList& errors);
    CaptureWindow* show_document(std::unique_ptr<Document> document);
    void show_name(CaptureWindow& capture);
    LiveControls* make_live(QMenu* menu);
    void make_points();
    void close_tab(int index);
    // Opens it, or brings it to the front, and acts on it once it is whole.
    static void once_loaded(CaptureWindow& capture, std::function<void(CaptureWindow&)> act);
    void open_and_act(const QString& path, std::function<void(CaptureWindow&)> act);
    // `again`: closes it as the user wanted, once what keeps it open is written.
    bool may_close(CaptureWindow& capture, const std::function<void()>& again);
    bool may_end(Writings& writings, const std::function<void()>& again);
    void call_once_written(Writings& writings, std::function<void()> again);
    void on_current_changed();
    void make_menus();
    void fill_view_menu();
    void fill_recent(QMenu* menu);
    void ask_for_files();
    QString ask_for_file(const QString& title, const QString& beside);
    void ask_to_compare();
    void ask_for_folder();
    void ask_to_merge();
    void ask_how_to_open(const QStringList& paths);
    void show_merged(const QString& path, const MergedCapture& merged);
    void ask_for_packet();
    void show_settings();
    void apply_settings();
    void apply_coloring();
    void show_coloring_rules();
    void ask_for_hosts_file();
    void apply_host_names();
    void show_keys();
    void show_about();
    // Acts on the capture in front; does nothing while there is none.
    QAction* add(QMenu* menu, const QString& text, const QList<QKeySequence>& keys,
                 std::function<void(CaptureWindow&)> act);
    void update_actions();

    Settings* settings_;
    PacketColoring* coloring_;
    NameResolution* names_;
    InfoBar* info_bar_;
    Writings* writings_;  // of no capture that is open
    QStackedWidget* stack_;
    StartPage* start_page_;
    QTabWidget* tabs_;
    PointsControls* points_ = nullptr;
    PracticeControls* practice_ = nullptr;
    LiveControls* live_ = nullptr;
    LoadControls* load_ = nullptr;
    ExperimentControls* experiments_ = nullptr;
    QMenu* view_menu_ = nullptr;
    QActionGroup* time_formats_ = nullptr;
    QList<QAction*> needing_capture_;
    QAction* close_ = nullptr;
    QAction* back_ = nullptr;
    QAction* forward_ = nullptr;
};

}  // namespace sanscope

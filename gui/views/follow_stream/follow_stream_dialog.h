// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <QThreadPool>
#include <QTimer>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>

#include "gui/document/document.h"
#include "gui/document/latest_job.h"
#include "gui/views/follow_stream/pattern_search.h"
#include "gui/views/follow_stream/stream_jobs.h"

class QComboBox;
class QHBoxLayout;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QProgressBar;
class QPushButton;

namespace sanscope {

// What both sides of a TCP connection sent, in the order in which it was delivered, page by page. A click on something selects
// the packet that brought it. The document must outlive it.
class FollowStreamDialog : public QDialog {
    Q_OBJECT

  public:
    // `connection` (1-based) is followed once the capture is read.
    FollowStreamDialog(Document& document, uint32_t connection, QWidget* parent);
    ~FollowStreamDialog() override;

    uint32_t connection() const { return connection_; }
    // Nothing is under way or waited for.
    bool settled() const;

    QPlainTextEdit& text() const { return *text_; }
    QComboBox& direction_box() const { return *direction_; }  // as StreamDirection
    QComboBox& format_box() const { return *format_; }        // as StreamFormat
    QComboBox& kind_box() const { return *kind_; }            // text, hex bytes, regular expression
    QLineEdit& find_line() const { return *find_; }
    QString message() const;
    // "3 of 17", once that is known.
    QString count_text() const;
    size_t page() const { return page_; }
    size_t pages() const;
    void show_page(size_t page);
    // Goes to the next place that has what is looked for, or the one before, around from the end; a save under way goes on.
    void find_next() { find(true); }
    void find_previous() { find(false); }
    // What is shown of the stream, on all pages, as it is; progress is shown meanwhile.
    void save(const QString& path);
    // Selects the packet that brought what stands at that place of the text.
    void select_packet_at(int place);
    // While the stream is saved: once it is.
    void reject() override;

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void changeEvent(QEvent* event) override;

  private:
    void make_widgets();
    void add_shown_row(QHBoxLayout& row);
    void add_find_row(QHBoxLayout& row);
    QPushButton* add_button(QHBoxLayout& row, const QString& text);
    void follow();
    void take(std::shared_ptr<const FollowedStream> stream);
    void show_from_beginning();
    void renew();
    void show_text();
    void mark_found();
    void find(bool forward);
    void find_bytes(StreamNeedle needle, bool forward);
    void find_expression(PatternSearch search, bool forward);
    void begin_search();
    void show_found(const StreamFound& found, bool forward);
    void show_found_expression(const PatternFound& found, bool forward);
    void say_found(bool found, bool wrapped, bool forward, const QStringList& not_searched);
    void count(const QString& what, std::function<StreamCount(const StopFlag&)> work);
    void show_count();
    void forget_found();
    void change_format();
    void show_saved(const SavedStream& saved);
    void ask_to_save();
    void set_busy(bool busy);
    void show_state();
    void cancel_search();
    void cancel();
    StreamDirection direction() const;
    StreamFormat format() const;

    Document& document_;
    const uint32_t connection_;
    QLabel* title_;
    QPlainTextEdit* text_;
    QComboBox* direction_;
    QComboBox* format_;
    QPushButton* previous_ = nullptr;
    QPushButton* next_ = nullptr;
    QPushButton* save_ = nullptr;
    QLabel* page_label_;
    QComboBox* kind_;
    QLineEdit* find_;
    QLabel* count_label_;
    QProgressBar* progress_;
    QPushButton* cancel_ = nullptr;
    QLabel* message_;
    std::shared_ptr<const FollowedStream> stream_;  // nullptr: not yet
    size_t page_ = 0;
    StreamPage shown_;
    // What was found last, by bytes or by an expression.
    std::optional<StreamHit> hit_;
    std::optional<PatternPlace> place_;
    // All that has what is looked for, and what that is; nullopt: not known.
    QString counted_;
    std::optional<StreamCount> counts_;
    bool searching_ = false;
    bool saving_ = false;
    bool closes_once_saved_ = false;
    QString save_path_;
    // Of what is saved, else of the search.
    std::shared_ptr<std::atomic<size_t>> done_ = std::make_shared<std::atomic<size_t>>(0);
    QTimer timer_;
    QThreadPool threads_;
    LatestJob<std::shared_ptr<const FollowedStream>> follow_job_{false, &threads_};
    LatestJob<StreamPage> page_job_;
    LatestJob<StreamFound> find_job_{false, &threads_};
    LatestJob<PatternFound> expression_job_{false, &threads_};
    LatestJob<StreamCount> count_job_{false, &threads_};
    LatestJob<SavedStream> save_job_{false, &threads_};
};

}  // namespace sanscope

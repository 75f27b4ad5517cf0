// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTimer>
#include <QWidget>
#include <memory>

#include "gui/document/document.h"
#include "gui/models/dissect_helper.h"
#include "gui/models/filter_job.h"
#include "gui/models/filter_language.h"
#include "gui/views/filter_line/filter_buttons.h"
#include "gui/views/filter_line/filter_completer.h"
#include "gui/views/filter_line/filter_edit.h"

class QComboBox;
class QLabel;
class QProgressBar;
class QToolButton;

namespace sanscope {

// One line that filters all views: Wireshark display filters, and expressions over our columns. What it takes the expression
// for is shown beside it, and so is what is wrong with it. Enter applies it, behind the GUI thread; Esc clears it. Below it are the
// saved ones as buttons.
class FilterLine : public QWidget {
    Q_OBJECT

  public:
    // `dissectd`: the path of sanscope-dissectd, empty where it is to be found.
    explicit FilterLine(Document& document, QWidget* parent = nullptr, std::string dissectd = {});
    ~FilterLine() override;

    // `language`: automatic_filter, wireshark_filter or the name of one of table_kinds().
    void set_filter(const QString& expression, const QString& language);
    // As set_filter(), and applies it: what views' filter_wanted() is to be connected to.
    void apply_filter(const QString& expression, const QString& language);
    void apply();
    void clear();
    void focus();

    QString expression() const { return edit_->text().trimmed(); }
    QString language() const;
    // What the expression is taken for: a table's name or wireshark_filter; empty while it is not known or none.
    const QString& taken_for() const { return taken_for_; }
    // The message beside the line.
    QString message() const;
    FilterEdit& edit() const { return *edit_; }
    FilterCompleter& completer() const { return *completer_; }
    FilterButtons& buttons() const { return *buttons_; }
    // Saves the filter as a button, once it is one.
    QToolButton& save_button() const { return *save_; }
    // Nothing is being looked at, and no filter is running or waiting.
    bool settled() const;
    bool running() const { return !run_.idle(); }
    // What was applied will be the filter once it has run: it runs, or waits for that.
    bool applying() const { return running() || run_when_loaded_ || apply_when_known_; }
    QStringList history() const;

  protected:
    void changeEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;

  private:
    void make_widgets();
    void on_edited();
    void look();
    void take_check(const DissectHelper::Check& check);
    void show_error(const FilterError& error);
    void show_valid();
    void complete_at_cursor(bool wanted);
    void end_completion();
    void offer_completions(const std::vector<DissectHelper::Field>& fields);
    void run();
    void finish(const FilterOutcome& outcome);
    void cancel();
    void show_running(bool running);
    void show_message(const QString& message, const QString& tooltip = {});
    void remember();
    void show_history();
    // Through those used before: 1 to the next older one, -1 to the next newer one, at last back to what was typed.
    void step_history(qsizetype by);
    void update_save_button();
    int characters_of(size_t bytes) const;

    Document& document_;
    std::string dissectd_;
    QComboBox* language_;
    FilterEdit* edit_;
    FilterCompleter* completer_;
    QLabel* message_;
    QProgressBar* progress_;
    QToolButton* cancel_;
    QToolButton* save_;
    FilterButtons* buttons_;
    QTimer look_later_;
    QTimer poll_;

    qsizetype history_place_ = -1;  // -1: what was typed
    QString typed_;
    QString typed_language_;
    QString taken_for_;
    ColumnFilter column_filter_;
    bool checking_ = false;
    bool apply_when_known_ = false;
    bool run_when_loaded_ = false;
    std::shared_ptr<const FilterResult> applied_;
    QString applied_message_;
    QString applied_tooltip_;
    TableCompletion own_;
    uint64_t completion_ = 0;  // counts those asked for or ended: an answer to an earlier one comes too late
    DissectHelper helper_;
    std::shared_ptr<FilterProgress> run_progress_;
    QThreadPool run_thread_;
    LatestJob<FilterOutcome> run_{false, &run_thread_};
};

}  // namespace sanscope

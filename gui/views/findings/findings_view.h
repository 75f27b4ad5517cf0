// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "gui/document/latest_job.h"
#include "gui/view_engine/view.h"
#include "gui/views/findings/finding_groups.h"

#include "analyzer/report/findings.h"

class QKeyEvent;
class QLabel;
class QListView;
class QStandardItemModel;

namespace sanscope {

// What a storage engineer should see first, in order of weight. One that is chosen leads all views to the place that shows it.
// While the capture is loaded it shows what is known by then, anew every few seconds.
class FindingsView : public View {
    Q_OBJECT

  public:
    FindingsView(Document& document, QWidget* parent);
    ~FindingsView() override;

    bool settled() const override {
        return !in_sight() ||
               (job_.idle() && rows_job_.idle() && !stale_ && (last_shown_ || document().loading()));
    }
    const std::vector<Finding>& findings() const { return findings_; }
    const std::vector<FindingGroup>& groups() const { return groups_; }
    // Where a finding is listed, its group opened where it is one of several places; -1 where it is not.
    int row_of(size_t finding);
    void set_open(size_t group, bool open);
    QListView& list() const { return *list_; }
    QString status_text() const;
    // Selects what the finding of a row is about, of several the costliest, and frames the time that shows it.
    void go_to(int row);
    // Shows what its kind means.
    void explain(int row);
    // Which link of the row is there, in the list's viewport; -1: none.
    int link_at(const QModelIndex& index, QPoint at) const;
    QLabel& explain_link() const { return *explain_; }

  Q_SIGNALS:
    // The rows that a finding counts: a filter over that table.
    void rows_wanted(const QString& filter, const QString& table);

  protected:
    void on_in_sight() override;
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    struct Answer {
        std::vector<Finding> findings;
        std::vector<FindingGroup> groups;
        std::vector<QString> places;  // of each finding
        int64_t took_ms = 0;
        bool last = false;
    };
    // A line of the list: a group, or one of its findings.
    struct Row {
        size_t group = 0;
        std::optional<size_t> member;
        bool operator==(const Row&) const = default;
    };
    using GroupKey = std::pair<Finding::Kind, QString>;
    static Answer look_at(const CaptureData& data, const StopFlag& stop);
    void on_grown();
    bool soon_loaded() const;
    void ask();
    void make_widgets();
    void fill();
    void add_row(const Row& row);
    // Stands for several places.
    bool is_head(const Row& row) const { return !row.member && groups_[row.group].findings.size() > 1; }
    const Finding& finding_at(const Row& row) const;
    QStringList links_of(const Row& row) const;
    void look_up_rows();
    void look_up_next_rows();
    void take_rows(const Row& row, std::optional<FindingRows> rows);
    const FindingRows* rows_at(const Row& row) const;
    GroupKey key_of(size_t group) const;
    bool is_open(size_t group) const { return open_.contains(key_of(group)); }
    QString title_of(const Row& row) const;
    void on_clicked(const QModelIndex& index);
    void follow_link(int row, int link);
    void show_menu(QPoint at);
    bool handle_key(const QKeyEvent& key);
    void show_status();
    void show_findings(Answer answer);
    void copy() const;

    std::vector<Finding> findings_;
    std::vector<FindingGroup> groups_;
    std::vector<std::optional<FindingRows>> rows_of_findings_;
    std::vector<QString> places_;
    std::vector<Row> rows_;
    std::vector<Row> to_look_up_;  // lines of which it is not known which rows they count; the next one last
    std::set<GroupKey> open_;
    QPoint released_at_;
    bool stale_ = true;          // not looked at since it was last hidden
    bool last_shown_ = false;    // what is shown is of the whole capture
    QElapsedTimer since_begun_;  // to follow the document
    QElapsedTimer since_last_;
    int64_t pause_ms_ = 1000;
    QStandardItemModel* model_;
    QListView* list_;
    QLabel* status_;
    QLabel* explain_;
    LatestJob<Answer> job_{true};
    LatestJob<std::optional<FindingRows>> rows_job_;
};

}  // namespace sanscope

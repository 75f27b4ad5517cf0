// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <vector>

#include "gui/document/latest_job.h"
#include "gui/view_engine/view.h"

#include "analyzer/report/findings.h"

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
        return !isVisible() || (job_.idle() && !stale_ && (last_shown_ || document().loading()));
    }
    const std::vector<Finding>& findings() const { return findings_; }
    QListView& list() const { return *list_; }
    QString status_text() const;
    // Selects what the finding is about, and frames the time that shows it.
    void go_to(size_t finding);
    // Shows what its kind means.
    void explain(size_t finding);
    QLabel& explain_link() const { return *explain_; }

  protected:
    void showEvent(QShowEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    struct Answer {
        std::vector<Finding> findings;
        int64_t took_ms = 0;
        bool last = false;
    };
    void on_grown();
    void ask();
    void show_findings(Answer answer);
    void copy() const;

    std::vector<Finding> findings_;
    bool stale_ = true;        // not looked at since it was last hidden
    bool last_shown_ = false;  // what is shown is of the whole capture
    QElapsedTimer since_last_;
    int64_t pause_ms_ = 1000;
    QStandardItemModel* model_;
    QListView* list_;
    QLabel* status_;
    QLabel* explain_;
    LatestJob<Answer> job_{true};
};

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QThreadPool>
#include <QTimer>
#include <QWidget>
#include <atomic>
#include <memory>

#include "gui/document/document.h"
#include "gui/document/latest_job.h"
#include "gui/models/packet_search.h"
#include "gui/models/table_model.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QProgressBar;
class QTableView;
class QToolButton;

namespace sanscope {

// Finds packets below the table that shows them: the next or previous one in its order, from its current row on, behind the
// GUI thread. What is found becomes the current row.
class FindBar : public QWidget {
    Q_OBJECT

  public:
    // `access` is the table of packets; document, model, and the view that shows it must outlive this.
    FindBar(Document& document, std::shared_ptr<const TableAccess> access, const TableModel& model,
            QTableView& table, QWidget* parent);
    ~FindBar() override;

    // Shows it, ready to be typed into.
    void begin();
    void find(bool forward);
    void cancel();
    bool searching() const { return searching_; }

    QLineEdit& line() const { return *line_; }
    QComboBox& kind_box() const { return *kind_; }  // in the order of PacketNeedle::Kind
    QString message() const;

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void make_widgets();
    void show_found(const PacketFound& found, bool forward);
    QString go_to(const PacketFound& found, bool forward);
    void set_searching(bool searching);

    Document& document_;
    std::shared_ptr<const TableAccess> access_;
    const TableModel& model_;
    QTableView& table_;
    QComboBox* kind_;
    QLineEdit* line_;
    QProgressBar* progress_;
    QToolButton* cancel_;
    QLabel* message_;
    bool searching_ = false;
    std::shared_ptr<std::atomic<size_t>> looked_at_;
    QTimer timer_;
    QThreadPool thread_;  // a search takes long
    LatestJob<PacketFound> job_{false, &thread_};
};

}  // namespace sanscope

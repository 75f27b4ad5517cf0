// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QWidget>
#include <optional>
#include <vector>

#include "gui/collection/collection_model.h"
#include "gui/collection/collection_reading.h"
#include "gui/collection/trend_panels.h"

class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;
class QTableView;

namespace sanscope {

// A folder of many captures as a tab of the window: a list of them, which is sorted and filtered, above it what is being read,
// below it all of them over time. They come as they are read, and can be looked at and opened meanwhile.
class CollectionView : public QWidget {
    Q_OBJECT

  public:
    // Begins to read the folder.
    CollectionView(const QString& folder, QWidget* parent);
    ~CollectionView() override;

    const QString& folder() const { return folder_; }
    QString title() const;  // the folder's name
    bool reading() const { return reading_.running(); }
    void stop();

    CollectionModel& model() const { return *model_; }
    QTableView& table() const { return *table_; }
    QLineEdit& filter() const { return *filter_; }
    TrendPanels& trend() const { return *trend_; }
    QString state() const;  // what the line above says

  Q_SIGNALS:
    // Somebody wants to see it; `packet`: that of its first finding, 0 where it has none.
    void capture_wanted(const QString& path, quint64 packet);

  protected:
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    QLayout* make_head();
    void make_table();
    void take(std::vector<CaptureRow> rows, qsizetype done, qsizetype all);
    void show_state();
    void apply_filter();
    void select(size_t number);
    void open(size_t number);
    void open_selected();
    std::optional<size_t> selected() const;

    QString folder_;
    CollectionModel* model_;
    QLabel* state_;
    QProgressBar* bar_;
    QPushButton* stop_;
    QLineEdit* filter_;
    QLabel* filter_error_;
    QTableView* table_;
    TrendPanels* trend_;
    qsizetype done_ = 0;
    qsizetype all_ = 0;
    bool stopped_ = false;
    QString error_;
    CollectionReading reading_;
};

}  // namespace sanscope

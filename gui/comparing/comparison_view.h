// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QThreadPool>
#include <QTimer>
#include <QWidget>
#include <array>
#include <functional>
#include <memory>

#include "gui/comparing/comparison_model.h"
#include "gui/comparing/measured_capture.h"
#include "gui/document/latest_job.h"

class QCheckBox;
class QLabel;
class QProgressBar;
class QPushButton;
class QTreeView;

namespace sanscope {

// Two captures, before and after a change, which by which: `sanscope compare` as a tab of the window. Each is measured behind the
// window; what was measured stays when the other one fails, is stopped, or is replaced.
class ComparisonView : public QWidget {
    Q_OBJECT

  public:
    enum class Which : uint8_t { before, after };
    // The data of a file that is open in the window, and complete; nullptr: it has to be read.
    using FindOpen = std::function<std::shared_ptr<const CaptureData>(const QString& path)>;

    ComparisonView(const QString& before, const QString& after, FindOpen find_open, QWidget* parent);
    ~ComparisonView() override;

    QString title() const;  // "before.pcap → after.pcap"
    const QString& path(Which which) const { return at(which).path; }
    // What could not be read of it; empty while nothing is wrong.
    const QString& error(Which which) const { return at(which).error; }
    // nullptr until both are measured.
    const std::shared_ptr<const ComparedCaptures>& captures() const { return captures_; }
    // Nothing is being read or compared.
    bool settled() const { return measuring_.idle() && comparing_.idle(); }
    bool stopped() const { return stopped_; }

    void set_path(Which which, const QString& path);
    void swap();
    void stop();
    // Goes on with what was stopped, and tries again what could not be read.
    void start();

    // What `sanscope compare` prints; empty until there is a comparison.
    QByteArray text() const;
    QByteArray json() const;
    // By the name's ending: .txt or .json. Empty where it went well, else why not.
    QString export_to(const QString& path) const;

    QTreeView& tree() const { return *tree_; }
    ComparisonModel& model() const { return *model_; }
    QCheckBox& only_what_differs() const { return *only_; }

  Q_SIGNALS:
    void title_changed();
    // Somebody wants to see it in that capture.
    void finding_wanted(const QString& path, const Finding& finding);
    void commands_wanted(const QString& path, const QString& filter);

  protected:
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    struct Capture {
        QString path;
        std::shared_ptr<const MeasuredCapture> measured;
        QString error;
        QLabel* name = nullptr;
        QLabel* about = nullptr;
    };
    Capture& at(Which which) { return captures_of_[static_cast<size_t>(which)]; }
    const Capture& at(Which which) const { return captures_of_[static_cast<size_t>(which)]; }

    QString name(Which which) const;
    QLayout* make_head();
    QLayout* make_bar();
    QLayout* make_progress();
    void make_tree();
    void measure(Which which);
    void compare_both();
    void show_captures();
    void show_progress();
    void show_groups();
    void choose(Which which);
    void ask_to_export();
    void show_menu(QPoint at);
    void go_to(const ComparisonRow& row, Which which);
    void copy_rows() const;

    FindOpen find_open_;
    std::array<Capture, 2> captures_of_;
    std::shared_ptr<const ComparedCaptures> captures_;
    std::shared_ptr<MeasuringProgress> progress_;
    bool stopped_ = false;
    Which measured_now_ = Which::before;

    ComparisonModel* model_;
    QTreeView* tree_;
    QLabel* outcome_;
    QCheckBox* only_;
    QPushButton* copy_;
    QPushButton* export_;
    QPushButton* swap_;
    QLabel* state_;
    QProgressBar* bar_;
    QPushButton* stop_;
    QPushButton* start_;
    QTimer timer_;
    QThreadPool pool_;  // reading a capture takes long: views' pictures do not wait for it
    LatestJob<std::shared_ptr<Result<std::shared_ptr<const MeasuredCapture>>>> measuring_{false, &pool_};
    LatestJob<std::shared_ptr<const ComparedCaptures>> comparing_{false, &pool_};
};

}  // namespace sanscope

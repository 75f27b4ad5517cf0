// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSet>
#include <QTimer>
#include <memory>

#include "gui/document/latest_job.h"
#include "gui/view_engine/view.h"
#include "gui/views/details/details_job.h"
#include "gui/views/details/hex_view.h"
#include "gui/views/details/packet_tree_model.h"

class QLabel;
class QSplitter;
class QStackedWidget;
class QTabWidget;
class QTreeView;

namespace sanscope {

// The fields and bytes of the packet that is selected: what Wireshark's dissectors say, and what our tables do. Dissectors
// run in a process of their own (dissectors/), asked from a thread of its own. While the capture is loaded, and where that
// process cannot be had, there is what we know ourselves; a line says so.
class DetailsView : public View {
    Q_OBJECT

  public:
    DetailsView(Document& document, QWidget* parent);
    // With another way to the dissectors than the usual.
    DetailsView(Document& document, DissectClient::Options options, QWidget* parent);
    ~DetailsView() override;

    bool settled() const override;
    const DescribedPacket& described() const { return described_; }
    QTreeView& tree() const { return *tree_; }
    // nullptr for one that is none.
    HexView* bytes_of(int source) const;
    QString notice() const;
    // Lights up its bytes, and goes to its line.
    void select_field(int field);
    int selected_field() const;

  Q_SIGNALS:
    // `language`: "wireshark", or the name of a table whose columns the expression is about.
    void filter_wanted(const QString& expression, const QString& language);

  protected:
    void on_in_sight() override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void make_widgets();
    void follow();
    void show_packet(DescribedPacket described);
    void show_sources();
    void restore_tree(const std::string& selected_path);
    void expand_below(const QModelIndex& parent);
    void on_field(int field);
    void on_byte(int source, uint32_t byte);
    void show_progress();
    void set_notice(const QString& text);
    void show_menu(QPoint at);
    void open_field(const QModelIndex& index);
    TimeReference time_reference() const;

    std::shared_ptr<Dissection> dissection_;
    DescribedPacket described_;
    DescribedPacket ourselves_;  // shown unless the dissectors answer soon
    PacketNumber wanted_ = 0;
    bool waiting_ = false;  // for the dissectors
    QSet<QString> expanded_;
    bool restoring_ = false;
    bool divided_ = false;  // the splitter has sizes for its orientation
    bool following_byte_ = false;

    PacketTreeModel* model_;
    QLabel* notice_;
    QLabel* empty_;
    QStackedWidget* pages_;
    QSplitter* splitter_;
    QTreeView* tree_;
    QTabWidget* sources_;
    QTimer late_;  // when what we know ourselves is shown
    QTimer poll_;
    QThreadPool thread_;
    LatestJob<DescribedPacket> own_;
    LatestJob<DescribedPacket> dissect_{false, &thread_};
};

}  // namespace sanscope

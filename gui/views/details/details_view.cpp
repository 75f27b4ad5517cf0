// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/details/details_view.h"

#include <QApplication>
#include <QClipboard>
#include <QDesktopServices>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QResizeEvent>
#include <QShortcut>
#include <QSplitter>
#include <QStackedWidget>
#include <QStyledItemDelegate>
#include <QTabBar>
#include <QTabWidget>
#include <QTreeView>
#include <QUrl>
#include <QVBoxLayout>

#include "dissectors/client/decode_as_arguments.h"
#include "gui/document/plain_text.h"

namespace sanscope {
namespace {

// Lines with a little room between them.
class LineDelegate final : public QStyledItemDelegate {
  public:
    using QStyledItemDelegate::QStyledItemDelegate;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        constexpr int room = 4;
        const QSize size = QStyledItemDelegate::sizeHint(option, index);
        return {size.width(), option.fontMetrics.height() + room};
    }
};

DissectClient::Options usual_options(const DecodeAs& decode_as) {
    DissectClient::Options options;
    add_decode_as(decode_as, options);
    options.patience = std::chrono::seconds(20);
    return options;
}

}  // namespace

DetailsView::DetailsView(Document& document, QWidget* parent)
    : DetailsView(document, usual_options(document.data()->decode_as()), parent) {}

DetailsView::DetailsView(Document& document, DissectClient::Options options, QWidget* parent)
    : View(document, parent),
      dissection_(std::make_shared<Dissection>(document.data(), std::move(options))),
      expanded_{QStringLiteral("iscsi"), QStringLiteral("sanscope.packets")},
      model_(new PacketTreeModel(this)),
      notice_(new QLabel(this)),
      empty_(new QLabel(tr("Select a packet, a PDU or a command to see what is in it."), this)),
      pages_(new QStackedWidget(this)),
      splitter_(new QSplitter(Qt::Horizontal, this)),
      tree_(new QTreeView(splitter_)),
      sources_(new QTabWidget(splitter_)) {
    thread_.setMaxThreadCount(1);
    make_widgets();
    late_.setSingleShot(true);
    late_.setInterval(150);
    poll_.setInterval(100);
    connect(&late_, &QTimer::timeout, this, [this] {
        if (waiting_ && ourselves_.packet == wanted_ && described_.packet != wanted_) show_packet(ourselves_);
    });
    connect(&poll_, &QTimer::timeout, this, &DetailsView::show_progress);
    connect(&state(), &ViewState::selected_things_changed, this, &DetailsView::follow);
    connect(&document, &Document::loaded, this, [this] {
        wanted_ = 0;
        follow();
    });
    connect(tree_->selectionModel(), &QItemSelectionModel::currentChanged, this,
            [this](const QModelIndex& current) { on_field(PacketTreeModel::field_of(current)); });
    const auto remember = [this](const QModelIndex& index, bool open) {
        if (restoring_ || model_->tree() == nullptr) return;
        const QString path =
            QString::fromStdString(model_->tree()->field(PacketTreeModel::field_of(index)).path);
        if (open) {
            expanded_.insert(path);
        } else {
            expanded_.remove(path);
        }
    };
    connect(tree_, &QTreeView::expanded, this, [=](const QModelIndex& index) { remember(index, true); });
    connect(tree_, &QTreeView::collapsed, this, [=](const QModelIndex& index) { remember(index, false); });
    connect(tree_, &QTreeView::activated, this, &DetailsView::open_field);
    connect(tree_, &QWidget::customContextMenuRequested, this, &DetailsView::show_menu);
    follow();
}

DetailsView::~DetailsView() = default;

void DetailsView::make_widgets() {
    setAccessibleName(tr("Details of the packet"));
    model_->set_theme(Theme::of(palette()));
    tree_->setModel(model_);
    tree_->setItemDelegate(new LineDelegate(tree_));
    tree_->viewport()->installEventFilter(this);
    tree_->setHeaderHidden(true);
    tree_->setUniformRowHeights(true);
    tree_->setFrameShape(QFrame::NoFrame);
    tree_->setContextMenuPolicy(Qt::CustomContextMenu);
    tree_->setExpandsOnDoubleClick(false);
    tree_->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    tree_->header()->setStretchLastSection(false);
    tree_->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
    tree_->setAccessibleName(tr("Fields of the packet"));
    sources_->setTabPosition(QTabWidget::South);
    sources_->setDocumentMode(true);
    sources_->setTabBarAutoHide(true);
    sources_->setAccessibleName(tr("Bytes of the packet"));
    splitter_->addWidget(tree_);
    splitter_->addWidget(sources_);
    splitter_->setStretchFactor(0, 3);
    splitter_->setStretchFactor(1, 2);
    splitter_->setChildrenCollapsible(false);

    empty_->setAlignment(Qt::AlignCenter);
    empty_->setWordWrap(true);
    empty_->setForegroundRole(QPalette::PlaceholderText);
    pages_->addWidget(empty_);
    pages_->addWidget(splitter_);
    notice_->setWordWrap(true);
    notice_->setTextFormat(Qt::PlainText);
    notice_->setMargin(4);
    notice_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    notice_->setAutoFillBackground(true);
    notice_->setAccessibleName(tr("Notice"));
    notice_->hide();
    auto* const layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(notice_);
    layout->addWidget(pages_, 1);
    setFocusProxy(tree_);

    auto* const copy = new QShortcut(QKeySequence::Copy, this);
    copy->setContext(Qt::WidgetWithChildrenShortcut);
    connect(copy, &QShortcut::activated, this, [this] {
        const auto* const hex = qobject_cast<HexView*>(sources_->currentWidget());
        if (hex != nullptr && hex->hasFocus()) {
            QApplication::clipboard()->setText(hex->dump());
        } else if (tree_->currentIndex().isValid()) {
            QApplication::clipboard()->setText(tree_->currentIndex().data().toString());
        }
    });
}

TimeReference DetailsView::time_reference() const {
    return {document().first_ns(), state().time_format()};
}

bool DetailsView::settled() const {
    return own_.idle() && dissect_.idle() && !waiting_;
}

void DetailsView::on_in_sight() {
    follow();
}

void DetailsView::resizeEvent(QResizeEvent* event) {
    View::resizeEvent(event);
    constexpr double wide = 1.3;
    const auto orientation = width() > height() * wide ? Qt::Horizontal : Qt::Vertical;
    if (orientation == splitter_->orientation() && divided_) return;
    splitter_->setOrientation(orientation);
    divided_ = true;
    // All of a line of bytes is to be seen beside the fields.
    const int all = orientation == Qt::Horizontal ? width() : height();
    const int bytes =
        orientation == Qt::Horizontal ? std::min(HexView(nullptr).sizeHint().width(), all / 2) : all / 3;
    splitter_->setSizes({all - bytes, bytes});
}

bool DetailsView::eventFilter(QObject* watched, QEvent* event) {
    // The line that is selected is so over the whole width.
    if (watched == tree_->viewport() && event->type() == QEvent::Resize) {
        tree_->header()->setMinimumSectionSize(static_cast<QResizeEvent*>(event)->size().width());
    }
    return View::eventFilter(watched, event);
}

void DetailsView::changeEvent(QEvent* event) {
    View::changeEvent(event);
    if (event->type() != QEvent::PaletteChange || model_ == nullptr) return;
    model_->set_theme(Theme::of(palette()));
    tree_->viewport()->update();
}

// The packet of the selection. Nothing is asked for while nobody sees it.
void DetailsView::follow() {
    if (!in_sight()) return;
    const PacketNumber packet = state().selected().packet;
    if (packet == 0) {
        wanted_ = 0;
        waiting_ = false;
        own_.cancel();
        dissect_.cancel();
        described_ = {};
        model_->set_tree(nullptr);
        set_notice({});
        pages_->setCurrentWidget(empty_);
        return;
    }
    if (packet == wanted_) return;
    wanted_ = packet;
    const bool loading = document().loading();
    waiting_ = !loading;
    own_.request([data = document().data(), packet, time = time_reference()](
                     const StopFlag&) { return describe_ourselves(*data, packet, time); },
                 [this, loading](DescribedPacket described) {
                     if (loading) {
                         described.notice = described.notice.isEmpty()
                                                ? tr("Wireshark's details follow once the capture is loaded.")
                                                : tr("Details follow once the capture is loaded.");
                         return show_packet(std::move(described));
                     }
                     ourselves_ = std::move(described);
                 });
    if (loading) return dissect_.cancel();
    late_.start();
    poll_.start();
    dissect_.request([dissection = dissection_, packet, time = time_reference()](
                         const StopFlag& stop) { return dissection->describe(packet, time, stop); },
                     [this](DescribedPacket described) {
                         waiting_ = false;
                         late_.stop();
                         poll_.stop();
                         show_packet(std::move(described));
                     });
}

void DetailsView::show_progress() {
    if (!waiting_) return poll_.stop();
    const size_t total = dissection_->total;
    if (described_.packet != wanted_ || total == 0) return;
    set_notice(tr("Wireshark looks at the conversation before it: %1 of %2 packets")
                   .arg(grouped(dissection_->done), grouped(total)));
}

void DetailsView::set_notice(const QString& text) {
    notice_->setText(text);
    notice_->setAccessibleDescription(text);
    notice_->setVisible(!text.isEmpty());
    QPalette colours = QApplication::palette(notice_);
    QColor tint = Theme::of(palette()).in_flight;
    const QColor window = colours.color(QPalette::Window);
    constexpr double share = 0.22;
    const auto mix = [](int a, int b) { return static_cast<int>(a + (b - a) * share); };
    colours.setColor(QPalette::Window,
                     QColor(mix(window.red(), tint.red()), mix(window.green(), tint.green()),
                            mix(window.blue(), tint.blue())));
    notice_->setPalette(colours);
}

QString DetailsView::notice() const {
    return notice_->text();
}

void DetailsView::show_packet(DescribedPacket described) {
    std::string path;
    if (const int field = selected_field(); field != PacketTree::none)
        path = model_->tree()->field(field).path;
    described_ = std::move(described);
    pages_->setCurrentWidget(splitter_);
    restoring_ = true;
    model_->set_tree(described_.tree);
    show_sources();
    restore_tree(path);
    restoring_ = false;
    set_notice(described_.notice);
}

void DetailsView::show_sources() {
    const auto& sources = described_.tree->sources();
    while (sources_->count() > static_cast<int>(sources.size())) {
        QWidget* const last = sources_->widget(sources_->count() - 1);
        sources_->removeTab(sources_->count() - 1);
        last->deleteLater();
    }
    for (int i = 0; i < static_cast<int>(sources.size()); ++i) {
        const PacketTree::Source& source = sources[static_cast<size_t>(i)];
        HexView* hex = bytes_of(i);
        if (hex == nullptr) {
            hex = new HexView(sources_);
            sources_->addTab(hex, QString());
            connect(hex, &HexView::byte_chosen, this,
                    [this, hex](uint32_t byte) { on_byte(sources_->indexOf(hex), byte); });
        }
        hex->set_bytes(source.bytes);
        // Wireshark's names hold the length.
        const QString name = QString::fromStdString(source.name);
        sources_->setTabText(
            i, described_.dissected ? name : tr("%1 (%2 bytes)").arg(name, grouped(source.bytes.size())));
    }
    if (sources_->count() > 0) sources_->setCurrentIndex(0);
}

HexView* DetailsView::bytes_of(int source) const {
    return qobject_cast<HexView*>(sources_->widget(source));
}

void DetailsView::expand_below(const QModelIndex& parent) {
    for (int row = 0; row < model_->rowCount(parent); ++row) {
        const QModelIndex index = model_->index(row, 0, parent);
        if (model_->rowCount(index) == 0) continue;
        const std::string& path = model_->tree()->field(PacketTreeModel::field_of(index)).path;
        if (!expanded_.contains(QString::fromStdString(path))) continue;
        tree_->expand(index);
        expand_below(index);
    }
}

void DetailsView::restore_tree(const std::string& selected_path) {
    expand_below({});
    const int field = selected_path.empty() ? PacketTree::none : model_->tree()->find(selected_path);
    if (field == PacketTree::none) return;
    const QModelIndex index = model_->index_of(field);
    tree_->setCurrentIndex(index);
    tree_->scrollTo(index);
}

int DetailsView::selected_field() const {
    return model_->tree() == nullptr ? PacketTree::none : PacketTreeModel::field_of(tree_->currentIndex());
}

void DetailsView::select_field(int field) {
    const QModelIndex index = model_->index_of(field);
    tree_->setCurrentIndex(index);
    tree_->scrollTo(index);
}

void DetailsView::on_field(int at) {
    if (model_->tree() == nullptr || at == PacketTree::none) return;
    const PacketTree::Field& field = model_->tree()->field(at);
    for (int i = 0; i < sources_->count(); ++i) {
        if (i != field.source) bytes_of(i)->highlight(0, 0);
    }
    HexView* const hex = bytes_of(field.source);
    if (hex == nullptr) return;
    if (!following_byte_) sources_->setCurrentIndex(field.source);
    // The protocol around it, as far as it is in the same bytes.
    int outer = at;
    while (model_->tree()->field(outer).parent != PacketTree::none)
        outer = model_->tree()->field(outer).parent;
    const PacketTree::Field& protocol = model_->tree()->field(outer);
    const bool same = protocol.source == field.source && outer != at;
    hex->highlight(field.start, field.length, same ? protocol.start : 0, same ? protocol.length : 0);
}

void DetailsView::on_byte(int source, uint32_t byte) {
    if (model_->tree() == nullptr) return;
    const int field = model_->tree()->field_at(source, byte);
    if (field == PacketTree::none) {
        tree_->setCurrentIndex({});
        return bytes_of(source)->highlight(0, 0);
    }
    following_byte_ = true;
    select_field(field);
    following_byte_ = false;
}

// A field that names another packet leads there.
void DetailsView::open_field(const QModelIndex& index) {
    const int at = PacketTreeModel::field_of(index);
    if (at == PacketTree::none) return;
    const PacketTree::Field& field = model_->tree()->field(at);
    bool number = false;
    const qulonglong packet = QString::fromStdString(field.value).toULongLong(&number);
    if (field.type == "FT_FRAMENUM" && number) return state().select({Selection::Kind::packet, packet});
    if (field.url) {
        const QUrl url(QString::fromStdString(field.value), QUrl::StrictMode);
        if (url.scheme() == QStringLiteral("http") || url.scheme() == QStringLiteral("https")) {
            QDesktopServices::openUrl(url);
        }
        return;
    }
    if (!field.children.empty()) tree_->setExpanded(index, !tree_->isExpanded(index));
}

void DetailsView::show_menu(QPoint at) {
    const QModelIndex index = tree_->indexAt(at);
    const int number = PacketTreeModel::field_of(index);
    if (number == PacketTree::none) return;
    const PacketTree::Field field = model_->tree()->field(number);
    auto* const menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const auto add_copy = [&](const QString& title, const QString& text) {
        QAction* const action = menu->addAction(title);
        action->setEnabled(!text.isEmpty());
        connect(action, &QAction::triggered, this, [text] { QApplication::clipboard()->setText(text); });
    };
    const QString filter = QString::fromStdString(field.filter);
    QAction* const apply = menu->addAction(tr("Apply as filter"));
    apply->setEnabled(!filter.isEmpty());
    apply->setToolTip(plain_text(filter));
    menu->setToolTipsVisible(true);
    connect(apply, &QAction::triggered, this,
            [this, filter, language = QString::fromStdString(field.language)] {
                Q_EMIT filter_wanted(filter, language);
            });
    menu->addSeparator();
    add_copy(tr("Copy line"), index.data().toString());
    add_copy(tr("Copy value"), QString::fromStdString(field.value));
    add_copy(tr("Copy field name"), QString::fromStdString(field.abbreviation));
    add_copy(tr("Copy as filter"), filter);
    const HexView* const hex = bytes_of(field.source);
    add_copy(tr("Copy bytes"),
             hex != nullptr && field.length > 0
                 ? QString::fromLatin1(
                       QByteArray::fromStdString(hex->bytes().substr(field.start, field.length)).toHex(' '))
                 : QString());
    menu->addSeparator();
    connect(menu->addAction(tr("Expand all below")), &QAction::triggered, this,
            [this, index = QPersistentModelIndex(index)] { tree_->expandRecursively(index); });
    connect(menu->addAction(tr("Collapse all")), &QAction::triggered, this, [this] {
        expanded_.clear();
        tree_->collapseAll();
    });
    menu->popup(tree_->viewport()->mapToGlobal(at));
}

}  // namespace sanscope

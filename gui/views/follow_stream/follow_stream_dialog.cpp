// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/follow_stream/follow_stream_dialog.h"

#include <QComboBox>
#include <QCoreApplication>
#include <QFileDialog>
#include <QFileInfo>
#include <QFontDatabase>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QMouseEvent>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QTextBlock>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "gui/plot/theme.h"
#include "gui/senders/sender_list.h"

namespace sanscope {
namespace {

enum Looking : int { for_text, for_hex_bytes, for_expression };

QString number_text(uint64_t count) {
    return QLocale().toString(static_cast<qulonglong>(count));
}

QString bytes_text(uint64_t bytes) {
    return bytes == 1 ? QCoreApplication::translate("FollowStreamDialog", "1 byte")
                      : QCoreApplication::translate("FollowStreamDialog", "%1 bytes").arg(number_text(bytes));
}

QTextCharFormat format_of(StreamText::Kind kind, const Theme& theme) {
    QTextCharFormat format;
    switch (kind) {
        case StreamText::Kind::initiator:
            format.setForeground(theme.initiator);
            break;
        case StreamText::Kind::target:
            format.setForeground(theme.target);
            break;
        case StreamText::Kind::not_captured:
            format.setForeground(theme.problem);
            break;
        case StreamText::Kind::pdu:
            format.setForeground(theme.text);
            format.setFontWeight(QFont::Bold);
            break;
    }
    return format;
}

}  // namespace

FollowStreamDialog::FollowStreamDialog(Document& document, uint32_t connection, QWidget* parent)
    : QDialog(parent),
      document_(document),
      connection_(connection),
      title_(new QLabel(this)),
      text_(new QPlainTextEdit(this)),
      direction_(new QComboBox(this)),
      format_(new QComboBox(this)),
      page_label_(new QLabel(this)),
      kind_(new QComboBox(this)),
      find_(new QLineEdit(this)),
      count_label_(new QLabel(this)),
      progress_(new QProgressBar(this)),
      message_(new QLabel(this)) {
    setWindowTitle(tr("Follow stream: connection %1").arg(connection));
    // One looks for something and saves, while a page is read.
    threads_.setMaxThreadCount(2);
    make_widgets();
    constexpr int between_looks_ms = 100;
    timer_.setInterval(between_looks_ms);
    connect(&timer_, &QTimer::timeout, this, [this] {
        const size_t pieces = stream_ == nullptr ? 1 : std::max<size_t>(1, stream_->outline.pieces.size());
        progress_->setValue(static_cast<int>(std::min<size_t>(100, *done_ * 100 / pieces)));
    });
    set_busy(false);
    if (document.has_loaded()) {
        follow();
    } else {
        message_->setText(tr("The stream is followed once the capture is read."));
        connect(&document, &Document::loaded, this, &FollowStreamDialog::follow);
    }
}

FollowStreamDialog::~FollowStreamDialog() = default;

void FollowStreamDialog::make_widgets() {
    title_->setTextFormat(Qt::PlainText);
    title_->setWordWrap(true);
    message_->setTextFormat(Qt::PlainText);
    message_->setWordWrap(true);
    text_->setReadOnly(true);
    text_->setUndoRedoEnabled(false);
    text_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    text_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    text_->setWordWrapMode(QTextOption::WrapAnywhere);
    text_->setAccessibleName(tr("What was sent"));
    text_->setAccessibleDescription(tr("A click, or Enter, selects the packet that brought it"));
    text_->installEventFilter(this);
    text_->viewport()->installEventFilter(this);
    auto* const shown = new QHBoxLayout;
    add_shown_row(*shown);
    auto* const find = new QHBoxLayout;
    add_find_row(*find);
    auto* const column = new QVBoxLayout(this);
    column->addWidget(title_);
    column->addWidget(text_, 1);
    column->addLayout(shown);
    column->addLayout(find);
    column->addWidget(message_);
    resize(900, 640);
}

// Enter is for what has the focus, not for a button.
QPushButton* FollowStreamDialog::add_button(QHBoxLayout& row, const QString& text) {
    auto* const button = new QPushButton(text, this);
    button->setAutoDefault(false);
    row.addWidget(button);
    return button;
}

void FollowStreamDialog::add_shown_row(QHBoxLayout& row) {
    direction_->addItems({tr("Both directions"), tr("From the initiator"), tr("From the target")});
    direction_->setAccessibleName(tr("Direction"));
    format_->addItems({tr("ASCII"), tr("Hex dump"), tr("UTF-8")});
    format_->setAccessibleName(tr("Show as"));
    row.addWidget(direction_);
    row.addWidget(format_);
    row.addStretch(1);
    previous_ = add_button(row, tr("Previous page"));
    row.addWidget(page_label_);
    next_ = add_button(row, tr("Next page"));
    connect(direction_, &QComboBox::currentIndexChanged, this, &FollowStreamDialog::show_from_beginning);
    connect(format_, &QComboBox::currentIndexChanged, this, &FollowStreamDialog::change_format);
    connect(previous_, &QPushButton::clicked, this, [this] {
        if (page_ > 0) show_page(page_ - 1);
    });
    connect(next_, &QPushButton::clicked, this, [this] { show_page(page_ + 1); });
}

void FollowStreamDialog::add_find_row(QHBoxLayout& row) {
    kind_->addItems({tr("Text"), tr("Hex bytes"), tr("Regular expression")});
    kind_->setToolTip(
        tr("Text and hex bytes are looked for in the bytes of each side, also across packets; "
           "a regular expression in each line as it is shown"));
    kind_->setAccessibleName(tr("What is looked for"));
    find_->setPlaceholderText(tr("Find"));
    find_->setAccessibleName(tr("Find"));
    find_->setClearButtonEnabled(true);
    count_label_->setTextFormat(Qt::PlainText);
    progress_->setRange(0, 100);
    progress_->setMaximumWidth(120);
    progress_->setAccessibleName(tr("Progress"));
    row.addWidget(kind_);
    row.addWidget(find_, 1);
    row.addWidget(count_label_);
    QPushButton* const find_previous_button = add_button(row, tr("Find previous"));
    QPushButton* const find_next_button = add_button(row, tr("Find next"));
    row.addWidget(progress_);
    cancel_ = add_button(row, tr("Cancel"));
    save_ = add_button(row, tr("Save as…"));
    QPushButton* const close = add_button(row, tr("Close"));
    const auto anew = [this] {
        counted_.clear();
        show_count();
    };
    connect(find_, &QLineEdit::textChanged, this, anew);
    connect(kind_, &QComboBox::currentIndexChanged, this, anew);
    connect(find_, &QLineEdit::returnPressed, this, &FollowStreamDialog::find_next);
    connect(find_next_button, &QPushButton::clicked, this, &FollowStreamDialog::find_next);
    connect(find_previous_button, &QPushButton::clicked, this, &FollowStreamDialog::find_previous);
    connect(cancel_, &QPushButton::clicked, this, [this] {
        cancel();
        message_->setText(tr("Cancelled"));
    });
    connect(save_, &QPushButton::clicked, this, &FollowStreamDialog::ask_to_save);
    connect(close, &QPushButton::clicked, this, &QDialog::close);
}

StreamDirection FollowStreamDialog::direction() const {
    return static_cast<StreamDirection>(direction_->currentIndex());
}

StreamFormat FollowStreamDialog::format() const {
    return static_cast<StreamFormat>(format_->currentIndex());
}

QString FollowStreamDialog::message() const {
    return message_->text();
}

size_t FollowStreamDialog::pages() const {
    return stream_ == nullptr ? 0 : stream_->pages_of(direction()).size();
}

bool FollowStreamDialog::settled() const {
    return stream_ != nullptr && follow_job_.idle() && page_job_.idle() && find_job_.idle() &&
           expression_job_.idle() && count_job_.idle() && save_job_.idle();
}

void FollowStreamDialog::set_busy(bool busy) {
    *done_ = 0;
    progress_->setValue(0);
    progress_->setVisible(busy);
    cancel_->setVisible(busy);
    save_->setEnabled(!busy && stream_ != nullptr);
    busy ? timer_.start() : timer_.stop();
}

void FollowStreamDialog::cancel_search() {
    find_job_.cancel();
    expression_job_.cancel();
    searching_ = false;
    if (saving_) return;
    done_ = std::make_shared<std::atomic<size_t>>(0);
    set_busy(false);
}

void FollowStreamDialog::cancel() {
    save_job_.cancel();
    closes_once_saved_ = false;
    if (std::exchange(saving_, false)) document_.writings().end(save_path_, false);
    cancel_search();
}

// What there is to say where nothing was found or done.
void FollowStreamDialog::show_state() {
    const bool nothing_sent = stream_ != nullptr && stream_->outline.pieces.empty();
    message_->setText(saving_ ? tr("Saving") : nothing_sent ? tr("Neither side sent any data.") : QString());
}

void FollowStreamDialog::follow() {
    message_->setText(tr("Following the stream"));
    follow_job_.request([data = document_.data(), connection = connection_](
                            const StopFlag& stop) { return follow_stream(data, connection, stop); },
                        [this](std::shared_ptr<const FollowedStream> stream) { take(std::move(stream)); });
}

void FollowStreamDialog::take(std::shared_ptr<const FollowedStream> stream) {
    stream_ = std::move(stream);
    const StreamOutline& outline = stream_->outline;
    const auto reading = document_.data()->read();
    QString title = connection_text(reading, connection_);
    title += QLatin1Char('\n') + tr("%1 from the initiator, %2 from the target")
                                     .arg(bytes_text(outline.bytes[index_of(Role::initiator)]),
                                          bytes_text(outline.bytes[index_of(Role::target)]));
    const uint64_t missing = outline.not_captured[0] + outline.not_captured[1];
    if (missing > 0) title += tr("; %1 in no packet captured").arg(bytes_text(missing));
    title_->setText(title);
    show_state();
    set_busy(false);
    renew();
}

void FollowStreamDialog::show_from_beginning() {
    if (stream_ == nullptr) return;
    page_ = 0;
    forget_found();
    cancel_search();
    show_state();
    renew();
}

void FollowStreamDialog::forget_found() {
    hit_.reset();
    place_.reset();
    count_job_.cancel();
    counted_.clear();
    counts_.reset();
    show_count();
}

// Where an expression was found holds for the text in which it was.
void FollowStreamDialog::change_format() {
    if (place_ || kind_->currentIndex() == for_expression) {
        forget_found();
        cancel_search();
        show_state();
    }
    renew();
}

void FollowStreamDialog::show_page(size_t page) {
    if (page >= pages()) return;
    page_ = page;
    renew();
}

void FollowStreamDialog::renew() {
    if (stream_ == nullptr) return;
    page_label_->setText(tr("Page %1 of %2").arg(number_text(page_ + 1), number_text(pages())));
    previous_->setEnabled(page_ > 0);
    next_->setEnabled(page_ + 1 < pages());
    page_job_.request(
        [stream = stream_, direction = direction(), page = page_, format = format(),
         wanted = hit_ ? std::optional(hit_->range) : std::nullopt](const StopFlag& stop) {
            return write_page(*stream, direction, page, format, wanted, stop);
        },
        [this](StreamPage page) {
            shown_ = std::move(page);
            if (place_ && place_->page == page_) shown_.text.found = {place_->in_text};
            show_text();
        });
}

void FollowStreamDialog::show_text() {
    const Theme& theme = Theme::of(palette());
    const StreamText& shown = shown_.text;
    text_->clear();
    QTextCursor cursor(text_->document());
    cursor.beginEditBlock();
    for (size_t i = 0; i < shown.spans.size();) {
        const StreamText::Span& span = shown.spans[i];
        // Those of one kind are inserted at once.
        while (i < shown.spans.size() && shown.spans[i].kind == span.kind) ++i;
        const qsizetype end = i < shown.spans.size() ? shown.spans[i].begin : shown.text.size();
        cursor.insertText(shown.text.mid(span.begin, end - span.begin), format_of(span.kind, theme));
    }
    cursor.endEditBlock();
    if (!shown_.fault.isEmpty()) message_->setText(tr("A packet could not be read: %1").arg(shown_.fault));
    mark_found();
}

void FollowStreamDialog::mark_found() {
    QList<QTextEdit::ExtraSelection> selections;
    for (const StreamText::Place& place : shown_.text.found) {
        QTextEdit::ExtraSelection selection;
        selection.cursor = QTextCursor(text_->document());
        selection.cursor.setPosition(static_cast<int>(place.begin));
        selection.cursor.setPosition(static_cast<int>(place.end), QTextCursor::KeepAnchor);
        selection.format.setBackground(palette().highlight());
        selection.format.setForeground(palette().highlightedText());
        selections.append(selection);
    }
    text_->setExtraSelections(selections);
    QTextCursor first(text_->document());
    if (!selections.isEmpty()) first.setPosition(static_cast<int>(shown_.text.found.front().begin));
    text_->setTextCursor(first);
    if (!selections.isEmpty()) text_->centerCursor();
}

void FollowStreamDialog::select_packet_at(int place) {
    const PacketNumber packet = shown_.text.packet_at(place);
    if (packet == 0) return;
    document_.state().select({Selection::Kind::packet, packet});
    document_.reveal_when_resolved();
}

void FollowStreamDialog::find(bool forward) {
    if (stream_ == nullptr) return;
    const auto begin = [&](auto made, auto search) {
        if (const auto* const fault = std::get_if<QString>(&made)) return message_->setText(*fault);
        search(std::get<0>(std::move(made)));
    };
    if (kind_->currentIndex() == for_expression) {
        begin(PatternSearch::make(find_->text(), direction(), format()),
              [&](PatternSearch search) { find_expression(std::move(search), forward); });
    } else {
        begin(kind_->currentIndex() == for_text ? StreamNeedle::of_text(find_->text())
                                                : StreamNeedle::of_hex(find_->text()),
              [&](StreamNeedle needle) { find_bytes(std::move(needle), forward); });
    }
}

void FollowStreamDialog::begin_search() {
    cancel_search();
    searching_ = true;
    message_->setText(tr("Searching"));
    if (saving_) return;
    done_ = std::make_shared<std::atomic<size_t>>(0);
    set_busy(true);
}

void FollowStreamDialog::find_bytes(StreamNeedle needle, bool forward) {
    begin_search();
    place_.reset();
    const auto done = saving_ ? std::make_shared<std::atomic<size_t>>(0) : done_;
    find_job_.request(
        [stream = stream_, needle, direction = direction(), from = hit_, forward,
         done](const StopFlag& stop) {
            return find_in_stream(*stream, needle, direction, from, forward, *done, stop);
        },
        [this, forward](const StreamFound& found) { show_found(found, forward); });
    count(find_->text() + QString::number(kind_->currentIndex()),
          [stream = stream_, needle = std::move(needle), direction = direction()](const StopFlag& stop) {
              return count_in_stream(*stream, needle, direction, stop);
          });
}

void FollowStreamDialog::find_expression(PatternSearch search, bool forward) {
    begin_search();
    hit_.reset();
    const auto done = saving_ ? std::make_shared<std::atomic<size_t>>(0) : done_;
    expression_job_.request(
        [stream = stream_, search, from = place_, forward, done](const StopFlag& stop) {
            return find_pattern(*stream, search, from, forward, *done, stop);
        },
        [this, forward](const PatternFound& found) { show_found_expression(found, forward); });
    count(find_->text() + QString::number(kind_->currentIndex()),
          [stream = stream_, search = std::move(search)](const StopFlag& stop) {
              return count_pattern(*stream, search, stop);
          });
}

// Once for what is looked for; behind the search itself, which may be answered long before.
void FollowStreamDialog::count(const QString& what, std::function<StreamCount(const StopFlag&)> work) {
    if (counted_ == what) return;
    counted_ = what;
    counts_.reset();
    show_count();
    count_job_.request(std::move(work), [this, what](StreamCount counts) {
        if (counted_ != what) return;
        counts_ = std::move(counts);
        show_count();
    });
}

void FollowStreamDialog::show_count() {
    QString text;
    if (counts_ && !counted_.isEmpty() && (hit_ || place_)) {
        const StreamCount::Mark here =
            hit_ ? StreamCount::Mark{hit_->last_piece, hit_->range.begin}
                 : StreamCount::Mark{place_->page, static_cast<uint64_t>(place_->in_text.begin)};
        QString all = number_text(counts_->marks.size());
        if (counts_->more || counts_->left_out > 0) all = tr("at least %1").arg(all);
        const auto at = std::ranges::lower_bound(counts_->marks, here);
        // One that overlaps another has no number.
        text =
            at != counts_->marks.end() && *at == here
                ? tr("%1 of %2").arg(number_text(static_cast<uint64_t>(at - counts_->marks.begin()) + 1), all)
                : tr("%1 in all").arg(all);
    }
    count_label_->setText(text);
}

QString FollowStreamDialog::count_text() const {
    return count_label_->text();
}

// Bytes that nobody has seen may have it.
void FollowStreamDialog::say_found(bool found, bool wrapped, bool forward, const QStringList& not_searched) {
    searching_ = false;
    if (!saving_) set_busy(false);
    if (found) show_state();
    QStringList parts;
    if (!found && kind_->currentIndex() != for_expression) {
        parts << tr("The captured bytes do not have it.");
    } else if (!found) {
        parts << (not_searched.isEmpty() ? tr("No line has it.") : tr("No other line has it."));
    }
    if (wrapped) parts << (forward ? tr("Went on from the beginning.") : tr("Went on from the end."));
    parts += not_searched;
    if (!parts.isEmpty()) message_->setText(parts.join(QLatin1Char(' ')));
}

void FollowStreamDialog::show_found(const StreamFound& found, bool forward) {
    QStringList not_searched;
    if (found.unreadable > 0) {
        not_searched << (found.unreadable == 1
                             ? tr("1 packet could not be read.")
                             : tr("%1 packets could not be read.").arg(number_text(found.unreadable)));
    }
    say_found(found.hit.has_value(), found.hit && found.hit->wrapped, forward, not_searched);
    if (!found.hit) return;
    hit_ = found.hit;
    page_ = stream_->page_of(direction(), found.hit->first_piece);
    show_count();
    renew();
}

void FollowStreamDialog::show_found_expression(const PatternFound& found, bool forward) {
    QStringList not_searched;
    if (found.given_up > 0) {
        not_searched << (found.given_up == 1 ? tr("In 1 line the regular expression took too long.")
                                             : tr("In %1 lines the regular expression took too long.")
                                                   .arg(number_text(found.given_up)));
    }
    if (found.unreadable > 0) {
        not_searched
            << (found.unreadable == 1
                    ? tr("Packets on 1 page could not be read.")
                    : tr("Packets on %1 pages could not be read.").arg(number_text(found.unreadable)));
    }
    say_found(found.place.has_value(), found.wrapped, forward, not_searched);
    if (!found.place) return;
    place_ = found.place;
    page_ = found.place->page;
    show_count();
    renew();
}

void FollowStreamDialog::ask_to_save() {
    const QString beside = QFileInfo(document_.path()).absolutePath();
    const QString path = QFileDialog::getSaveFileName(
        this, tr("Save the bytes of the stream"),
        QStringLiteral("%1/connection-%2.bin").arg(beside).arg(connection_), tr("All files (*)"));
    if (!path.isEmpty()) save(path);
}

void FollowStreamDialog::save(const QString& path) {
    if (stream_ == nullptr) return;
    cancel();
    saving_ = true;
    save_path_ = path;
    document_.writings().begin(path);
    message_->setText(tr("Saving"));
    set_busy(true);
    save_job_.request(
        [stream = stream_, direction = direction(), path, capture = document_.path(), done = done_](
            const StopFlag& stop) { return save_stream(*stream, direction, path, capture, *done, stop); },
        [this](const SavedStream& saved) { show_saved(saved); });
}

void FollowStreamDialog::show_saved(const SavedStream& saved) {
    saving_ = false;
    set_busy(searching_);
    document_.writings().end(save_path_, saved.written);
    const bool closes = std::exchange(closes_once_saved_, false);
    if (!saved.written) return message_->setText(tr("Not saved: %1").arg(saved.error));
    if (closes) return QDialog::reject();
    QString text = tr("%1 saved.").arg(bytes_text(saved.bytes));
    if (saved.left_out > 0) {
        text += QLatin1Char(' ') +
                (saved.left_out == 1
                     ? tr("1 byte that was not captured is left out.")
                     : tr("%1 bytes that were not captured are left out.").arg(number_text(saved.left_out)));
    }
    message_->setText(text);
}

void FollowStreamDialog::reject() {
    if (!saving_) return QDialog::reject();
    closes_once_saved_ = true;
    message_->setText(tr("This closes once the stream is saved. Cancel ends that."));
}

bool FollowStreamDialog::eventFilter(QObject* watched, QEvent* event) {
    if (watched == text_->viewport() && event->type() == QEvent::MouseButtonRelease) {
        const auto* const mouse = static_cast<QMouseEvent*>(event);
        if (mouse->button() == Qt::LeftButton && !text_->textCursor().hasSelection())
            select_packet_at(text_->cursorForPosition(mouse->position().toPoint()).position());
    } else if (watched == text_ && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Return || key == Qt::Key_Enter) {
            select_packet_at(text_->textCursor().position());
            return true;
        }
    }
    return QDialog::eventFilter(watched, event);
}

void FollowStreamDialog::changeEvent(QEvent* event) {
    QDialog::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && stream_ != nullptr) show_text();
}

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/filter_line/filter_line.h"

#include <QAction>
#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPainter>
#include <QProgressBar>
#include <QSettings>
#include <QToolButton>

#include "gui/document/plain_text.h"
#include "gui/models/column_format.h"
#include "gui/models/table_access.h"

namespace sanscope {
namespace {

QString from_utf8(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

QString language_title(std::string_view name) {
    if (name == automatic_filter) return FilterLine::tr("Auto");
    if (name == wireshark_filter) return FilterLine::tr("Wireshark");
    const TableKind* const table = find_table_kind(name);
    return table == nullptr ? from_utf8(name) : table->translated_title();
}

// A label that shows as much of its text as there is room for.
class ElidedLabel final : public QLabel {
  public:
    using QLabel::QLabel;

  protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        painter.setPen(palette().color(foregroundRole()));
        painter.drawText(rect(), static_cast<int>(Qt::AlignVCenter | Qt::AlignLeft),
                         fontMetrics().elidedText(text(), Qt::ElideRight, width()));
    }
    QSize minimumSizeHint() const override { return {60, QLabel::minimumSizeHint().height()}; }
};

constexpr int most_remembered = 40;

// A ribbon between the pages.
QIcon bookmark_icon(const QPalette& palette) {
    QIcon icon;
    for (const int side : {16, 32}) {
        QPixmap picture(side, side);
        picture.fill(Qt::transparent);
        QPainter painter(&picture);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.scale(side / 16.0, side / 16.0);
        painter.setPen(
            QPen(palette.color(QPalette::ButtonText), 1.4, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
        painter.drawPolygon(QPolygonF{{4, 2}, {12, 2}, {12, 14}, {8, 10}, {4, 14}});
        icon.addPixmap(picture);
    }
    return icon;
}

}  // namespace

FilterLine::FilterLine(Document& document, QWidget* parent, std::string dissectd)
    : QWidget(parent),
      document_(document),
      dissectd_(std::move(dissectd)),
      language_(new QComboBox(this)),
      edit_(new FilterEdit(this)),
      completer_(new FilterCompleter(*edit_)),
      message_(new ElidedLabel(this)),
      progress_(new QProgressBar(this)),
      cancel_(new QToolButton(this)),
      save_(new QToolButton(this)),
      buttons_(new FilterButtons(this)),
      helper_(dissectd_) {
    run_thread_.setMaxThreadCount(1);
    make_widgets();
    look_later_.setSingleShot(true);
    look_later_.setInterval(120);
    poll_.setInterval(100);
    connect(&look_later_, &QTimer::timeout, this, &FilterLine::look);
    connect(&poll_, &QTimer::timeout, this, [this] {
        const uint64_t total = run_progress_->total;
        progress_->setRange(0, total == 0 ? 0 : 1000);
        const uint64_t done = run_progress_->done;
        if (total == 0) return;
        progress_->setValue(static_cast<int>(done * 1000 / total));
        show_message(tr("Filtering… %1 of %2").arg(grouped(done), grouped(total)));
    });
    connect(edit_, &QLineEdit::textEdited, this, &FilterLine::on_edited);
    connect(edit_, &FilterEdit::applied, this, &FilterLine::apply);
    connect(edit_, &FilterEdit::cleared, this, &FilterLine::clear);
    connect(edit_, &FilterEdit::history_wanted, this, &FilterLine::show_history);
    connect(edit_, &FilterEdit::older_wanted, this, [this] { step_history(1); });
    connect(edit_, &FilterEdit::newer_wanted, this, [this] {
        if (history_place_ < 0) return complete_at_cursor(true);
        step_history(-1);
    });
    connect(save_, &QToolButton::clicked, this, [this] { buttons_->ask_to_save(expression(), language()); });
    connect(buttons_, &FilterButtons::applied, this, &FilterLine::apply_filter);
    connect(edit_, &FilterEdit::completion_wanted, this, [this] { complete_at_cursor(true); });
    connect(language_, &QComboBox::currentIndexChanged, this, [this] { look(); });
    connect(cancel_, &QToolButton::clicked, this, &FilterLine::cancel);
    connect(&document, &Document::loaded, this, [this] {
        if (std::exchange(run_when_loaded_, false)) run();
    });
    connect(&document.state(), &ViewState::filter_changed, this, [this] {
        if (document_.state().filter() == applied_) return;
        applied_ = nullptr;
        applied_message_.clear();
        applied_tooltip_.clear();
        look();
    });
}

FilterLine::~FilterLine() = default;

void FilterLine::make_widgets() {
    setAccessibleName(tr("Filter"));
    language_->setAccessibleName(tr("Language of the filter"));
    language_->setToolTip(
        tr("What the filter is read as: an expression over the columns of a table, or a Wireshark "
           "display filter. Auto takes the first that fits."));
    const auto add = [&](std::string_view name) {
        language_->addItem(language_title(name), from_utf8(name));
    };
    add(automatic_filter);
    for (const TableKind& table : table_kinds()) add(table.name);
    add(wireshark_filter);

    edit_->setAccessibleName(tr("Filter"));
    edit_->setPlaceholderText(tr("Filter: turnaround > 10ms, kind == rto, iscsi.opcode == 0x01 …"));
    edit_->setToolTip(
        tr("Columns of our tables by their headers or names, or a Wireshark display filter.\nEnter applies, "
           "Esc clears, "
           "Ctrl+Space completes, Up and Down go through those used before, Alt+Down lists them."));
    auto* const history = new QAction(tr("Filters used before"), edit_);
    history->setIcon(style()->standardIcon(QStyle::SP_TitleBarUnshadeButton));
    edit_->addAction(history, QLineEdit::TrailingPosition);
    connect(history, &QAction::triggered, this, &FilterLine::show_history);

    message_->setAccessibleName(tr("What the filter is, or what is wrong with it"));
    message_->setTextFormat(Qt::PlainText);
    progress_->setMaximumWidth(140);
    progress_->setTextVisible(false);
    progress_->setAccessibleName(tr("Progress of the filter"));
    cancel_->setText(tr("Cancel"));
    cancel_->setAutoRaise(true);
    progress_->hide();
    cancel_->hide();
    save_->setIcon(bookmark_icon(palette()));
    save_->setAutoRaise(true);
    save_->setToolTip(tr("Save this filter as a button below the line"));
    save_->setAccessibleName(tr("Save this filter as a button"));
    update_save_button();

    auto* const row = new QHBoxLayout;
    row->addWidget(language_);
    row->addWidget(edit_, 3);
    row->addWidget(save_);
    row->addWidget(progress_);
    row->addWidget(cancel_);
    row->addWidget(message_, 2);
    auto* const column = new QVBoxLayout(this);
    column->setContentsMargins(4, 2, 4, 2);
    column->setSpacing(0);
    column->addLayout(row);
    column->addWidget(buttons_);
    setFocusProxy(edit_);
}

void FilterLine::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) save_->setIcon(bookmark_icon(palette()));
}

// Another capture's line may have saved some.
void FilterLine::showEvent(QShowEvent* event) {
    buttons_->read_again();
    QWidget::showEvent(event);
}

void FilterLine::update_save_button() {
    save_->setEnabled(!taken_for_.isEmpty());
}

QString FilterLine::language() const {
    return language_->currentData().toString();
}

QString FilterLine::message() const {
    return message_->text();
}

bool FilterLine::settled() const {
    return !look_later_.isActive() && !checking_ && helper_.idle() && run_.idle() && !run_when_loaded_;
}

void FilterLine::set_filter(const QString& expression, const QString& language) {
    history_place_ = -1;
    const int at = language_->findData(language);
    {
        const QSignalBlocker blocker(language_);
        language_->setCurrentIndex(std::max(at, 0));
    }
    edit_->setText(expression);
    look();
}

void FilterLine::apply_filter(const QString& expression, const QString& language) {
    set_filter(expression, language);
    apply();
}

void FilterLine::focus() {
    edit_->setFocus(Qt::ShortcutFocusReason);
    edit_->selectAll();
}

void FilterLine::on_edited() {
    apply_when_known_ = false;
    history_place_ = -1;
    edit_->set_wave(0, -1);
    look_later_.start();
    complete_at_cursor(false);
}

int FilterLine::characters_of(size_t bytes) const {
    // The error's position is in bytes of the trimmed expression.
    const QString text = edit_->text();
    qsizetype blanks = 0;
    while (blanks < text.size() && text[blanks].isSpace()) ++blanks;
    const QByteArray utf8 = text.mid(blanks).toUtf8();
    return static_cast<int>(blanks + QString::fromUtf8(utf8.left(static_cast<qsizetype>(bytes))).size());
}

// Finds out what the expression is.
void FilterLine::look() {
    look_later_.stop();
    helper_.forget_check();
    checking_ = false;
    taken_for_.clear();
    update_save_button();
    edit_->set_wave(0, -1);
    const std::string text = expression().toStdString();
    const std::string asked = language().toStdString();
    if (text.empty()) {
        edit_->set_look(FilterEdit::Look::plain);
        apply_when_known_ = false;
        return show_message({});
    }
    if (asked != wireshark_filter) {
        column_filter_ = read_column_filter(text, asked);
        if (column_filter_.filter) {
            taken_for_ = from_utf8(column_filter_.table);
            return show_valid();
        }
        if (asked != automatic_filter) return show_error(column_filter_.error);
    }
    checking_ = true;
    edit_->set_look(FilterEdit::Look::plain);
    helper_.check(text, [this](const DissectHelper::Check& check) { take_check(check); });
}

void FilterLine::take_check(const DissectHelper::Check& check) {
    checking_ = false;
    if (check.valid) {
        taken_for_ = from_utf8(wireshark_filter);
        show_valid();
        if (!check.warnings.empty() && applied_ == nullptr) {
            edit_->set_look(FilterEdit::Look::doubtful);
            show_message(QString::fromStdString(check.warnings.front()));
        }
        return;
    }
    const bool nearly_a_column = column_filter_.meant || column_filter_.error.edits.has_value();
    if (language().toStdString() == automatic_filter && nearly_a_column)
        return show_error(column_filter_.error);
    if (check.reached) return show_error(check.error);
    apply_when_known_ = false;
    edit_->set_look(FilterEdit::Look::invalid);
    const QString why = QString::fromStdString(check.error.message);
    show_message(language().toStdString() == automatic_filter
                     ? tr("No table has such columns, and Wireshark filters are not available: %1").arg(why)
                     : tr("Wireshark filters are not available: %1").arg(why));
}

void FilterLine::show_error(const FilterError& error) {
    apply_when_known_ = false;
    edit_->set_look(FilterEdit::Look::invalid);
    const QString text = expression();
    const auto bytes = static_cast<size_t>(text.toUtf8().size());
    if (error.length > 0 || error.position == bytes) {
        const int begin = characters_of(error.position);
        edit_->set_wave(begin, characters_of(error.position + error.length) - begin);
    }
    show_message(QString::fromStdString(error.message));
}

void FilterLine::show_valid() {
    update_save_button();
    edit_->set_look(FilterEdit::Look::valid);
    const bool is_applied = applied_ != nullptr && applied_->expression == expression().toStdString();
    if (is_applied) {
        show_message(applied_message_, applied_tooltip_);
    } else if (taken_for_ == from_utf8(wireshark_filter)) {
        show_message(tr("Wireshark display filter — Enter applies it"));
    } else {
        show_message(tr("columns of %1 — Enter applies it").arg(taken_for_));
    }
    if (std::exchange(apply_when_known_, false)) run();
}

void FilterLine::show_message(const QString& message, const QString& tooltip) {
    message_->setText(message);
    message_->setToolTip(plain_text(tooltip.isEmpty() ? message : tooltip));
    message_->setAccessibleDescription(message);
    edit_->setAccessibleDescription(message);
}

void FilterLine::end_completion() {
    ++completion_;
    completer_->hide();
}

void FilterLine::apply() {
    end_completion();
    if (expression().isEmpty()) return clear();
    if (look_later_.isActive()) look();
    apply_when_known_ = checking_;
    if (!checking_ && !taken_for_.isEmpty()) run();
}

void FilterLine::clear() {
    end_completion();
    cancel();
    edit_->clear();
    applied_ = nullptr;
    document_.state().set_filter(nullptr);
    look();
}

void FilterLine::run() {
    remember();
    if (document_.loading()) {
        run_when_loaded_ = true;
        return show_message(tr("The filter runs as soon as the capture is loaded"));
    }
    run_progress_ = std::make_shared<FilterProgress>();
    show_running(true);
    show_message(tr("Filtering…"));
    if (taken_for_ == from_utf8(wireshark_filter)) {
        run_.request(
            [data = document_.data(), text = expression().toStdString(), program = dissectd_,
             progress = run_progress_](const StopFlag& stop) {
                return run_display_filter(*data, text, program, *progress, stop);
            },
            [this](const FilterOutcome& outcome) { finish(outcome); });
    } else {
        run_.request(
            [data = document_.data(), table = column_filter_.table, filter = *column_filter_.filter,
             text = expression().toStdString(), progress = run_progress_](const StopFlag& stop) {
                return run_column_filter(*data, table, filter, text, *progress, stop);
            },
            [this](const FilterOutcome& outcome) { finish(outcome); });
    }
}

void FilterLine::finish(const FilterOutcome& outcome) {
    show_running(false);
    if (outcome.result == nullptr) {
        if (!outcome.error.isEmpty()) {
            edit_->set_look(FilterEdit::Look::invalid);
            show_message(outcome.error);
        }
        return;
    }
    applied_ = outcome.result;
    const LinkedRows& rows = applied_->rows;
    const auto of = [](const RowSet& set) {
        return tr("%1 of %2").arg(grouped(set.count()), grouped(set.size()));
    };
    applied_message_ =
        tr("%1 of %2 %3").arg(grouped(outcome.passed), grouped(outcome.total), from_utf8(outcome.table));
    if (outcome.table == "packets" && taken_for_ == from_utf8(wireshark_filter)) {
        applied_message_ += tr(" — Wireshark display filter");
    } else {
        applied_message_ += tr(" — columns of %1").arg(from_utf8(outcome.table));
    }
    applied_tooltip_ = tr("Commands: %1\nPDUs: %2\nPackets: %3\nConnections: %4\nSessions: %5\nLosses: %6")
                           .arg(of(rows.commands), of(rows.pdus), of(rows.packets), of(rows.connections),
                                of(rows.sessions), of(rows.losses));
    if (!outcome.notes.isEmpty()) {
        applied_message_ += tr(" — %1").arg(outcome.notes.front());
        applied_tooltip_ += QLatin1Char('\n') + outcome.notes.mid(0, 20).join(QLatin1Char('\n'));
    }
    show_message(applied_message_, applied_tooltip_);
    document_.state().set_filter(applied_);
}

void FilterLine::cancel() {
    apply_when_known_ = false;
    run_when_loaded_ = false;
    if (run_.idle()) return;
    run_.cancel();
    show_running(false);
    show_message(tr("Cancelled"));
}

void FilterLine::show_running(bool running) {
    progress_->setVisible(running);
    cancel_->setVisible(running);
    if (running) {
        progress_->setRange(0, 0);
        poll_.start();
    } else {
        poll_.stop();
    }
}

// What Wireshark knows is asked of the helper process and comes a little later.
void FilterLine::complete_at_cursor(bool wanted) {
    const QByteArray before = edit_->text().left(edit_->cursorPosition()).toUtf8();
    const std::string text = edit_->text().toStdString();
    const auto cursor = static_cast<size_t>(before.size());
    const std::string_view word = field_prefix(text, cursor);
    if (!wanted && word.empty()) return end_completion();
    ++completion_;
    own_ = {};
    own_.begin = own_.end = cursor;
    const std::string asked = language().toStdString();
    if (asked != wireshark_filter) own_ = complete_column_filter(text, cursor, asked);
    // A whole word needs no completion.
    if (!wanted && own_.entries.size() == 1 && own_.entries.front().candidate.text == word)
        own_.entries.clear();
    offer_completions({});
    const bool of_wireshark = asked == wireshark_filter || asked == automatic_filter;
    constexpr uint32_t most_fields = 60;
    if (of_wireshark && word.size() >= 2) {
        helper_.complete(std::string(word), most_fields,
                         [this, number = completion_](const std::vector<DissectHelper::Field>& fields) {
                             if (number == completion_) offer_completions(fields);
                         });
    }
}

void FilterLine::offer_completions(const std::vector<DissectHelper::Field>& fields) {
    const std::string text = edit_->text().toStdString();
    const auto cursor = static_cast<size_t>(edit_->text().left(edit_->cursorPosition()).toUtf8().size());
    const std::string_view word = field_prefix(text, cursor);
    size_t begin = own_.begin;
    std::vector<FilterCompleter::Offer> offers;
    for (const TableCompletion::Entry& entry : own_.entries) {
        const Candidate& candidate = entry.candidate;
        const bool column = candidate.kind == Candidate::Kind::column;
        const QString description = from_utf8(candidate.description);
        offers.push_back(
            {from_utf8(candidate.text),
             column && language().toStdString() == automatic_filter
                 ? QStringLiteral("%1 — %2").arg(QString::fromStdString(entry.tables), description)
                 : description,
             description});
    }
    if (own_.entries.empty()) begin = cursor - word.size();
    // Both begin where the word does.
    if (begin == cursor - word.size()) {
        for (const DissectHelper::Field& field : fields) {
            if (field.abbreviation == word && fields.size() == 1) continue;
            offers.push_back({QString::fromStdString(field.abbreviation),
                              tr("Wireshark — %1").arg(QString::fromStdString(field.name)),
                              QString::fromStdString(field.type)});
        }
    }
    const auto characters = [&](size_t bytes) {
        return static_cast<int>(QString::fromUtf8(text.data(), static_cast<qsizetype>(bytes)).size());
    };
    completer_->offer(characters(begin), characters(std::max(own_.end, cursor)), offers);
}

QStringList FilterLine::history() const {
    return QSettings().value(QStringLiteral("filters/history")).toStringList();
}

void FilterLine::remember() {
    QStringList filters = history();
    const QString entry = language() + QLatin1Char('\t') + expression();
    filters.removeAll(entry);
    filters.prepend(entry);
    while (filters.size() > most_remembered) filters.removeLast();
    QSettings().setValue(QStringLiteral("filters/history"), filters);
    history_place_ = -1;
}

void FilterLine::step_history(qsizetype by) {
    end_completion();
    const QStringList filters = history();
    const QString now = language() + QLatin1Char('\t') + expression();
    qsizetype place = history_place_ + by;
    // The one in the line is not offered once more.
    if (place == 0 && history_place_ < 0 && !filters.isEmpty() && filters.front() == now) ++place;
    if (place >= filters.size()) return;
    if (history_place_ < 0) {
        typed_ = edit_->text();
        typed_language_ = language();
    }
    const QString entry = place < 0 ? typed_language_ + QLatin1Char('\t') + typed_ : filters[place];
    set_filter(entry.section(QLatin1Char('\t'), 1), entry.section(QLatin1Char('\t'), 0, 0));
    history_place_ = place;
}

void FilterLine::show_history() {
    auto* const menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    for (const QString& entry : history()) {
        const QString name = entry.section(QLatin1Char('\t'), 0, 0);
        const QString text = entry.section(QLatin1Char('\t'), 1);
        QString shown = fontMetrics().elidedText(text, Qt::ElideMiddle, 500);
        shown.replace(QLatin1Char('&'), QLatin1String("&&"));
        if (name != from_utf8(automatic_filter))
            shown += QStringLiteral("   (%1)").arg(language_title(name.toStdString()));
        connect(menu->addAction(shown), &QAction::triggered, this,
                [this, text, name] { apply_filter(text, name); });
    }
    if (menu->isEmpty()) menu->addAction(tr("No filter was used before"))->setEnabled(false);
    menu->popup(edit_->mapToGlobal(QPoint(0, edit_->height())));
}

}  // namespace sanscope

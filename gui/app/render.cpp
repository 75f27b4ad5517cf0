// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/render.h"

#include <QApplication>
#include <QDateTime>
#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QListView>
#include <QRegularExpression>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fmt/core.h>
#include <memory>

#include "gui/app/start_place.h"
#include "gui/app/theme_palette.h"
#include "gui/app/view_kinds.h"
#include "gui/document/open_path.h"
#include "gui/models/row_colors.h"
#include "gui/models/table_kinds.h"
#include "gui/views/findings/findings_view.h"
#include "gui/views/io_graph/graph_words.h"
#include "gui/views/io_graph/io_graph_view.h"
#include "gui/views/tables/rows_view.h"

#include "analyzer/base/print_text.h"

namespace sanscope {
namespace {

constexpr int exit_well = 0;
constexpr int exit_nothing = 1;
constexpr int exit_usage = 2;
constexpr int exit_damaged = 3;
constexpr int patience_ms = 120'000;

void complain(const QString& text) {
    print_text(stderr, "sanscope-gui: {}\n", text.toStdString());
}

int64_t moment(const AskedTime& time, int64_t begin_ns) {
    return time.absolute ? time.ns : begin_ns + time.ns;
}

template <class Condition>
void process_until(Condition condition) {
    QElapsedTimer timer;
    timer.start();
    while (!condition() && timer.elapsed() < patience_ms) {
        QApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents, 50);
    }
}

bool select(Document& document, const QString& text) {
    static const QRegularExpression form(QStringLiteral("^([a-z]+):([0-9]{1,18})$"));
    const auto match = form.match(text);
    const TableKind* const kind = find_selectable(match.captured(1).toStdString());
    if (kind == nullptr) return false;
    const Selection selection{kind->selection, match.captured(2).toULongLong()};
    document.state().select(selection);
    process_until([&] { return document.state().selected().selection == selection; });
    return true;
}

void choose_finding(FindingsView& view, const QString& kind) {
    const auto& findings = view.findings();
    const auto at = std::ranges::find(findings, kind.toStdString(),
                                      [](const Finding& finding) { return finding_kind_name(finding.kind); });
    if (at == findings.end()) return;
    const int row = view.row_of(static_cast<size_t>(at - findings.begin()));
    if (row < 0) return;
    const QModelIndex index = view.list().model()->index(row, 0);
    view.list().setCurrentIndex(index);
    view.list().scrollTo(index);
}

}  // namespace

std::optional<AskedTime> parse_time(const QString& text) {
    static const QRegularExpression relative(QStringLiteral("^([0-9]+(?:\\.[0-9]+)?)(s|ms|us|µs|ns|min)?$"));
    const auto match = relative.match(text);
    if (match.hasMatch()) {
        const QString unit = match.captured(2);
        const double factor = unit == QStringLiteral("ms")                                          ? 1e6
                              : unit == QStringLiteral("min")                                       ? 60e9
                              : unit == QStringLiteral("ns")                                        ? 1
                              : unit.endsWith(QStringLiteral("us")) || unit.startsWith(QChar(0xb5)) ? 1e3
                                                                                                    : 1e9;
        const double ns = match.captured(1).toDouble() * factor;
        if (ns > 4e18) return std::nullopt;
        return AskedTime{false, std::llround(ns)};
    }
    static const QRegularExpression absolute(
        QStringLiteral("^(\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d)(?:\\.(\\d{1,9}))?Z?$"));
    const auto date = absolute.match(text);
    if (!date.hasMatch()) return std::nullopt;
    QDateTime moment = QDateTime::fromString(date.captured(1), Qt::ISODate);
    if (!moment.isValid()) return std::nullopt;
    moment.setTimeSpec(Qt::UTC);
    const int64_t fraction = date.captured(2).leftJustified(9, QLatin1Char('0')).toLongLong();
    return AskedTime{true, moment.toSecsSinceEpoch() * 1'000'000'000 + fraction};
}

std::optional<QSize> parse_size(const QString& text) {
    static const QRegularExpression form(QStringLiteral("^([0-9]{2,5})x([0-9]{2,5})$"));
    const auto match = form.match(text);
    if (!match.hasMatch()) return std::nullopt;
    const QSize size(match.captured(1).toInt(), match.captured(2).toInt());
    constexpr int least = 64;
    constexpr int most = 16384;
    if (size.width() < least || size.height() < least || size.width() > most || size.height() > most)
        return std::nullopt;
    return size;
}

int render(const RenderOptions& options) {
    std::vector<const ViewKind*> kinds;
    for (const ViewKind& kind : view_kinds()) {
        if (options.views.isEmpty()) kinds.push_back(&kind);
    }
    for (const QString& name : options.views) {
        const ViewKind* const kind = find_view_kind(name.toStdString());
        if (kind == nullptr) {
            QStringList names;
            for (const ViewKind& one : view_kinds()) names.append(one.id());
            complain(QStringLiteral("there is no view %1; there are %2")
                         .arg(name, names.join(QStringLiteral(", "))));
            return exit_usage;
        }
        kinds.push_back(kind);
    }
    QApplication::setPalette(theme_palette(options.dark));
    QString error;
    QString file = options.file;
    std::shared_ptr<const OpenPath> points;
    if (!options.points.isEmpty()) {
        std::vector<std::string> files;
        for (const QString& one : options.points) files.push_back(QFile::encodeName(one).toStdString());
        auto followed = OpenPath::follow(files, {});
        if (!followed) {
            complain(QString::fromStdString(followed.error().message));
            return exit_nothing;
        }
        points = *followed;
        file = QFile::decodeName(QByteArray::fromStdString(points->files().front()));
    }
    const auto document = Document::open(file, error);
    if (document == nullptr) {
        complain(QStringLiteral("%1: %2").arg(file, error));
        return exit_nothing;
    }
    bool loaded = false;
    QObject::connect(document.get(), &Document::loaded, [&] { loaded = true; });
    process_until([&] { return loaded; });
    document->set_points(points);
    if (!QDir().mkpath(options.folder)) {
        complain(QStringLiteral("%1 cannot be made").arg(options.folder));
        return exit_nothing;
    }
    ViewState& state = document->state();
    const TimeRange whole = state.whole();
    if (options.from || options.to) {
        const TimeRange range{options.from ? moment(*options.from, whole.begin_ns) : whole.begin_ns,
                              options.to ? moment(*options.to, whole.begin_ns) : whole.end_ns};
        if (range.empty()) {
            complain(QStringLiteral("--from is not before --to"));
            return exit_usage;
        }
        if (!range.overlaps(whole)) {
            complain(QStringLiteral("the capture has nothing between --from and --to"));
            return exit_usage;
        }
        state.set_range(range);
    }
    if (!options.select.isEmpty() && !select(*document, options.select)) {
        complain(QStringLiteral("--select takes KIND:NUMBER, as in command:12"));
        return exit_usage;
    }
    if (const QString lacking = go_to(*document, {.at = options.at, .finding = options.finding});
        !lacking.isEmpty()) {
        complain(lacking);
        return exit_usage;
    }
    process_until([&] { return state.selected().selection == state.selection(); });
    for (const ViewKind* const kind : kinds) {
        const std::unique_ptr<View> view(kind->make(*document, nullptr));
        view->setWindowTitle(kind->translated_title());
        view->resize(options.size);
        view->setAttribute(Qt::WA_DontShowOnScreen);
        // Not by the rules that a window has kept.
        if (kind->name == "packets") {
            const auto colors =
                std::make_shared<const RowColors>(default_color_rules(options.dark), "packets");
            qobject_cast<RowsView*>(view.get())->set_colors({colors, colors});
        }
        view->show();
        // Not those that a window has kept.
        if (auto* const graph = qobject_cast<IoGraphView*>(view.get()))
            graph->set_setup({default_graph_lines(), 0});
        if (!wait_until_settled(*view, patience_ms)) {
            complain(QStringLiteral("the view %1 took too long").arg(kind->id()));
            return exit_nothing;
        }
        if (auto* const findings = qobject_cast<FindingsView*>(view.get())) {
            choose_finding(*findings, options.finding);
        }
        const QString path =
            QDir(options.folder).filePath(kind->id() + QLatin1Char('.') + ending_of(options.format));
        if (const QString fault = export_view(*view, path, options.format, options.scale); !fault.isEmpty()) {
            complain(fault);
            return exit_nothing;
        }
        print_text(stdout, "{}\n", path.toStdString());
    }
    bool damaged = !document->warning().isEmpty();
    if (damaged) complain(document->warning());
    for (size_t i = 0; points != nullptr && i < points->damage().size(); ++i) {
        complain(QString::fromStdString(points->damage()[i]));
        damaged = true;
    }
    if (!damaged) return exit_well;
    return exit_damaged;
}

}  // namespace sanscope

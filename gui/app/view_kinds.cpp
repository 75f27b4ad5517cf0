// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/view_kinds.h"

#include <QCoreApplication>
#include <vector>

#include "gui/models/table_kinds.h"
#include "gui/points/points_view.h"
#include "gui/views/details/details_view.h"
#include "gui/views/findings/findings_view.h"
#include "gui/views/io_graph/io_graph_view.h"
#include "gui/views/ladder/ladder_view.h"
#include "gui/views/layers/layers_view.h"
#include "gui/views/notes/notes_view.h"
#include "gui/views/overview/overview_view.h"
#include "gui/views/selected_range/selected_range_view.h"
#include "gui/views/statistics/statistics_view.h"
#include "gui/views/tables/rows_view.h"
#include "gui/views/time_budgets/time_budgets_view.h"
#include "gui/views/time_sequence/time_sequence_view.h"
#include "gui/views/turnaround/turnaround_view.h"
#include "gui/views/windows/windows_view.h"

namespace sanscope {
namespace {

template <class Kind>
View* make(const ViewKind&, Document& document, QWidget* parent) {
    return new Kind(document, parent);
}

View* make_rows(const ViewKind& kind, Document& document, QWidget* parent) {
    return new RowsView(document, kind.table->name, parent);
}

std::vector<ViewKind> make_kinds() {
    std::vector<ViewKind> kinds{
        {"overview", QT_TRANSLATE_NOOP("ViewKind", "Overview"), make<OverviewView>},
        {"layers", QT_TRANSLATE_NOOP("ViewKind", "Layers"), make<LayersView>},
        {"ladder", QT_TRANSLATE_NOOP("ViewKind", "Packet ladder"), make<LadderView>},
        {"windows", QT_TRANSLATE_NOOP("ViewKind", "Windows"), make<WindowsView>},
        {"time-sequence", QT_TRANSLATE_NOOP("ViewKind", "Time–sequence"), make<TimeSequenceView>},
        {"turnaround", QT_TRANSLATE_NOOP("ViewKind", "Turnaround"), make<TurnaroundView>},
        {"time-budgets", QT_TRANSLATE_NOOP("ViewKind", "Where the time went"), make<TimeBudgetsView>},
        {"io-graph", QT_TRANSLATE_NOOP("ViewKind", "I/O graph"), make<IoGraphView>},
    };
    for (const TableKind& table : table_kinds()) {
        if (!table.view.empty()) kinds.push_back({table.view, table.title, make_rows, &table});
    }
    kinds.push_back({"statistics", QT_TRANSLATE_NOOP("ViewKind", "Statistics"), make<StatisticsView>});
    kinds.push_back({"points", QT_TRANSLATE_NOOP("ViewKind", "Points"), make<PointsView>});
    kinds.push_back({"details", QT_TRANSLATE_NOOP("ViewKind", "Details"), make<DetailsView>});
    kinds.push_back({"findings", QT_TRANSLATE_NOOP("ViewKind", "Findings"), make<FindingsView>});
    kinds.push_back({.name = "selected-range",
                     .title = QT_TRANSLATE_NOOP("ViewKind", "Selected range"),
                     .make_view = make<SelectedRangeView>,
                     .former_name = "stretch"});
    kinds.push_back({"notes", QT_TRANSLATE_NOOP("ViewKind", "Notes"), make<NotesView>});
    return kinds;
}

}  // namespace

std::span<const ViewKind> view_kinds() {
    static const std::vector<ViewKind> kinds = make_kinds();
    return kinds;
}

QString ViewKind::layout_name() const {
    const std::string_view stored = former_name.empty() ? name : former_name;
    return QStringLiteral("dock-") + QString::fromUtf8(stored.data(), static_cast<qsizetype>(stored.size()));
}

QString ViewKind::translated_title() const {
    return table != nullptr ? table->translated_title() : QCoreApplication::translate("ViewKind", title);
}

const ViewKind* find_view_kind(std::string_view name) {
    for (const ViewKind& kind : view_kinds()) {
        if (kind.name == name || (!name.empty() && kind.former_name == name)) return &kind;
    }
    return nullptr;
}

}  // namespace sanscope

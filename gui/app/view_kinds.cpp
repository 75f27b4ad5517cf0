// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/view_kinds.h"

#include <QCoreApplication>

#include "gui/views/details/details_view.h"
#include "gui/views/findings/findings_view.h"
#include "gui/views/ladder/ladder_view.h"
#include "gui/views/layers/layers_view.h"
#include "gui/views/notes/notes_view.h"
#include "gui/views/overview/overview_view.h"
#include "gui/views/tables/rows_view.h"
#include "gui/views/time_sequence/time_sequence_view.h"
#include "gui/views/turnaround/turnaround_view.h"
#include "gui/views/windows/windows_view.h"

namespace sanscope {
namespace {

template <class Kind>
View* make(Document& document, QWidget* parent) {
    return new Kind(document, parent);
}

#define SANSCOPE_ROWS(table) \
    ([](Document& document, QWidget* parent) -> View* { return new RowsView(document, table, parent); })

constexpr ViewKind kinds[] = {
    {"overview", QT_TRANSLATE_NOOP("ViewKind", "Overview"), make<OverviewView>},
    {"layers", QT_TRANSLATE_NOOP("ViewKind", "Layers"), make<LayersView>},
    {"ladder", QT_TRANSLATE_NOOP("ViewKind", "Packet ladder"), make<LadderView>},
    {"windows", QT_TRANSLATE_NOOP("ViewKind", "Windows"), make<WindowsView>},
    {"time-sequence", QT_TRANSLATE_NOOP("ViewKind", "Time–sequence"), make<TimeSequenceView>},
    {"turnaround", QT_TRANSLATE_NOOP("ViewKind", "Turnaround"), make<TurnaroundView>},
    {"commands", QT_TRANSLATE_NOOP("ViewKind", "Commands"), SANSCOPE_ROWS("commands")},
    {"pdus", QT_TRANSLATE_NOOP("ViewKind", "PDUs"), SANSCOPE_ROWS("pdus")},
    {"packets", QT_TRANSLATE_NOOP("ViewKind", "Packets"), SANSCOPE_ROWS("packets")},
    {"connections", QT_TRANSLATE_NOOP("ViewKind", "Connections"), SANSCOPE_ROWS("connections")},
    {"sessions", QT_TRANSLATE_NOOP("ViewKind", "Sessions"), SANSCOPE_ROWS("sessions")},
    {"losses", QT_TRANSLATE_NOOP("ViewKind", "Losses"), SANSCOPE_ROWS("losses")},
    {"kernel-windows", QT_TRANSLATE_NOOP("ViewKind", "Kernel windows"), SANSCOPE_ROWS("kernel_windows")},
    {"kernel-ca-transitions", QT_TRANSLATE_NOOP("ViewKind", "Kernel CA transitions"),
     SANSCOPE_ROWS("kernel_ca_transitions")},
    {"details", QT_TRANSLATE_NOOP("ViewKind", "Details"), make<DetailsView>},
    {"findings", QT_TRANSLATE_NOOP("ViewKind", "Findings"), make<FindingsView>},
    {"notes", QT_TRANSLATE_NOOP("ViewKind", "Notes"), make<NotesView>},
};

}  // namespace

std::span<const ViewKind> view_kinds() {
    return kinds;
}

QString ViewKind::translated_title() const {
    return QCoreApplication::translate("ViewKind", title);
}

const ViewKind* find_view_kind(std::string_view name) {
    for (const ViewKind& kind : view_kinds()) {
        if (kind.name == name) return &kind;
    }
    return nullptr;
}

}  // namespace sanscope

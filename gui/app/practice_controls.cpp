// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/practice_controls.h"

#include <QDockWidget>
#include <QStatusBar>
#include <QUrlQuery>
#include <utility>

#include "gui/app/capture_window.h"
#include "gui/app/start_place.h"
#include "gui/practice/practice_dialog.h"
#include "gui/practice/practice_panel.h"
#include "gui/views/findings/finding_page.h"

#include "analyzer/report/findings.h"

namespace sanscope {
namespace {

const QString dock_name = QStringLiteral("practice");

void follow(CaptureWindow& capture, const QString& items) {
    const StartPlace place = place_of_link(items);
    QString lacking = fault_of(place);
    if (lacking.isEmpty() && !capture.document().has_loaded())
        lacking = PracticeControls::tr("The capture is still being read.");
    if (lacking.isEmpty()) lacking = go_to(capture, place);
    if (lacking.isEmpty()) return;
    constexpr int long_enough_ms = 8000;
    capture.statusBar()->showMessage(lacking, long_enough_ms);
}

void show_page_of(const QString& kind, QWidget* parent) {
    for (int value = 0; value <= static_cast<int>(Finding::Kind::nothing_wrong); ++value) {
        const auto one = static_cast<Finding::Kind>(value);
        if (finding_kind_name(one) == kind.toStdString()) show_finding_page(one, parent);
    }
}

}  // namespace

StartPlace place_of_link(const QString& items) {
    const QUrlQuery query(items);
    const auto value = [&](const char* key) {
        return query.queryItemValue(QString::fromLatin1(key), QUrl::FullyDecoded);
    };
    return {.at = value("at"),
            .finding = value("finding"),
            .views = query.allQueryItemValues(QStringLiteral("view"), QUrl::FullyDecoded),
            .filter = value("filter")};
}

PracticeControls::PracticeControls(QWidget* window, std::function<CaptureWindow*(const QString& path)> open)
    : QObject(window), window_(window), open_(std::move(open)) {}

void PracticeControls::ask() {
    auto* const dialog = new PracticeDialog(mysteries_in(mysteries_folder()), window_);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &PracticeDialog::chosen, this, [this](const MysteryPage& page) { begin(page); });
    dialog->open();
}

PracticePanel* PracticeControls::begin(const MysteryPage& page) {
    CaptureWindow* const capture = open_(page.capture);
    if (capture == nullptr) return nullptr;
    auto* dock = capture->findChild<QDockWidget*>(dock_name);
    if (dock == nullptr) {
        dock = new QDockWidget(tr("Practice"), capture);
        dock->setObjectName(dock_name);
        dock->setAllowedAreas(Qt::LeftDockWidgetArea | Qt::RightDockWidgetArea);
        dock->setFeatures(QDockWidget::DockWidgetClosable | QDockWidget::DockWidgetMovable);
        auto* const panel = new PracticePanel(page, dock);
        connect(panel, &PracticePanel::place_wanted, capture,
                [capture](const QString& items) { follow(*capture, items); });
        connect(panel, &PracticePanel::finding_page_wanted, capture,
                [capture](const QString& kind) { show_page_of(kind, capture); });
        dock->setWidget(panel);
        // As high as the window: the views are all in the area at the top.
        for (const auto& [corner, area] : {std::pair(Qt::TopRightCorner, Qt::RightDockWidgetArea),
                                           std::pair(Qt::TopLeftCorner, Qt::LeftDockWidgetArea)})
            capture->setCorner(corner, area);
        capture->addDockWidget(Qt::RightDockWidgetArea, dock);
        capture->resizeDocks({dock}, {panel->sizeHint().width()}, Qt::Horizontal);
    }
    dock->show();
    return static_cast<PracticePanel*>(dock->widget());
}

}  // namespace sanscope

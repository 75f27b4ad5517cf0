// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/render_comparison.h"

#include <QApplication>
#include <QDir>
#include <cstdio>

#include "gui/app/theme_palette.h"
#include "gui/comparing/comparison_view.h"

#include "analyzer/base/print_text.h"

namespace sanscope {
namespace {

constexpr int exit_well = 0;
constexpr int exit_nothing = 1;
constexpr int exit_damaged = 3;

int refuse(const QString& why) {
    print_text(stderr, "sanscope-gui: {}\n", why.toStdString());
    return exit_nothing;
}

}  // namespace

int render_comparison(const RenderOptions& options, const QString& after) {
    using Which = ComparisonView::Which;
    QApplication::setPalette(theme_palette(options.dark));
    ComparisonView view(
        options.file, after, [](const QString&) { return nullptr; }, nullptr);
    view.setWindowTitle(view.title());
    view.resize(options.size);
    view.setAttribute(Qt::WA_DontShowOnScreen);
    view.show();
    while (!view.settled())
        QApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents, 50);
    QApplication::processEvents();
    for (const Which which : {Which::before, Which::after}) {
        if (const QString& error = view.error(which); !error.isEmpty())
            return refuse(QStringLiteral("%1: %2").arg(view.path(which), error));
    }
    if (!QDir().mkpath(options.folder))
        return refuse(QStringLiteral("%1 cannot be made").arg(options.folder));
    const QString path =
        QDir(options.folder).filePath(QStringLiteral("compare.") + ending_of(options.format));
    const auto draw = [&](QPainter& painter) {
        view.render(&painter, QPoint(), QRegion(), QWidget::DrawWindowBackground | QWidget::DrawChildren);
    };
    if (const QString fault = export_picture(view, draw, path, options.format, options.scale);
        !fault.isEmpty())
        return refuse(fault);
    print_text(stdout, "{}\n", path.toStdString());
    const ComparedCaptures& captures = *view.captures();
    for (const auto& [which, capture] :
         {std::pair(Which::before, captures.before), {Which::after, captures.after}}) {
        if (capture->damage.empty()) continue;
        refuse(QStringLiteral("%1: %2").arg(view.path(which), QString::fromStdString(capture->damage)));
        return exit_damaged;
    }
    return exit_well;
}

}  // namespace sanscope

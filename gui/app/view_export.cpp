// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/view_export.h"

#include <QBuffer>
#include <QCoreApplication>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QImage>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QSaveFile>
#include <QSvgGenerator>
#include <QThread>

namespace sanscope {
namespace {

void draw_png(View& view, QIODevice& out, double scale) {
    QImage image(view.size() * scale, QImage::Format_ARGB32_Premultiplied);
    image.setDevicePixelRatio(scale);
    image.fill(view.palette().color(QPalette::Window));
    {
        QPainter painter(&image);
        view.draw(painter);
    }
    image.save(&out, "PNG");
}

void draw_svg(View& view, QIODevice& out) {
    QSvgGenerator svg;
    svg.setOutputDevice(&out);
    svg.setSize(view.size());
    svg.setViewBox(view.rect());
    svg.setTitle(view.windowTitle());
    QPainter painter(&svg);
    painter.fillRect(view.rect(), view.palette().color(QPalette::Window));
    view.draw(painter);
}

void draw_pdf(View& view, QIODevice& out) {
    QPdfWriter pdf(&out);
    constexpr int dots_per_inch = 96;
    pdf.setResolution(dots_per_inch);
    pdf.setPageMargins({});
    pdf.setPageSize(QPageSize(QSizeF(view.size()) / dots_per_inch, QPageSize::Inch));
    pdf.setTitle(view.windowTitle());
    QPainter painter(&pdf);
    painter.fillRect(view.rect(), view.palette().color(QPalette::Window));
    view.draw(painter);
}

}  // namespace

bool picture_format_of(const QString& path, PictureFormat& format) {
    const QString ending = QFileInfo(path).suffix().toLower();
    if (ending == QStringLiteral("png")) {
        format = PictureFormat::png;
    } else if (ending == QStringLiteral("svg")) {
        format = PictureFormat::svg;
    } else if (ending == QStringLiteral("pdf")) {
        format = PictureFormat::pdf;
    } else {
        return false;
    }
    return true;
}

QString export_view(View& view, const QString& path, PictureFormat format, double scale) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    switch (format) {
        case PictureFormat::png:
            draw_png(view, buffer, scale);
            break;
        case PictureFormat::svg:
            draw_svg(view, buffer);
            break;
        case PictureFormat::pdf:
            draw_pdf(view, buffer);
            break;
    }
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.commit()) {
        return QStringLiteral("%1: %2").arg(path, file.errorString());
    }
    return {};
}

bool wait_until_settled(const View& view, int patience_ms) {
    QElapsedTimer timer;
    timer.start();
    // What was asked for by an event that is still waiting counts, too.
    do {
        QCoreApplication::sendPostedEvents();
        QCoreApplication::processEvents(QEventLoop::AllEvents, 10);
        if (view.settled() && !view.document().loading()) {
            QCoreApplication::sendPostedEvents();
            QCoreApplication::processEvents(QEventLoop::AllEvents, 10);
            if (view.settled()) return true;
        }
        QThread::msleep(1);
    } while (timer.elapsed() < patience_ms);
    return false;
}

}  // namespace sanscope

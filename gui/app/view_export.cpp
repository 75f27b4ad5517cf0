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
#include <QSvgGenerator>
#include <QThread>

#include "gui/document/write_file.h"

namespace sanscope {
namespace {

using Draw = std::function<void(QPainter&)>;

void draw_png(const QWidget& view, const Draw& draw, QIODevice& out, double scale) {
    QImage image(view.size() * scale, QImage::Format_ARGB32_Premultiplied);
    image.setDevicePixelRatio(scale);
    image.fill(view.palette().color(QPalette::Window));
    {
        QPainter painter(&image);
        draw(painter);
    }
    image.save(&out, "PNG");
}

void draw_svg(const QWidget& view, const Draw& draw, QIODevice& out) {
    QSvgGenerator svg;
    svg.setOutputDevice(&out);
    svg.setSize(view.size());
    svg.setViewBox(view.rect());
    svg.setTitle(view.windowTitle());
    QPainter painter(&svg);
    painter.fillRect(view.rect(), view.palette().color(QPalette::Window));
    draw(painter);
}

void draw_pdf(const QWidget& view, const Draw& draw, QIODevice& out) {
    QPdfWriter pdf(&out);
    constexpr int dots_per_inch = 96;
    pdf.setResolution(dots_per_inch);
    pdf.setPageMargins({});
    pdf.setPageSize(QPageSize(QSizeF(view.size()) / dots_per_inch, QPageSize::Inch));
    pdf.setTitle(view.windowTitle());
    QPainter painter(&pdf);
    painter.fillRect(view.rect(), view.palette().color(QPalette::Window));
    draw(painter);
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

QString ending_of(PictureFormat format) {
    switch (format) {
        case PictureFormat::svg:
            return QStringLiteral("svg");
        case PictureFormat::pdf:
            return QStringLiteral("pdf");
        case PictureFormat::png:
            break;
    }
    return QStringLiteral("png");
}

QString export_view(View& view, const QString& path, PictureFormat format, double scale) {
    return export_picture(
        view, [&](QPainter& painter) { view.draw(painter); }, path, format, scale);
}

QString export_picture(const QWidget& widget, const std::function<void(QPainter&)>& draw, const QString& path,
                       PictureFormat format, double scale) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    switch (format) {
        case PictureFormat::png:
            draw_png(widget, draw, buffer, scale);
            break;
        case PictureFormat::svg:
            draw_svg(widget, draw, buffer);
            break;
        case PictureFormat::pdf:
            draw_pdf(widget, draw, buffer);
            break;
    }
    const QString why = write_file(path, bytes);
    return why.isEmpty() ? why : QStringLiteral("%1: %2").arg(path, why);
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

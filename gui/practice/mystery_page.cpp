// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/practice/mystery_page.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QStringList>

namespace sanscope {
namespace {

const QString steps_heading = QStringLiteral("## What one sees");

}  // namespace

QString mysteries_folder() {
    const QString programs = QCoreApplication::applicationDirPath();
    // Installed, beside the folder of programs; and in build/CONFIGURATION/bin of a source tree.
    for (const QString& folder : {programs + QStringLiteral("/../" SANSCOPE_MYSTERIES),
                                  programs + QStringLiteral("/../../../docs/mysteries")}) {
        if (!mysteries_in(folder).isEmpty()) return QDir(folder).canonicalPath();
    }
    return {};
}

QList<MysteryPage> mysteries_in(const QString& folder) {
    QList<MysteryPage> pages;
    const QFileInfoList files =
        QDir(folder).entryInfoList({QStringLiteral("[0-9]*.md")}, QDir::Files, QDir::Name);
    for (const QFileInfo& file : files) {
        QFile text(file.filePath());
        if (!text.open(QIODevice::ReadOnly)) continue;
        MysteryPage page = mystery_page(QString::fromUtf8(text.readAll()));
        page.name = file.completeBaseName();
        page.path = file.canonicalFilePath();
        const QFileInfo capture(file.dir().filePath(QStringLiteral("%1/%1.pcapng.zst").arg(page.name)));
        page.capture = capture.canonicalFilePath();
        if (capture.isFile() && !page.title.isEmpty() && !page.steps.isEmpty() && !page.solution.isEmpty())
            pages.append(page);
    }
    return pages;
}

MysteryPage mystery_page(const QString& markdown) {
    MysteryPage page;
    QString* part = &page.complaint;
    for (const QString& line : markdown.split(QLatin1Char('\n'))) {
        if (page.title.isEmpty() && line.startsWith(QStringLiteral("# "))) {
            page.title = line.mid(2).trimmed();
            continue;
        }
        // The window itself shows what its pictures do.
        if (line.trimmed().startsWith(QStringLiteral("!["))) continue;
        if (line.startsWith(QStringLiteral("## ")))
            part = line.trimmed() == steps_heading ? &page.steps : &page.solution;
        *part += line + QLatin1Char('\n');
    }
    return page;
}

}  // namespace sanscope

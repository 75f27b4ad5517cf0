// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/findings/finding_page.h"

#include <QCoreApplication>
#include <QDialog>
#include <QFile>
#include <QFileInfo>
#include <QImage>
#include <QTextBrowser>
#include <QUrl>
#include <QVBoxLayout>
#include <string_view>

namespace sanscope {

namespace {

// Markdown has no width for its pictures: one wider than the page is shown as wide as that.
class PageBrowser : public QTextBrowser {
  public:
    using QTextBrowser::QTextBrowser;

    QVariant loadResource(int type, const QUrl& name) override {
        QVariant resource = QTextBrowser::loadResource(type, name);
        if (type != QTextDocument::ImageResource) return resource;
        QImage image = QImage::fromData(resource.toByteArray());
        const int room = viewport()->width() - static_cast<int>(2 * document()->documentMargin());
        if (room > 0 && image.width() > room) image = image.scaledToWidth(room, Qt::SmoothTransformation);
        return image;
    }
};

}  // namespace

QString finding_page(Finding::Kind kind) {
    const std::string_view name = finding_kind_name(kind);
    const QString file =
        QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())) + QStringLiteral(".md");
    const QString programs = QCoreApplication::applicationDirPath();
    // Installed, beside the folder of programs; and in build/CONFIGURATION/bin of a source tree.
    for (const QString& folder : {programs + QStringLiteral("/../" SANSCOPE_DOCUMENTS),
                                  programs + QStringLiteral("/../../../docs")}) {
        const QFileInfo page(folder + QStringLiteral("/findings/") + file);
        if (page.isFile()) return page.canonicalFilePath();
    }
    return {};
}

QString finding_headline(Finding::Kind kind) {
    QFile page(finding_page(kind));
    if (!page.open(QIODevice::ReadOnly)) return {};
    const QString first = QString::fromUtf8(page.readLine()).trimmed();
    return first.startsWith(QStringLiteral("# ")) ? first.mid(2) : QString();
}

void show_finding_page(Finding::Kind kind, QWidget* parent) {
    const QString page = finding_page(kind);
    auto* const dialog = new QDialog(parent);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setObjectName(QStringLiteral("finding_page"));
    dialog->setWindowTitle(QCoreApplication::translate("FindingsView", "What the finding means"));
    auto* const text = new PageBrowser(dialog);
    text->setAccessibleName(dialog->windowTitle());
    text->setOpenExternalLinks(true);
    text->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn);
    auto* const layout = new QVBoxLayout(dialog);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(text);
    const int em = dialog->fontMetrics().height();
    dialog->resize(44 * em, 32 * em);
    // Pictures are read with the page, and made as wide as it is.
    layout->activate();
    if (page.isEmpty()) {
        const std::string_view name = finding_kind_name(kind);
        text->setPlainText(QCoreApplication::translate("FindingsView",
                                                       "The documentation is not installed here: its page "
                                                       "docs/findings/%1.md says what this means.")
                               .arg(QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()))));
    } else {
        text->setSource(QUrl::fromLocalFile(page), QTextDocument::MarkdownResource);
    }
    dialog->show();
}

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QString>

namespace sanscope {

// A case to practise with, as a page of docs/mysteries tells it. All but names and paths is Markdown, without pictures.
struct MysteryPage {
    QString name;       // "01-ping-timeouts": of its page, and of the folder beside it that has its capture
    QString path;       // of the page, to which its links are relative
    QString capture;    // path
    QString title;      // plain text
    QString complaint;  // what a user says, where it was captured
    QString steps;      // the section "What one sees", with its heading
    QString solution;   // all sections behind that
};

// Where the pages lie: beside the installed program, or in the source tree that it was built in. Empty where there are none.
QString mysteries_folder();

// Those of the folder that are whole and whose capture is there, in order of their names.
QList<MysteryPage> mysteries_in(const QString& folder);

// Takes a page apart. `markdown` begins with its title as a heading of the first level; sections have headings of the second.
// Parts that it has not are empty.
MysteryPage mystery_page(const QString& markdown);

}  // namespace sanscope

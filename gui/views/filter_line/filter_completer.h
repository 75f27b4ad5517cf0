// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <vector>

class QCompleter;
class QStandardItemModel;

namespace sanscope {

class FilterEdit;

// The list of what can stand at the cursor of a filter line, below it.
class FilterCompleter : public QObject {
    Q_OBJECT

  public:
    struct Offer {
        QString text;
        QString explanation;  // beside it
        QString tooltip;
    };

    explicit FilterCompleter(FilterEdit& edit);

    // Shows these for the characters [begin, end) of the line, which the chosen one replaces; hides the list where there are
    // none.
    void offer(int begin, int end, const std::vector<Offer>& offers);
    void hide();
    bool visible() const;
    QStringList offered() const;
    // As if the one of that place was chosen.
    void choose(int place);

  private:
    FilterEdit& edit_;
    QCompleter* completer_;
    QStandardItemModel* model_;
    int begin_ = 0;
    int end_ = 0;
};

}  // namespace sanscope

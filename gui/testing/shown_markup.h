// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractItemView>
#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QMessageBox>
#include <QStringList>
#include <QTabBar>
#include <QTextDocument>
#include <QWidget>
#include <algorithm>

namespace sanscope::testing_gui {

// Looks through everything a window shows by itself or on a hover for a text of others that Qt takes for HTML. The text is
// known by a mark in it; what it is shown as must have that mark as often, with what stands before it.
class ShownMarkup {
  public:
    // `hostile` as it stands in names: "<img src=HOSTILE>".
    explicit ShownMarkup(QString hostile) : hostile_(std::move(hostile)) {}

    // Where it was taken for HTML.
    const QStringList& found() const { return found_; }
    // In how many texts it was.
    int seen() const { return seen_; }

    void look_at(const QString& text, const QString& where, Qt::TextFormat format = Qt::AutoText) {
        if (!text.contains(mark())) return;
        ++seen_;
        if (format == Qt::PlainText || (format == Qt::AutoText && !Qt::mightBeRichText(text))) return;
        Document document;
        document.setHtml(text);
        if (document.asked || document.toPlainText().count(hostile_) < text.count(mark()))
            found_.append(where + QStringLiteral(": ") + text);
    }

    void look_at(const QWidget& widget) {
        const QString name =
            QString::fromLatin1(widget.metaObject()->className()) + u' ' + widget.accessibleName();
        look_at(widget.toolTip(), name + QStringLiteral(" tooltip"));
        look_at(widget.whatsThis(), name + QStringLiteral(" what's this"));
        for (const QAction* const action : widget.actions()) {
            look_at(action->toolTip(), name + QStringLiteral(" action's tooltip"));
            look_at(action->whatsThis(), name + QStringLiteral(" action's what's this"));
        }
        if (const auto* const label = qobject_cast<const QLabel*>(&widget))
            look_at(label->text(), name + QStringLiteral(" label"), label->textFormat());
        if (const auto* const box = qobject_cast<const QMessageBox*>(&widget)) {
            look_at(box->text(), name + QStringLiteral(" message"), box->textFormat());
            look_at(box->informativeText(), name + QStringLiteral(" message"), box->textFormat());
        }
        if (const auto* const tabs = qobject_cast<const QTabBar*>(&widget)) {
            for (int i = 0; i < tabs->count(); ++i) {
                look_at(tabs->tabToolTip(i), name + QStringLiteral(" tab's tooltip"));
                look_at(tabs->tabWhatsThis(i), name + QStringLiteral(" tab's what's this"));
            }
        }
        if (const auto* const view = qobject_cast<const QAbstractItemView*>(&widget))
            look_at(view->model(), QModelIndex(), name);
        if (const auto* const box = qobject_cast<const QComboBox*>(&widget))
            look_at(box->model(), QModelIndex(), name);
    }

    // All there is, visible or not.
    void look_at_everything() {
        for (const QWidget* const widget : QApplication::allWidgets()) look_at(*widget);
    }

  private:
    // What HTML would load is only noted.
    class Document : public QTextDocument {
      public:
        bool asked = false;

      protected:
        QVariant loadResource(int, const QUrl&) override {
            asked = true;
            return {};
        }
    };

    static QString mark() { return QStringLiteral("HOSTILE"); }

    void look_at(const QAbstractItemModel* model, const QModelIndex& parent, const QString& name) {
        if (model == nullptr) return;
        constexpr int most_rows = 300;
        const int columns = model->columnCount(parent);
        for (int row = 0; row < std::min(model->rowCount(parent), most_rows); ++row) {
            for (int column = 0; column < columns; ++column) {
                const QModelIndex index = model->index(row, column, parent);
                for (const int role : {Qt::ToolTipRole, Qt::StatusTipRole, Qt::WhatsThisRole})
                    look_at(index.data(role).toString(), QStringLiteral("%1 role %2").arg(name).arg(role));
                if (column == 0) look_at(model, index, name);
            }
        }
        for (int column = 0; column < columns; ++column)
            look_at(model->headerData(column, Qt::Horizontal, Qt::ToolTipRole).toString(), name);
    }

    QString hostile_;
    QStringList found_;
    int seen_ = 0;
};

}  // namespace sanscope::testing_gui

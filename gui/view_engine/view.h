// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPainter>
#include <QWidget>

#include "gui/document/document.h"

namespace sanscope {

// One way to look at a document: a widget that can stand in a dock, and be drawn into a file.
class View : public QWidget {
    Q_OBJECT

  public:
    View(Document& document, QWidget* parent);

    Document& document() const { return document_; }
    ViewState& state() const { return document_.state(); }

    // Nothing it shows is still being prepared: what is drawn now is what was asked for.
    virtual bool settled() const = 0;
    // Draws it at its present size, for a file: lines and text stay such in SVG and PDF.
    virtual void draw(QPainter& painter);
    // Shown, and not behind another view: what nobody can see is not kept up to date.
    bool in_sight() const { return isVisible() && in_front_; }
    // To be called by a window that stacks views, which Qt leaves visible, behind tabs.
    void set_in_front(bool in_front);
    // How many pictures, or rows, it was given by now that were prepared of the capture: for measuring how it follows one that
    // grows.
    uint64_t pictures_taken() const { return pictures_taken_; }

  protected:
    void showEvent(QShowEvent* event) override;
    // It came into sight, and has to be brought up to date.
    virtual void on_in_sight() {}
    // It could be seen once, but cannot be now.
    bool went_out_of_sight() const { return !in_front_ || (shown_once_ && !isVisible()); }
    void count_picture() { ++pictures_taken_; }

  private:
    Document& document_;
    uint64_t pictures_taken_ = 0;
    bool in_front_ = true;
    bool shown_once_ = false;
};

}  // namespace sanscope

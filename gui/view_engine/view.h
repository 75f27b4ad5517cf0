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
    // How many pictures, or rows, it was given by now that were prepared of the capture: for measuring how it follows one that
    // grows.
    uint64_t pictures_taken() const { return pictures_taken_; }

  protected:
    void count_picture() { ++pictures_taken_; }

  private:
    Document& document_;
    uint64_t pictures_taken_ = 0;
};

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <array>

#include "gui/plot/time_canvas.h"
#include "gui/senders/sender_curve_painter.h"
#include "gui/views/ladder/ladder_geometry.h"
#include "gui/views/ladder/line_raster.h"

namespace sanscope {

// Draws a picture of the ladder, names what lies under the pointer and selects it.
class LadderCanvas : public TimeCanvas {
    Q_OBJECT

  public:
    // `picture` is another with each take_picture().
    LadderCanvas(ViewState& state, const LadderPicture& picture, QWidget* parent);

    void take_picture();
    // Shown in the middle while there is nothing to draw.
    void set_empty_text(const QString& text);
    // Draws all of it but the moment under the pointer.
    void draw(QPainter& painter);

    LadderLayout layout_now() const { return LadderLayout::of(size(), picture_->sender.has_kernel_ca); }
    LadderGeometry geometry_now() const;
    LadderHit hit(QPointF at) const;
    // What hover shows there; empty where there is nothing.
    QString words_at(QPointF at) const;

  Q_SIGNALS:
    void resized();

  protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void on_click(QPoint at, Qt::KeyboardModifiers keys) override;
    void on_double_click(QPoint at) override;
    void on_hover(std::optional<QPoint> at) override;

  private:
    // A name beside the band of states, and where it was put.
    struct PlacedName {
        size_t transition;
        double y;
    };

    void take_selection();
    void forget_layer();
    double lane_width() const;
    std::optional<size_t> transition_at(QPointF at) const;
    QString sender_words(int64_t time_ns) const;
    QString density_words(QPointF at) const;
    // What the far point of a path says of it, a line each.
    QString point_words(const LadderArrow& arrow) const;

    // By the raster while there is one, which is sooner, else by the painter.
    void draw_lines(QPainter& painter, const std::vector<QLineF>& lines, double width,
                    const QColor& color) const;
    void draw_line(QPainter& painter, const QLineF& line, double width, const QColor& color) const;
    void draw_band(QPainter& painter, const QLineF& first, const QLineF& last, const QColor& color) const;
    void draw_lifelines(QPainter& painter, const LadderLayout& layout) const;
    void draw_header(QPainter& painter, const LadderLayout& layout) const;
    void draw_density(QPainter& painter, const LadderLayout& layout) const;
    void draw_pdus(QPainter& painter, const LadderGeometry& geometry);
    void draw_commands(QPainter& painter, const LadderGeometry& geometry);
    void draw_links(QPainter& painter, const LadderGeometry& geometry) const;
    void draw_arrows(QPainter& painter, const LadderGeometry& geometry);
    void draw_one_arrow(QPainter& painter, const LadderGeometry& geometry, const LadderArrow& arrow,
                        bool highlighted);
    void draw_arrow_labels(QPainter& painter, const LadderGeometry& geometry);
    void draw_tags(QPainter& painter, const LadderLayout& layout, const LadderGeometry& geometry);
    void draw_clock_band(QPainter& painter, const LadderLayout& layout) const;
    void draw_folded_losses(QPainter& painter, const LadderGeometry& geometry) const;
    bool draw_along(QPainter& painter, const QLineF& line, const QString& text, const QColor& color);
    void draw_states(QPainter& painter, const LadderLayout& layout);
    // The kernel's in the right part of the band, from `left` on.
    void draw_kernel_states(QPainter& painter, const LadderLayout& layout, double left);
    void draw_curves(QPainter& painter, const LadderLayout& layout);

    const LadderPicture* picture_;  // the view's; never nullptr
    QString empty_text_;
    // By index in the picture's lists; empty while nothing of it is selected.
    std::vector<uint8_t> highlighted_arrows_;
    std::vector<uint8_t> highlighted_pdus_;
    std::vector<uint8_t> highlighted_commands_;
    bool dims_ = false;      // what is not highlighted
    bool outlines_ = false;  // what is highlighted: too many outlines would be one blot

    // What was drawn last, for as long as nothing but the pointer moves.
    QImage layer_;
    bool layer_good_ = false;
    std::optional<LineRaster> raster_;  // into layer_, while that is drawn

    // Kept between paintings for their memory.
    std::array<std::vector<QLineF>, 32> buckets_;
    std::vector<double> taken_[2];
    std::vector<QPointF> written_;
    std::vector<PlacedName> names_;
    SenderCurvePainter curve_painter_;
};

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractScrollArea>
#include <cstdint>
#include <optional>
#include <string>

namespace sanscope {

// Bytes in hexadecimal and as text, sixteen a line. Those of a field are highlighted; a click or the cursor keys choose a byte.
class HexView : public QAbstractScrollArea {
    Q_OBJECT

  public:
    explicit HexView(QWidget* parent);

    void set_bytes(std::string bytes);
    const std::string& bytes() const { return bytes_; }
    // [start, start + length), brought into sight; those of the protocol around it less so.
    void highlight(uint32_t start, uint32_t length, uint32_t outer_start = 0, uint32_t outer_length = 0);
    uint32_t highlight_start() const { return highlight_start_; }
    uint32_t highlight_length() const { return highlight_length_; }
    std::optional<uint32_t> current() const { return current_; }
    // Of the highlighted bytes, or all: "00000000  01 02 …  ..".
    QString dump() const;

    // Where a byte is drawn, in the viewport's coordinates; the one drawn at a place.
    QRect place_of(uint32_t byte) const;
    std::optional<uint32_t> byte_at(QPoint place) const;
    QSize sizeHint() const override;

  Q_SIGNALS:
    void byte_chosen(uint32_t byte);

  protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

  private:
    static constexpr uint32_t bytes_per_line = 16;
    void measure();
    int lines() const;
    int hex_column(uint32_t in_line) const;  // characters from the left
    int text_column(uint32_t in_line) const;
    void choose(uint32_t byte);
    void show_byte(uint32_t byte);

    std::string bytes_;
    uint32_t highlight_start_ = 0;
    uint32_t highlight_length_ = 0;
    uint32_t outer_start_ = 0;
    uint32_t outer_length_ = 0;
    std::optional<uint32_t> current_;
    int character_ = 8;  // pixels
    int line_ = 16;
    int offset_digits_ = 4;
};

}  // namespace sanscope

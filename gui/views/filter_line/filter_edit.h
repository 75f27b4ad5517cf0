// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLineEdit>

class QCompleter;

namespace sanscope {

// Where a filter is written: tinted and marked by whether it is one, the place of an error underlined by a wave.
class FilterEdit : public QLineEdit {
    Q_OBJECT

  public:
    enum class Look : uint8_t {
        plain,
        valid,
        invalid,
        doubtful,  // it is one, but may not be what was meant
    };

    explicit FilterEdit(QWidget* parent);

    void set_look(Look look);
    Look look() const { return look_; }
    // Characters to underline; none where `length` is negative. Of length 0: that place, where something is wanting.
    void set_wave(int position, int length);
    int wave_position() const { return wave_length_ < 0 ? -1 : wave_position_; }
    int wave_length() const { return wave_length_; }

    // Its popup gets the keys that choose from it, while it is seen.
    void set_completer(QCompleter* completer) { completer_ = completer; }
    // The cursor's, in this widget.
    QRect cursor_rectangle() const { return cursorRect(); }

  Q_SIGNALS:
    void applied();            // Enter
    void cleared();            // Esc
    void history_wanted();     // Alt+Down
    void older_wanted();       // Up
    void newer_wanted();       // Down
    void completion_wanted();  // Ctrl+Space

  protected:
    bool event(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;

  private:
    void tint();
    bool popup_takes(const QKeyEvent& key) const;

    Look look_ = Look::plain;
    QAction* sign_;
    int wave_position_ = 0;
    int wave_length_ = -1;
    bool tinting_ = false;
    QCompleter* completer_ = nullptr;
};

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QJsonObject>
#include <functional>

namespace sanscope {

// JSON objects, one a line, as another process writes them: lines come in any pieces; what is no object, or is too long to be
// one, is counted and passed over.
class JsonLines {
  public:
    static constexpr qsizetype longest = 1 << 20;  // bytes of a line

    using Take = std::function<void(const QJsonObject& object)>;

    void add(const QByteArray& bytes, const Take& take);
    // What was begun has no further end.
    void finish(const Take& take);
    uint64_t passed_over() const { return passed_over_; }

  private:
    void line(const QByteArray& text, const Take& take);

    QByteArray begun_;
    bool too_long_ = false;  // the line that is coming
    uint64_t passed_over_ = 0;
};

// Members, as far as they are what they should be: a text without control characters and of a length that can be shown; a
// number that is finite and not below zero, otherwise -1.
QString text_of(const QJsonObject& object, const char* name);
double number_of(const QJsonObject& object, const char* name);
uint64_t count_of(const QJsonObject& object, const char* name);  // otherwise 0

// For whatever comes from outside and is to be shown in one line.
QString shown_text(QString text);

}  // namespace sanscope

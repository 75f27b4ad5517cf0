// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QStringList>

namespace sanscope {

// The files that are being written of something that could be closed meanwhile, so that closing it can wait. GUI thread only.
class Writings : public QObject {
    Q_OBJECT

  public:
    using QObject::QObject;

    void begin(const QString& path);
    // `written`: all of it; false: it failed, or was cancelled. Of what was not begun, nothing happens.
    void end(const QString& path, bool written);
    const QStringList& paths() const { return paths_; }

  Q_SIGNALS:
    // None is being written any more. `all_written`: so were all that have ended since there was none before.
    void ended(bool all_written);

  private:
    QStringList paths_;
    bool all_written_ = true;
};

}  // namespace sanscope

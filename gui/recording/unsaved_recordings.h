// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>

namespace sanscope {

// Recordings that nobody has given a name yet stand in a folder of the user's, so that none is lost when the window is: what a
// window left behind there is found by the next one.
class UnsavedRecordings {
  public:
    // `folder`: empty for the usual one, below the user's data.
    explicit UnsavedRecordings(QString folder = {});

    // A path for a new recording, in the folder, which is made where it is missing; empty where it cannot be.
    QString new_path(const QString& interface) const;
    // Whether a path is of this folder.
    bool holds(const QString& path) const;
    // Those that no window has open or records, the newest first.
    QStringList left_behind() const;

    // Keeps a recording from being taken as left behind as long as this lives.
    class Claim {
      public:
        Claim() = default;
        explicit Claim(const QString& path);
        Claim(Claim&& other) noexcept;
        Claim& operator=(Claim&& other) noexcept;
        ~Claim();

      private:
        int descriptor_ = -1;
    };

  private:
    QString folder_;
};

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <map>
#include <vector>

namespace sanscope {

// What each of this host's network interfaces carried in the last seconds, both ways, as the kernel counts it
// (/sys/class/net/NAME/statistics): for that no rights are needed.
class InterfaceActivity {
  public:
    static constexpr size_t samples = 60;

    // `folder`: where the interfaces stand.
    explicit InterfaceActivity(QString folder = QStringLiteral("/sys/class/net"))
        : folder_(std::move(folder)) {}

    // Looks at the counters; `now_ns` is any clock that does not go back. To be called some times a second.
    void look(int64_t now_ns);
    // Bytes a second from look to look, the oldest first, at most `samples`; none of an interface that is not known. Of `any`
    // the sum of all.
    std::vector<double> rates(const QString& interface) const;

  private:
    struct Interface {
        uint64_t bytes = 0;
        bool known = false;
        std::vector<double> rates;
    };
    QString folder_;
    int64_t last_ns_ = 0;
    bool begun_ = false;
    std::map<QString, Interface> interfaces_;
};

}  // namespace sanscope

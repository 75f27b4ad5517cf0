// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QThreadPool>
#include <functional>
#include <memory>
#include <string>

#include "gui/document/latest_job.h"

#include "analyzer/query/filter_error.h"

namespace sanscope {

// Asks sanscope-dissectd about filters: on a thread of its own, where the helper process is started when first asked. GUI
// thread; answers come there, those of the newest question only.
class DissectHelper {
  public:
    struct Check {
        bool reached = false;  // the helper process answered; `error` shows why it did not
        bool valid = false;
        FilterError error;  // its place has no length where it is not known
        std::vector<std::string> warnings;
    };
    struct Field {
        std::string abbreviation;
        std::string name;
        std::string type;
    };

    // `program`: of sanscope-dissectd, empty where it is to be found.
    explicit DissectHelper(std::string program = {});
    ~DissectHelper();

    void check(std::string filter, std::function<void(const Check&)> done);
    void complete(std::string prefix, uint32_t most, std::function<void(const std::vector<Field>&)> done);
    void forget_check();
    bool idle() const { return check_.idle() && complete_.idle(); }

  private:
    struct Session;
    std::shared_ptr<Session> session_;
    QThreadPool thread_;
    LatestJob<Check> check_{false, &thread_};
    LatestJob<std::vector<Field>> complete_{false, &thread_};
};

}  // namespace sanscope

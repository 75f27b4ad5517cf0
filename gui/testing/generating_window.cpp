// SPDX-License-Identifier: GPL-3.0-or-later
//
// A window that puts on a load until it is killed, for the test of what becomes of the load: `generating_window URL`. Says the
// load's process on standard output once the load runs.
#include <QApplication>
#include <QStandardPaths>
#include <cstdio>
#include <exception>

#include "gui/app/load_controls.h"
#include "gui/app/main_window.h"

namespace sanscope {
namespace {

int run(int argc, char** argv) {
    if (argc != 2) return 2;
    QStandardPaths::setTestModeEnabled(true);
    const QApplication application(argc, argv);
    MainWindow window;
    window.show();
    LoadRun run;
    run.settings.luns = QStringList(QString::fromLocal8Bit(argv[1]));
    run.settings.record = false;
    run.settings.rate = 100;
    run.settings.seconds = 600;
    QObject::connect(&window.load().load(), &LoadProcess::begun, [&] {
        std::printf("%lld\n", static_cast<long long>(window.load().load().process()));
        std::fflush(stdout);
    });
    window.load().start(run);
    return QApplication::exec();
}

}  // namespace
}  // namespace sanscope

int main(int argc, char** argv) {
    try {
        return sanscope::run(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "generating_window: %s\n", error.what());
        return 1;
    }
}

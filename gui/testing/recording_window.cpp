// SPDX-License-Identifier: GPL-3.0-or-later
//
// A window that records until it is killed, for the test of what becomes of its recording:
// `recording_window INTERFACE APPLICATION`, the latter by whose name its data are kept. Says `recording` on standard output
// once its tab is open and there is something in it.
#include <QApplication>
#include <QStandardPaths>
#include <QTimer>
#include <cstdio>
#include <exception>

#include "gui/app/capture_window.h"
#include "gui/app/live_controls.h"
#include "gui/app/main_window.h"

namespace sanscope {
namespace {

int run(int argc, char** argv) {
    if (argc != 3) return 2;
    QStandardPaths::setTestModeEnabled(true);
    const QApplication application(argc, argv);
    QApplication::setApplicationName(QString::fromLocal8Bit(argv[2]));
    MainWindow window;
    window.show();
    v1::RecordingRequest request;
    request.add_interfaces(argv[1]);
    window.live().start(request);
    QTimer looks;
    QObject::connect(&looks, &QTimer::timeout, [&] {
        const CaptureWindow* const capture = window.current();
        if (capture == nullptr || capture->document().data()->progress().packets < 100) return;
        looks.stop();
        std::puts("recording");
        std::fflush(stdout);
    });
    constexpr int between_looks_ms = 20;
    looks.start(between_looks_ms);
    return QApplication::exec();
}

}  // namespace
}  // namespace sanscope

int main(int argc, char** argv) {
    try {
        return sanscope::run(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "recording_window: %s\n", error.what());
        return 1;
    }
}

// SPDX-License-Identifier: GPL-3.0-or-later
#include <CLI/CLI.hpp>
#include <QApplication>
#include <QIcon>
#include <QLibraryInfo>
#include <QScreen>
#include <QTranslator>
#include <csignal>
#include <cstdio>
#include <exception>
#include <optional>

#include "gui/app/live_controls.h"
#include "gui/app/main_window.h"
#include "gui/app/render.h"
#include "gui/app/render_comparison.h"
#include "gui/app/settings.h"
#include "gui/app/start_place.h"
#include "gui/app/theme_style.h"
#include "gui/plot/qcustomplot.h"

#include "analyzer/base/print_text.h"
#include "analyzer/base/version_text.h"
#include "analyzer/export/merged_capture.h"
#include "analyzer/manual/write_manual.h"
#include "analyzer/points/points_of_path.h"

namespace sanscope {
namespace {

QString text(const std::string& bytes) {
    return QString::fromLocal8Bit(bytes.data(), static_cast<qsizetype>(bytes.size()));
}

struct Arguments {
    std::vector<std::string> files;
    bool compare = false;
    bool merge = false;
    bool points = false;
    std::string render;
    std::vector<std::string> views;
    std::string size = "1600x900";
    std::string from;
    std::string to;
    std::string format = "png";
    std::string theme;
    std::string select;
    std::string at;
    std::string finding;
    double scale = 1;
    std::vector<std::string> interfaces;
    std::string filter;
    std::string path;
    std::optional<uint32_t> snap_length;
    std::string keep;  // empty: not said
    bool kernel_truth = false;
    std::string host;
    std::string ssh_command;
    std::string remote_recorder;
};

void describe(CLI::App& app, Arguments& arguments) {
    app.add_option("FILE", arguments.files,
                   "Captures: pcap or pcapng, plain or compressed with gzip, zstd, lz4, xz or bzip2; or a "
                   "FILE.sanscope-workspace that the window saved");
    app.add_option("--at", arguments.at,
                   "Open FILE at this packet (4711), or at this moment (1.25, 340ms, 2026-11-21T10:33:56.5)");
    app.add_option("--finding", arguments.finding,
                   "Open FILE where a click on the first finding of this kind leads to, as `sanscope table "
                   "findings` names it");
    app.add_option("--view", arguments.views, "Show this view of it; may be given several times");
    app.add_flag("--compare", arguments.compare,
                 "Compare two FILEs, one from before a change and one from after it");
    app.add_flag("--merge", arguments.merge, "Open several FILEs as one capture, in order of time");
    app.add_flag("--points", arguments.points,
                 "Show several FILEs as points of one path: captures of the same traffic at initiator, "
                 "switch and target");
    CLI::Option* const render = app.add_option(
        "--render", arguments.render,
        "Draw views of FILE, all or those named, into this folder, without a window or display");
    app.add_option("--size", arguments.size, "… so large, WxH")->needs(render)->capture_default_str();
    app.add_option(
           "--from", arguments.from,
           "… from this moment on: seconds since the capture began, 340ms, or 2026-11-21T10:33:56.5 (UTC)")
        ->needs(render);
    app.add_option("--to", arguments.to, "… up to this moment")->needs(render);
    app.add_option("--select", arguments.select,
                   "… with this selected: command:12, packet:4711, pdu:…, loss:…")
        ->needs(render);
    app.add_option("--format", arguments.format, "… as png, svg or pdf")
        ->needs(render)
        ->check(CLI::IsMember({"png", "svg", "pdf"}))
        ->capture_default_str();
    app.add_option("--scale", arguments.scale, "… with so many pixels a point (png)")
        ->needs(render)
        ->check(CLI::Range(0.5, 4.0))
        ->capture_default_str();
    CLI::Option* const record =
        app.add_option("-i,--interface", arguments.interfaces,
                       "Record from this interface and follow that; may be given several times")
            ->excludes(render);
    app.add_option(
        "-f,--filter", arguments.filter,
        "Show what this filter passes of FILE; with -i: record only what this capture filter passes");
    app.add_option("-s,--snapshot-length", arguments.snap_length,
                   "… so many bytes of each packet; 0: all, which is the default but with --ssh")
        ->needs(record);
    app.add_option(
           "--keep", arguments.keep,
           "… headers, and no users' data, or all: whole packets. By default headers where the filter "
           "is for port 3260 alone and there is no -s")
        ->needs(record)
        ->check(CLI::IsMember({"headers", "all"}));
    app.add_option("-w,--write", arguments.path, "… into this file; it can be saved afterwards, too")
        ->needs(record);
    app.add_flag("--kernel-truth", arguments.kernel_truth, "… with what this host's TCP says of its windows")
        ->needs(record);
    CLI::Option* const ssh =
        app.add_option("--ssh", arguments.host, "… on another host, through ssh: HOST or USER@HOST")
            ->needs(record);
    app.add_option("--ssh-command", arguments.ssh_command,
                   "… in place of ssh: a command and options, as 'ssh -p 2222 -i key'")
        ->needs(ssh);
    app.add_option("--remote-recorder", arguments.remote_recorder,
                   "… where sanscope-recorder is on that host")
        ->needs(ssh);
    app.add_option("--theme", arguments.theme,
                   "light, dark, or system: as the desktop is; without it, as the settings say")
        ->check(CLI::IsMember({"light", "dark", "system"}));
    app.set_version_flag("--version", [] {
        return version_text(
            "sanscope-gui",
            {{"Qt", qVersion()}, {"QCustomPlot", QCUSTOMPLOT_VERSION_STR}, {"CLI11", CLI11_VERSION}});
    });
}

StartPlace start_place(const Arguments& arguments) {
    StartPlace place;
    place.at = text(arguments.at);
    place.finding = text(arguments.finding);
    for (const std::string& view : arguments.views) place.views.append(text(view));
    if (arguments.interfaces.empty()) place.filter = text(arguments.filter);
    return place;
}

// What is wrong with the arguments for the window; empty: nothing.
QString fault_of_window(const Arguments& arguments) {
    if (arguments.compare && arguments.files.size() != 2) return QStringLiteral("--compare takes two FILEs");
    if (arguments.merge && arguments.compare)
        return QStringLiteral("--merge and --compare exclude each other");
    if (arguments.merge && (arguments.files.size() < 2 || arguments.files.size() > most_merged_captures))
        return QStringLiteral("--merge takes 2 to %1 FILEs").arg(most_merged_captures);
    if (arguments.points && (arguments.merge || arguments.compare))
        return QStringLiteral("--points excludes --merge and --compare");
    if (arguments.points && (arguments.files.size() < 2 || arguments.files.size() > most_points))
        return QStringLiteral("--points takes 2 to %1 FILEs").arg(most_points);
    const StartPlace place = start_place(arguments);
    if (place.empty()) return {};
    if (arguments.compare || arguments.files.size() != 1) {
        return QStringLiteral("--at, --finding, --view and --filter take one FILE");
    }
    return fault_of(place);
}

// Nothing where the arguments are not right; an error has been printed then.
std::optional<RenderOptions> render_options(const Arguments& arguments) {
    const auto refuse = [](const char* why) {
        print_text(stderr, "sanscope-gui: {}\n", why);
        return std::nullopt;
    };
    RenderOptions options;
    if (arguments.merge) return refuse("--render draws one FILE, not a merge");
    if (arguments.points) {
        if (arguments.compare) return refuse("--points excludes --merge and --compare");
        if (arguments.files.size() < 2 || arguments.files.size() > most_points)
            return refuse("--points takes two FILEs or more, at most 8");
        for (const std::string& file : arguments.files) options.points.append(text(file));
    } else if (arguments.files.size() != (arguments.compare ? 2 : 1)) {
        return refuse(arguments.compare ? "--compare takes two FILEs" : "--render takes one FILE");
    }
    if (arguments.compare && !arguments.views.empty()) return refuse("--compare draws one view: its own");
    options.file = text(arguments.files.front());
    options.folder = text(arguments.render);
    for (const std::string& view : arguments.views) options.views.append(text(view));
    const auto size = parse_size(text(arguments.size));
    if (!size) return refuse("--size takes WxH, as in 1600x900");
    options.size = *size;
    if (!arguments.from.empty() && !(options.from = parse_time(text(arguments.from)))) {
        return refuse("--from takes seconds since the capture began, or a UTC time");
    }
    if (!arguments.to.empty() && !(options.to = parse_time(text(arguments.to)))) {
        return refuse("--to takes seconds since the capture began, or a UTC time");
    }
    picture_format_of(QStringLiteral("x.") + text(arguments.format), options.format);
    options.dark = arguments.theme == "dark";
    options.select = text(arguments.select);
    const StartPlace place = start_place(arguments);
    if (const QString fault = fault_of(place); !fault.isEmpty()) return refuse(qPrintable(fault));
    if (!place.filter.isEmpty()) return refuse("--render draws no filter");
    options.at = place.at;
    options.finding = place.finding;
    options.scale = arguments.scale;
    return options;
}

// Nothing where none is named.
std::optional<Settings::ThemeChoice> theme_choice(const std::string& name) {
    if (name.empty()) return std::nullopt;
    return name == "dark"    ? Settings::ThemeChoice::dark
           : name == "light" ? Settings::ThemeChoice::light
                             : Settings::ThemeChoice::system;
}

v1::RecordingRequest recording_request(const Arguments& arguments) {
    v1::RecordingRequest request;
    for (const std::string& interface : arguments.interfaces) request.add_interfaces(interface);
    request.set_filter(arguments.filter);
    set_kept(arguments.keep, arguments.snap_length, !arguments.host.empty(), request);
    request.set_promiscuous(true);
    request.set_kernel_truth(arguments.kernel_truth);
    request.set_path(arguments.path);
    return request;
}

std::optional<v1::RemoteHost> remote_host(const Arguments& arguments) {
    if (arguments.host.empty()) return std::nullopt;
    v1::RemoteHost remote;
    remote.set_host(arguments.host);
    remote.set_ssh_command(arguments.ssh_command);
    remote.set_recorder(arguments.remote_recorder);
    return remote;
}

// Qt speaks of folders that a session without a desktop lacks; they are not needed to draw.
void pass_over_desktop_messages(QtMsgType type, const QMessageLogContext&, const QString& message) {
    if (type == QtDebugMsg || type == QtInfoMsg || message.contains(QStringLiteral("XDG_RUNTIME_DIR")) ||
        message.startsWith(QStringLiteral("This plugin does not support")) ||
        message.contains(QStringLiteral("OpenType support missing"))) {
        return;
    }
    print_text(stderr, "sanscope-gui: {}\n", qPrintable(message));
}

// Without one Qt ends the program by abort(). QT_QPA_PLATFORM may name a platform that needs none.
bool has_display() {
    return !qEnvironmentVariableIsEmpty("DISPLAY") || !qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY") ||
           !qEnvironmentVariableIsEmpty("WAYLAND_SOCKET") || !qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM");
}

int run(int argc, char** argv) {
    CLI::App app("Opens captures of IP storage networks and shows where the time goes.", "sanscope-gui");
    Arguments arguments;
    describe(app, arguments);
    add_write_manual(app, {}, {"sanscope"});
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        constexpr int exit_usage = 2;
        return app.exit(error) == 0 ? 0 : exit_usage;
    }
    const bool rendering = !arguments.render.empty();
    std::optional<RenderOptions> options;
    if (rendering) {
        options = render_options(arguments);
        if (!options) return 2;
        // Needs no display, and looks the same everywhere.
        qputenv("QT_QPA_PLATFORM", "offscreen");
        qInstallMessageHandler(pass_over_desktop_messages);
    }
    if (const QString fault = rendering ? QString() : fault_of_window(arguments); !fault.isEmpty()) {
        print_text(stderr, "sanscope-gui: {}\n", fault.toStdString());
        return 2;
    }
    if (!rendering && !has_display()) {
        print_text(stderr,
                   "sanscope-gui: there is no display here (DISPLAY and WAYLAND_DISPLAY are not set); "
                   "--render DIR draws "
                   "the views into files, and sanscope report FILE says in words what is in them\n");
        return 1;
    }
    std::signal(SIGPIPE, SIG_IGN);
    QApplication::setApplicationName(QStringLiteral("sanscope-gui"));
    QApplication::setOrganizationName(QStringLiteral("sanscope"));
    QApplication::setApplicationDisplayName(QStringLiteral("sanscope"));
    QApplication::setApplicationVersion(QStringLiteral(SANSCOPE_VERSION));
    QApplication::setDesktopFileName(QStringLiteral("io.github.sanscope.sanscope"));
    int no_arguments = 1;
    QApplication application(no_arguments, argv);
    QApplication::setStyle(new ThemeStyle);
    QTranslator translator;
    if (translator.load(
            QLocale(), QStringLiteral("sanscope"), QStringLiteral("_"),
            QApplication::applicationDirPath() + QStringLiteral("/../share/sanscope/translations"))) {
        QApplication::installTranslator(&translator);
    }
    QTranslator qt_translator;
    if (qt_translator.load(QLocale(), QStringLiteral("qtbase"), QStringLiteral("_"),
                           QLibraryInfo::path(QLibraryInfo::TranslationsPath))) {
        QApplication::installTranslator(&qt_translator);
    }
    if (rendering) {
        return arguments.compare ? render_comparison(*options, text(arguments.files.back()))
                                 : render(*options);
    }
    QApplication::setWindowIcon(QIcon(QStringLiteral(":/io.github.sanscope.sanscope.svg")));
    MainWindow window;
    apply_theme(theme_choice(arguments.theme).value_or(window.settings().theme()));
    // Of a small screen, or of one at 200 %, the first window is no larger than that.
    window.resize(window.size().boundedTo(window.screen()->availableSize()));
    window.show();
    QStringList files;
    for (const std::string& file : arguments.files) files.append(text(file));
    if (arguments.compare) {
        window.compare(files.front(), files.back());
    } else if (arguments.merge) {
        window.merge(files);
    } else if (arguments.points) {
        window.open_points(files);
    } else if (const StartPlace place = start_place(arguments); !place.empty()) {
        window.open_at(files.front(), place);
    } else if (!files.isEmpty()) {
        window.open(files);
    }
    window.live().offer_left_behind();
    if (!arguments.interfaces.empty())
        window.live().start(recording_request(arguments), remote_host(arguments));
    return QApplication::exec();
}

}  // namespace
}  // namespace sanscope

int main(int argc, char** argv) {
    try {
        return sanscope::run(argc, argv);
    } catch (const std::exception& error) {
        sanscope::print_text(stderr, "sanscope-gui: {}\n", error.what());
        return 1;
    }
}

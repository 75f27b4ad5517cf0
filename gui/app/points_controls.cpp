// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/points_controls.h"

#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QLocale>
#include <algorithm>
#include <utility>

#include "gui/app/capture_window.h"
#include "gui/app/info_bar.h"
#include "gui/app/recent_files.h"
#include "gui/app/workspace.h"
#include "gui/points/shared_connections.h"

namespace sanscope {
namespace {

QString absolute(const QString& path) {
    return QFileInfo(path).absoluteFilePath();
}

QString name_of(const QString& path) {
    return QFileInfo(path).fileName();
}

// The same of the same captures, in whichever order.
QString key_of(QStringList paths) {
    for (QString& path : paths) path = absolute(path);
    paths.sort();
    return paths.join(QLatin1Char('\n'));
}

bool can_be_point(const CaptureWindow& capture) {
    return capture.document().has_loaded() && capture.recording() == nullptr &&
           capture.document().points() == nullptr;
}

}  // namespace

PointsControls::PointsControls(Window window, InfoBar& bar) : window_(std::move(window)), bar_(bar) {
    connect(&bar_, &InfoBar::accepted, this, [this] {
        const QStringList paths = std::exchange(offered_, {});
        bar_.hide();
        opened_.clear();
        read(paths);
    });
    connect(&bar_, &InfoBar::dismissed, this,
            [this] { declined_.insert(key_of(std::exchange(offered_, {}))); });
    connect(&bar_, &InfoBar::cancelled, this, [this] {
        to_restore_.clear();
        end_reading();
    });
}

PointsControls::~PointsControls() = default;

void PointsControls::ask_for_files() {
    const QString folder =
        recent_files().isEmpty() ? QString() : QFileInfo(recent_files().first()).absolutePath();
    const QStringList paths = QFileDialog::getOpenFileNames(
        window_.widget, tr("Captures at points of one path: initiator, switch, target"), folder,
        tr("Captures (*.pcap *.pcapng *.cap *.dmp *.pcap.* *.pcapng.*);;All files (*)"));
    if (!paths.isEmpty()) open(paths);
}

void PointsControls::open(const QStringList& paths) {
    to_restore_.clear();
    if (paths.size() < 2 || paths.size() > static_cast<qsizetype>(most_points))
        return window_.complain(tr("A path has 2 to %1 captures: choose them together.").arg(most_points));
    for (const QString& path : paths) {
        if (is_workspace(path)) {
            return window_.complain(
                QStringLiteral("%1: %2").arg(path, tr("a workspace is no point of a path")));
        }
    }
    end_reading();
    const auto captures = window_.captures();
    const bool was_open = std::ranges::any_of(captures, [&](const CaptureWindow* capture) {
        return absolute(capture->document().path()) == absolute(paths.first());
    });
    if (window_.open(paths.first()) == nullptr) return;
    opened_ = was_open ? QString() : absolute(paths.first());
    read(paths);
}

void PointsControls::read(const QStringList& paths) {
    start_reading(paths, [this](const std::shared_ptr<const OpenPath>& path, const QString& error) {
        take(path, error);
    });
}

void PointsControls::start_reading(const QStringList& paths, PathReading::Done done) {
    end_reading();
    offered_.clear();
    QStringList names;
    for (const QString& path : paths) names.append(name_of(path));
    bar_.show_progress(tr("Reading %1 as points of one path").arg(names.join(QStringLiteral(", "))));
    reading_ = new PathReading(paths, std::move(done), this);
    connect(reading_, &PathReading::progressed, this, [this] { bar_.set_permille(reading_->permille()); });
}

void PointsControls::end_reading() {
    if (reading_ == nullptr) return;
    reading_->cancel();
    // It may be calling.
    std::exchange(reading_, nullptr)->deleteLater();
    bar_.hide();
}

CaptureWindow* PointsControls::find(const QString& absolute_path) const {
    for (CaptureWindow* const capture : window_.captures()) {
        if (absolute(capture->document().path()) == absolute_path) return capture;
    }
    return nullptr;
}

void PointsControls::restore(const QStringList& paths) {
    to_restore_.append(paths);
    if (reading_ == nullptr) restore_next();
}

void PointsControls::restore_next() {
    if (to_restore_.isEmpty()) return;
    const QStringList paths = to_restore_.takeFirst();
    start_reading(paths, [this](const std::shared_ptr<const OpenPath>& path, const QString& error) {
        end_reading();
        if (path == nullptr) {
            window_.complain(tr("These captures cannot be shown as points of one path: %1").arg(error));
        } else if (CaptureWindow* const shown =
                       find(absolute(QFile::decodeName(QByteArray::fromStdString(path->files().front()))))) {
            shown->document().set_points(path);
        }
        restore_next();
    });
}

void PointsControls::take(const std::shared_ptr<const OpenPath>& path, const QString& error) {
    end_reading();
    if (path == nullptr)
        return window_.complain(tr("These captures cannot be shown as points of one path: %1").arg(error));
    const QString nearest = QFile::decodeName(QByteArray::fromStdString(path->files().front()));
    CaptureWindow* const shown = window_.open(nearest);
    if (shown == nullptr) return;
    shown->set_points(path);
    if (opened_.isEmpty() || opened_ == absolute(nearest)) return;
    for (CaptureWindow* const capture : window_.captures()) {
        if (capture != shown && absolute(capture->document().path()) == opened_ &&
            !capture->document().notes().modified())
            window_.close(*capture);
    }
}

void PointsControls::consider(CaptureWindow& capture) {
    if (reading_ != nullptr || !can_be_point(capture)) return;
    std::vector<std::pair<QString, std::shared_ptr<const CaptureData>>> others;
    for (const CaptureWindow* const other : window_.captures()) {
        if (other != &capture && can_be_point(*other) && others.size() + 1 < most_points)
            others.emplace_back(other->document().path(), other->document().data());
    }
    if (others.empty()) return;
    matching_.request(
        [data = capture.document().data(), others = std::move(others)](const StopFlag& stop) {
            std::vector<Match> matches;
            const auto reading = data->read();
            for (const auto& [path, other] : others) {
                const SharedConnections shared = find_shared_connections(reading, other->read(), stop);
                if (stop) return std::vector<Match>();
                if (shared.count > 0 && !shared.same_times) matches.push_back({path, shared.count});
            }
            return matches;
        },
        [this, path = capture.document().path()](const std::vector<Match>& matches) {
            offer(path, matches);
        });
}

void PointsControls::offer(const QString& path, const std::vector<Match>& matches) {
    if (matches.empty() || reading_ != nullptr) return;
    QStringList paths{path};
    QStringList shared;
    const QLocale locale;
    const auto counted = [&](size_t connections) {
        return connections == 1
                   ? tr("1 connection")
                   : tr("%1 connections").arg(locale.toString(static_cast<qulonglong>(connections)));
    };
    for (const Match& match : matches) {
        paths.append(match.path);
        shared.append(tr("%1 with %2").arg(counted(match.connections), name_of(match.path)));
    }
    if (declined_.contains(key_of(paths))) return;
    offered_ = paths;
    const QString question = tr("Show them as points of one path?");
    bar_.offer(matches.size() == 1
                   ? tr("%1 and %2 share %3. %4")
                         .arg(name_of(matches.front().path), name_of(path),
                              counted(matches.front().connections), question)
                   : tr("%1 shares %2. %3").arg(name_of(path), shared.join(QStringLiteral(", ")), question),
               tr("Show as &points of one path"));
}

void PointsControls::closing(const CaptureWindow& capture) {
    const QString path = absolute(capture.document().path());
    const bool concerned =
        std::ranges::any_of(offered_, [&](const QString& one) { return absolute(one) == path; });
    if (!concerned) return;
    offered_.clear();
    bar_.hide();
}

}  // namespace sanscope

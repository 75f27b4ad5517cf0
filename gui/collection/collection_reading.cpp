// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/collection/collection_reading.h"

#include <QDir>
#include <QDirIterator>
#include <QElapsedTimer>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <algorithm>
#include <string>
#include <utility>

#include "gui/collection/analysed_file.h"
#include "gui/collection/archive_script.h"
#include "gui/document/worker_threads.h"

#include "analyzer/base/helper_process.h"
#include "analyzer/base/python_program.h"
#include "analyzer/budget/budget_parts.h"

namespace sanscope {
namespace {

// How long rows may wait for others, so that a list of thousands is not sorted for each of them.
constexpr int longest_wait_ms = 200;

QStringList name_filters() {
    QStringList filters;
    for (const char* const kind : {"pcap", "pcapng", "cap", "ntar"}) {
        for (const char* const compression : {"", ".gz", ".zst", ".lz4"})
            filters << QStringLiteral("*.%1%2").arg(QLatin1String(kind), QLatin1String(compression));
    }
    return filters;
}

QString python() {
    return QFile::decodeName(QByteArray::fromStdString(python_program()));
}

}  // namespace

CollectionReading::CollectionReading(QObject* parent) : QObject(parent) {
    pool_.setMaxThreadCount(1);
    lines_timer_.setSingleShot(true);
    lines_timer_.setInterval(longest_wait_ms);
    connect(&lines_timer_, &QTimer::timeout, this, &CollectionReading::take_lines);
}

CollectionReading::~CollectionReading() {
    stop();
    pool_.waitForDone();
}

bool CollectionReading::is_archive(const QString& folder) {
    return QDir(folder + QStringLiteral("/data")).exists() &&
           QFile::exists(folder + QStringLiteral("/views.sql"));
}

QStringList CollectionReading::captures_in(const QString& folder) {
    QStringList files;
    const QDir root(folder);
    QDirIterator all(folder, name_filters(), QDir::Files | QDir::Readable, QDirIterator::Subdirectories);
    while (all.hasNext()) files << root.relativeFilePath(all.next());
    std::ranges::sort(files);
    return files;
}

void CollectionReading::start(const QString& folder) {
    stop();
    running_ = true;
    if (is_archive(folder)) {
        read_archive(folder + QStringLiteral("/data"));
    } else {
        read_files(folder, captures_in(folder));
    }
}

void CollectionReading::stop() {
    running_ = false;
    if (stop_ != nullptr) *stop_ = true;
    stop_ = nullptr;
    lines_timer_.stop();
    if (process_ != nullptr) {
        process_->disconnect(this);
        process_->kill();
        process_->waitForFinished();
        process_ = nullptr;
    }
}

void CollectionReading::end(const QString& error) {
    running_ = false;
    Q_EMIT ended(error);
}

void CollectionReading::read_files(const QString& folder, const QStringList& files) {
    stop_ = std::make_shared<std::atomic<bool>>(false);
    pool_.start([this, folder, files, stop = stop_] {
        lower_priority(NiceIncrement::loader);
        std::vector<CaptureRow> rows;
        QElapsedTimer since_told;
        since_told.start();
        const auto tell = [&](qsizetype done) {
            // What was stopped tells nothing more; whoever is told is there, for its end waits for this.
            QMetaObject::invokeMethod(
                this,
                [this, stop, told = std::move(rows), done, all = files.size()]() mutable {
                    if (!*stop) Q_EMIT read(std::move(told), done, all);
                },
                Qt::QueuedConnection);
            rows = {};
            since_told.restart();
        };
        for (qsizetype i = 0; i < files.size() && !*stop; ++i) {
            const std::string path = QFile::encodeName(folder + QLatin1Char('/') + files[i]).toStdString();
            CaptureRow row = analysed_file(path, files[i].toStdString(), *stop);
            if (*stop) return;
            rows.push_back(std::move(row));
            if (since_told.elapsed() > longest_wait_ms) tell(i + 1);
        }
        tell(files.size());
        QMetaObject::invokeMethod(
            this,
            [this, stop] {
                if (!*stop) end({});
            },
            Qt::QueuedConnection);
    });
}

void CollectionReading::read_archive(const QString& folder) {
    from_archive_ = 0;
    process_ = std::make_unique<QProcess>();
    connect(process_.get(), &QProcess::readyReadStandardOutput, this, [this] {
        if (!lines_timer_.isActive()) lines_timer_.start();
    });
    connect(process_.get(), &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            end(tr("%1 cannot be started, with which an archive is read").arg(python()));
    });
    connect(process_.get(), &QProcess::finished, this, [this](int status, QProcess::ExitStatus how) {
        lines_timer_.stop();
        take_lines();
        const std::string said = last_line_of(process_->readAllStandardError().toStdString());
        if (how == QProcess::NormalExit && status == 0) return end({});
        end(said.empty() ? tr("%1, which reads an archive, ended early").arg(python())
                         : QString::fromStdString(said));
    });
    process_->start(python(), {QStringLiteral("-c"),
                               QString::fromUtf8(reinterpret_cast<const char*>(archive_script.data()),
                                                 static_cast<qsizetype>(archive_script.size())),
                               folder});
}

void CollectionReading::take_lines() {
    std::vector<CaptureRow> rows;
    while (process_->canReadLine()) {
        CaptureRow row;
        if (parse_capture_row(process_->readLine(), row)) rows.push_back(std::move(row));
    }
    if (rows.empty()) return;
    from_archive_ += static_cast<qsizetype>(rows.size());
    Q_EMIT read(std::move(rows), from_archive_, 0);
}

bool parse_capture_row(const QByteArray& line, CaptureRow& row) {
    const QJsonDocument document = QJsonDocument::fromJson(line);
    if (!document.isObject() || !document[QLatin1String("file")].isString()) return false;
    const auto number = [&](const char* name, auto otherwise) {
        const QJsonValue value = document[QLatin1String(name)];
        return value.isDouble() ? static_cast<decltype(otherwise)>(value.toInteger()) : otherwise;
    };
    const auto text = [&](const char* name) {
        return document[QLatin1String(name)].toString().toStdString();
    };
    row.file = text("file");
    row.start_ns = number("start_ns", no_time);
    row.end_ns = number("end_ns", no_time);
    row.packets = number("packets", uint64_t{0});
    row.wire_bytes = number("wire_bytes", uint64_t{0});
    row.dropped = number("dropped", unknown<uint64_t>);
    row.connections = number("connections", uint32_t{0});
    row.sessions = number("sessions", uint32_t{0});
    row.target_names = text("target_names");
    row.commands = number("commands", uint64_t{0});
    row.bytes_read = number("bytes_read", unknown<uint64_t>);
    row.bytes_written = number("bytes_written", unknown<uint64_t>);
    row.errors = number("errors", uint64_t{0});
    row.unanswered = number("unanswered", uint64_t{0});
    row.retransmissions = number("retransmissions", uint64_t{0});
    row.turnaround_p50_ns = number("turnaround_p50_ns", no_time);
    row.turnaround_p99_ns = number("turnaround_p99_ns", no_time);
    for (size_t part = 0; part < budget_parts; ++part) {
        const std::string name =
            "budget_" + std::string(budget_part_name(static_cast<BudgetPart>(part))) + "_ns";
        const int64_t sum = number(name.c_str(), no_time);
        if (sum == no_time) continue;
        row.budgets_known = true;
        row.budgets_ns[part] = sum;
    }
    row.problems = number("problems", uint64_t{0});
    row.notices = number("notices", uint64_t{0});
    row.finding = text("finding");
    row.finding_title = text("finding_title");
    row.finding_cost_ns = number("finding_cost_ns", no_time);
    row.finding_packet = number("finding_packet", uint64_t{0});
    row.damage = text("damage");
    return true;
}

}  // namespace sanscope

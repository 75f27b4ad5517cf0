// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/tables/csv_export.h"

#include <QFile>

#include "gui/views/tables/shown_table.h"

#include "analyzer/export/csv_writer.h"
#include "analyzer/export/replacement_file.h"

namespace sanscope {
namespace {

// Refuses when nobody waits any more.
class StoppableSink final : public ByteSink {
  public:
    StoppableSink(ByteSink& sink, const StopFlag& stop) : sink_(sink), stop_(stop) {}
    bool write(std::span<const char> bytes) override { return !stop_ && sink_.write(bytes); }
    const Error* error() const override { return sink_.error(); }

  private:
    ByteSink& sink_;
    const StopFlag& stop_;
};

}  // namespace

struct CsvExport::Progress {
    Progress(std::shared_ptr<const TableAccess> table, ShownRows rows)
        : access(std::move(table)), shown(*access->final_table(), std::move(rows)) {}
    std::shared_ptr<const TableAccess> access;
    ShownTable shown;
};

CsvExport::CsvExport(QObject* parent) : QObject(parent) {
    thread_.setMaxThreadCount(1);
    timer_.setInterval(100);
    connect(&timer_, &QTimer::timeout, this, [this] {
        const size_t rows = std::max<size_t>(progress_->shown.rows(), 1);
        Q_EMIT progress(static_cast<int>(progress_->shown.reached() * 100 / rows));
    });
}

CsvExport::~CsvExport() = default;

void CsvExport::start(std::shared_ptr<const TableAccess> access, ShownRows rows, const QString& path,
                      const QString& capture) {
    progress_ = std::make_shared<Progress>(std::move(access), std::move(rows));
    running_ = true;
    timer_.start();
    job_.request(
        [held = progress_, target = QFile::encodeName(path).toStdString(),
         input = QFile::encodeName(capture).toStdString()](const StopFlag& stop) {
            const auto failed = [](const Error& error) {
                return Outcome{false, QString::fromStdString(error.message)};
            };
            if (const auto allowed = refuse_overwriting(input, target); !allowed)
                return failed(allowed.error());
            auto file = ReplacementFile::create(target);
            if (!file) return failed(file.error());
            StoppableSink sink((*file)->sink(), stop);
            if (!write_csv(held->shown, sink)) {
                const Error* const error = sink.error();
                return error != nullptr ? failed(*error) : Outcome{};
            }
            if (const auto committed = (*file)->commit(); !committed) return failed(committed.error());
            return Outcome{true, {}};
        },
        [this](const Outcome& outcome) {
            running_ = false;
            timer_.stop();
            progress_ = nullptr;
            Q_EMIT finished(outcome.written, outcome.error);
        });
}

void CsvExport::cancel() {
    if (!running_) return;
    job_.cancel();
    running_ = false;
    timer_.stop();
    progress_ = nullptr;
    Q_EMIT finished(false, {});
}

}  // namespace sanscope

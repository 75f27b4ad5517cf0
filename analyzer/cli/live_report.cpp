// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/cli/live_report.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <sys/resource.h>
#include <unistd.h>
#include <utility>

#include "analyzer/engine/analysis.h"
#include "analyzer/ingest/capture_file.h"
#include "analyzer/report/findings_so_far.h"
#include "analyzer/report/text_report.h"

namespace sanscope {

namespace {

// The source of packets and whoever adds files have it both.
class SharedSeries final : public ByteSource {
  public:
    explicit SharedSeries(std::shared_ptr<GrowingSeries> series) : series_(std::move(series)) {}
    size_t read(std::span<uint8_t> into) override { return series_->read(into); }
    const std::string& fault() const override { return series_->fault(); }
    uint64_t stored_bytes_read() const override { return series_->stored_bytes_read(); }

  private:
    std::shared_ptr<GrowingSeries> series_;
};

}  // namespace

LiveReport::LiveReport(bool with_metrics)
    : engine_(with_metrics ? ResultStore::Keep::only(&ResultStore::Keep::live_counts)
                           : ResultStore::Keep::nothing()),
      with_metrics_(with_metrics),
      thread_([this] { analyse_series(); }) {}

LiveReport::~LiveReport() {
    stop_ = true;
    if (growth_) growth_->end();
    if (!thread_.joinable()) return;
    series_->finish();
    thread_.join();
}

void LiveReport::take(const v1::RecordingEvent& event) {
    if (event.has_file_begun()) {
        end_file(0);
        auto growth = std::make_shared<FileGrowth>();
        growth->grown_to(0);
        const std::string& path = event.file_begun().path();
        if (const auto added = series_->add(path, growth); !added) {
            fault_ = path + ": " + added.error().message;
            return;
        }
        growth_ = std::move(growth);
        paths_.push_back(path);
    } else if (event.has_progress()) {
        readable_bytes_ = event.progress().readable_bytes();
        if (growth_) growth_->grown_to(readable_bytes_);
    } else if (event.has_file_ended()) {
        end_file(event.file_ended().bytes());
        ended_bytes_ += event.file_ended().bytes();
        readable_bytes_ = 0;
    }
}

void LiveReport::end_file(uint64_t bytes) {
    if (!growth_) return;
    if (bytes > 0) growth_->grown_to(bytes);
    growth_->end();
    growth_.reset();
}

void LiveReport::analyse_series() {
    // The recorder goes first, and the disk keeps what comes meanwhile. On Linux a thread has a niceness of its own.
    constexpr int lowest_priority = 19;
    ::setpriority(PRIO_PROCESS, 0, lowest_priority);
    auto source = open_capture_stream(std::make_unique<SharedSeries>(series_), "the recording", 0,
                                      default_block_length);
    if (!source) {
        fault_ = source.error().message;
        return;
    }
    source_ = std::move(*source);
    AnalysisOptions options;
    options.stop = &stop_;
    options.engine_lock = &engine_lock_;
    analyse(*source_, engine_, options);
}

std::vector<std::string> LiveReport::screen(LiveScreen::Size size) {
    using std::chrono::nanoseconds;
    const std::unique_lock lock(engine_lock_);
    engine_.describe_connections();
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    look_for_findings(now, {std::chrono::seconds(2), 50});
    return screen_.next(engine_.store(), std::chrono::duration_cast<nanoseconds>(now).count(), size, so_far_);
}

void LiveReport::gather(MetricsCollector& metrics) {
    const std::unique_lock lock(engine_lock_);
    engine_.describe_connections();
    const auto now = SamplePace::Moment::now();
    look_for_findings(now.clock, {std::chrono::seconds(5), 200});
    metrics.note(so_far_);
    metrics.gather(engine_, now);
}

uint64_t LiveReport::unread_bytes() const {
    const uint64_t recorded = ended_bytes_ + readable_bytes_;
    return recorded - std::min(recorded, series_->stored_bytes_read());
}

// The analysis waits meanwhile, so that it may take but a small share of the time.
void LiveReport::look_for_findings(std::chrono::nanoseconds now, Looking looking) {
    if (now < look_again_) return;
    // A screen shows a few of all; counted are all.
    const size_t most_of_a_kind = with_metrics_ ? 100 : 4;
    so_far_ = findings_so_far({.store = engine_.store(),
                               .totals = engine_.totals(),
                               .issues = engine_.issues(),
                               .damage = {},
                               .interfaces = {},
                               .most_of_a_kind = most_of_a_kind});
    const std::chrono::nanoseconds end = std::chrono::steady_clock::now().time_since_epoch();
    look_again_ = end + std::max(looking.least_pause, looking.share * (end - now));
}

// What was written, with the rows that findings and time budgets rest on; empty where that is not there any more.
std::optional<Analysed> LiveReport::with_rows() const {
    const auto exists = [](const std::string& path) { return ::access(path.c_str(), R_OK) == 0; };
    if (!std::ranges::all_of(paths_, exists)) return {};
    Analysed again = analyse_captures_aside({.files = paths_}, rows_for_findings);
    if (again.status == exit_nothing_analysed) return {};
    return again;
}

std::string LiveReport::finish() {
    end_file(0);
    series_->finish();
    thread_.join();
    if (source_ == nullptr) return "No report: " + fault_ + "\n";
    const std::optional<Analysed> again = with_rows();
    ReportInput input{paths_, *source_, engine_.totals(), engine_.issues(), engine_.store()};
    if (again) {
        input.findings = findings_of(*again);
        input.rows = &again->engine->store();
    }
    return text_report(input);
}

}  // namespace sanscope

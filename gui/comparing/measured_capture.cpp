// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/comparing/measured_capture.h"

#include <fmt/format.h>
#include <thread>

#include "analyzer/base/spilling_memory.h"
#include "analyzer/engine/analysis.h"
#include "analyzer/engine/engine.h"
#include "analyzer/ingest/packet_source.h"
#include "analyzer/report/findings_input.h"

namespace sanscope {
namespace {

// Rows are looked at but a few times: beyond that much they lie in a file.
constexpr size_t most_in_memory = size_t{256} << 20;

std::shared_ptr<const MeasuredCapture> measured(const Engine& engine, const PacketSource& source,
                                                const StopFlag& stop) {
    const std::vector<Damage>& damage = source.damage();
    auto capture = std::make_shared<MeasuredCapture>();
    capture->findings = findings(*CaptureFindingsInput(engine, source, &stop));
    if (stop) return capture;
    capture->figures = measure_capture(engine.store(), engine.totals(), capture->findings);
    if (!damage.empty()) {
        capture->damage =
            damage.front().at_byte == 0
                ? damage.front().message
                : fmt::format("{} at byte {}; the {} packets before it were analysed", damage.front().message,
                              damage.front().at_byte, engine.totals().packets);
    }
    return capture;
}

}  // namespace

Result<std::shared_ptr<const MeasuredCapture>> measure_file(const std::string& path, const StopFlag& stop,
                                                            MeasuringProgress& progress) {
    auto source = open_captures({path});
    if (!source) return source.error();
    SpillingMemory memory(most_in_memory);
    Engine engine(rows_for_findings, Engine::StopAfter::none, &memory);
    progress.bytes_total = (*source)->bytes_total();
    AnalysisOptions options;
    options.threads = std::thread::hardware_concurrency() > 1 ? 2 : 1;
    options.stop = &stop;
    options.progress = [&] { progress.bytes_read = (*source)->bytes_read(); };
    analyse(**source, engine, options);
    if (engine.totals().packets == 0 && !(*source)->damage().empty()) {
        return Error{(*source)->damage().front().message};
    }
    return measured(engine, **source, stop);
}

Result<std::shared_ptr<const MeasuredCapture>> measure_open_capture(const CaptureData& data,
                                                                    const StopFlag& stop) {
    const CaptureData::Reading reading = data.read();
    if (!data.fault().empty()) return Error{data.fault()};
    return measured(reading.engine(), reading.packets().source(), stop);
}

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/collection/analysed_file.h"

#include <utility>

#include "analyzer/base/spilling_memory.h"
#include "analyzer/engine/analysis.h"
#include "analyzer/engine/engine.h"
#include "analyzer/ingest/packet_source.h"
#include "analyzer/report/capture_summary.h"
#include "analyzer/report/findings_input.h"

namespace sanscope {

CaptureRow analysed_file(const std::string& path, std::string name, const StopFlag& stop) {
    // Rows are looked at but a few times: beyond that much they lie in a file.
    constexpr size_t most_in_memory = size_t{256} << 20;
    auto source = open_captures({path});
    if (!source) return unreadable_capture(std::move(name), source.error().message);
    SpillingMemory memory(most_in_memory);
    Engine engine(rows_for_findings, Engine::StopAfter::none, &memory);
    AnalysisOptions options;
    options.stop = &stop;
    analyse(**source, engine, options);
    const std::vector<Damage>& damage = (*source)->damage();
    if (engine.totals().packets == 0 && !damage.empty())
        return unreadable_capture(std::move(name), damage.front().message);
    CaptureFindingsInput input(engine, **source, &stop);
    return summarise_capture(std::move(name), *input, findings(*input));
}

}  // namespace sanscope

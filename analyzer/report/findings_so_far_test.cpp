// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/findings_so_far.h"

#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "analyzer/ingest/capture_file.h"

namespace sanscope {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> samples() {
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(SANSCOPE_SAMPLES)) {
        if (entry.path().filename().string().find(".pcap") != std::string::npos)
            files.push_back(entry.path());
    }
    std::ranges::sort(files);
    return files;
}

// What is claimed, and how firmly.
using Claims = std::map<std::tuple<Finding::Kind, uint32_t, uint32_t>, Finding::Severity>;

Claims claims_of(const std::vector<Finding>& findings) {
    Claims claims;
    for (const Finding& one : findings) {
        const auto added =
            claims.emplace(std::tuple(one.kind, one.connection, one.session), one.severity).first;
        added->second = std::min(added->second, one.severity);
    }
    return claims;
}

// Analyses some packets after the other and shows the engine each time; `finished` at its end. False where the file is no
// capture.
template <class Look>
bool analyse_by_steps(const fs::path& path, ResultStore::Keep keep, size_t step, Look&& look) {
    auto source = open_captures({path.string()});
    if (!source) return false;
    Engine engine(keep);
    PacketBatch batch;
    std::vector<DecodedPacket> decoded;
    while ((*source)->claim(batch)) {
        (*source)->load(batch);
        (*source)->parse(batch);
        for (size_t first = 0; first < batch.packets.size(); first += step) {
            decode_batch(batch, decoded, first, step);
            engine.process(batch, decoded, first);
            engine.describe_connections();
            look(engine, false);
        }
    }
    engine.finish();
    look(engine, true);
    return true;
}

FindingsInput input_of(const Engine& engine) {
    return {.store = engine.store(),
            .totals = engine.totals(),
            .issues = engine.issues(),
            .damage = {},
            .interfaces = {}};
}

// Whatever is said while a capture grows is said at each later moment, no less gravely, and of the whole as well.
TEST(FindingsSoFar, AreNeverTakenBack) {
    size_t claimed = 0;
    size_t captures = 0;
    for (const fs::path& path : samples()) {
        Claims so_far;
        const auto expect_in = [&](const Claims& now, const char* when) {
            for (const auto& [claim, severity] : so_far) {
                const auto still = now.find(claim);
                ASSERT_NE(still, now.end()) << path << ' ' << finding_kind_name(std::get<0>(claim)) << when;
                EXPECT_LE(still->second, severity) << path << ' ' << finding_kind_name(std::get<0>(claim));
            }
        };
        constexpr size_t step = 50;
        captures +=
            analyse_by_steps(path, ResultStore::Keep::nothing(), step, [&](const Engine& engine, bool) {
                Claims now = claims_of(findings_so_far(input_of(engine)));
                expect_in(now, " while it grew");
                so_far = std::move(now);
            });
        claimed += so_far.size();
        analyse_by_steps(path, rows_for_findings, SIZE_MAX, [&](const Engine& engine, bool finished) {
            if (finished) expect_in(claims_of(findings(input_of(engine))), " at the end");
        });
    }
    EXPECT_GT(captures, 30u);
    EXPECT_GT(claimed, 10u);
}

// Losses are what a live capture shows first and takes back most often: they wait for the end.
TEST(FindingsSoFar, SayNothingThatTheEndMayChange) {
    for (const Finding::Kind kind : {Finding::Kind::lost_segments, Finding::Kind::retransmission_timeout,
                                     Finding::Kind::congestion_window, Finding::Kind::under_way_at_end,
                                     Finding::Kind::unanswered_commands, Finding::Kind::nothing_wrong})
        EXPECT_FALSE(is_never_taken_back(kind)) << finding_kind_name(kind);
    bool lost = false;
    analyse_by_steps(fs::path(SANSCOPE_SAMPLES) / "loss-mixed-initiator.pcap.zst",
                     ResultStore::Keep::nothing(), 1000, [&](const Engine& engine, bool) {
                         for (const Finding& one : findings(input_of(engine)))
                             lost = lost || one.kind == Finding::Kind::lost_segments;
                         for (const Finding& one : findings_so_far(input_of(engine)))
                             EXPECT_TRUE(is_never_taken_back(one.kind)) << one.title;
                     });
    EXPECT_TRUE(lost);
}

}  // namespace
}  // namespace sanscope

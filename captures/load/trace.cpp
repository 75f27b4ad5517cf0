// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/load/trace.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <fstream>
#include <iterator>
#include <limits>
#include <string_view>

#include "captures/load/request_list.h"

#include "analyzer/engine/analysis.h"
#include "analyzer/engine/engine.h"

namespace sanscope {
namespace {

__extension__ using Wide = unsigned __int128;

// Of any length of CDB, but of none of the commands that do more than to read or write ("WRITE SAME(10)").
bool is_plain(std::string_view name, std::string_view read_or_write) {
    return name.starts_with(read_or_write) && name.substr(read_or_write.size()).starts_with('(');
}

Result<Trace> whole(TraceMaker& maker, const char* nothing) {
    Trace trace = maker.finish();
    if (!trace.commands.empty()) return trace;
    const std::string left_out = trace.left_out();
    return Error{left_out.empty() ? nothing : left_out};
}

}  // namespace

std::string Trace::left_out() const {
    const uint64_t left_out = others + unknown + beyond + misaligned;
    if (left_out == 0) return "";
    std::string text =
        fmt::format("{} of {} command{} {} not replayed: ", left_out, left_out + commands.size(),
                    left_out + commands.size() == 1 ? "" : "s", left_out == 1 ? "is" : "are");
    std::string_view between;
    const auto add = [&](uint64_t count, std::string_view why) {
        if (count == 0) return;
        text += fmt::format("{}{} {}", between, count, why);
        between = ", ";
    };
    add(beyond, "beyond the end of the LUN");
    add(misaligned, "not aligned to its blocks");
    add(unknown, "of which the capture does not tell time or place");
    add(others, "that do not read or write");
    return text;
}

void TraceMaker::add(const CommandRow& row) {
    const bool write = is_plain(row.name, "WRITE");
    if (!write && !is_plain(row.name, "READ")) {
        ++trace_.others;
        return;
    }
    if (row.request_ns == no_time || row.lba == unknown<uint64_t> || row.blocks == unknown<uint64_t>) {
        ++trace_.unknown;
        return;
    }
    if (row.blocks == 0) {
        ++trace_.others;
        return;
    }
    const uint64_t block_size = options_.lun.block_size;
    uint64_t their_block_size = block_size;
    if (row.bytes != unknown<uint64_t> && row.bytes > 0 && row.bytes % row.blocks == 0)
        their_block_size = row.bytes / row.blocks;
    const Wide begin = Wide{row.lba} * their_block_size;
    const Wide length = Wide{row.blocks} * their_block_size;
    if (begin + length > Wide{options_.lun.blocks} * block_size) {
        ++trace_.beyond;
    } else if (begin % block_size != 0 || length % block_size != 0 ||
               length > std::numeric_limits<uint32_t>::max()) {
        ++trace_.misaligned;
    } else {
        trace_.commands.push_back({.offset_ns = row.request_ns,
                                   .lba = static_cast<uint64_t>(begin / block_size),
                                   .blocks = static_cast<uint32_t>(length / block_size),
                                   .write = write});
    }
}

Trace TraceMaker::finish() {
    auto& commands = trace_.commands;
    std::stable_sort(commands.begin(), commands.end(),
                     [](const TraceCommand& a, const TraceCommand& b) { return a.offset_ns < b.offset_ns; });
    if (!commands.empty()) {
        const auto first = static_cast<uint64_t>(commands.front().offset_ns);
        // Clocks of two captures may lie any time apart.
        constexpr double longest_ns = 0x1p62;
        for (TraceCommand& command : commands) {
            const auto since = static_cast<double>(static_cast<uint64_t>(command.offset_ns) - first);
            command.offset_ns = static_cast<int64_t>(std::min(since / options_.speed, longest_ns));
        }
    }
    return std::move(trace_);
}

Result<Trace> load_trace(const std::vector<std::string>& files, const TraceOptions& options) {
    if (!std::isfinite(options.speed) || options.speed <= 0) return Error{"the speed of a replay is above 0"};
    if (options.lun.blocks == 0 || options.lun.block_size == 0)
        return Error{"a LUN without blocks bears no load"};
    TraceMaker maker(options);
    const auto lists = std::ranges::count_if(files, is_request_list);
    if (lists > 0) {
        for (const std::string& file : files) {
            if (!is_request_list(file))
                return Error{fmt::format("{}: no list of requests, as other traces here are", file)};
            std::ifstream in(file, std::ios::binary);
            const std::string text(std::istreambuf_iterator<char>(in), {});
            if (const auto read = read_request_list(text, maker); !read)
                return Error{fmt::format("{}: {}", file, read.error().message)};
        }
        return whole(maker, "the list has no requests");
    }
    auto source = open_captures(files);
    if (!source) return source.error();
    Engine engine(ResultStore::Keep::only(&ResultStore::Keep::commands));
    analyse(**source, engine, {});
    if (engine.totals().packets == 0 && !(*source)->damage().empty()) {
        const Damage& damage = (*source)->damage().front();
        return Error{fmt::format("{}: {}", damage.file, damage.message)};
    }
    for (const CommandRow& row : engine.store().commands()) maker.add(row);
    return whole(maker, "the capture has no SCSI commands to be replayed");
}

}  // namespace sanscope

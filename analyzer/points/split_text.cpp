// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/points/split_text.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/base/log_histogram.h"
#include "analyzer/base/utf8.h"
#include "analyzer/points/points_text.h"
#include "analyzer/report/append_line.h"
#include "analyzer/report/human_units.h"

namespace sanscope {
namespace {

// One figure of many commands: what it is at least, and at most.
struct Figure {
    int64_t low_ns = 0;
    int64_t high_ns = 0;
    LogHistogram low;
    LogHistogram high;

    void add(const TimeBand& band) {
        low_ns += band.low_ns;
        high_ns += band.high_ns;
        low.add(band.low_ns);
        high.add(band.high_ns);
    }
    void add(int64_t time_ns) { add({time_ns, time_ns}); }
    TimeBand percentile(double share) const { return {low.percentile_ns(share), high.percentile_ns(share)}; }
};

struct Group {
    uint64_t commands = 0;
    Figure turnaround, initiator, out, recovery_out, target, answer, back, recovery_back, paths,
        behind_others, service;

    void add(const CommandSplit& split) {
        ++commands;
        turnaround.add(split.turnaround_ns);
        initiator.add(split.initiator_ns);
        target.add(split.target_ns);
        answer.add(split.answer_ns);
        // Of what stood behind others nobody knows how long the target would have needed anyway.
        const bool known = split.behind_others_ns != no_time;
        behind_others.add(known ? TimeBand{split.behind_others_ns, split.behind_others_ns}
                                : TimeBand{0, split.target_ns});
        service.add(known ? TimeBand{split.target_ns - split.behind_others_ns, split.target_ns}
                          : TimeBand{0, split.target_ns});
        paths.add(split.paths_ns);
        // Where the clocks are not known: anything.
        const TimeBand any{0, split.paths_ns};
        out.add(split.out.bounded() ? split.out : any);
        back.add(split.back.bounded() ? split.back : any);
        const auto recovery = [](int64_t time_ns, int64_t most_ns) {
            return time_ns == no_time ? TimeBand{0, most_ns} : TimeBand{time_ns, time_ns};
        };
        recovery_out.add(recovery(split.recovery_out_ns, split.paths_ns));
        recovery_back.add(recovery(split.recovery_back_ns, split.paths_ns));
    }
};

struct PairSplits {
    uint64_t commands = 0;
    std::array<uint64_t, split_lacks> lacks{};
    Group all;
    std::map<std::string_view, Group> by_name;
};

constexpr std::array<std::string_view, split_lacks> lack_words{
    "",
    "unanswered",
    "with headers that were not captured",
    "whose bytes are not in both captures",
    "that the target did not wait with",
    "about when a clock was or may have been stepped",
    "on connections of which nothing tells the point that is passed first"};

double share(int64_t time_ns, int64_t of_ns) {
    return of_ns == 0 ? 0 : static_cast<double>(time_ns) / static_cast<double>(of_ns);
}

std::string share_words(const Figure& figure, int64_t of_ns) {
    const std::string low = human_percent(share(figure.low_ns, of_ns));
    const std::string high = human_percent(share(figure.high_ns, of_ns));
    return low == high ? low : fmt::format("{} to {}", low, high);
}

class Text {
  public:
    // For each pair of points: of commands that pass a first, and of those that pass b first.
    Text(const PathPoints& path, std::vector<PairSplits> splits) : path_(path), splits_(std::move(splits)) {}

    std::string write() {
        line("\nWhose time the commands' was");
        for (size_t i = 0; i < splits_.size(); ++i) {
            const PointPair& pair = path_.pairs[i / 2];
            const bool near_is_b = i % 2 != 0;
            if (splits_[i].commands == 0 && (near_is_b || splits_[i + 1].commands > 0)) continue;
            between(near_is_b ? pair.b : pair.a, near_is_b ? pair.a : pair.b, splits_[i]);
        }
        return std::move(text_);
    }

  private:
    // Whether the points that the commands pass first and last are ends of the path.
    struct Ends {
        bool first;
        bool last;
    };

    template <class... Args>
    void line(fmt::format_string<Args...> format, Args&&... args) {
        append_line(text_, format, std::forward<Args>(args)...);
    }

    // Two neighbouring points, the one first that the commands pass first.
    void between(size_t near, size_t far, const PairSplits& splits) {
        const std::string a = cleaned_line(path_.points[near]->name());
        const std::string b = cleaned_line(path_.points[far]->name());
        if (splits.commands == 0) return line("  Between {} and {}: no SCSI commands", a, b);
        line("  Between {} and {}: {} of {} split", a, b, human_count(splits.all.commands),
             counted(splits.commands, "command"));
        const Ends ends{near == 0 || near + 1 == path_.points.size(),
                        far == 0 || far + 1 == path_.points.size()};
        for (size_t i = 1; i < split_lacks; ++i) {
            if (splits.lacks[i] > 0)
                line("    not split: {} {}", human_count(splits.lacks[i]), lack_words[i]);
        }
        if (splits.all.commands == 0) return;
        most(ends, splits.all);
        std::vector<std::pair<std::string_view, const Group*>> groups;
        for (const auto& [name, group] : splits.by_name) groups.emplace_back(name, &group);
        std::ranges::stable_sort(groups, std::ranges::greater(),
                                 [](const auto& group) { return group.second->turnaround.low_ns; });
        constexpr size_t most_listed = 6;
        constexpr double little = 0.02;
        size_t listed = 0;
        for (const auto& [name, group] : groups) {
            const bool matters =
                listed == 0 || share(group->turnaround.low_ns, splits.all.turnaround.low_ns) >= little;
            if (listed == most_listed || !matters) break;
            ++listed;
            table(name.empty() ? "Unnamed" : name, *group, ends);
        }
        if (listed < groups.size()) {
            line("    Besides, {} with little of the time",
                 counted(groups.size() - listed, "kind") + " of commands");
        }
    }

    // What takes half of all time wherever the truth lies in its band.
    void most(Ends ends, const Group& all) {
        const int64_t whole_ns = all.turnaround.low_ns;
        const auto [first, last] = ends;
        const std::array<std::pair<const Figure*, std::string_view>, 5> parts{{
            {&all.initiator, first ? "the initiator's, with Data-Out to send" : "before the nearer point"},
            {&all.out, "on the path out, to the target"},
            {&all.service, last ? "the target's own" : "beyond the farther point"},
            {&all.answer, "the answers', from their first byte to their last as they left"},
            {&all.back, "on the path back, from the target"},
        }};
        for (const auto& [figure, words] : parts) {
            if (share(figure->low_ns, whole_ns) < 0.5) continue;
            line("    {} of their time was {}", share_words(*figure, whole_ns), words);
            return;
        }
        if (share(all.paths.low_ns, whole_ns) >= 0.5) {
            line("    {} of their time was between the points, there and back together",
                 share_words(all.paths, whole_ns));
        } else if (share(all.target.low_ns, whole_ns) >= 0.5) {
            line("    {} of their time was {}, {} of all behind others' answers, which TCP may have held up",
                 share_words(all.target, whole_ns), last ? "at the target's end" : "beyond the farther point",
                 share_words(all.behind_others, whole_ns));
        }
    }

    void table(std::string_view name, const Group& group, Ends ends) {
        const auto [first, last] = ends;
        line("    {:<36} {:<20} {:<26} {}", fmt::format("{}, {}", name, counted(group.commands, "command")),
             "of the time", "half", "99 of 100");
        const auto row = [&](std::string_view what, const Figure& figure) {
            line("      {:<34} {:<20} {:<26} {}", what, share_words(figure, group.turnaround.low_ns),
                 band_words(figure.percentile(0.5)), band_words(figure.percentile(0.99)));
        };
        row("turnaround", group.turnaround);
        if (group.initiator.high_ns > 0)
            row(first ? "initiator" : "before the nearer point", group.initiator);
        row("path out", group.out);
        if (group.recovery_out.high_ns > 0) row("  waiting for lost or late bytes", group.recovery_out);
        row(last ? "target" : "beyond the farther point", group.target);
        if (group.behind_others.high_ns > 0) row("  behind others' answers", group.behind_others);
        row("answer, first byte to last", group.answer);
        row("path back", group.back);
        if (group.recovery_back.high_ns > 0) row("  waiting for lost or late bytes", group.recovery_back);
        row("path, there and back", group.paths);
    }

    const PathPoints& path_;
    std::vector<PairSplits> splits_;
    std::string text_;
};

}  // namespace

std::string split_text(const PathPoints& path, const ResultStore& store,
                       const ChunkedRows<CommandSplit>& splits) {
    std::vector<PairSplits> found(2 * path.pairs.size());
    for (const CommandSplit& split : splits) {
        PairSplits& one = found[2 * split.pair + (split.near_is_b ? 1 : 0)];
        ++one.commands;
        ++one.lacks[static_cast<size_t>(split.lack)];
        if (split.lack != SplitLack::none) continue;
        one.all.add(split);
        one.by_name[store.command(split.command).name].add(split);
    }
    return Text(path, std::move(found)).write();
}

}  // namespace sanscope

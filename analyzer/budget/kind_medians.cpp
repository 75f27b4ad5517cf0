// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/budget/kind_medians.h"

#include "analyzer/budget/budget_groups.h"
#include "analyzer/vocabulary/slow_commands.h"

namespace sanscope {

KindMedians::Kind* KindMedians::find(const CommandRow& row, bool make) {
    const Key key{row.session, row.lun, row.opcode, size_class_of(row)};
    if (last_ != nullptr && key == last_key_) return last_;
    auto found = kinds_.find(key);
    if (found == kinds_.end()) {
        if (!make || kinds_.size() >= most_kinds) return nullptr;
        found = kinds_.try_emplace(key).first;
    }
    last_key_ = key;
    return last_ = &found->second;
}

void KindMedians::add(const CommandRow& row) {
    const int64_t took_ns = row.turnaround_ns();
    static_assert(no_time < 0);
    if (took_ns <= 0 || row.inferred) return;
    if (Kind* const kind = find(row, true)) kind->times.add(took_ns);
}

bool KindMedians::is_slow(const CommandRow& row, int64_t path_ns) {
    if (row.turnaround_ns() < slow_by_ns) return false;
    Kind* const kind = find(row, false);
    if (kind == nullptr || kind->times.count() < least_of_a_kind) return false;
    if (kind->known_of != kind->times.count()) {
        kind->median_ns = kind->times.percentile_ns(0.5);
        kind->known_of = kind->times.count();
    }
    return sanscope::is_slow(row.turnaround_ns(), kind->median_ns, path_ns);
}

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/senders/spells.h"

namespace sanscope {

void Spells::add(const Spell& spell) {
    if (spell.length_ns() == 0) return;
    ++count;
    total_ns += spell.length_ns();
    spans.add(spell.begin_ns, spell.end_ns);
    if (spell.length_ns() > longest.length_ns()) longest = spell;
}

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/time_budgets/parts_breakdown.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>
#include <map>
#include <tuple>

#include "gui/models/moment_literal.h"
#include "gui/plot/command_words.h"

#include "analyzer/report/human_units.h"
#include "analyzer/scsi/opcodes.h"

namespace sanscope {
namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("TimeBudgetsView", text);
}

Breakdown::Group group_of(const CommandRow& row, BreakdownBy by) {
    Breakdown::Group group;
    const bool all = by == BreakdownBy::all_of_these;
    if (all || by == BreakdownBy::session) group.session = row.session.value();
    if (all || by == BreakdownBy::lun) group.lun = row.lun;
    if (all || by == BreakdownBy::transfer) group.transfer = transfer_of(row.opcode);
    if (all || by == BreakdownBy::size) group.size_class = size_class_of(row);
    return group;
}

auto key_of(const Breakdown::Group& group) {
    return std::tuple(group.session, group.lun, group.transfer, group.size_class);
}

template <size_t count>
QString opcodes_text(const std::array<uint8_t, count>& opcodes) {
    QStringList words;
    for (const uint8_t opcode : opcodes) words << QStringLiteral("0x%1").arg(opcode, 2, 16, QLatin1Char('0'));
    return words.join(QStringLiteral(", "));
}

QString condition_on_transfer(Transfer transfer) {
    // Those of is_read_opcode() and is_write_opcode().
    constexpr std::array reads{scsi_op::read_6, scsi_op::read_10, scsi_op::read_12, scsi_op::read_16};
    constexpr std::array writes{scsi_op::write_6, scsi_op::write_10, scsi_op::write_12, scsi_op::write_16};
    QString is_read = QStringLiteral("opcode in {%1}").arg(opcodes_text(reads));
    QString is_write = QStringLiteral("opcode in {%1}").arg(opcodes_text(writes));
    switch (transfer) {
        case Transfer::read:
            return is_read;
        case Transfer::write:
            return is_write;
        case Transfer::none:
            break;
    }
    // Of an unknown opcode no condition holds, but `not` of it does.
    return QStringLiteral("not %1 && not %2").arg(is_read, is_write);
}

QString condition_on_size(uint64_t size_class) {
    if (size_class == 0) return QStringLiteral("not bytes > 0");
    QString above = QStringLiteral("bytes > %1").arg(size_class / 2);
    // The greatest class has no end.
    if (size_class >> 63 != 0) return above;
    return above + QStringLiteral(" && bytes <= %1").arg(size_class);
}

}  // namespace

Breakdown break_down(const CaptureData::Reading& reading, const CommandParts& parts,
                     const BreakdownQuestion& question, const StopFlag& stop) {
    Breakdown breakdown;
    breakdown.question = question;
    breakdown.anywhere = parts.sums();
    const auto& commands = reading.store().commands();
    const FilterResult* const filter = question.filter.get();
    std::map<decltype(key_of({})), size_t> places;
    const size_t first = question.range ? parts.first_at(question.range->begin_ns) : 0;
    const size_t last = question.range ? parts.first_at(question.range->end_ns) : parts.items().size();
    for (size_t i = first; i < last; ++i) {
        if (i % 4096 == 0 && stop) return breakdown;
        const CommandParts::Item& item = parts.items()[i];
        if (filter != nullptr && !filter->rows.commands.test(item.row)) continue;
        const CommandRow& row = commands[item.row];
        if (!holds(question.scope, row)) continue;
        const auto count = [&](Breakdown::Group& group) {
            ++group.commands;
            parts.parts_of(item, [&](size_t part, int64_t ns) {
                group.sums[part] = saturated_sum(group.sums[part], ns);
            });
        };
        count(breakdown.all);
        Breakdown::Group fresh = group_of(row, question.by);
        const auto place = places.find(key_of(fresh));
        if (place != places.end()) {
            count(breakdown.groups[place->second]);
        } else if (breakdown.groups.size() < Breakdown::most_groups) {
            places.emplace(key_of(fresh), breakdown.groups.size());
            breakdown.groups.push_back(fresh);
            count(breakdown.groups.back());
        } else {
            ++breakdown.ungrouped;
        }
    }
    std::ranges::stable_sort(breakdown.groups, std::greater(), &Breakdown::Group::turnaround_ns);
    breakdown.complete = true;
    return breakdown;
}

QString group_text(const Breakdown::Group& group) {
    QStringList words;
    if (group.session)
        words << (*group.session == 0 ? tr("no session") : tr("session %1").arg(*group.session));
    if (group.lun) words << tr("LUN %1").arg(lun_text(*group.lun));
    if (group.transfer) {
        words << (*group.transfer == Transfer::read    ? tr("reads")
                  : *group.transfer == Transfer::write ? tr("writes")
                                                       : tr("others"));
    }
    if (group.size_class) {
        words << (*group.size_class == 0
                      ? tr("no data")
                      : tr("≤ %1").arg(QString::fromStdString(human_binary_bytes(*group.size_class))));
    }
    return words.isEmpty() ? tr("all") : words.join(QStringLiteral(", "));
}

QString filter_text(const BreakdownQuestion& question, const Breakdown::Group& group,
                    std::optional<BudgetPart> part) {
    QStringList conditions;
    if (question.filter != nullptr && question.filter->table == "commands") {
        conditions << QStringLiteral("(%1)").arg(QString::fromStdString(question.filter->expression));
    }
    using Kind = ConnectionChooser::Scope::Kind;
    if (question.scope.kind == Kind::session) {
        conditions << QStringLiteral("session == %1").arg(question.scope.number);
    } else if (question.scope.kind == Kind::connection) {
        conditions << QStringLiteral("connection == %1").arg(question.scope.number);
    }
    if (group.session && !(question.scope.kind == Kind::session && question.scope.number == *group.session)) {
        conditions << (*group.session == 0 ? QStringLiteral("not session")
                                           : QStringLiteral("session == %1").arg(*group.session));
    }
    if (group.lun) {
        conditions << (*group.lun == unknown<uint64_t> ? QStringLiteral("not lun")
                                                       : QStringLiteral("lun == %1").arg(*group.lun));
    }
    if (group.transfer) conditions << condition_on_transfer(*group.transfer);
    if (group.size_class) conditions << condition_on_size(*group.size_class);
    if (question.range) {
        conditions << QStringLiteral("response_ns >= %1").arg(moment_literal(question.range->begin_ns))
                   << QStringLiteral("response_ns < %1").arg(moment_literal(question.range->end_ns));
    }
    if (part) {
        const std::string_view name = budget_part_name(*part);
        conditions << QStringLiteral("budget_%1_ns > 0")
                          .arg(QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())));
    } else {
        conditions << QStringLiteral("turnaround_ns");
    }
    return conditions.join(QStringLiteral(" && "));
}

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/models/row_colors.h"

#include <QCoreApplication>
#include <string>
#include <utility>
#include <variant>

#include "gui/models/display_filter_columns.h"
#include "gui/models/table_access.h"

#include "analyzer/tables/packets_table.h"

namespace sanscope {
namespace {

std::variant<RowFilter, FilterError> compile(const QString& expression, std::string_view table) {
    return RowFilter::compile(expression.toStdString(), table, columns_of_table(table));
}

std::variant<RowFilter, QString> filter_of(const QString& expression, std::string_view table) {
    auto compiled = compile(expression, table);
    if (auto* const filter = std::get_if<RowFilter>(&compiled)) return std::move(*filter);
    const QString fault = QString::fromStdString(std::get<FilterError>(compiled).message);
    if (table != packets_table_name || expression.trimmed().isEmpty()) return fault;
    const ColumnsOfDisplayFilter columns = columns_of_display_filter(expression);
    if (!columns.filter.isEmpty()) {
        auto translated = compile(columns.filter, table);
        if (auto* const filter = std::get_if<RowFilter>(&translated)) return std::move(*filter);
    }
    return columns.problem.isEmpty()
               ? fault
               : QCoreApplication::translate("RowColors",
                                             "As a filter over columns: %1. As a display filter: %2")
                     .arg(fault, columns.problem);
}

}  // namespace

RowColors::RowColors(std::vector<ColorRule> rules, std::string_view table) : rules_(std::move(rules)) {
    for (const ColorRule& rule : rules_) {
        std::optional<RowFilter>& filter = filters_.emplace_back();
        QString problem;
        if (rule.enabled) {
            auto found = filter_of(rule.filter, table);
            if (auto* const text = std::get_if<QString>(&found)) {
                problem = *text;
            } else {
                filter.emplace(std::move(std::get<RowFilter>(found)));
            }
        }
        problems_.append(problem);
    }
}

RowColors::Test::Test(const RowColors& colors, const Table& table) {
    rules_.reserve(colors.filters_.size());
    for (size_t i = 0; i < colors.filters_.size(); ++i) {
        if (colors.filters_[i]) rules_.push_back({static_cast<int>(i), RowTest(*colors.filters_[i], table)});
    }
}

int RowColors::Test::operator()(size_t row) {
    for (Rule& rule : rules_) {
        if (rule.passes(row)) return rule.number;
    }
    return no_rule;
}

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "gui/models/color_rules.h"

#include "analyzer/query/row_filter.h"

namespace sanscope {

// Coloring rules made ready for the rows of a table. Immutable; any number of threads may ask at once, each with a Test of
// its own.
class RowColors {
  public:
    // `table` is the name of one of table_kinds(). Display filters are taken where the columns of Packets tell them.
    RowColors(std::vector<ColorRule> rules, std::string_view table);

    const std::vector<ColorRule>& rules() const { return rules_; }
    // Why the rule colours nothing though it is enabled; empty where it can.
    const QString& problem(size_t rule) const { return problems_[static_cast<qsizetype>(rule)]; }

    static constexpr int no_rule = -1;
    class Test {
      public:
        // Both must outlive it; the table must be that of the rules.
        Test(const RowColors& colors, const Table& table);
        // The first rule that the row passes; no_rule: none. Allocates nothing.
        int operator()(size_t row);

      private:
        struct Rule {
            int number;
            RowTest passes;
        };
        std::vector<Rule> rules_;
    };

  private:
    std::vector<ColorRule> rules_;
    std::vector<std::optional<RowFilter>> filters_;
    QStringList problems_;
};

// The same rules for both kinds of themes, or none: nullptr.
struct ThemedRowColors {
    std::shared_ptr<const RowColors> light;
    std::shared_ptr<const RowColors> dark;
};

}  // namespace sanscope

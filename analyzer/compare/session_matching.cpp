// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/compare/session_matching.h"

#include <algorithm>
#include <functional>

namespace sanscope {
namespace {

constexpr size_t unmatched = SIZE_MAX;

bool has_names(const SessionFigures& session) {
    return !session.target_name.empty() || !session.initiator_name.empty();
}

bool same_names(const SessionFigures& a, const SessionFigures& b) {
    return a.target_name == b.target_name && a.initiator_name == b.initiator_name;
}

bool same_addresses(const SessionFigures& a, const SessionFigures& b) {
    return a.initiator_address == b.initiator_address && a.target == b.target;
}

class Matcher {
  public:
    Matcher(std::span<const SessionFigures> before, std::span<const SessionFigures> after)
        : before_(before), after_(after), of_before_(before.size(), unmatched), taken_(after.size()) {}

    // Pairs those left that agree, each being the other's only one.
    template <class Agree>
    void pair_by(Agree&& agree) {
        for (size_t i = 0; i < before_.size(); ++i) {
            if (of_before_[i] != unmatched) continue;
            const size_t j = only_one(after_.size(), [&](size_t other) {
                return !taken_[other] && agree(before_[i], after_[other]);
            });
            if (j == unmatched) continue;
            const size_t back = only_one(before_.size(), [&](size_t other) {
                return of_before_[other] == unmatched && agree(before_[other], after_[j]);
            });
            if (back != i) continue;
            of_before_[i] = j;
            taken_[j] = true;
        }
    }

    SessionMatching result() const {
        SessionMatching matching;
        for (size_t i = 0; i < of_before_.size(); ++i) {
            if (of_before_[i] == unmatched) {
                matching.only_before.push_back(i);
            } else {
                matching.pairs.emplace_back(i, of_before_[i]);
            }
        }
        for (size_t j = 0; j < taken_.size(); ++j) {
            if (!taken_[j]) matching.only_after.push_back(j);
        }
        return matching;
    }

  private:
    template <class Fits>
    static size_t only_one(size_t count, Fits&& fits) {
        size_t found = unmatched;
        for (size_t i = 0; i < count; ++i) {
            if (!fits(i)) continue;
            if (found != unmatched) return unmatched;
            found = i;
        }
        return found;
    }

    std::span<const SessionFigures> before_;
    std::span<const SessionFigures> after_;
    std::vector<size_t> of_before_;
    std::vector<bool> taken_;
};

}  // namespace

SessionMatching match_sessions(std::span<const SessionFigures> before,
                               std::span<const SessionFigures> after) {
    Matcher matcher(before, after);
    matcher.pair_by([](const SessionFigures& a, const SessionFigures& b) {
        return same_names(a, b) && same_addresses(a, b);
    });
    matcher.pair_by(
        [](const SessionFigures& a, const SessionFigures& b) { return has_names(a) && same_names(a, b); });
    matcher.pair_by([](const SessionFigures& a, const SessionFigures& b) {
        return same_addresses(a, b) && (!has_names(a) || !has_names(b));
    });
    return matcher.result();
}

}  // namespace sanscope

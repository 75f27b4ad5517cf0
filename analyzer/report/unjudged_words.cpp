// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/unjudged_words.h"

#include <fmt/format.h>

#include "analyzer/report/human_units.h"

namespace sanscope {

std::string unjudged_words(const ConnectionRow& connection) {
    switch (connection.unjudged()) {
        case Unjudged::no:
            return "";
        case Unjudged::one_direction:
            return "one direction was not captured";
        case Unjudged::pure_acks_missing:
            return "acknowledgements without data were not captured";
        case Unjudged::clocks_apart:
            return "the clocks of the two directions are apart";
        case Unjudged::coarse_times:
            return fmt::format("times are in steps of {}", human_duration(connection.clock_step_ns));
        case Unjudged::stamped_in_batches:
            return fmt::format("packets were stamped in batches about {} apart",
                               human_duration(connection.batches_apart_ns));
        case Unjudged::place_found_late:
            return "where it was captured showed too late";
        case Unjudged::out_of_order:
            return "packets are not in the order in which they passed";
    }
    return "";
}

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/experiment/run_news.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "captures/experiment/chosen_experiment.h"

namespace sanscope::lab {
namespace {

using Json = nlohmann::ordered_json;

std::string one_line(const Json& object) {
    return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

const char* kind_name(RunNews::Kind kind) {
    switch (kind) {
        case RunNews::Kind::done:
            return "done";
        case RunNews::Kind::failed:
            return "failed";
        case RunNews::Kind::begins:
            break;
    }
    return "run";
}

}  // namespace

std::string news_line(const RunNews& news) {
    if (news.kind == RunNews::Kind::begins) return {};
    const std::string head = fmt::format("{:4}/{}  {}: ", news.number, news.of, news.label);
    if (news.kind == RunNews::Kind::failed) return head + "failed: " + news.text;
    return head + news.text +
           (news.seconds_left > 0 ? fmt::format("  ({} left)", duration_text(news.seconds_left)) : "");
}

std::string news_json(const RunNews& news) {
    Json object{{"kind", kind_name(news.kind)},
                {"number", news.number},
                {"of", news.of},
                {"label", news.label},
                {"repetition", news.repetition}};
    if (news.kind != RunNews::Kind::begins) object["text"] = news.text;
    if (news.seconds_left > 0) object["seconds_left"] = news.seconds_left;
    if (!news.capture.empty()) object["capture"] = news.capture;
    return one_line(object);
}

std::string message_json(std::string_view text) {
    return one_line({{"kind", "message"}, {"text", text}});
}

std::string begun_json(size_t runs, size_t done, double seconds) {
    return one_line({{"kind", "begun"}, {"runs", runs}, {"done", done}, {"seconds", seconds}});
}

std::string ended_json(int status, size_t done, size_t failed) {
    return one_line({{"kind", "ended"}, {"status", status}, {"done", done}, {"failed", failed}});
}

}  // namespace sanscope::lab

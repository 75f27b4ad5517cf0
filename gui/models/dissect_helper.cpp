// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/models/dissect_helper.h"

#include "dissectors/client/dissect_client.h"

namespace sanscope {

struct DissectHelper::Session {
    explicit Session(DissectClient::Options options) : client(std::move(options)) {}
    DissectClient client;
    // Looking for a helper that is not there with every key would be idle work.
    int failures = 0;
};

namespace {

DissectClient::Options options_for(std::string program) {
    DissectClient::Options options;
    options.program = std::move(program);
    options.patience = std::chrono::seconds(20);
    return options;
}

}  // namespace

DissectHelper::DissectHelper(std::string program)
    : session_(std::make_shared<Session>(options_for(std::move(program)))) {
    thread_.setMaxThreadCount(1);
}

DissectHelper::~DissectHelper() = default;

void DissectHelper::check(std::string filter, std::function<void(const Check&)> done) {
    check_.request(
        [session = session_, filter = std::move(filter)](const StopFlag&) {
            v1::DissectRequest request;
            request.mutable_check_filter()->set_filter(filter);
            Check check;
            const auto answer = session->client.ask(request);
            if (!answer) {
                check.error.message = answer.error().message;
                ++session->failures;
                return check;
            }
            const v1::FilterCheck& told = answer->filter_check();
            check.reached = true;
            check.valid = told.valid();
            check.error = {told.message(), told.start(), told.length()};
            check.warnings.assign(told.warnings().begin(), told.warnings().end());
            return check;
        },
        std::move(done));
}

void DissectHelper::complete(std::string prefix, uint32_t most,
                             std::function<void(const std::vector<Field>&)> done) {
    complete_.request(
        [session = session_, prefix = std::move(prefix), most](const StopFlag&) {
            constexpr int most_failures = 3;
            std::vector<Field> fields;
            if (session->failures >= most_failures) return fields;
            v1::DissectRequest request;
            request.mutable_complete_field()->set_prefix(prefix);
            request.mutable_complete_field()->set_most(most);
            const auto answer = session->client.ask(request);
            if (!answer) {
                ++session->failures;
                return fields;
            }
            for (const v1::FieldNames::FieldName& field : answer->field_names().fields()) {
                fields.push_back({field.abbreviation(), field.name(), field.type()});
            }
            return fields;
        },
        std::move(done));
}

void DissectHelper::forget_check() {
    check_.cancel();
}

}  // namespace sanscope

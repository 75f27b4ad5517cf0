// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/cli/anonymize_options.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <utility>

namespace sanscope {
namespace {

Error error_about(const std::string& file, const std::string& message) {
    return {fmt::format("{}: {}", file, message)};
}

}  // namespace

void AnonymizeOptions::add_to(CLI::App& command) {
    CLI::Option* const anonymize =
        command.add_flag("--anonymize", asked_,
                         "Replace addresses, iSCSI and user names, aliases, serial numbers, designators and "
                         "authentication values, "
                         "consistently and in the same length; leave out comments, names of hosts and "
                         "interfaces. IN must be a file");
    command
        .add_option("--write-mapping", mapping_path_,
                    "A new file (mode 0600) for what was replaced by what, as CSV: it undoes the "
                    "anonymizing, keep it")
        ->needs(anonymize);
    command
        .add_option(
            "--key-file", key_path_,
            "Take the key from this file, of 64 hexadecimal digits, that only its owner may read: captures "
            "with one key have the same replacements. Without it each run has a key of its own")
        ->needs(anonymize);
}

Result<std::monostate> AnonymizeOptions::prepare() {
    if (!asked_) return std::monostate{};
    auto key = key_path_.empty() ? random_mapping_key() : read_mapping_key(key_path_);
    if (!key) return key_path_.empty() ? key.error() : error_about(key_path_, key.error().message);
    auto anonymizer = Anonymizer::create(*key);
    key->fill(0);
    if (!anonymizer) return anonymizer.error();
    anonymizer_ = std::move(*anonymizer);
    if (!mapping_path_.empty()) {
        auto mapping = MappingFile::create(mapping_path_);
        if (!mapping) return mapping.error();
        mapping_ = std::move(*mapping);
    }
    capture_ = std::make_unique<CaptureAnonymizer>(*anonymizer_);
    return std::monostate{};
}

Result<std::monostate> AnonymizeOptions::finish() {
    return mapping_ ? mapping_->write(*anonymizer_) : Result<std::monostate>(std::monostate{});
}

void AnonymizeOptions::abandon() {
    if (mapping_) mapping_->abandon();
}

std::vector<std::string> AnonymizeOptions::summary() const {
    std::vector<std::string> sentences;
    if (!capture_) return sentences;
    const DroppedMetadata& dropped = capture_->dropped();
    sentences.push_back(fmt::format("  {} addresses, names and numbers have replacements",
                                    anonymizer_->listed().size() + anonymizer_->unlisted()));
    if (!mapping_path_.empty())
        sentences.push_back(fmt::format("  {}: what was replaced by what", mapping_path_));
    if (anonymizer_->unlisted() > 0) {
        sentences.push_back(
            fmt::format("  {} of them are not listed, since there are so many", anonymizer_->unlisted()));
    }
    if (dropped.comments > 0)
        sentences.push_back(fmt::format("  {} comments are not in the copy", dropped.comments));
    if (dropped.options > 0) {
        sentences.push_back(fmt::format(
            "  {} options of blocks are not in the copy: names, filters, hardware, …", dropped.options));
    }
    if (capture_->not_held() > 0) {
        sentences.push_back(fmt::format("  {} data segments with names are zeros, since there are so many",
                                        capture_->not_held()));
    }
    return sentences;
}

}  // namespace sanscope

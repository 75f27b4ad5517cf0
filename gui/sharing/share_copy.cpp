// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/sharing/share_copy.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "captures/anonymize/capture_anonymizer.h"
#include "captures/anonymize/keyed_random.h"
#include "captures/anonymize/mapping_file.h"

namespace sanscope {
namespace {

Result<std::unique_ptr<Anonymizer>> make_anonymizer() {
    auto key = random_mapping_key();
    if (!key) return key.error();
    auto anonymizer = Anonymizer::create(*key);
    key->fill(0);
    return anonymizer;
}

}  // namespace

Result<SharedCopy> write_shared_copy(const ShareRequest& request, const ExportControl& control) {
    std::unique_ptr<Anonymizer> anonymizer;
    std::unique_ptr<CaptureAnonymizer> rewriter;
    std::optional<MappingFile> mapping;
    if (request.anonymize) {
        auto made = make_anonymizer();
        if (!made) return made.error();
        anonymizer = std::move(*made);
        rewriter = std::make_unique<CaptureAnonymizer>(*anonymizer);
        if (!request.mapping.empty()) {
            auto created = MappingFile::create(request.mapping);
            if (!created) return created.error();
            mapping = std::move(*created);
        }
    }
    const auto scrubbed = scrub_capture(request.source, request.target, control, rewriter.get());
    if (mapping && (!scrubbed || scrubbed->stopped)) mapping->abandon();
    if (!scrubbed) return scrubbed.error();
    SharedCopy copy;
    copy.stopped = scrubbed->stopped;
    copy.scrubbed = *scrubbed;
    if (copy.stopped) return copy;
    if (mapping) {
        if (const auto written = mapping->write(*anonymizer); !written) return written.error();
    }
    std::error_code unknown;
    const auto size = std::filesystem::file_size(request.target, unknown);
    copy.file_bytes = unknown ? 0 : size;
    if (rewriter) {
        copy.replacements = anonymizer->listed().size() + anonymizer->unlisted();
        copy.unlisted = anonymizer->unlisted();
        copy.comments = rewriter->dropped().comments;
        copy.options = rewriter->dropped().options;
        copy.not_held = rewriter->not_held();
    }
    return copy;
}

}  // namespace sanscope

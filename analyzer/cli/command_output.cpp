// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/cli/command_output.h"

#include <filesystem>
#include <system_error>
#include <utility>

namespace sanscope {

bool is_stream(const std::string& place) {
    std::error_code error;
    const auto present = std::filesystem::status(place, error).type();
    return place == "-" || (present != std::filesystem::file_type::not_found &&
                            present != std::filesystem::file_type::regular);
}

std::string name_of_output(const std::string& place) {
    return place == "-" ? "standard output" : place;
}

Result<CommandOutput> CommandOutput::create(const std::string& place) {
    CommandOutput output;
    if (is_stream(place)) {
        auto sink = FileSink::create(place);
        if (!sink) return sink.error();
        output.stream_.emplace(std::move(*sink));
        return output;
    }
    output.unfinished_ = std::make_unique<UnfinishedOutput>(place);
    auto file = ReplacementFile::create(place);
    if (!file) return file.error();
    output.file_ = std::move(*file);
    return output;
}

ByteSink& CommandOutput::sink() {
    return file_ != nullptr ? file_->sink() : *stream_;
}

Result<std::monostate> CommandOutput::commit() {
    if (file_ != nullptr) return file_->commit();
    if (!stream_->close() && stream_->error() != nullptr) return *stream_->error();
    return std::monostate{};
}

}  // namespace sanscope

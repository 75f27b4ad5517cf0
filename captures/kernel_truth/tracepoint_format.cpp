// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/kernel_truth/tracepoint_format.h"

#include <charconv>
#include <fmt/format.h>
#include <optional>

namespace sanscope {
namespace {

// The text between the first `before` and the next `after`; nothing where one of them is missing.
std::optional<std::string_view> between(std::string_view text, std::string_view before,
                                        std::string_view after) {
    const size_t found = text.find(before);
    if (found == text.npos) return std::nullopt;
    text.remove_prefix(found + before.size());
    const size_t end = text.find(after);
    if (end == text.npos) return std::nullopt;
    return text.substr(0, end);
}

template <class Number>
std::optional<Number> number(std::optional<std::string_view> text) {
    Number value{};
    if (!text) return std::nullopt;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
    if (error != std::errc() || end != text->data() + text->size()) return std::nullopt;
    return value;
}

// `__u8 saddr[28]` declares saddr, `const void * skaddr` skaddr.
std::string_view declared_name(std::string_view declaration) {
    declaration = declaration.substr(0, declaration.find('['));
    const size_t before = declaration.find_last_of(" *");
    return before == declaration.npos ? declaration : declaration.substr(before + 1);
}

}  // namespace

Result<TracepointFormat> TracepointFormat::parse(std::string_view text) {
    TracepointFormat format;
    bool has_id = false;
    while (!text.empty()) {
        const size_t end = text.find('\n');
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(end == text.npos ? text.size() : end + 1);
        if (line.starts_with("ID: ")) {
            const auto id = number<uint16_t>(line.substr(4));
            if (!id) return Error{fmt::format("a tracepoint's number is not one: {}", line)};
            format.id_ = *id;
            has_id = true;
        }
        const auto declaration = between(line, "field:", ";");
        if (!declaration) continue;
        const auto offset = number<uint32_t>(between(line, "offset:", ";"));
        const auto size = number<uint32_t>(between(line, "size:", ";"));
        if (!offset || !size || *offset > max_record_bytes || *size > max_record_bytes - *offset) {
            return Error{fmt::format("a tracepoint's field lies nowhere: {}", line)};
        }
        format.fields_[std::string(declared_name(*declaration))] = {*offset, *size};
    }
    if (!has_id) return Error{"a tracepoint's format has no number"};
    return format;
}

TracepointFormat::Field TracepointFormat::field(const std::string& name) const {
    const auto found = fields_.find(name);
    return found == fields_.end() ? Field{} : found->second;
}

}  // namespace sanscope

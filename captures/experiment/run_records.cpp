// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/experiment/run_records.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <sys/file.h>
#include <unistd.h>
#include <utility>

#include "analyzer/base/write_all.h"

namespace sanscope::lab {
namespace {

std::vector<std::string_view> fields_of(std::string_view line) {
    std::vector<std::string_view> fields;
    while (true) {
        const size_t comma = line.find(',');
        fields.push_back(line.substr(0, comma));
        if (comma == std::string_view::npos) return fields;
        line.remove_prefix(comma + 1);
    }
}

template <class Number>
bool parse_number(std::string_view text, Number& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size();
}

// Which of our columns, in their order, a file has. Nothing where it has others, or lacks one that says which run a row is of.
std::optional<std::vector<bool>> columns_in(std::string_view header) {
    const std::string ours_text = run_records_header();
    const auto ours = fields_of(ours_text);
    const auto theirs = fields_of(header);
    std::vector<bool> has(ours.size());
    size_t at = 0;
    for (size_t i = 0; i < ours.size() && at < theirs.size(); ++i) {
        has[i] = theirs[at] == ours[i];
        if (has[i]) ++at;
    }
    const size_t settings = setting_columns().size();
    const bool tells_run = has[0] && has[settings] && has[settings + 1] && has[settings + 2];
    if (at < theirs.size() || !tells_run) return std::nullopt;
    return has;
}

bool parse_record(std::string_view line, const std::vector<bool>& has, RunRecord& record) {
    const auto fields = fields_of(line);
    if (static_cast<size_t>(std::ranges::count(has, true)) != fields.size()) return false;
    auto field = fields.begin();
    auto present = has.begin();
    // The load is the first: it says which of the others mean something.
    for (const SettingColumn& column : setting_columns()) {
        if (!*present++) continue;
        const std::string_view text = *field++;
        const bool meaningless = !column.means_something_to(record.run.settings.load);
        if (meaningless ? !text.empty() : !column.set(record.run.settings, text)) return false;
    }
    if (!parse_number(*field++, record.run.repetition)) return false;
    record.link = *field++;
    if (!parse_number(*field++, record.seconds)) return false;
    present += 3;
    for (std::optional<double>& value : record.measured.values) {
        if (!*present++) continue;
        const std::string_view text = *field++;
        if (text.empty()) continue;
        double number = 0;
        if (!parse_number(text, number) || !std::isfinite(number)) return false;
        value = number;
    }
    return true;
}

bool write_text(const FileDescriptor& out, std::string_view text) {
    return write_all(out.get(), {reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

// The same run whatever its settings that mean nothing to its load.
std::string key_of(const PlannedRun& run) {
    return fmt::format("{}#{}", settings_text(run.settings), run.repetition);
}

// Empty where there is no such file.
Result<std::string> text_of(const std::string& path) {
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    if (status.type() == std::filesystem::file_type::not_found) return std::string();
    if (status.type() == std::filesystem::file_type::none)
        return Error{fmt::format("{}: {}", path, error.message())};
    if (!std::filesystem::is_regular_file(status)) return Error{fmt::format("{}: is no file", path)};
    const uintmax_t size = std::filesystem::file_size(path, error);
    std::ifstream in(path, std::ios::binary);
    std::string text(error ? 0 : size, '\0');
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (error || !in.is_open() || in.bad()) return Error{fmt::format("{}: cannot be read", path)};
    text.resize(static_cast<size_t>(in.gcount()));
    return text;
}

}  // namespace

std::string run_records_header() {
    std::string line;
    for (const SettingColumn& column : setting_columns()) line += fmt::format("{},", column.name);
    line += "repetition,link,seconds";
    for (size_t i = 0; i < measures; ++i)
        line += fmt::format(",{}", measure_info(static_cast<Measure>(i)).name);
    return line;
}

std::string run_record_line(const RunRecord& record) {
    std::string line = fmt::format("{},{},{},{}", settings_text(record.run.settings), record.run.repetition,
                                   record.link, record.seconds);
    for (const std::optional<double>& value : record.measured.values)
        line += value ? fmt::format(",{}", *value) : ",";
    return line;
}

Result<RunRecords> parse_run_records(std::string_view text) {
    RunRecords parsed;
    std::vector<bool> columns;
    for (size_t number = 1;; ++number) {
        const size_t end = text.find('\n', parsed.whole_bytes);
        if (end == std::string_view::npos) {
            // Cut off within its first line it is ours where that is the beginning of such a line; else it is somebody's.
            if (number == 1 && !run_records_header().starts_with(text))
                return Error{"its first line is not that of runs"};
            return parsed;
        }
        const std::string_view line = text.substr(parsed.whole_bytes, end - parsed.whole_bytes);
        if (number == 1) {
            auto has = columns_in(line);
            if (!has) return Error{"its first line is not that of runs"};
            columns = std::move(*has);
            parsed.has_all_columns = line == run_records_header();
        } else if (RunRecord record; parse_record(line, columns, record)) {
            parsed.records.push_back(std::move(record));
        } else {
            return Error{fmt::format("line {} is no run", number)};
        }
        parsed.whole_bytes = end + 1;
    }
}

Result<RunRecords> read_run_records(const std::string& path) {
    const auto text = text_of(path);
    if (!text) return text.error();
    auto parsed = parse_run_records(*text);
    if (!parsed) return Error{fmt::format("{}: {}", path, parsed.error().message)};
    return parsed;
}

std::vector<PlannedRun> remaining_runs(const std::vector<PlannedRun>& plan,
                                       const std::vector<RunRecord>& done, double seconds) {
    std::set<std::string> keys;
    for (const RunRecord& record : done) {
        if (record.seconds == seconds) keys.insert(key_of(record.run));
    }
    std::vector<PlannedRun> remaining;
    std::ranges::copy_if(plan, std::back_inserter(remaining),
                         [&](const PlannedRun& run) { return !keys.contains(key_of(run)); });
    return remaining;
}

Result<RunRecordFile> RunRecordFile::open(const std::string& path) {
    const auto failed = [&] { return Error{fmt::format("{}: {}", path, std::strerror(errno))}; };
    RunRecordFile file;
    file.path_ = path;
    file.file_ = FileDescriptor(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
    if (file.file_.get() < 0) return failed();
    if (::flock(file.file_.get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK) return Error{fmt::format("{}: another experiment is writing to it", path)};
        return failed();
    }
    auto parsed = read_run_records(path);
    if (!parsed) return Error{fmt::format("{}; choose another folder", parsed.error().message)};
    file.records_ = std::move(parsed->records);
    if (!parsed->has_all_columns) {
        if (auto anew = file.write_anew(); !anew) return anew.error();
        return file;
    }
    if (::ftruncate(file.file_.get(), static_cast<off_t>(parsed->whole_bytes)) != 0) return failed();
    if (parsed->whole_bytes == 0 && !write_text(file.file_, run_records_header() + '\n')) return failed();
    return file;
}

Result<std::monostate> RunRecordFile::write_anew() {
    const std::string unfinished = path_ + ".new";
    const auto failed = [&] {
        const Error error{fmt::format("{}: {}", unfinished, std::strerror(errno))};
        ::unlink(unfinished.c_str());
        return error;
    };
    std::string text = run_records_header() + '\n';
    for (const RunRecord& record : records_) text += run_record_line(record) + '\n';
    FileDescriptor anew(
        ::open(unfinished.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666));
    if (anew.get() < 0 || ::flock(anew.get(), LOCK_EX | LOCK_NB) != 0 || !write_text(anew, text) ||
        ::fsync(anew.get()) != 0 || ::rename(unfinished.c_str(), path_.c_str()) != 0)
        return failed();
    // Whoever opened the former one before finds it locked as long as this is there.
    former_ = std::exchange(file_, std::move(anew));
    return std::monostate{};
}

Result<std::monostate> RunRecordFile::append(RunRecord record) {
    const std::string line = run_record_line(record) + '\n';
    // Some file systems only find out here that they are full.
    if (!write_text(file_, line) || ::fsync(file_.get()) != 0)
        return Error{fmt::format("{}: {}", path_, std::strerror(errno))};
    records_.push_back(std::move(record));
    return std::monostate{};
}

}  // namespace sanscope::lab

// SPDX-License-Identifier: GPL-3.0-or-later

// Captures changed at random, each analysed whole: every table is made of it, the findings and the report. Told in the end:
// how many ended a process, took too long, or took more memory than any may.
//
// A case is a capture, a seed and a number: `--case` makes one again, `--keep` writes what failed into a folder.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <exception>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <memory>
#include <new>
#include <random>
#include <string>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "analyzer/base/file_descriptor.h"
#include "analyzer/engine/analysis.h"
#include "analyzer/export/export_format.h"
#include "analyzer/ingest/decompressor.h"
#include "analyzer/ingest/packet_source.h"
#include "analyzer/report/budget_section.h"
#include "analyzer/report/capture_summary.h"
#include "analyzer/report/findings.h"
#include "analyzer/report/findings_input.h"
#include "analyzer/report/text_report.h"
#include "analyzer/tables/tables.h"

namespace {

using namespace sanscope;  // NOLINT(google-build-using-namespace)

using Bytes = std::vector<uint8_t>;

struct Limits {
    double seconds = 10;                  // of a processor, for one case
    uint64_t memory = uint64_t{1} << 30;  // of a process, at most
};

// ---- Captures as records, whose bytes are changed

Bytes stored_bytes(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

Bytes plain_bytes(const std::string& path) {
    Bytes stored = stored_bytes(path);
    const Compression compression =
        stored.size() < compression_magic_length
            ? Compression::none
            : detect_compression(std::span(stored).first(compression_magic_length)).compression;
    if (compression == Compression::none || compression == Compression::unsupported) return stored;
    auto input = open_input(path);
    if (!input) return {};
    auto source =
        make_decompressor(compression, std::make_unique<FileSource>(std::move(input->descriptor)), {});
    Bytes plain;
    std::array<uint8_t, 65536> piece{};
    while (const size_t read = source->read(piece))
        plain.insert(plain.end(), piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(read));
    return plain;
}

uint32_t number_at(const Bytes& bytes, size_t at) {
    uint32_t value = 0;
    std::memcpy(&value, &bytes[at], sizeof value);
    return value;
}

// A capture of this machine's byte order as its header and what follows, record by record; of any other the whole is one record.
struct Records {
    bool pcapng = false;
    Bytes header;
    std::vector<Bytes> records;
};

Records records_of(const Bytes& bytes) {
    constexpr size_t pcap_header = 24;
    constexpr size_t pcap_record_header = 16;
    constexpr size_t least_block = 12;
    Records found;
    const auto take = [&](size_t begin, size_t length) {
        const auto at = bytes.begin() + static_cast<std::ptrdiff_t>(begin);
        found.records.emplace_back(at, at + static_cast<std::ptrdiff_t>(length));
    };
    size_t at = 0;
    if (bytes.size() >= pcap_header && number_at(bytes, 0) == 0x0a0d0d0a) {
        found.pcapng = true;
        while (bytes.size() - at >= least_block) {
            const size_t length = number_at(bytes, at + 4);
            if (length < least_block || length > bytes.size() - at) break;
            take(at, length);
            at += length;
        }
    } else if (bytes.size() >= pcap_header &&
               (number_at(bytes, 0) == 0xa1b2c3d4 || number_at(bytes, 0) == 0xa1b23c4d)) {
        found.header.assign(bytes.begin(), bytes.begin() + pcap_header);
        at = pcap_header;
        while (bytes.size() - at >= pcap_record_header) {
            const size_t length = pcap_record_header + number_at(bytes, at + 8);
            if (length > bytes.size() - at) break;
            take(at, length);
            at += length;
        }
    }
    if (at < bytes.size()) take(at, bytes.size() - at);
    return found;
}

Bytes joined(const Records& capture) {
    Bytes bytes = capture.header;
    for (const Bytes& record : capture.records) bytes.insert(bytes.end(), record.begin(), record.end());
    return bytes;
}

// ---- Changes

class Changes {
  public:
    explicit Changes(uint64_t seed) : random_(seed) {}

    size_t below(size_t limit) {
        return limit == 0 ? 0 : std::uniform_int_distribution<size_t>(0, limit - 1)(random_);
    }

    // What stands in a field that should hold something else.
    void overwrite(Bytes& bytes, size_t begin, size_t end) {
        end = std::min(end, bytes.size());
        if (begin >= end) return;
        constexpr std::array<uint64_t, 10> telling{
            0, 1, 0x7f, 0x80, 0xff, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, 0xffffffffffffffff};
        const uint64_t value = below(2) == 0 ? telling[below(telling.size())] : random_();
        const size_t at = begin + below(end - begin);
        const size_t length = std::min(size_t{1} << below(4), bytes.size() - at);
        if (below(4) == 0) {
            bytes[at] = static_cast<uint8_t>(bytes[at] ^ (1u << below(8)));
        } else {
            std::memcpy(&bytes[at], &value, length);
        }
    }

    void change(Records& capture) {
        std::vector<Bytes>& records = capture.records;
        if (records.empty()) return;
        const size_t at = below(records.size());
        const auto place = [&](size_t index) { return records.begin() + static_cast<std::ptrdiff_t>(index); };
        const size_t run = 1 + below(std::min<size_t>(below(4) == 0 ? 200 : 3, records.size() - at));
        Bytes& record = records[at];
        const size_t data = capture.pcapng ? 28 : 16;
        switch (below(12)) {
            case 0:  // lost
                records.erase(place(at), place(at + run));
                break;
            case 1: {  // seen twice, or sent again
                const std::vector<Bytes> copies(place(at), place(at + run));
                records.insert(place(std::min(records.size(), at + run + below(50))), copies.begin(),
                               copies.end());
                break;
            }
            case 2:  // in another order
                std::swap(record, records[std::min(records.size() - 1, at + 1 + below(100))]);
                break;
            case 3:
                std::reverse(place(at), place(at + run));
                break;
            case 4:  // the record's own lengths and times
                overwrite(record, 0, data);
                break;
            case 5:  // Ethernet, IP, TCP
            case 6:
                overwrite(record, data, data + 66);
                break;
            case 7:  // a PDU's header
            case 8:
                overwrite(record, data + 54, data + 150);
                break;
            case 9:
                overwrite(record, data, record.size());
                break;
            case 10: {  // cut short, with the lengths that say so
                if (record.size() <= data) break;
                const size_t kept = below(record.size() - data);
                if (!capture.pcapng) {
                    const auto length = static_cast<uint32_t>(kept);
                    std::memcpy(&record[8], &length, sizeof length);
                    record.resize(data + kept);
                } else {
                    record.resize(data + kept);  // without them: the next block is not where it should be
                }
                break;
            }
            default: {  // bytes of another packet in its place
                const Bytes& other = records[below(records.size())];
                const size_t from = below(std::min(record.size(), other.size()));
                const size_t length = 1 + below(std::min(record.size(), other.size()) - from);
                if (&other == &record) break;
                std::copy_n(other.begin() + static_cast<std::ptrdiff_t>(from), length,
                            record.begin() + static_cast<std::ptrdiff_t>(from));
                break;
            }
        }
    }

  private:
    std::mt19937_64 random_;
};

// The capture `path` changed as `seed` and `number` say. Most are changed record by record; some as a file, without regard to
// records, and those that are stored compressed in that form, too.
class Sample {
  public:
    explicit Sample(std::string path)
        : path_(std::move(path)), stored_(stored_bytes(path_)), capture_(records_of(plain_bytes(path_))) {}

    const std::string& path() const { return path_; }

    Bytes changed(uint64_t seed, uint64_t number) const {
        std::seed_seq sequence{seed, number, static_cast<uint64_t>(stored_.size())};
        std::array<uint32_t, 2> both{};
        sequence.generate(both.begin(), both.end());
        Changes changes(uint64_t{both[0]} << 32 | both[1]);
        const size_t how = changes.below(20);
        if (how == 0) return of_bytes(stored_, changes);
        if (how == 1) return of_bytes(joined(capture_), changes);
        Records capture = capture_;
        for (size_t i = 1 + changes.below(how < 10 ? 4 : 60); i > 0; --i) changes.change(capture);
        return joined(capture);
    }

  private:
    static Bytes of_bytes(Bytes bytes, Changes& changes) {
        if (changes.below(4) == 0) bytes.resize(changes.below(bytes.size()));
        for (size_t i = changes.below(16); i > 0; --i) changes.overwrite(bytes, 0, bytes.size());
        return bytes;
    }

    std::string path_;
    Bytes stored_;
    Records capture_;
};

// ---- The analysis

class Nowhere final : public ByteSink {
  public:
    bool write(std::span<const char> bytes) override {
        bytes_ += bytes.size();
        return true;
    }
    const Error* error() const override { return nullptr; }

  private:
    uint64_t bytes_ = 0;
};

// Of the forms in which tables are written, one: they differ in nothing that a capture could bring about.
const ExportFormat& format_of_case(uint64_t number) {
    return export_formats()[number % export_formats().size()];
}

void analyse_bytes(const Bytes& bytes, const ExportFormat& format) {
    const FileDescriptor file(::memfd_create("capture", MFD_CLOEXEC));
    for (size_t at = 0; at < bytes.size();) {
        const ssize_t written = ::write(file.get(), &bytes[at], bytes.size() - at);
        if (written <= 0) throw std::bad_alloc();
        at += static_cast<size_t>(written);
    }
    const std::vector<std::string> files{fmt::format("/proc/self/fd/{}", file.get())};
    auto source = open_captures(files);
    if (!source) return;
    Engine engine(ResultStore::Keep::everything());
    analyse(**source, engine, {});
    Nowhere nowhere;
    for (const TableInfo& table : table_infos()) {
        const auto rows = table.make(engine.store());
        format.write(*rows, nowhere);
    }
    CaptureFindingsInput input(engine, **source, nullptr);
    const auto found = findings(*input);
    summarise_capture(files.front(), *input, found);
    ReportInput report{files, **source, engine.totals(), engine.issues(), engine.store(), found};
    const std::string where = where_the_time_went_section(engine.store());
    report.where_the_time_went = &where;
    text_report(report);
}

// How long a process had a processor: a machine that is busy with something else is no fault of its.
double processor_seconds(pid_t process) {
    clockid_t clock{};
    timespec time{};
    if (::clock_getcpuclockid(process, &clock) != 0 || ::clock_gettime(clock, &time) != 0) return 0;
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

// ---- Processes: one does case after case until it ends, by itself or not

struct Progress {
    std::atomic<uint64_t> number;  // of the case that is under way
};

struct Tally {
    uint64_t done = 0;
    uint64_t crashes = 0;
    uint64_t hangs = 0;
    uint64_t greedy = 0;
    long peak_kib = 0;
    double slowest = 0;
};

class Runner {
  public:
    Runner(uint64_t seed, Limits limits, std::string keep)
        : seed_(seed), limits_(limits), keep_(std::move(keep)) {
        void* const shared =
            ::mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        progress_ = new (shared) Progress{};
    }

    void run(const Sample& sample, uint64_t mutations, Tally& tally) {
        for (uint64_t next = 0; next < mutations;) next = run_some(sample, next, mutations, tally);
    }

  private:
    // From `first` on: which one is next.
    uint64_t run_some(const Sample& sample, uint64_t first, uint64_t end, Tally& tally) {
        progress_->number = first;
        const pid_t child = ::fork();
        if (child == 0) be_child(sample, first, end);
        uint64_t under_way = first;
        double since = 0;
        int status = 0;
        rusage usage{};
        bool hung = false;
        while (::wait4(child, &status, WNOHANG, &usage) == 0) {
            const uint64_t now_at = progress_->number;
            const double now = processor_seconds(child);
            if (now_at != under_way) {
                under_way = now_at;
                since = now;
            }
            const double seconds = now - since;
            tally.slowest = std::max(tally.slowest, seconds);
            if (seconds > limits_.seconds && !hung) {
                hung = true;
                ::kill(child, SIGKILL);
            }
            ::usleep(2000);
        }
        tally.peak_kib = std::max(tally.peak_kib, usage.ru_maxrss);
        const uint64_t reached = progress_->number;
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
            tally.done += end - first;
            return end;
        }
        const bool greedy = WIFEXITED(status) && WEXITSTATUS(status) == exit_greedy;
        ++(hung ? tally.hangs : greedy ? tally.greedy : tally.crashes);
        tally.done += reached - first + 1;
        fmt::print("FAILED {} --seed {} --case {}: {}\n", sample.path(), seed_, reached,
                   hung                  ? "took too long"
                   : greedy              ? "took too much memory"
                   : WIFSIGNALED(status) ? fmt::format("ended by signal {}", WTERMSIG(status))
                                         : fmt::format("exit status {}", WEXITSTATUS(status)));
        std::fflush(stdout);
        if (!keep_.empty()) {
            const auto bytes = sample.changed(seed_, reached);
            const auto name = fmt::format(
                "{}-{}-{}", std::filesystem::path(sample.path()).filename().string(), seed_, reached);
            std::ofstream(std::filesystem::path(keep_) / name, std::ios::binary)
                .write(reinterpret_cast<const char*>(bytes.data()),
                       static_cast<std::streamsize>(bytes.size()));
        }
        return reached + 1;
    }

    [[noreturn]] void be_child(const Sample& sample, uint64_t first, uint64_t end) {
        for (uint64_t number = first; number < end; ++number) {
            progress_->number = number;
            try {
                analyse_bytes(sample.changed(seed_, number), format_of_case(number));
            } catch (const std::bad_alloc&) {
                ::_exit(exit_greedy);
            }
            rusage usage{};
            ::getrusage(RUSAGE_SELF, &usage);
            if (static_cast<uint64_t>(usage.ru_maxrss) * 1024 > limits_.memory) ::_exit(exit_greedy);
        }
        ::_exit(0);
    }

    static constexpr int exit_greedy = 77;

    uint64_t seed_;
    Limits limits_;
    std::string keep_;
    Progress* progress_ = nullptr;
};

int run(int argc, char** argv) {
    CLI::App app("Captures changed at random, each analysed whole: tables, findings, report");
    std::vector<std::string> files;
    uint64_t mutations = 1000;
    uint64_t seed = 1;
    int64_t one = -1;
    Limits limits;
    uint64_t memory_mib = limits.memory >> 20;
    std::string keep;
    std::string write;
    app.add_option("FILE", files, "Captures")->required();
    app.add_option("--mutations", mutations, "Of each")->capture_default_str();
    app.add_option("--seed", seed)->capture_default_str();
    app.add_option("--case", one, "Only this one, in this process");
    app.add_option("--write", write, "… into this file");
    app.add_option("--seconds", limits.seconds, "Of a processor, that one may take")->capture_default_str();
    app.add_option("--memory", memory_mib, "MiB that a process may take")->capture_default_str();
    app.add_option("--keep", keep, "Folder for what failed");
    CLI11_PARSE(app, argc, argv);
    limits.memory = memory_mib << 20;

    if (one >= 0) {
        const Bytes bytes = Sample(files.front()).changed(seed, static_cast<uint64_t>(one));
        if (!write.empty()) {
            std::ofstream(write, std::ios::binary)
                .write(reinterpret_cast<const char*>(bytes.data()),
                       static_cast<std::streamsize>(bytes.size()));
        }
        analyse_bytes(bytes, format_of_case(static_cast<uint64_t>(one)));
        return 0;
    }
    const auto begun = std::chrono::steady_clock::now();
    Tally tally;
    Runner runner(seed, limits, keep);
    for (const std::string& file : files) runner.run(Sample(file), mutations, tally);
    const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    fmt::print(
        "{} captures, {} cases in {:.0f} s: {} crashes, {} hangs, {} beyond {} MiB; slowest {:.2f} s, peak "
        "{} MiB\n",
        files.size(), tally.done, took, tally.crashes, tally.hangs, tally.greedy, memory_mib, tally.slowest,
        tally.peak_kib / 1024);
    return tally.crashes + tally.hangs + tally.greedy == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}

// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/experiment/run_records.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <iterator>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <unistd.h>

namespace sanscope::lab {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

RunRecord record_of(double delay_ms, unsigned repetition) {
    RunRecord record;
    record.run.settings.delay_ms = delay_ms;
    record.run.repetition = repetition;
    record.link = "delay_node";
    record.seconds = 2.5;
    record.measured[Measure::bytes_per_second] = 1.25e8;
    record.measured[Measure::bytes_to_ninety] = 0.1;
    return record;
}

TEST(RunRecords, ARowIsReadAsItWasWritten) {
    const RunRecord record = record_of(0.5, 2);
    const auto parsed = parse_run_records(run_records_header() + '\n' + run_record_line(record) + '\n');
    ASSERT_TRUE(parsed) << parsed.error().message;
    ASSERT_THAT(parsed->records, SizeIs(1));
    const RunRecord& read = parsed->records.front();
    EXPECT_EQ(read.run, record.run);
    EXPECT_EQ(read.link, "delay_node");
    EXPECT_EQ(read.seconds, 2.5);
    EXPECT_EQ(read.measured.values, record.measured.values);
}

TEST(RunRecords, ARowThatWasCutOffIsLeftOut) {
    const std::string whole = run_records_header() + '\n' + run_record_line(record_of(1, 1)) + '\n';
    const auto parsed = parse_run_records(whole + run_record_line(record_of(2, 1)).substr(0, 30));
    ASSERT_TRUE(parsed);
    EXPECT_THAT(parsed->records, SizeIs(1));
    EXPECT_EQ(parsed->whole_bytes, whole.size());
}

TEST(RunRecords, WhatIsNoneOfOursIsToldByItsLine) {
    EXPECT_FALSE(parse_run_records("a,b\n1,2\n"));
    const auto parsed = parse_run_records(run_records_header() + "\n1,2\n");
    ASSERT_FALSE(parsed);
    EXPECT_THAT(parsed.error().message, HasSubstr("line 2"));
}

TEST(RunRecords, WhatIsDoneIsNotDoneAgain) {
    std::vector<PlannedRun> plan;
    for (const double delay : {1.0, 2.0, 3.0}) plan.push_back(record_of(delay, 1).run);
    const auto left = remaining_runs(plan, {record_of(2, 1), record_of(3, 2)}, 2.5);
    EXPECT_THAT(left, ElementsAre(plan[0], plan[2]));
    EXPECT_THAT(remaining_runs(plan, {record_of(2, 1)}, 3), SizeIs(3))
        << "of another length it is another run";
}

// The line without one of its fields.
std::string without_column(const std::string& line, std::string_view name) {
    std::string left;
    const std::string header = run_records_header();
    size_t at = 0;
    size_t in_line = 0;
    while (at <= header.size()) {
        const size_t end = std::min(header.find(',', at), header.size());
        const size_t line_end = std::min(line.find(',', in_line), line.size());
        if (header.substr(at, end - at) != name)
            left += (left.empty() ? "" : ",") + line.substr(in_line, line_end - in_line);
        at = end + 1;
        in_line = line_end + 1;
    }
    return left;
}

std::string of_earlier_version(const RunRecord& record) {
    return without_column(run_records_header(), "pattern") + '\n' +
           without_column(run_record_line(record), "pattern") + '\n';
}

TEST(RunRecords, WhatAnEarlierVersionWroteHasTheDefaultsOfWhatItLacks) {
    const auto parsed = parse_run_records(of_earlier_version(record_of(0.5, 2)));
    ASSERT_TRUE(parsed) << parsed.error().message;
    EXPECT_FALSE(parsed->has_all_columns);
    ASSERT_THAT(parsed->records, SizeIs(1));
    EXPECT_EQ(parsed->records[0].run, record_of(0.5, 2).run);
    EXPECT_EQ(parsed->records[0].measured.values, record_of(0.5, 2).measured.values);
    const auto whole = parse_run_records(run_records_header() + '\n');
    ASSERT_TRUE(whole);
    EXPECT_TRUE(whole->has_all_columns);
    EXPECT_FALSE(parse_run_records(without_column(run_records_header(), "repetition") + '\n'))
        << "which run it is has to be told";
    EXPECT_FALSE(parse_run_records(run_records_header() + ",more\n"));
}

class RunRecordFiles : public ::testing::Test {
  protected:
    void SetUp() override {
        std::string made = (std::filesystem::temp_directory_path() / "run_records.XXXXXX").string();
        ASSERT_NE(::mkdtemp(made.data()), nullptr);
        folder_ = made;
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }
    std::string path() const { return folder_ / "runs.csv"; }

    std::filesystem::path folder_;
};

TEST_F(RunRecordFiles, GoesOnBehindWhatIsWhole) {
    {
        auto file = RunRecordFile::open(path());
        ASSERT_TRUE(file) << file.error().message;
        EXPECT_THAT(file->records(), IsEmpty());
        ASSERT_TRUE(file->append(record_of(1, 1)));
    }
    std::ofstream(path(), std::ios::app) << "iscsi,1,";
    {
        auto file = RunRecordFile::open(path());
        ASSERT_TRUE(file) << file.error().message;
        EXPECT_THAT(file->records(), SizeIs(1));
        ASSERT_TRUE(file->append(record_of(2, 1)));
    }
    const auto file = RunRecordFile::open(path());
    ASSERT_TRUE(file) << file.error().message;
    ASSERT_THAT(file->records(), SizeIs(2));
    EXPECT_EQ(file->records()[1].run.settings.delay_ms, 2);
}

TEST_F(RunRecordFiles, OneProcessWritesAtATime) {
    const auto first = RunRecordFile::open(path());
    ASSERT_TRUE(first) << first.error().message;
    const auto second = RunRecordFile::open(path());
    ASSERT_FALSE(second);
    EXPECT_THAT(second.error().message, HasSubstr("another experiment is writing"));
}

TEST_F(RunRecordFiles, AFullDiskLosesNoRunThatIsDone) {
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    {
        auto file = RunRecordFile::open(path());
        ASSERT_TRUE(file) << file.error().message;
        ASSERT_TRUE(file->append(record_of(1, 1)));
        // A file that may not grow, as the full disk: a part of the row is written.
        const auto handler = std::signal(SIGXFSZ, SIG_IGN);
        rlimit little = before;
        little.rlim_cur = std::filesystem::file_size(path()) + 10;
        ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &little), 0);
        const auto appended = file->append(record_of(2, 1));
        ::setrlimit(RLIMIT_FSIZE, &before);
        std::signal(SIGXFSZ, handler);
        ASSERT_FALSE(appended);
        EXPECT_THAT(appended.error().message, HasSubstr(path()));
        EXPECT_THAT(file->records(), SizeIs(1));
    }
    auto file = RunRecordFile::open(path());
    ASSERT_TRUE(file) << file.error().message;
    ASSERT_THAT(file->records(), SizeIs(1));
    EXPECT_EQ(file->records()[0].run.settings.delay_ms, 1);
    EXPECT_TRUE(file->append(record_of(2, 1)));
}

TEST_F(RunRecordFiles, GoesOnWithAFileOfAnEarlierVersion) {
    std::ofstream(path()) << of_earlier_version(record_of(1, 1)) << "iscsi,re";
    {
        auto file = RunRecordFile::open(path());
        ASSERT_TRUE(file) << file.error().message;
        ASSERT_THAT(file->records(), SizeIs(1));
        EXPECT_FALSE(RunRecordFile::open(path())) << "it is locked as any";
        ASSERT_TRUE(file->append(record_of(2, 1)));
    }
    const auto file = RunRecordFile::open(path());
    ASSERT_TRUE(file) << file.error().message;
    ASSERT_THAT(file->records(), SizeIs(2));
    EXPECT_EQ(file->records()[0].run, record_of(1, 1).run);
    EXPECT_EQ(file->records()[1].run, record_of(2, 1).run);
    EXPECT_FALSE(std::filesystem::exists(path() + ".new"));
}

TEST_F(RunRecordFiles, WhatCannotBeWrittenAnewStaysAsItWas) {
    const std::string before = of_earlier_version(record_of(1, 1));
    std::ofstream(path()) << before;
    std::filesystem::create_directory(path() + ".new");
    EXPECT_FALSE(RunRecordFile::open(path()));
    std::ifstream in(path());
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), before);
}

TEST_F(RunRecordFiles, BeginsAgainWhereNotEvenItsFirstLineIsWhole) {
    std::ofstream(path()) << run_records_header().substr(0, 40);
    const auto file = RunRecordFile::open(path());
    ASSERT_TRUE(file) << file.error().message;
    EXPECT_EQ(std::filesystem::file_size(path()), run_records_header().size() + 1);
}

TEST_F(RunRecordFiles, LeavesAFileOfOneLineThatIsNotItsOwn) {
    std::ofstream(path()) << "precious";
    EXPECT_FALSE(RunRecordFile::open(path()));
    EXPECT_EQ(std::filesystem::file_size(path()), 8u);
}

TEST_F(RunRecordFiles, WhatIsThereAndCannotBeReadIsNoEmptyFile) {
    std::filesystem::create_directory(path());
    const auto folder = read_run_records(path());
    ASSERT_FALSE(folder);
    EXPECT_THAT(folder.error().message, HasSubstr(path() + ": is no file"));
    EXPECT_FALSE(read_run_records(path() + std::string(300, 'x'))) << "whether there is one is not known";
    EXPECT_TRUE(read_run_records(path() + ".none"));
}

TEST_F(RunRecordFiles, LeavesAFileThatIsNotItsOwn) {
    std::ofstream(path()) << "precious\n";
    const auto file = RunRecordFile::open(path());
    ASSERT_FALSE(file);
    EXPECT_THAT(file.error().message, HasSubstr("another folder"));
    EXPECT_EQ(std::filesystem::file_size(path()), 9u);
}

}  // namespace
}  // namespace sanscope::lab

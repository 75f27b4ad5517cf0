// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/experiment/experiment_runner.h"

#include <cstdlib>
#include <fstream>
#include <gmock/gmock.h>
#include <iterator>

#include "captures/experiment/window_trace.h"

namespace sanscope::lab {
namespace {

using ::testing::Contains;
using ::testing::Not;

class WrittenResults : public testing::Test {
  protected:
    void SetUp() override {
        std::string name = testing::TempDir() + "written_results_XXXXXX";
        ASSERT_NE(::mkdtemp(name.data()), nullptr);
        folder = name;
        path = std::getenv("PATH");
    }
    void TearDown() override {
        ::setenv("PATH", path.c_str(), 1);
        std::filesystem::remove_all(folder);
    }

    std::filesystem::path folder;
    std::string path;
};

TEST_F(WrittenResults, DoNotStandBesideAnOlderPicture) {
    const auto chosen = choose({.name = "oguchi-fig6-7"});
    ASSERT_TRUE(chosen) << chosen.error().message;
    std::ofstream(folder / "figure.png") << "of fewer runs";
    ::setenv("PATH", folder.c_str(), 1);  // in which there is nothing that could draw one
    const auto written = write_results(*chosen, {}, folder, "test");
    ASSERT_TRUE(written) << written.error().message;
    EXPECT_THAT(*written, Contains("figure.svg"));
    EXPECT_THAT(*written, Not(Contains("figure.png")));
    EXPECT_FALSE(std::filesystem::exists(folder / "figure.png"));
    EXPECT_FALSE(std::filesystem::exists(folder / "figure.png.new"));
}

TEST_F(WrittenResults, DrawWindowsOfRunsOfTheirOwnLengthAlone) {
    const auto usual = choose({.name = "kancharla-tab4-7"});
    const auto longer = choose({.name = "kancharla-tab4-7", .seconds = usual->experiment.seconds + 1});
    ASSERT_TRUE(usual && longer);
    std::filesystem::create_directory(folder / "windows");
    for (const RunSettings& settings : usual->settings) {
        std::string name = run_label(usual->experiment, settings) + ".csv";
        for (char& c : name) {
            if ((c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '.') c = '-';
        }
        std::ofstream(folder / "windows" / name)
            << window_trace_csv({{0, 1, 10000}, {1'000'000'000, 1, 20000}});
    }
    const std::string title(usual->experiment.traced_title);
    const auto draws_windows = [&](const ChosenExperiment& chosen) {
        EXPECT_TRUE(write_results(chosen, {}, folder, "test"));
        std::ifstream in(folder / "figure.svg");
        return std::string(std::istreambuf_iterator<char>(in), {}).find(title) != std::string::npos;
    };
    EXPECT_TRUE(draws_windows(*usual));
    EXPECT_FALSE(draws_windows(*longer));
}

}  // namespace
}  // namespace sanscope::lab

// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/cli/archive_command.h"

#include <CLI/CLI.hpp>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <system_error>
#include <unistd.h>

#include "analyzer/base/python_program.h"
#include "analyzer/cli/decode_as_option.h"
#include "analyzer/cli/error_message.h"

namespace sanscope {
namespace {

constexpr char script[] =
    "import sys\n"
    "try:\n"
    "    from sanscope.archive.__main__ import main\n"
    "except ImportError as error:\n"
    "    sys.exit(f\"sanscope archive: is part of the Python package sanscope, which {sys.executable} does "
    "not have \"\n"
    "             f\"({error}). In sanscope's source: pip install './analyzer/python[archive]'. "
    "SANSCOPE_PYTHON names \"\n"
    "             \"another Python\")\n"
    "sys.exit(main())\n";

// The package is to run this very program, whatever is on the PATH.
void name_this_program() {
    std::error_code error;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
    if (!error) ::setenv("SANSCOPE", self.c_str(), 0);
}

}  // namespace

void ArchiveCommand::add_to(CLI::App& app) {
    command_ =
        app.add_subcommand("archive", "Captures of a folder into a folder of Parquet, each exactly once");
    command_->add_option("DIR", folder_, "With captures, at any depth, whatever their names")->required();
    command_->add_option("--into", lake_, "The lake: a folder, which is made")->required();
    command_->add_option(
        "--host", host_,
        "Partition they go into; by default the folder of DIR that a file lies in, as DIR/HOST/san.pcapng");
    command_->add_option("--jobs", jobs_, "Files read at once; 0: one a processor")->capture_default_str();
    command_
        ->add_option("--settled", settled_seconds_,
                     "Leave what was written to in the last so many seconds to another run")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    add_decode_as(*command_, decode_as_);
    command_->footer(
        "\nLAKE/data/day=…/host=…/id=…/ has a file for each of the tables captures, connections, sessions, "
        "commands,\n"
        "budgets, losses and findings of one capture; LAKE/views.sql opens all of them in DuckDB. What is in "
        "the lake\n"
        "already, by content, is not added again. This is done by the Python package sanscope: "
        "docs/fleet.md.\n"
        "\nExit status: 0 every capture is in the lake; 3 all but those told by name at the end, or that are "
        "damaged, of\n"
        "which all before the damage is; 1 the lake could not be written; 2 usage; 130 Ctrl-C. A later run "
        "goes on.\n"
        "\nExamples:\n"
        "  sanscope archive /captures --into /lake\n"
        "  duckdb -init /lake/views.sql -c 'SELECT host, count(*) FROM commands GROUP BY host'\n");
}

bool ArchiveCommand::chosen() const {
    return command_->parsed();
}

ExitStatus ArchiveCommand::run() const {
    const std::string python = python_program();
    std::vector<std::string> arguments = {python, "-c", script, fmt::format("--into={}", lake_),
                                          fmt::format("--settled={}", settled_seconds_)};
    if (!host_.empty()) arguments.push_back(fmt::format("--host={}", host_));
    if (jobs_ != 0) arguments.push_back(fmt::format("--jobs={}", jobs_));
    for (const std::string& rule : decode_as_) arguments.push_back(fmt::format("--decode-as={}", rule));
    arguments.insert(arguments.end(), {"--", folder_});

    std::vector<char*> list;
    list.reserve(arguments.size());
    for (std::string& argument : arguments) list.push_back(argument.data());
    list.push_back(nullptr);
    name_this_program();
    std::signal(SIGPIPE, SIG_DFL);
    ::execvp(python.c_str(), list.data());
    print_error(fmt::format("archive: {} cannot be started: {}; the lake is written by Python", python,
                            std::strerror(errno)));
    return exit_nothing_analysed;
}

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <exception>
#include <sstream>
#include <string>

#include "analyzer/base/print_text.h"
#include "analyzer/cli/archive_command.h"
#include "analyzer/cli/capture_command.h"
#include "analyzer/cli/compare_command.h"
#include "analyzer/cli/details_command.h"
#include "analyzer/cli/error_message.h"
#include "analyzer/cli/exit_status.h"
#include "analyzer/cli/experiment_command.h"
#include "analyzer/cli/fair_tcp_command.h"
#include "analyzer/cli/filter_command.h"
#include "analyzer/cli/generate_command.h"
#include "analyzer/cli/missing_command.h"
#include "analyzer/cli/program_versions.h"
#include "analyzer/cli/report_command.h"
#include "analyzer/cli/scrub_command.h"
#include "analyzer/cli/table_command.h"
#include "analyzer/cli/target_command.h"
#include "analyzer/manual/write_manual.h"

namespace sanscope {
namespace {

int run(int argc, char** argv) {
    CLI::App app(
        "Analyses captures of IP storage networks: every iSCSI PDU and SCSI command, with its turnaround "
        "time.",
        "sanscope");
    app.set_version_flag("--version", program_versions);
    app.require_subcommand(1);
    app.footer(
        "Exit status: 0 all of the input was analysed; 1 nothing could be; 2 usage; 3 the input was damaged "
        "or cut\n"
        "off: all before the damage is in the output, and standard error says where it is.");

    ReportCommand report;
    TableCommand table;
    CompareCommand compare;
    ArchiveCommand archive;
    DetailsCommand details;
    FilterCommand filter;
    ScrubCommand scrub;
    CaptureCommand capture;
    TargetCommand target;
    GenerateCommand generate;
    ExperimentCommand experiment;
    FairTcpCommand fair_tcp;
    report.add_to(app);
    table.add_to(app);
    compare.add_to(app);
    archive.add_to(app);
    details.add_to(app);
    filter.add_to(app);
    scrub.add_to(app);
    capture.add_to(app);
    target.add_to(app);
    generate.add_to(app);
    experiment.add_to(app);
    fair_tcp.add_to(app);

    add_write_manual(app,
                     {{"sanscope table", "TABLE", TableCommand::table_names()},
                      {"sanscope table", "--tables", TableCommand::table_names()},
                      {"sanscope experiment", "NAME", ExperimentCommand::experiment_names()}},
                     {"sanscope-extcap", "sanscope-gui"});
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (const std::string missing = missing_command(app);
            error.get_exit_code() != 0 && !missing.empty()) {
            print_error(missing + "\nRun with --help for more information.");
            return exit_usage;
        }
        std::ostringstream out;
        std::ostringstream errors;
        const int status = app.exit(error, out, errors);
        write_text(stdout, out.str());
        write_text(stderr, errors.str());
        return status == 0 ? exit_all_analysed : exit_usage;
    }
    if (table.chosen()) return table.run();
    if (compare.chosen()) return compare.run();
    if (archive.chosen()) return archive.run();
    if (details.chosen()) return details.run();
    if (filter.chosen()) return filter.run();
    if (scrub.chosen()) return scrub.run();
    if (capture.chosen()) return capture.run();
    if (target.chosen()) return target.run();
    if (generate.chosen()) return generate.run();
    if (experiment.chosen()) return experiment.run();
    if (fair_tcp.chosen()) return fair_tcp.run();
    return report.run();
}

}  // namespace
}  // namespace sanscope

int main(int argc, char** argv) {
    std::signal(SIGPIPE, SIG_IGN);
    try {
        return sanscope::run(argc, argv);
    } catch (const std::exception& error) {
        sanscope::print_text(stderr, "sanscope: {}\n", error.what());
        return sanscope::exit_nothing_analysed;
    }
}

// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/manual/shell_completions.h"

#include <gmock/gmock.h>

namespace sanscope {
namespace {

using testing::HasSubstr;
using testing::Not;

// With all that shells would take for their own in it.
CommandTree tool() {
    CommandOption format{.names = {"-f", "--format"},
                         .placeholder = {},
                         .value_text = {},
                         .group = "Options",
                         .description = "What's [it]: $(rm -r x)",
                         .value = OptionValue::choice,
                         .choices = {"csv", "json"}};
    CommandOption count{.names = {"--count"},
                        .placeholder = {},
                        .value_text = {},
                        .group = "Options",
                        .description = "How many",
                        .value = OptionValue::number,
                        .choices = {}};
    CommandTree below{.name = "tool show",
                      .description = "Show it",
                      .footer = {},
                      .options = {format, count},
                      .commands = {}};
    return {.name = "tool", .description = "Tool", .footer = {}, .options = {}, .commands = {below}};
}

TEST(ShellCompletions, BashKnowsCommandsOptionsAndValues) {
    const std::string script = bash_completion(tool());
    EXPECT_THAT(script, HasSubstr("'show') command='show' ;;"));
    EXPECT_THAT(script, HasSubstr("'show') words='-f --format --count' ;;"));
    EXPECT_THAT(script, HasSubstr("'show:-f'|'show:--format') words='csv json' ;;"));
    EXPECT_THAT(script, HasSubstr("'show:--count') return ;;"));
    EXPECT_THAT(script, HasSubstr("\ncomplete -F _tool tool\n"));
}

TEST(ShellCompletions, DescriptionsAreNoCode) {
    EXPECT_THAT(zsh_completion(tool()),
                HasSubstr(R"('*--format=[What'\''s \[it\]\: $(rm -r x)]:value:(csv json)')"));
    EXPECT_THAT(fish_completion(tool()),
                HasSubstr(R"(-s f -l format -x -a 'csv json' -d 'What\'s [it]: $(rm -r x)')"));
    EXPECT_THAT(bash_completion(tool()), Not(HasSubstr("rm -r")));
}

TEST(ShellCompletions, AnOptionIsOfferedWithItsCommandOnly) {
    const std::string script = fish_completion(tool());
    EXPECT_THAT(
        script,
        HasSubstr("complete -c tool -n 'not __fish_seen_subcommand_from show' -f -a show -d 'Show it'\n"));
    EXPECT_THAT(
        script,
        HasSubstr("complete -c tool -n '__fish_seen_subcommand_from show' -l count -x -d 'How many'\n"));
}

}  // namespace
}  // namespace sanscope

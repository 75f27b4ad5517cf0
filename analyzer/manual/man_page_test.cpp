// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/manual/man_page.h"

#include <CLI/CLI.hpp>
#include <gmock/gmock.h>

namespace sanscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::string page_of(const CommandTree& command) {
    return man_page(command, "tool 1.0", CommandPages::within, {});
}

TEST(CommandTree, HoldsWhatHelpTells) {
    CLI::App app("Does things.", "tool");
    std::string text;
    int number = 7;
    bool flag = false;
    std::vector<std::string> files;
    app.add_option("FILE", files, "What to read")->required();
    app.add_option("-n,--number", number, "How many")->capture_default_str()->group("Sizes");
    app.add_option("--format", text, "Which")->check(CLI::IsMember(std::vector<std::string>{"csv", "json"}));
    app.add_flag("--quiet", flag, "Say nothing");
    app.add_option("--hidden", text, "For nobody")->group("");
    CLI::App* const below = app.add_subcommand("below", "More");
    below->add_option("-i,--interface", text, "Where");

    const CommandTree tree = read_command_tree(app);
    EXPECT_EQ(tree.name, "tool");
    ASSERT_EQ(tree.options.size(), 5u);  // --help among them, the hidden one not
    const CommandOption& file = tree.options[1];
    EXPECT_EQ(file.placeholder, "FILE");
    EXPECT_TRUE(file.required && file.several && file.names.empty());
    const CommandOption& count = tree.options[2];
    EXPECT_THAT(count.names, ElementsAre("-n", "--number"));
    EXPECT_EQ(count.group, "Sizes");
    EXPECT_EQ(count.value_text, "INT=7");
    EXPECT_EQ(count.value, OptionValue::number);
    EXPECT_THAT(tree.options[3].choices, ElementsAre("csv", "json"));
    EXPECT_EQ(tree.options[3].value, OptionValue::choice);
    EXPECT_EQ(tree.options[4].value, OptionValue::none);
    ASSERT_EQ(tree.commands.size(), 1u);
    EXPECT_EQ(tree.commands[0].name, "tool below");
    EXPECT_EQ(tree.commands[0].options[1].value, OptionValue::interface);
}

TEST(ManPage, TextIsPrintedAsItStands) {
    const CommandTree command{.name = "tool",
                              .description = ".TH is 'no' request \\fB-x\n'nor is this",
                              .footer = {},
                              .options = {},
                              .commands = {}};
    const std::string page = page_of(command);
    EXPECT_THAT(page, HasSubstr("\n\\&.TH is \\(aqno\\(aq request \\efB\\-x\n\\&\\(aqnor is this\n"));
}

TEST(ManPage, FootersPartsAreSections) {
    const CommandTree command{
        .name = "tool two",
        .description = "Does it.",
        .footer =
            "Words:\n  one    a meaning\n\nExit status: 0 well; 1 not.\n\nExamples:\n  tool two  >  x\n",
        .options = {},
        .commands = {}};
    const std::string page = page_of(command);
    EXPECT_THAT(page, HasSubstr(".TH \"TOOL\\-TWO\" 1"));
    EXPECT_THAT(page, HasSubstr(".SH NAME\ntool\\-two \\- does it\n"));
    EXPECT_THAT(page, HasSubstr("Words:\n.TP\n\\fBone\\fR\na meaning\n"));
    EXPECT_THAT(page, HasSubstr(".SH EXIT STATUS\n.PP\n0 well; 1 not.\n"));
    EXPECT_THAT(page, HasSubstr(".SH EXAMPLES\n.PP\n.RS 2\n.EX\ntool two  >  x\n.EE\n"));
    EXPECT_THAT(page, Not(HasSubstr("Examples:")));
}

TEST(ManPage, OptionsStandUnderTheirHeadings) {
    const CommandOption plain{.names = {"-v", "--verbose"},
                              .placeholder = {},
                              .value_text = {},
                              .group = "Options",
                              .description = "Say more",
                              .value = {},
                              .choices = {}};
    CommandOption size = plain;
    size.names = {"--size"};
    size.value_text = "UINT";
    size.group = "Sizes";
    size.description.clear();
    const CommandTree command{
        .name = "tool", .description = "TCP tool", .footer = {}, .options = {size, plain}, .commands = {}};
    const std::string page = page_of(command);
    EXPECT_THAT(page, HasSubstr(".SH OPTIONS\n.TP\n\\fB\\-v\\fR, \\fB\\-\\-verbose\\fR\nSay more\n.SS "
                                "Sizes\n.TP\n\\fB\\-\\-size\\fR \\fIUINT\\fR\n\\&\n"));
    EXPECT_THAT(page, HasSubstr("tool \\- TCP tool\n"));
}

TEST(ManPage, OtherPagesAreNamedOnceEach) {
    const CommandTree command{
        .name = "tool", .description = "Tool", .footer = {}, .options = {}, .commands = {}};
    EXPECT_THAT(man_page(command, "tool 1.0", CommandPages::within, {"a", "tool", "tool-b"}),
                HasSubstr(".SH SEE ALSO\n.BR a (1),\n.BR tool\\-b (1)\n"));
    EXPECT_THAT(man_page(command, "tool 1.0", CommandPages::within, {"a", "tool"}),
                HasSubstr(".SH SEE ALSO\n.BR a (1)\n"));
}

}  // namespace
}  // namespace sanscope

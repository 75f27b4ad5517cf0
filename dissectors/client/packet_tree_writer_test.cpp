// SPDX-License-Identifier: GPL-3.0-or-later
#include "dissectors/client/packet_tree_writer.h"

#include <gtest/gtest.h>
#include <string>

namespace sanscope {
namespace {

class StringSink final : public ByteSink {
  public:
    bool write(std::span<const char> bytes) override {
        text.append(bytes.data(), bytes.size());
        return true;
    }
    const Error* error() const override { return nullptr; }
    std::string text;
};

v1::TreeNode& add(v1::PacketTree& tree, uint32_t depth, const char* abbreviation, const char* label,
                  const char* value = nullptr) {
    v1::TreeNode& node = *tree.add_nodes();
    node.set_depth(depth);
    node.set_abbreviation(abbreviation);
    node.set_label(label);
    if (value != nullptr) node.set_value(value);
    return node;
}

std::string text_of(const v1::PacketTree& tree) {
    StringSink sink;
    EXPECT_TRUE(write_tree_text(tree, sink));
    return sink.text;
}

std::string json_of(const v1::PacketTree& tree) {
    StringSink sink;
    TreeJsonWriter writer(sink);
    writer.write(tree, "2026-01-02");
    EXPECT_TRUE(writer.finish());
    return sink.text;
}

TEST(PacketTreeWriter, TextIsIndentedAndMarksWhatWasFoundOut) {
    v1::PacketTree tree;
    add(tree, 0, "ip", "Internet Protocol");
    add(tree, 1, "ip.ttl", "Time to Live: 64", "64").set_generated(true);
    add(tree, 1, "ip.hidden", "Hidden", "1").set_hidden(true);
    add(tree, 2, "ip.below", "Below what is hidden", "1");
    add(tree, 1, "", "Only text");
    EXPECT_EQ(text_of(tree), "Internet Protocol\n    [Time to Live: 64]\n    Only text\n");
}

TEST(PacketTreeWriter, TextShowsTheBytesNoDissectorTook) {
    v1::PacketTree tree;
    v1::DataSource& source = *tree.add_sources();
    source.set_name("Frame (4 bytes)");
    source.set_data(
        "\x01"
        "AB\xff");
    v1::TreeNode& data = add(tree, 0, "data", "Data (3 bytes)");
    data.set_type("FT_PROTOCOL");
    data.set_source(0);
    data.set_start(1);
    data.set_length(3);
    EXPECT_EQ(text_of(tree),
              "Data (3 bytes)\n\n0000  41 42 ff                                          AB.\n");
    data.set_source(7);
    EXPECT_EQ(text_of(tree), "Data (3 bytes)\n") << "a source that is not there";
}

TEST(PacketTreeWriter, JsonHasValuesAndTreesOfOneName) {
    v1::PacketTree tree;
    add(tree, 0, "ip", "Internet Protocol").set_type("FT_PROTOCOL");
    add(tree, 1, "ip.flags", "Flags", "0x2");
    add(tree, 2, "ip.df", "Do not", "1");
    add(tree, 1, "", "Text \"quoted\"");
    add(tree, 0, "empty", "Empty protocol").set_type("FT_PROTOCOL");
    EXPECT_EQ(
        json_of(tree),
        "[\n  {\n    \"_index\": \"packets-2026-01-02\",\n    \"_type\": \"doc\",\n    \"_score\": null,\n"
        "    \"_source\": {\n      \"layers\": {\n        \"ip\": {\n          \"ip.flags\": \"0x2\",\n"
        "          \"ip.flags_tree\": {\n            \"ip.df\": \"1\"\n          },\n"
        "          \"Text \\\"quoted\\\"\": \"\"\n        },\n        \"empty\": \"Empty protocol\"\n      "
        "}\n"
        "    }\n  }\n]\n");
}

TEST(PacketTreeWriter, AnyDepthsGiveAnObject) {
    v1::PacketTree tree;
    for (uint32_t depth = 0; depth < 2000; ++depth) add(tree, depth * 3 % 1999, "a", "b", "c");
    for (uint32_t depth = 0; depth < 2000; ++depth) add(tree, depth, "a", "b", "c");
    const std::string json = json_of(tree);
    EXPECT_EQ(std::ranges::count(json, '{'), std::ranges::count(json, '}'));
    EXPECT_EQ(json_of(v1::PacketTree()).find("\"layers\": {}") == std::string::npos, false);
}

}  // namespace
}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <QClipboard>
#include <QKeyEvent>
#include <QScrollBar>
#include <QTreeView>
#include <QWidget>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gui/testing/loaded_document.h"
#include "gui/testing/pointer_events.h"
#include "gui/views/details/details_view.h"

namespace sanscope {
namespace {

using testing::HasSubstr;
using testing_gui::wait_until;

v1::TreeNode& add_node(v1::PacketTree& tree, uint32_t depth, const char* name, int start = -1, int length = 0,
                       int source = 0) {
    v1::TreeNode& node = *tree.add_nodes();
    node.set_depth(depth);
    node.set_abbreviation(name);
    node.set_label(name);
    if (start >= 0) {
        node.set_source(static_cast<uint32_t>(source));
        node.set_start(static_cast<uint32_t>(start));
        node.set_length(static_cast<uint32_t>(length));
    }
    return node;
}

// Two protocols, the second put together in a source of its own.
v1::PacketTree made_tree() {
    v1::PacketTree tree;
    tree.add_sources()->set_name("Frame");
    tree.mutable_sources(0)->set_data(std::string(20, 'f'));
    tree.add_sources()->set_name("Reassembled");
    tree.mutable_sources(1)->set_data(std::string(8, 'r'));
    add_node(tree, 0, "eth", 0, 14);
    add_node(tree, 1, "eth.dst", 0, 6);
    add_node(tree, 1, "eth.secret", 0, 6).set_hidden(true);
    add_node(tree, 2, "eth.secret.part", 0, 3);
    add_node(tree, 1, "eth.type", 12, 2);
    add_node(tree, 2, "eth.type.high", 12, 1);
    add_node(tree, 0, "iscsi", 0, 8, 1);
    v1::TreeNode& expert = add_node(tree, 1, "iscsi.time");
    expert.set_generated(true);
    expert.set_severity(v1::TreeNode::WARN);
    add_node(tree, 1, "iscsi.beyond", 6, 100, 1);
    add_node(tree, 1, "iscsi.nowhere", 9, 1, 1);
    add_node(tree, 9, "iscsi.leaping", 1, 1, 1);
    return tree;
}

int named(const PacketTree& tree, std::string_view name) {
    for (int i = 0; i < static_cast<int>(tree.fields().size()); ++i) {
        if (tree.field(i).abbreviation == name) return i;
    }
    return PacketTree::none;
}

TEST(PacketTree, AByteIsOfTheInnermostFieldThatHasIt) {
    const PacketTree tree(made_tree());
    const auto at = [&](int source, uint32_t byte) {
        const int field = tree.field_at(source, byte);
        return field == PacketTree::none ? std::string("none") : tree.field(field).abbreviation;
    };
    EXPECT_EQ(at(0, 0), "eth.dst");
    EXPECT_EQ(at(0, 6), "eth");
    EXPECT_EQ(at(0, 12), "eth.type.high");
    EXPECT_EQ(at(0, 13), "eth.type");
    EXPECT_EQ(at(0, 14), "none");
    EXPECT_EQ(at(1, 0), "iscsi");
    EXPECT_EQ(at(1, 1), "iscsi.leaping");
    EXPECT_EQ(at(1, 7), "iscsi.beyond");
    EXPECT_EQ(at(2, 0), "none");
}

TEST(PacketTree, PutsRightWhatMakesNoSenseAndLeavesOutWhatIsHidden) {
    const PacketTree tree(made_tree());
    EXPECT_EQ(named(tree, "eth.secret"), PacketTree::none);
    EXPECT_EQ(named(tree, "eth.secret.part"), PacketTree::none);
    EXPECT_EQ(tree.field(named(tree, "iscsi.beyond")).length, 2u);
    EXPECT_EQ(tree.field(named(tree, "iscsi.nowhere")).source, PacketTree::none);
    EXPECT_EQ(tree.field(named(tree, "iscsi.leaping")).parent, named(tree, "iscsi.nowhere"));
    EXPECT_EQ(tree.field(named(tree, "iscsi")).worst_within, v1::TreeNode::WARN);
    EXPECT_EQ(tree.field(named(tree, "eth")).worst_within, v1::TreeNode::NONE);
    EXPECT_EQ(tree.roots().size(), 2u);
    EXPECT_EQ(tree.find("eth/eth.type/eth.type.high"), named(tree, "eth.type.high"));
    EXPECT_EQ(tree.find("eth/none"), PacketTree::none);
}

TEST(PacketTree, MakesFiltersThatStandInOneWord) {
    const auto filter = [](const char* type, const char* value) {
        const std::string text = value == nullptr ? "" : value;
        return display_filter_for("some.field", type, value == nullptr ? nullptr : &text);
    };
    EXPECT_EQ(filter("FT_UINT16", "3260"), "some.field == 3260");
    EXPECT_EQ(filter("FT_IPv4", "192.0.2.1"), "some.field == 192.0.2.1");
    EXPECT_EQ(filter("FT_STRING", "a \"b\" \\"), "some.field == \"a \\\"b\\\" \\\\\"");
    EXPECT_EQ(filter("FT_PROTOCOL", nullptr), "some.field");
    EXPECT_EQ(filter("FT_UINT16", "3260 || 1"), "some.field");
    EXPECT_EQ(display_filter_for("", "FT_UINT16", nullptr), "");
}

TEST(PacketTreeModel, IsATreeAndPutsWhatWasFoundOutInBrackets) {
    PacketTreeModel model(nullptr);
    model.set_tree(std::make_shared<PacketTree>(made_tree()));
    const PacketTree& tree = *model.tree();
    for (int field = 0; field < static_cast<int>(tree.fields().size()); ++field) {
        const QModelIndex index = model.index_of(field);
        EXPECT_EQ(PacketTreeModel::field_of(model.parent(index)), tree.field(field).parent);
        EXPECT_EQ(model.index(index.row(), 0, model.parent(index)), index);
        EXPECT_EQ(model.rowCount(index), static_cast<int>(tree.field(field).children.size()));
    }
    const auto label = [&](std::string_view name) {
        return model.index_of(named(tree, name)).data().toString().toStdString();
    };
    EXPECT_EQ(label("iscsi.time"), "[iscsi.time]");
    EXPECT_EQ(label("iscsi.beyond"), "iscsi.beyond");
    EXPECT_TRUE(model.index_of(named(tree, "iscsi.time")).data(Qt::BackgroundRole).isValid());
    EXPECT_FALSE(model.index_of(named(tree, "eth")).data(Qt::BackgroundRole).isValid());
}

class HexViewTest : public testing::Test {
  protected:
    HexViewTest() {
        std::string bytes;
        for (int i = 0; i < 1000; ++i) bytes += static_cast<char>(i);
        hex.resize(700, 300);
        hex.show();
        hex.set_bytes(bytes);
        QObject::connect(&hex, &HexView::byte_chosen, [this](uint32_t byte) { chosen = byte; });
    }
    void key(int key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
        QKeyEvent event(QEvent::KeyPress, key, modifiers);
        QApplication::sendEvent(&hex, &event);
    }
    HexView hex{nullptr};
    uint32_t chosen = UINT32_MAX;
};

TEST_F(HexViewTest, EveryByteIsFoundWhereItIsDrawn) {
    for (const int scrolled : {0, 20}) {
        hex.verticalScrollBar()->setValue(scrolled);
        for (uint32_t byte = static_cast<uint32_t>(scrolled) * 16;
             byte < static_cast<uint32_t>(scrolled) * 16 + 100; ++byte) {
            EXPECT_EQ(hex.byte_at(hex.place_of(byte).center()), byte);
        }
    }
    EXPECT_EQ(hex.byte_at({1, 1}), std::nullopt);
}

TEST_F(HexViewTest, KeysAndClicksChooseBytesAndKeepThemInSight) {
    const QPointF at = hex.place_of(37).center();
    testing_gui::send_mouse(*hex.viewport(), QEvent::MouseButtonPress, at, Qt::LeftButton);
    EXPECT_EQ(chosen, 37u);
    key(Qt::Key_Right);
    EXPECT_EQ(chosen, 38u);
    key(Qt::Key_Down);
    EXPECT_EQ(chosen, 54u);
    key(Qt::Key_Home);
    EXPECT_EQ(chosen, 48u);
    key(Qt::Key_End, Qt::ControlModifier);
    EXPECT_EQ(chosen, 999u);
    EXPECT_TRUE(hex.viewport()->rect().contains(hex.place_of(999)));
    key(Qt::Key_Right);
    EXPECT_EQ(chosen, 999u);
    key(Qt::Key_Home, Qt::ControlModifier);
    EXPECT_EQ(chosen, 0u);
    EXPECT_TRUE(hex.viewport()->rect().contains(hex.place_of(0)));
    key(Qt::Key_Left);
    EXPECT_EQ(chosen, 0u);
}

TEST_F(HexViewTest, DumpsWhatIsLit) {
    hex.highlight(0x41, 3);
    EXPECT_EQ(hex.dump().toStdString(), "00000041  41 42 43                                         ABC\n");
    hex.highlight(900, 10);
    EXPECT_TRUE(hex.viewport()->rect().contains(hex.place_of(900)));
}

class DetailsViewTest : public testing::Test {
  protected:
    void open(const char* sample) {
        document = testing_gui::opened(testing_gui::sample(sample));
        ASSERT_TRUE(document);
        ASSERT_TRUE(wait_until([&] { return !document->loading() && !document->state().whole().empty(); }));
    }
    std::unique_ptr<DetailsView> view_with(DissectClient::Options options) {
        auto view = std::make_unique<DetailsView>(*document, std::move(options), nullptr);
        view->resize(1200, 500);
        view->show();
        return view;
    }
    void select(const DetailsView& view, PacketNumber packet) {
        document->state().select({Selection::Kind::packet, packet});
        ASSERT_TRUE(wait_until([&] { return view.settled() && view.described().packet == packet; }));
    }
    static QStringList labels(const DetailsView& view) {
        QStringList all;
        for (const auto& field : view.described().tree->fields())
            all.append(QString::fromStdString(field.label));
        return all;
    }
    std::unique_ptr<Document> document;
};

TEST_F(DetailsViewTest, WithoutTheHelperThereIsWhatWeKnowOurselves) {
    open("loss-mixed-initiator.pcap.zst");
    DissectClient::Options options;
    options.program = "/nonexistent/sanscope-dissectd";
    const auto view = view_with(options);
    const auto reading = document->data()->try_read();
    const CommandRow& command = reading->store().commands()[39];
    select(*view, command.request_packet);
    EXPECT_FALSE(view->described().dissected);
    EXPECT_THAT(view->notice().toStdString(), HasSubstr("Without Wireshark's details"));
    EXPECT_FALSE(labels(*view).filter(QStringLiteral("Command 40: WRITE(16)")).isEmpty());
    EXPECT_FALSE(labels(*view).filter(QStringLiteral("SCSI Command")).isEmpty());
    ASSERT_NE(view->bytes_of(0), nullptr);
    const auto bytes = reading->packets().read(command.request_packet);
    EXPECT_EQ(view->bytes_of(0)->bytes(), std::string(bytes->begin(), bytes->end()));
}

TEST_F(DetailsViewTest, ADeadHelperIsToldAndTheNextPacketAskedAllTheSame) {
    open("nop-logout.pcap");
    DissectClient::Options options;
    options.program = FAKE_DISSECTD;
    options.arguments = {"--deadly", "3"};
    const auto view = view_with(options);
    select(*view, 3);
    EXPECT_FALSE(view->described().dissected);
    EXPECT_THAT(view->notice().toStdString(), HasSubstr("do not survive packet 3"));
    select(*view, 2);
    EXPECT_TRUE(view->described().dissected);
}

TEST_F(DetailsViewTest, WhileLoadingItSaysWhatIsToCome) {
    document = testing_gui::opened(testing_gui::sample("loss-mixed-initiator.pcap.zst"));
    ASSERT_TRUE(document);
    DissectClient::Options options;
    options.program = FAKE_DISSECTD;
    const auto view = view_with(options);
    EXPECT_EQ(view->described().tree, nullptr);
    SelectedThings things;
    things.selection = {Selection::Kind::packet, 1};
    things.packet = 1;
    ASSERT_TRUE(document->loading());
    document->state().set_selected_things(things);
    ASSERT_TRUE(wait_until([&] { return !document->loading(); }));
    ASSERT_TRUE(wait_until([&] { return view->settled() && view->described().dissected; }));
    EXPECT_EQ(view->notice(), QString());
}

#ifdef DISSECTD
TEST_F(DetailsViewTest, FieldsAndBytesLightEachOtherUp) {
    open("loss-mixed-initiator.pcap.zst");
    DissectClient::Options options;
    options.program = DISSECTD;
    const auto view = view_with(options);
    const auto reading = document->data()->try_read();
    // Of one that ends in this packet and began before: put together in a source of its own.
    PacketNumber answer = 0;
    for (const PduRow& pdu : reading->store().pdus()) {
        if (pdu.first_packet != pdu.last_packet && pdu.last_packet != 0) answer = pdu.last_packet;
    }
    ASSERT_NE(answer, 0u);
    select(*view, answer);
    ASSERT_TRUE(view->described().dissected) << view->notice().toStdString();
    const PacketTree& tree = *view->described().tree;
    ASSERT_GE(tree.sources().size(), 2u);
    size_t with_bytes = 0;
    for (int at = 0; at < static_cast<int>(tree.fields().size()); ++at) {
        const PacketTree::Field& field = tree.field(at);
        if (field.source == PacketTree::none || field.length == 0) continue;
        ++with_bytes;
        view->select_field(at);
        const HexView* const hex = view->bytes_of(field.source);
        ASSERT_NE(hex, nullptr);
        EXPECT_TRUE(hex->isVisible());
        EXPECT_EQ(hex->highlight_start(), field.start);
        EXPECT_EQ(hex->highlight_length(), field.length);
    }
    EXPECT_GT(with_bytes, 30u);
    // And the other way round.
    const int port = named(tree, "tcp.dstport");
    ASSERT_NE(port, PacketTree::none);
    HexView* const frame = view->bytes_of(0);
    Q_EMIT frame->byte_chosen(tree.field(port).start);
    EXPECT_EQ(tree.field(view->selected_field()).start, tree.field(port).start);
    EXPECT_EQ(tree.field(view->selected_field()).length, 2u);
    EXPECT_FALSE(labels(*view).filter(QStringLiteral("sanscope: packet")).isEmpty());
}

TEST_F(DetailsViewTest, WhatIsOpenStaysOpenFromPacketToPacket) {
    open("loss-mixed-initiator.pcap.zst");
    DissectClient::Options options;
    options.program = DISSECTD;
    const auto view = view_with(options);
    select(*view, 10);
    const auto index_of = [&](std::string_view name) {
        const int field = named(*view->described().tree, name);
        EXPECT_NE(field, PacketTree::none) << name;
        return static_cast<const PacketTreeModel*>(view->tree().model())->index_of(field);
    };
    EXPECT_FALSE(view->tree().isExpanded(index_of("tcp")));
    view->tree().expand(index_of("tcp"));
    view->select_field(named(*view->described().tree, "tcp.window_size_value"));
    select(*view, 20);
    EXPECT_TRUE(view->tree().isExpanded(index_of("tcp")));
    EXPECT_FALSE(view->tree().isExpanded(index_of("ip")));
    EXPECT_EQ(view->described().tree->field(view->selected_field()).abbreviation, "tcp.window_size_value");
}
#endif

}  // namespace
}  // namespace sanscope

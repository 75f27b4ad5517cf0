// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/recording/live_recording.h"

#include <QTemporaryDir>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>

#include "gui/document/document.h"
#include "gui/testing/wait_until.h"

namespace sanscope {
namespace {

using testing_gui::wait_until;

TEST(LiveRecording, IsFollowedAsADocumentUntilItIsStopped) {
    if (geteuid() != 0) GTEST_SKIP() << "recording from an interface needs rights";
    const QTemporaryDir folder;
    v1::RecordingRequest request;
    request.add_interfaces("lo");
    // Of this process alone: tests that record at once would hear each other.
    const auto port = static_cast<uint16_t>(20'000 + getpid() % 10'000);
    request.set_filter("udp dst port " + std::to_string(port));
    request.set_path(folder.filePath(QStringLiteral("live.pcapng")).toStdString());
    QString error;
    const auto recording = LiveRecording::start(request, error);
    ASSERT_TRUE(recording) << error.toStdString();
    QString trouble;
    QObject::connect(recording.get(), &LiveRecording::trouble,
                     [&](const QString& text, bool) { trouble += text; });
    std::unique_ptr<Document> document;
    QObject::connect(recording.get(), &LiveRecording::readable,
                     [&] { document = Document::follow(recording->path(), recording->growth(), error); });
    ASSERT_TRUE(wait_until([&] { return document != nullptr || !trouble.isEmpty(); }));
    ASSERT_TRUE(document) << trouble.toStdString() << error.toStdString();
    EXPECT_TRUE(document->live());

    constexpr int sent = 40;
    const int socket = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    for (int i = 0; i < sent; ++i) {
        ::sendto(socket, "some bytes", 10, 0, reinterpret_cast<const sockaddr*>(&to), sizeof to);
    }
    ::close(socket);
    ASSERT_TRUE(wait_until([&] { return document->data()->progress().packets == sent; }));
    EXPECT_TRUE(document->live());
    bool ended = false;
    QObject::connect(recording.get(), &LiveRecording::ended, [&] { ended = true; });
    recording->stop();
    ASSERT_TRUE(wait_until([&] { return ended && !document->loading(); }));
    EXPECT_FALSE(recording->running());
    EXPECT_EQ(recording->totals().packets(), static_cast<uint64_t>(sent));
    EXPECT_EQ(recording->dropped(), 0u);
    EXPECT_EQ(document->warning(), QString());
    EXPECT_EQ(document->data()->progress().packets, static_cast<uint64_t>(sent));
}

TEST(LiveRecording, TellsWhyItCannotBegin) {
    v1::RecordingRequest request;
    request.add_interfaces("nosuchif0");
    const QTemporaryDir folder;
    request.set_path(folder.filePath(QStringLiteral("none.pcapng")).toStdString());
    QString error;
    const auto recording = LiveRecording::start(request, error);
    ASSERT_TRUE(recording) << error.toStdString();
    QString trouble;
    bool fatal = false;
    bool ended = false;
    QObject::connect(recording.get(), &LiveRecording::trouble, [&](const QString& text, bool is_fatal) {
        trouble = text;
        fatal = is_fatal;
    });
    QObject::connect(recording.get(), &LiveRecording::ended, [&] { ended = true; });
    ASSERT_TRUE(wait_until([&] { return ended; }));
    EXPECT_TRUE(fatal);
    EXPECT_TRUE(trouble.contains(QStringLiteral("nosuchif0"))) << trouble.toStdString();
    EXPECT_TRUE(recording->growth()->ended());
}

}  // namespace
}  // namespace sanscope

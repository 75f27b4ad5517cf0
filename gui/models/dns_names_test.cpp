// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/models/dns_names.h"

#include <QElapsedTimer>
#include <condition_variable>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mutex>
#include <string>
#include <vector>

#include "gui/testing/wait_until.h"

namespace sanscope {
namespace {

using testing::IsEmpty;
using testing::UnorderedElementsAre;
using testing_gui::wait_until;

// A name service that answers when it is told to; what was asked is kept.
class NameService {
  public:
    void set(const char* address, const char* name) {
        names_.insert(QString::fromUtf8(address), QString::fromUtf8(name));
    }
    DnsNames::Resolve resolve() {
        return [kept = kept_, names = names_](const QString& address) {
            std::unique_lock lock(kept->mutex);
            kept->asked.push_back(address.toStdString());
            kept->changed.wait(lock, [&] { return kept->answers; });
            return names.value(address);
        };
    }
    void hold() { set_answers(false); }
    void answer() { set_answers(true); }
    std::vector<std::string> asked() const {
        const std::lock_guard lock(kept_->mutex);
        return kept_->asked;
    }

  private:
    struct Kept {
        std::mutex mutex;
        std::condition_variable changed;
        bool answers = true;
        std::vector<std::string> asked;
    };
    void set_answers(bool answers) {
        {
            const std::lock_guard lock(kept_->mutex);
            kept_->answers = answers;
        }
        kept_->changed.notify_all();
    }

    std::shared_ptr<Kept> kept_ = std::make_shared<Kept>();
    QHash<QString, QString> names_;
};

QStringList ends(std::initializer_list<const char*> list) {
    QStringList result;
    for (const char* const end : list) result.append(QString::fromUtf8(end));
    return result;
}

std::string named(const DnsNames& dns, const char* end) {
    const QString text = QString::fromUtf8(end);
    return (dns.names() == nullptr ? text : dns.names()->named(text)).toStdString();
}

TEST(DnsNames, EachAddressIsAskedForOnceWithItsPortOrWithout) {
    NameService service;
    service.set("192.0.2.1", "initiator.example.");
    service.set("2001:db8::1", "target");
    DnsNames dns(nullptr, service.resolve());
    int changes = 0;
    QObject::connect(&dns, &DnsNames::changed, [&] { ++changes; });
    EXPECT_EQ(dns.names(), nullptr);
    dns.want(ends({"192.0.2.1:3260", "192.0.2.1", "[2001:db8::1]:40000", "192.0.2.9:1"}));
    ASSERT_TRUE(wait_until([&] { return dns.idle(); }));
    EXPECT_GT(changes, 0);
    EXPECT_EQ(named(dns, "192.0.2.1:3260"), "initiator.example:3260");
    EXPECT_EQ(named(dns, "[2001:db8::1]:3260"), "target:3260");
    EXPECT_EQ(named(dns, "192.0.2.9:1"), "192.0.2.9:1");
    dns.want(ends({"192.0.2.1:3260", "192.0.2.9:2"}));
    EXPECT_TRUE(dns.idle());
    EXPECT_THAT(service.asked(), UnorderedElementsAre("192.0.2.1", "2001:db8::1", "192.0.2.9"));
}

TEST(DnsNames, WhatIsNoSingleHostIsNeverAskedFor) {
    NameService service;
    DnsNames dns(nullptr, service.resolve());
    dns.want(ends({"0.0.0.0:68", "255.255.255.255:67", "224.0.0.251:5353", "[::]:0", "[ff02::1]:1", "", "[",
                   "02:00:00:00:00:09", "name:1"}));
    EXPECT_TRUE(dns.idle());
    EXPECT_THAT(service.asked(), IsEmpty());
}

// A reverse zone is written by whoever has the address.
TEST(DnsNames, AnAnswerThatIsNoHostNameOrLooksLikeAnotherAddressIsNone) {
    NameService service;
    service.set("192.0.2.1", "<b>bold</b>");
    service.set("192.0.2.2", "192.0.2.7");
    service.set("192.0.2.3", "3221225991");
    service.set("192.0.2.4", "good");
    DnsNames dns(nullptr, service.resolve());
    dns.want(ends({"192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.4"}));
    ASSERT_TRUE(wait_until([&] { return dns.idle() && dns.names() != nullptr; }));
    for (const char* const end : {"192.0.2.1:1", "192.0.2.2:1", "192.0.2.3:1"})
        EXPECT_EQ(named(dns, end), end);
    EXPECT_EQ(named(dns, "192.0.2.4:1"), "good:1");
}

TEST(DnsNames, NobodyWaitsForAnAnswer) {
    NameService service;
    service.hold();
    auto dns = std::make_unique<DnsNames>(nullptr, service.resolve());
    QStringList many;
    for (int host = 1; host < 100; ++host) many.append(QStringLiteral("192.0.2.%1").arg(host));
    dns->want(many);
    ASSERT_TRUE(wait_until([&] { return service.asked().size() == 4; }));
    QElapsedTimer timer;
    timer.start();
    dns->cancel();
    EXPECT_FALSE(dns->idle());  // four are under way
    dns.reset();
    EXPECT_LT(timer.elapsed(), 1000);
    service.answer();
    EXPECT_EQ(service.asked().size(), 4u);
}

TEST(DnsNames, WhatWasCancelledIsAskedForOnceItIsWantedAgain) {
    NameService service;
    service.hold();
    DnsNames dns(nullptr, service.resolve());
    dns.want(ends({"192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.4", "192.0.2.5"}));
    ASSERT_TRUE(wait_until([&] { return service.asked().size() == 4; }));
    dns.cancel();
    service.answer();
    ASSERT_TRUE(wait_until([&] { return dns.idle(); }));
    EXPECT_EQ(service.asked().size(), 4u);
    dns.want(ends({"192.0.2.5"}));
    ASSERT_TRUE(wait_until([&] { return dns.idle(); }));
    EXPECT_EQ(service.asked().back(), "192.0.2.5");
}

}  // namespace
}  // namespace sanscope

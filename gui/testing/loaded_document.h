// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <gtest/gtest.h>

#include "gui/document/document.h"
#include "gui/testing/wait_until.h"

namespace sanscope::testing_gui {

// The path of a sample of the repository.
inline QString sample(const char* name) {
    return QStringLiteral(SANSCOPE_SAMPLES "/") + QString::fromUtf8(name);
}

// A capture, of which the loading has only begun. nullptr, and a failure of the test, where it cannot be
// opened.
inline std::unique_ptr<Document> opened(const QString& path) {
    QString error;
    auto document = Document::open(path, error);
    EXPECT_TRUE(document) << error.toStdString();
    return document;
}

// The same, loaded to its end.
inline std::unique_ptr<Document> loaded(const QString& path) {
    auto document = opened(path);
    if (document) {
        EXPECT_TRUE(wait_until([&] { return document->has_loaded(); }));
    }
    return document;
}

inline std::unique_ptr<Document> loaded_sample(const char* name) {
    return loaded(sample(name));
}

}  // namespace sanscope::testing_gui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "gui/testing/loaded_document.h"

namespace sanscope::testing_gui {

// A fixture with a view of a loaded sample, shown.
template <class Kind>
class ShownView : public testing::Test {
  protected:
    void open(const char* name) {
        document = loaded_sample(name);
        view = std::make_unique<Kind>(*document, nullptr);
        view->resize(1200, 600);
        view->show();
        settle();
    }
    void settle() {
        ASSERT_TRUE(wait_until([&] { return view->settled(); }));
        QCoreApplication::processEvents();
    }

    std::unique_ptr<Document> document;
    std::unique_ptr<Kind> view;
};

}  // namespace sanscope::testing_gui

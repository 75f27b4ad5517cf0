// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

namespace sanscope {

// An iterator over `Rows` (const or not) by index. What it gives is what their operator[] does: a reference, or a row by value.
template <class Rows, class Row>
class RowIterator {
  public:
    using reference = decltype(std::declval<Rows&>()[size_t{}]);
    using iterator_category = std::conditional_t<std::is_reference_v<reference>, std::forward_iterator_tag,
                                                 std::input_iterator_tag>;
    using value_type = Row;
    using difference_type = ptrdiff_t;
    using pointer = std::add_pointer_t<reference>;

    RowIterator() = default;
    RowIterator(Rows* rows, size_t index) : rows_(rows), index_(index) {}
    reference operator*() const { return (*rows_)[index_]; }
    pointer operator->() const requires std::is_reference_v<reference> {
        return std::addressof((*rows_)[index_]);
    }
    RowIterator& operator++() {
        index_++;
        return *this;
    }
    RowIterator operator++(int) {
        RowIterator before = *this;
        index_++;
        return before;
    }
    bool operator==(const RowIterator&) const = default;

  private:
    Rows* rows_ = nullptr;
    size_t index_ = 0;
};

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractItemModel>
#include <memory>

#include "gui/plot/theme.h"
#include "gui/views/details/packet_tree.h"

namespace sanscope {

// A PacketTree for a QTreeView: one column of lines. What was found out and is not in the packet stands in brackets.
class PacketTreeModel : public QAbstractItemModel {
    Q_OBJECT

  public:
    explicit PacketTreeModel(QObject* parent) : QAbstractItemModel(parent), theme_(&Theme::light()) {}

    void set_tree(std::shared_ptr<const PacketTree> tree);
    const PacketTree* tree() const { return tree_.get(); }
    void set_theme(const Theme& theme) { theme_ = &theme; }

    QModelIndex index_of(int field) const;
    // PacketTree::none for an index that is none.
    static int field_of(const QModelIndex& index) {
        return index.isValid() ? static_cast<int>(index.internalId()) : PacketTree::none;
    }

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& child) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& = {}) const override { return 1; }
    QVariant data(const QModelIndex& index, int role) const override;

  private:
    const std::vector<int>* children_of(const QModelIndex& parent) const;

    std::shared_ptr<const PacketTree> tree_;
    const Theme* theme_;
};

}  // namespace sanscope

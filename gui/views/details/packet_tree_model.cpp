// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/details/packet_tree_model.h"

#include <QBrush>
#include <QFont>

#include "gui/document/plain_text.h"

namespace sanscope {

void PacketTreeModel::set_tree(std::shared_ptr<const PacketTree> tree) {
    beginResetModel();
    tree_ = std::move(tree);
    endResetModel();
}

const std::vector<int>* PacketTreeModel::children_of(const QModelIndex& parent) const {
    if (tree_ == nullptr) return nullptr;
    return parent.isValid() ? &tree_->field(field_of(parent)).children : &tree_->roots();
}

QModelIndex PacketTreeModel::index_of(int field) const {
    if (tree_ == nullptr || field == PacketTree::none) return {};
    return createIndex(tree_->field(field).row, 0, static_cast<quintptr>(field));
}

QModelIndex PacketTreeModel::index(int row, int column, const QModelIndex& parent) const {
    const std::vector<int>* const children = children_of(parent);
    if (children == nullptr || row < 0 || static_cast<size_t>(row) >= children->size() || column != 0)
        return {};
    return createIndex(row, 0, static_cast<quintptr>((*children)[static_cast<size_t>(row)]));
}

QModelIndex PacketTreeModel::parent(const QModelIndex& child) const {
    return child.isValid() ? index_of(tree_->field(field_of(child)).parent) : QModelIndex();
}

int PacketTreeModel::rowCount(const QModelIndex& parent) const {
    const std::vector<int>* const children = children_of(parent);
    return children == nullptr ? 0 : static_cast<int>(children->size());
}

QVariant PacketTreeModel::data(const QModelIndex& index, int role) const {
    const int at = field_of(index);
    if (at == PacketTree::none || tree_ == nullptr) return {};
    const PacketTree::Field& field = tree_->field(at);
    switch (role) {
        case Qt::DisplayRole: {
            const QString label = QString::fromStdString(field.label);
            const bool bare =
                field.generated && field.parent != PacketTree::none && !label.startsWith(QLatin1Char('['));
            return bare ? QLatin1Char('[') + label + QLatin1Char(']') : label;
        }
        case Qt::ToolTipRole: {
            if (field.abbreviation.empty()) return {};
            QString tip = QString::fromStdString(field.abbreviation);
            if (!field.type.empty()) tip += QStringLiteral(" — ") + QString::fromStdString(field.type);
            if (field.length > 0)
                tip += tr("\nbytes %1 to %2").arg(field.start).arg(field.start + field.length - 1);
            return plain_text(tip);
        }
        case Qt::FontRole:
            if (field.parent == PacketTree::none) {
                QFont font;
                font.setBold(true);
                return font;
            }
            return {};
        case Qt::BackgroundRole: {
            // An expert information, and what holds one.
            QColor colour;
            if (field.worst_within >= v1::TreeNode::ERROR) {
                colour = theme_->problem;
            } else if (field.worst_within == v1::TreeNode::WARN) {
                colour = theme_->in_flight;
            } else if (field.severity == v1::TreeNode::NOTE || field.severity == v1::TreeNode::CHAT) {
                colour = theme_->read;
            } else if (field.severity == v1::TreeNode::COMMENT) {
                colour = theme_->acknowledgement;
            } else {
                return {};
            }
            colour.setAlphaF(field.severity != v1::TreeNode::NONE ? 0.28f : 0.13f);
            return QBrush(colour);
        }
        default:
            return {};
    }
}

}  // namespace sanscope

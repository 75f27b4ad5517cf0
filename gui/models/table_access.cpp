// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/models/table_access.h"

#include <mutex>

#include "analyzer/tables/packets_table.h"
#include "analyzer/tables/tables.h"

namespace sanscope {
namespace {

class CaptureTable final : public TableAccess {
  public:
    CaptureTable(std::shared_ptr<const CaptureData> data, std::string_view name)
        : data_(std::move(data)), name_(find_table_kind(name)->name) {}

    std::string_view name() const override { return name_; }
    std::span<const ColumnInfo> columns() const override { return columns_of_table(name_); }
    void read(const std::function<void(const Table&)>& visit) const override {
        const auto reading = data_->read();
        visit(*make_table(reading, name_));
    }
    const Table* final_table() const override {
        if (!data_->complete()) return nullptr;
        std::call_once(once_, [this] { final_ = make_table(data_->read(), name_); });
        return final_.get();
    }

  private:
    std::shared_ptr<const CaptureData> data_;
    std::string_view name_;
    mutable std::once_flag once_;
    mutable std::unique_ptr<Table> final_;
};

}  // namespace

std::span<const ColumnInfo> columns_of_table(std::string_view name) {
    return name == packets_table_name ? packets_table_columns() : find_table(name)->columns;
}

std::unique_ptr<Table> make_table(const CaptureData::Reading& reading, std::string_view name) {
    if (name == packets_table_name)
        return make_packets_table(reading.index(), reading.store(), &reading.pdu_index());
    if (name == commands_table.name)
        return make_commands_table(reading.store().commands(), reading.budgets());
    return find_table(name)->make(reading.store());
}

std::shared_ptr<const TableAccess> access_table(std::shared_ptr<const CaptureData> data,
                                                std::string_view name) {
    return std::make_shared<CaptureTable>(std::move(data), name);
}

}  // namespace sanscope

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

#include "sanscope/v1/dissection.pb.h"

#include "analyzer/export/block_writer.h"
#include "analyzer/export/byte_sink.h"

namespace sanscope {

// A line a node, indented by four blanks a level, generated ones in brackets, hidden ones left out: as `tshark -V`.
// Whether the sink took everything.
bool write_tree_text(const v1::PacketTree& tree, ByteSink& sink);

// The bytes behind the tree, 16 a line in hexadecimal and as text; likewise.
bool write_sources(const v1::PacketTree& tree, ByteSink& sink);

// Packets as `tshark -V -T json` writes them: an array. Fields of one name stand one by one in their order, so names
// may come more than once in an object.
class TreeJsonWriter {
  public:
    // The sink must outlive this.
    explicit TreeJsonWriter(ByteSink& sink) : out_(sink) {}

    // `date` is the packet's, YYYY-MM-DD.
    void write(const v1::PacketTree& tree, std::string_view date);
    bool finish();

  private:
    BlockWriter out_;
    bool begun_ = false;
};

}  // namespace sanscope

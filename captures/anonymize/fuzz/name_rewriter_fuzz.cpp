// SPDX-License-Identifier: GPL-3.0-or-later
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "captures/anonymize/pcapng_anonymizer.h"
#include "captures/anonymize/scsi_data_rewriter.h"
#include "captures/anonymize/text_keys_rewriter.h"

// The first byte chooses what the bytes behind it are: the text of a login, sense data, a pcapng block in either byte order, or,
// with three bytes more, the data of a command with these CDB bytes. The same bytes have the same replacements each time.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace sanscope;
    if (size < 4) return 0;
    const auto rewritten = [&] {
        const std::unique_ptr<Anonymizer> anonymizer = std::move(*Anonymizer::create(MappingKey{1, 2, 3}));
        PcapngAnonymizer blocks(*anonymizer);
        std::vector<uint8_t> bytes(data + 1, data + size);
        switch (data[0] % 6) {
            case 0:
                rewrite_text_keys(bytes, *anonymizer);
                break;
            case 1:
                rewrite_text_keys_behind_hole(bytes, *anonymizer);
                break;
            case 2:
                rewrite_sense_segment(bytes);
                break;
            case 3:
            case 4: {
                const FileByteOrder order{data[0] % 6 == 4};
                bytes = blocks.rewrite_block(bytes, order);
                if (!bytes.empty() &&
                    (bytes.size() % 4 != 0 || order.load32(bytes.data() + 4) != bytes.size()))
                    std::abort();
                break;
            }
            default:
                bytes.erase(bytes.begin(), bytes.begin() + 3);
                rewrite_parameter_data(data[1], data[2], data[3], bytes, *anonymizer);
                break;
        }
        return bytes;
    };
    if (rewritten() != rewritten()) std::abort();
    return 0;
}

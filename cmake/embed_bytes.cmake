# cmake -DINPUT=FILE -DOUTPUT=SOURCE -DNAME=NAME -DHEADER=HEADER -P embed_bytes.cmake
# Makes of a file a source that defines the array NAME, declared in HEADER.
file(READ ${INPUT} bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
string(REGEX REPLACE "((0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,))" "\\1\n" bytes "${bytes}")
file(WRITE ${OUTPUT} "// Generated from ${INPUT}.
#include \"${HEADER}\"

namespace sanscope {

alignas(16) static constexpr unsigned char bytes[] = {
${bytes}};

const std::span<const unsigned char> ${NAME}(bytes);

}  // namespace sanscope
")

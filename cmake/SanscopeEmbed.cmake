# sanscope_embedded(NAME FILE): the source NAME.cpp in the build's folder, which defines the bytes of FILE, a path, under the name
# that NAME.h in this folder declares.
function(sanscope_embedded name file)
  set(embed ${PROJECT_SOURCE_DIR}/cmake/embed_bytes.cmake)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE folder)
  add_custom_command(
    OUTPUT ${source}
    COMMAND ${CMAKE_COMMAND} -DINPUT=${file} -DOUTPUT=${source} -DNAME=${name} -DHEADER=${folder}/${name}.h -P ${embed}
    DEPENDS ${file} ${embed}
    COMMENT "Generating ${name}.cpp")
endfunction()

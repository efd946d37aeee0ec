# cmake -DFOLDER=... -DOUT=file.cpp -P embed_files.cmake: the files of a folder as data of the program, read by the assembler.
# An empty table where there is no such folder.
file(GLOB_RECURSE files RELATIVE ${FOLDER} ${FOLDER}/*)
set(data "")
set(declarations "")
set(table "")
set(number 0)
foreach(file ${files})
  if(NOT file MATCHES "^[A-Za-z0-9._/-]+$")
    message(FATAL_ERROR "${FOLDER}/${file}: expected a name of letters, digits, dots, dashes and underscores")
  endif()
  file(SHA256 ${FOLDER}/${file} hash)  # so that this file differs when the content does
  string(APPEND data
    "// ${hash}\n"
    "asm(\".section .rodata\\n.balign 16\\npliant_page_${number}:\\n.incbin \\\"${FOLDER}/${file}\\\"\\npliant_page_${number}_end:\\n.byte 0\\n.previous\\n\");\n")
  string(APPEND declarations "extern const char pliant_page_${number}[], pliant_page_${number}_end[];\n")
  string(APPEND table
    "    {\"/${file}\", {pliant_page_${number}, static_cast<std::size_t>(pliant_page_${number}_end - pliant_page_${number})}},\n")
  math(EXPR number "${number} + 1")
endforeach()
if(number EQUAL 0)
  set(body "  return {};\n")
else()
  set(body "  static const PageFile files[] = {\n${table}  };\n  return files;\n")
endif()
file(WRITE ${OUT} "// Made by cmake/embed_files.cmake.
#include <cstddef>

#include \"pliant/server/page_files.h\"

${data}
extern \"C\" {
${declarations}}

namespace pliant::server {

std::span<const PageFile> page_files() {
${body}}

}  // namespace pliant::server
")

# cutis_embed_files(VARIABLE FUNCTION FILE...): a C++ source that holds the files as they are, taken in by the assembler (megabytes
# cost no compile time). It defines `const std::map<std::string, std::string_view>& FUNCTION()`, by name without extension; FUNCTION is
# qualified, such as cutis::actor::embedded_actors. The path of the source goes into VARIABLE.
function(cutis_embed_files variable function)
    string(MAKE_C_IDENTIFIER ${function} symbol)
    set(source ${PROJECT_BINARY_DIR}/embedded/${symbol}.cpp)
    set(assembly "")
    set(symbols "")
    set(entries "")
    set(index 0)
    foreach(file IN LISTS ARGN)
        cmake_path(GET file STEM name)
        set(at ${symbol}_${index})
        string(APPEND assembly "    CUTIS_FILE(\"${at}\", \"${file}\")\n")
        string(APPEND symbols "extern const char ${at}[], ${at}_end[];\n")
        string(APPEND entries "        {\"${name}\", {${at}, static_cast<std::size_t>(${at}_end - ${at})}},\n")
        math(EXPR index "${index} + 1")
    endforeach()
    string(REGEX REPLACE "::[^:]*$" "" space ${function})
    string(REGEX REPLACE "^.*::" "" plain ${function})
    file(CONFIGURE OUTPUT ${source} @ONLY CONTENT [=[
// Made by cmake/EmbedFiles.cmake.
#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#ifdef __APPLE__
#define CUTIS_SECTION ".section __TEXT,__const\n"
#define CUTIS_END ".text\n"
#define CUTIS_NAME(name) "_" name
#else
#define CUTIS_SECTION ".pushsection .rodata\n"
#define CUTIS_END ".popsection\n"
#define CUTIS_NAME(name) name
#endif
#define CUTIS_FILE(name, path)                                                                    \
    ".balign 16\n.globl " CUTIS_NAME(name) "\n" CUTIS_NAME(name) ":\n.incbin \"" path "\"\n.globl " \
    CUTIS_NAME(name) "_end\n" CUTIS_NAME(name) "_end:\n.byte 0\n"

asm(CUTIS_SECTION
@assembly@    CUTIS_END);

extern "C" {
@symbols@}

namespace @space@ {

const std::map<std::string, std::string_view>& @plain@();

const std::map<std::string, std::string_view>& @plain@() {
    static const std::map<std::string, std::string_view> files = {
@entries@    };
    return files;
}

}  // namespace @space@
]=])
    set_source_files_properties(${source} PROPERTIES OBJECT_DEPENDS "${ARGN}" SKIP_UNITY_BUILD_INCLUSION ON)
    set(${variable} ${source} PARENT_SCOPE)
endfunction()

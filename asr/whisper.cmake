# Read by CMake behind each project() of whisper.cpp's build; .cargo/config.toml names it. The sources
# that it changes are the copy that the build makes for itself.
#
# whisper.cpp aligns words with sound on ggml's default of four threads, however many it was asked for;
# three of them wait in a busy loop, 7 % of all processor time. The default becomes one thread. Wherever
# the number of threads is set, nothing changes.
set(weir_header "${CMAKE_SOURCE_DIR}/ggml/include/ggml.h")
if(EXISTS "${weir_header}")
    file(READ "${weir_header}" weir_text)
    string(REGEX REPLACE "(#define GGML_DEFAULT_N_THREADS +)4" "\\11" weir_changed "${weir_text}")
    if(NOT weir_changed STREQUAL weir_text)
        file(WRITE "${weir_header}" "${weir_changed}")
    endif()
endif()

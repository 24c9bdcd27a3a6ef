# Compiler settings shared by every target, in interface targets instead of global flags.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")

# Modules that the programs load at run time, each where what it needs is there.
set(headroom_modules headroom_mpi headroom_cuda headroom_nccl headroom_parquet)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

# ccache makes the second build of anything nearly free; use it where it is installed.
find_program(HEADROOM_CCACHE ccache)
if(HEADROOM_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env "CCACHE_BASEDIR=${CMAKE_SOURCE_DIR}" CCACHE_NOHASHDIR=1
      "CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime"
      ${HEADROOM_CCACHE})
endif()

add_library(headroom_warnings INTERFACE)
target_compile_options(headroom_warnings INTERFACE -Wall -Wextra -Wshadow -Wnon-virtual-dtor
                       -Woverloaded-virtual)
# GCC 12 sees overlapping copies in plain assignments of strings (its bug 105651), and where headers
# are precompiled lists of strings that end too early.
set(HEADROOM_OLD_GCC $<AND:$<COMPILE_LANG_AND_ID:CXX,GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>)
target_compile_options(headroom_warnings INTERFACE $<${HEADROOM_OLD_GCC}:-Wno-restrict>)
set(HEADROOM_FALSE_WARNINGS
    "$<${HEADROOM_OLD_GCC}:-Wno-array-bounds;-Wno-stringop-overread;-Wno-stringop-overflow>")
if(HEADROOM_WARNINGS_AS_ERRORS)
  target_compile_options(headroom_warnings INTERFACE -Werror)
endif()

add_library(headroom_options INTERFACE)
target_link_libraries(headroom_options INTERFACE headroom_warnings)
target_include_directories(headroom_options INTERFACE "${CMAKE_SOURCE_DIR}")
# Every program brings along how its sanitizer behaves; what one finds is kept in this folder.
if(HEADROOM_SANITIZE)
  target_compile_options(headroom_options INTERFACE -fsanitize=${HEADROOM_SANITIZE}
                         -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(headroom_options INTERFACE -fsanitize=${HEADROOM_SANITIZE})
  find_library(HEADROOM_ARCHER archer PATHS /usr/lib/llvm-14/lib)
  add_library(headroom_sanitizer_options OBJECT "${CMAKE_SOURCE_DIR}/cmake/sanitizers/options.cpp")
  target_compile_options(headroom_sanitizer_options PRIVATE -fsanitize=${HEADROOM_SANITIZE})
  target_compile_definitions(headroom_sanitizer_options PRIVATE
    HEADROOM_REPORTS="${CMAKE_BINARY_DIR}/reports/report" HEADROOM_ARCHER="${HEADROOM_ARCHER}")
  target_sources(headroom_options INTERFACE
    $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:$<TARGET_OBJECTS:headroom_sanitizer_options>>)
endif()

# GCC looks for garbage first when a file has taken 512 MiB, not 128: up to an eighth less time for a large unit.
target_compile_options(headroom_options INTERFACE
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=ggc-min-heapsize=524288>)

# What makes a mistake with memory end the program instead of corrupting it: cookies on the stack, checked
# calls of the C library, checked indices of the standard library's containers. The sanitizers see more.
if(NOT HEADROOM_SANITIZE)
  target_compile_options(headroom_options INTERFACE
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:$<$<CONFIG:Release>:-fstack-protector-strong;-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2;-D_GLIBCXX_ASSERTIONS>>)
endif()

# Compile flags of the files that hold CPU kernels: vectorised for the chosen processor, with
# contraction allowed but every other rule of IEEE arithmetic kept (no -ffast-math: NaN must show). Their inner
# loops go without the hardening.
# A sanitizer's checks keep loops from being vectorised, and cost the optimiser minutes a file.
if(HEADROOM_SANITIZE)
  set(kernel_level -O1)
else()
  set(kernel_level -O3)
endif()
separate_arguments(HEADROOM_KERNEL_FLAGS UNIX_COMMAND
  "${kernel_level} -march=${HEADROOM_MARCH} -mprefer-vector-width=512 -ffp-contract=fast -fno-math-errno -fno-trapping-math -fno-stack-protector -U_FORTIFY_SOURCE -U_GLIBCXX_ASSERTIONS")

# headroom_compile_together(TARGET [MOST]): neighbouring files go through the compiler as one, at most 64 of them
# (or MOST) and evenly, which more than halves a clean build. So names without linkage are unique in their room.
# Files with compile options or definitions of their own stay alone (CMake sees to it), and so do those
# with SKIP_UNITY_BUILD_INCLUSION. With HEADROOM_UNITY off (the debug preset), every file is compiled alone.
option(HEADROOM_UNITY "Compile neighbouring files together: a clean build in less than half the time" ON)
function(headroom_compile_together target)
  if(NOT HEADROOM_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # A type with members of unnamed namespaces is a mistake in a header only, for which GCC takes these.
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  list(SORT sources)
  set(most 64)
  if(ARGC GREATER 1)
    set(most ${ARGV1})
  endif()
  list(LENGTH sources count)
  math(EXPR units "(${count} + ${most} - 1) / ${most}")
  set(number 0)
  foreach(source IN LISTS sources)
    math(EXPR group "${number} * ${units} / ${count}")
    math(EXPR number "${number} + 1")
    set_source_files_properties("${source}" PROPERTIES UNITY_GROUP ${group})
  endforeach()
endfunction()

# headroom_join(RESULT MOST FILES...): the same for CUDA files, which CMake cannot join: files of at most MOST includes
# each, the files of a folder evenly and in the order of their names. (So kernels of attention/ are instantiated in
# the units of the files that ask for them, and not where others that mention them see their templates by chance.)
function(headroom_join result most)
  set(joined ${ARGN})
  if(HEADROOM_UNITY)
    set(joined "")
    set(number 0)
    list(TRANSFORM ARGN REPLACE "/[^/]*$" "" OUTPUT_VARIABLE folders)
    list(REMOVE_DUPLICATES folders)
    foreach(folder IN LISTS folders)
      set(files "")
      foreach(file IN LISTS ARGN)
        get_filename_component(its_folder "${file}" DIRECTORY)
        if(its_folder STREQUAL folder)
          list(APPEND files "${file}")
        endif()
      endforeach()
      list(LENGTH files count)
      math(EXPR units "(${count} + ${most} - 1) / ${most}")
      math(EXPR evenly "(${count} + ${units} - 1) / ${units}")
      while(files)
        list(SUBLIST files 0 ${evenly} together)
        list(REMOVE_ITEM files ${together})
        list(TRANSFORM together REPLACE "(.+)" "#include \"\\1\"\n")
        list(JOIN together "" text)
        set(file "${CMAKE_CURRENT_BINARY_DIR}/joined_${number}.cu")
        file(CONFIGURE OUTPUT "${file}" CONTENT "${text}" @ONLY)
        list(APPEND joined "${file}")
        math(EXPR number "${number} + 1")
      endwhile()
    endforeach()
  endif()
  set(${result} ${joined} PARENT_SCOPE)
endfunction()

# headroom_precompile(TARGET HEADERS...): heavy headers of libraries, read once for the whole target. Files
# compiled with flags of their own must set SKIP_PRECOMPILE_HEADERS. The debug preset compiles without,
# so that an include that is missing shows there.
function(headroom_precompile target)
  target_precompile_headers(${target} PRIVATE ${ARGN})
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess>)  # for ccache
endfunction()

# headroom_precompile_for_files(TARGET HEADERS...): the same where files are compiled alone. The few units of files
# that are compiled together read the headers in less time than precompiling them takes.
function(headroom_precompile_for_files target)
  if(NOT HEADROOM_UNITY)
    headroom_precompile(${target} ${ARGN})
  endif()
endfunction()

# headroom_library(NAME SOURCES...): one static library per room, warnings on, rooted includes.
function(headroom_library name)
  add_library(headroom_${name} STATIC ${ARGN})
  target_link_libraries(headroom_${name} PUBLIC headroom_options)
endfunction()

# Compile options of code that never runs long (commands, some tests): a third less time to build.
set(HEADROOM_QUICK_BUILD $<$<CONFIG:Release>:-O1>)
# Of tests that only call what they test: a third less again.
set(HEADROOM_QUICKEST_BUILD $<$<CONFIG:Release>:-O0>)

# The commit that the programs were built from, in a library of its own, so that a new one links nothing else anew.
add_custom_target(headroom_commit_file
  COMMAND "${CMAKE_COMMAND}" -D "SOURCE=${CMAKE_SOURCE_DIR}" -D "OUT=${CMAKE_BINARY_DIR}/build_commit.c"
          -P "${CMAKE_SOURCE_DIR}/cmake/HeadroomCommit.cmake"
  BYPRODUCTS "${CMAKE_BINARY_DIR}/build_commit.c" COMMENT "" VERBATIM)
add_library(headroom_commit OBJECT "${CMAKE_BINARY_DIR}/build_commit.c")
add_dependencies(headroom_commit headroom_commit_file)

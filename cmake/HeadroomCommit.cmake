# Writes OUT, the C file with the commit of the repository SOURCE, where it changed: run with every build.
# No repository, or one that the sources merely lie in: no commit.
cmake_minimum_required(VERSION 3.25)

function(headroom_git out)
  execute_process(COMMAND git -C "${SOURCE}" ${ARGN} OUTPUT_VARIABLE said RESULT_VARIABLE status
                  ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  set(${out} "${said}" PARENT_SCOPE)
  set(status "${status}" PARENT_SCOPE)
endfunction()

set(commit "")
headroom_git(top rev-parse --show-toplevel)
file(REAL_PATH "${SOURCE}" source)
if(status EQUAL 0 AND top STREQUAL source)
  headroom_git(commit rev-parse --short=12 HEAD)
  headroom_git(changes diff --quiet HEAD)
  if(status EQUAL 1)
    string(APPEND commit "+")
  endif()
endif()
set(date "")
if(DEFINED ENV{SOURCE_DATE_EPOCH})
  string(TIMESTAMP date "%Y-%m-%d" UTC)
endif()
file(CONFIGURE OUTPUT "${OUT}" @ONLY CONTENT "// Written by cmake/HeadroomCommit.cmake.
const char* headroom_build_commit(void) { return \"@commit@\"; }
const char* headroom_build_date(void) { return \"@date@\"; }
")

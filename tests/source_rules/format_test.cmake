# cmake -D CLANG_FORMAT=… -D ROOT=… -P format_test.cmake: every source file is formatted as
# .clang-format says. To mend what it lists: clang-format -i FILE.
set(files "")
foreach(room app core cuda datasets panels tests)
  foreach(ending cpp h cu cuh)
    file(GLOB_RECURSE found RELATIVE "${ROOT}" "${ROOT}/${room}/*.${ending}")
    list(APPEND files ${found})
  endforeach()
endforeach()
list(LENGTH files count)
if(count LESS 500)
  message(FATAL_ERROR "only ${count} source files were found in ${ROOT}")
endif()
execute_process(COMMAND "${CLANG_FORMAT}" --dry-run -Werror ${files}
                WORKING_DIRECTORY "${ROOT}" RESULT_VARIABLE result ERROR_VARIABLE complaints)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "not formatted (clang-format -i FILE mends it):\n${complaints}")
endif()

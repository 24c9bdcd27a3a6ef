# Read by ctest when it starts: a test for every suite of a gtest program, which runs in one process. Thousands of
# tests take milliseconds each, and starting a program for each of them took longer than they do.
# add_suites(PROGRAM TIMEOUT LONG_TIMEOUT ENVIRONMENT PROPERTIES...): suites whose name has "Long" get the label `long`.
function(add_suites program timeout long_timeout environment)
  get_filename_component(name "${program}" NAME)
  if(NOT EXISTS "${program}")
    add_test("${name}_NOT_BUILT" "${name}_NOT_BUILT")
    return()
  endif()
  execute_process(COMMAND "${program}" --gtest_list_tests OUTPUT_VARIABLE listed
                  ERROR_VARIABLE complaint RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${program} --gtest_list_tests failed: ${complaint}")
  endif()
  string(REGEX MATCHALL "(^|\n)[^ \n]+\\.( +#[^\n]*)?\n +[^\n]+" suites "${listed}")
  foreach(suite IN LISTS suites)
    string(REGEX REPLACE "^\n?([^ \n]+)\\..*" "\\1" suite "${suite}")
    set(test "${name}.${suite}")
    # Gives way to the tests of the window: they run one after the other, so that the whole run may wait for them.
    add_test("${test}" nice "${program}" "--gtest_filter=${suite}.*")
    if(suite MATCHES "Long$")
      set_tests_properties("${test}" PROPERTIES TIMEOUT ${long_timeout} LABELS long)
    else()
      set_tests_properties("${test}" PROPERTIES TIMEOUT ${timeout})
    endif()
    set_tests_properties("${test}" PROPERTIES ENVIRONMENT "${environment}"
                         SKIP_REGULAR_EXPRESSION "PASSED  . 0 tests.*SKIPPED" ${ARGN})
  endforeach()
endfunction()

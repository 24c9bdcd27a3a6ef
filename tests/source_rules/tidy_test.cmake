# cmake -D CLANG_TIDY=… -D ROOT=… -D FOLDER=core/base -D INCLUDES=DIR;… -P tidy_test.cmake: the
# checks of .clang-tidy on the sources of one folder, not of folders inside it, and on the headers
# that they include.
file(GLOB files RELATIVE "${ROOT}" "${ROOT}/${FOLDER}/*.cpp")
if(NOT files)
  message(FATAL_ERROR "no source file was found in ${ROOT}/${FOLDER}")
endif()
# Texts that the build gives to single files.
set(macros HEADROOM_VERSION HEADROOM_COMPILER HEADROOM_BUILD_OPTIONS)
list(TRANSFORM macros REPLACE "(.+)" "-D\\1=\"\"")
list(REMOVE_ITEM INCLUDES /usr/include "${ROOT}")  # a second mention changes the order of the search
list(TRANSFORM INCLUDES PREPEND -isystem)
execute_process(COMMAND "${CLANG_TIDY}" --quiet --warnings-as-errors=* ${files} --
                        -std=c++20 -fopenmp -I${ROOT} ${INCLUDES}
                        ${macros}
                WORKING_DIRECTORY "${ROOT}" RESULT_VARIABLE result
                OUTPUT_VARIABLE findings ERROR_VARIABLE counts)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "clang-tidy found in ${FOLDER}:\n${findings}\n${counts}")
endif()

# cmake -D CLANG_TIDY=… -D ROOT=… -D FOLDERS=core/base;… -D INCLUDES=DIR;… -D LEFT_OUT=FILE;…
#       -D WORK=DIR -P tidy_test.cmake:
# the checks of .clang-tidy on the sources of these folders, not of folders inside them, and on the headers
# that they include. The files are read as one, which takes a fifth of the time, but for those with a
# main(); where that does not compile (kernels of one name, say), each is read alone.
set(files "")
foreach(folder IN LISTS FOLDERS)
  file(GLOB found RELATIVE "${ROOT}" "${ROOT}/${folder}/*.cpp")
  list(REMOVE_ITEM found "" ${LEFT_OUT})
  if(NOT found)
    message(FATAL_ERROR "no source file was found in ${ROOT}/${folder}")
  endif()
  list(APPEND files ${found})
endforeach()
# Texts that the build gives to single files.
set(macros HEADROOM_VERSION HEADROOM_COMPILER HEADROOM_BUILD_OPTIONS)
list(TRANSFORM macros REPLACE "(.+)" "-D\\1=\"\"")
list(REMOVE_ITEM INCLUDES /usr/include "${ROOT}")  # a second mention changes the order of the search
list(TRANSFORM INCLUDES PREPEND -isystem)

# Sets `result` to 0 or not, and `findings`.
macro(ask)
  execute_process(COMMAND "${CLANG_TIDY}" --quiet --warnings-as-errors=* "--config-file=${ROOT}/.clang-tidy"
                          ${ARGN} -- -std=c++20 -fopenmp -I${ROOT} ${INCLUDES} ${macros}
                  WORKING_DIRECTORY "${ROOT}" RESULT_VARIABLE result
                  OUTPUT_VARIABLE findings ERROR_VARIABLE counts)
endmacro()

set(mains ${files})
list(FILTER mains INCLUDE REGEX "main\\.cpp$")
list(FILTER files EXCLUDE REGEX "main\\.cpp$")
list(TRANSFORM files REPLACE "(.+)" "#include \"\\1\"" OUTPUT_VARIABLE together)
list(JOIN together "\n" together)
string(MAKE_C_IDENTIFIER "${FOLDERS}" name)
file(WRITE "${WORK}/${name}.cpp" "${together}\n")
# What one file declares of another is no repetition.
ask(--checks=-bugprone-suspicious-include,-readability-redundant-declaration "${WORK}/${name}.cpp" ${mains})
if("${findings}" MATCHES "clang-diagnostic-error")
  ask(${files} ${mains})
endif()
if(NOT result EQUAL 0)
  message(FATAL_ERROR "clang-tidy found in ${FOLDERS}:\n${findings}\n${counts}")
endif()

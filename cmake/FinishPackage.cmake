# cpack runs this when the files of a package lie in their places.
#
# For the relocatable tar it puts the libraries that the programs need into lib/headroom/, Qt's plugins into
# lib/headroom/plugins/ and the fonts of figures into share/headroom/fonts/, each with its licence. Left to the
# machine are the C and C++ libraries themselves and MPI, which has parts that only fit its own.

cmake_minimum_required(VERSION 3.25)

# As Debian wants manual pages and changes: packed, without a date.
function(headroom_pack_documents root)
  file(GLOB pages "${root}/share/man/man1/*.1")
  file(RENAME "${root}/share/doc/headroom/CHANGELOG.md" "${root}/share/doc/headroom/changelog")
  execute_process(COMMAND gzip -9n ${pages} "${root}/share/doc/headroom/changelog" COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# The copyright file of the Debian package that FILE comes from goes to DOCS.
function(headroom_copy_licence file docs)
  file(REAL_PATH "${file}" real)
  execute_process(COMMAND dpkg-query --search "${real}" OUTPUT_VARIABLE said ERROR_QUIET
                  RESULT_VARIABLE status)
  if(NOT status EQUAL 0)  # packages know files of /usr/lib as those of /lib
    string(REGEX REPLACE "^/usr/" "/" real "${real}")
    execute_process(COMMAND dpkg-query --search "${real}" OUTPUT_VARIABLE said ERROR_QUIET
                    RESULT_VARIABLE status)
  endif()
  string(REGEX MATCH "^([^:,]+)" package "${said}")
  if(NOT status EQUAL 0 OR NOT EXISTS "/usr/share/doc/${package}/copyright")
    message(FATAL_ERROR " ${file} has no licence that could go with it")
  endif()
  file(COPY_FILE "/usr/share/doc/${package}/copyright" "${docs}/${package}" ONLY_IF_DIFFERENT)
endfunction()

# Copies what a link points to, under the link's name.
function(headroom_copy_library file name folder)
  file(REAL_PATH "${file}" real)
  file(COPY_FILE "${real}" "${folder}/${name}")
endfunction()

function(headroom_bundle root)
  set(libraries "${root}/lib/headroom")
  set(docs "${root}/share/doc/headroom/libraries")
  file(MAKE_DIRECTORY "${libraries}" "${docs}")
  set(programs "${root}/bin/headroom")
  set(plugins "")
  if(CPACK_HEADROOM_STUDIO)
    list(APPEND programs "${root}/bin/headroom-studio")
    file(GLOB plugins RELATIVE "${CPACK_HEADROOM_QT_PLUGINS}"
         "${CPACK_HEADROOM_QT_PLUGINS}/platforms/libqxcb.so"
         "${CPACK_HEADROOM_QT_PLUGINS}/platforms/libqoffscreen.so"
         "${CPACK_HEADROOM_QT_PLUGINS}/iconengines/libqsvgicon.so"
         "${CPACK_HEADROOM_QT_PLUGINS}/imageformats/libqsvg.so"
         "${CPACK_HEADROOM_QT_PLUGINS}/xcbglintegrations/*.so")
    file(WRITE "${root}/bin/qt.conf" "[Paths]\nPrefix = ../lib/headroom\nPlugins = plugins\n")
  endif()
  set(modules "")
  foreach(plugin IN LISTS plugins)
    get_filename_component(folder "${libraries}/plugins/${plugin}" DIRECTORY)
    file(COPY "${CPACK_HEADROOM_QT_PLUGINS}/${plugin}" DESTINATION "${folder}")
    headroom_copy_licence("${CPACK_HEADROOM_QT_PLUGINS}/${plugin}" "${docs}")
    list(APPEND modules "${CPACK_HEADROOM_QT_PLUGINS}/${plugin}")
  endforeach()
  if(CPACK_HEADROOM_STUDIO)  # the canvases load it at run time
    file(GLOB opengl "/usr/lib/*/libGL.so.1" "/usr/lib64/libGL.so.1")
    if(NOT opengl)
      message(FATAL_ERROR " libGL.so.1 was not found; install libgl1")
    endif()
    list(GET opengl 0 opengl)
    list(APPEND modules "${opengl}")
    headroom_copy_library("${opengl}" libGL.so.1 "${libraries}")
    headroom_copy_licence("${opengl}" "${docs}")
  endif()
  file(GET_RUNTIME_DEPENDENCIES EXECUTABLES ${programs} MODULES ${modules}
       RESOLVED_DEPENDENCIES_VAR found UNRESOLVED_DEPENDENCIES_VAR missing
       PRE_EXCLUDE_REGEXES "^lib(c|m|dl|rt|pthread|resolv|stdc\\+\\+|gcc_s)\\.so" "^ld-linux")
  if(missing)
    message(FATAL_ERROR " these libraries were not found: ${missing}")
  endif()
  foreach(library IN LISTS found)
    get_filename_component(name "${library}" NAME)
    headroom_copy_library("${library}" "${name}" "${libraries}")
    headroom_copy_licence("${library}" "${docs}")
  endforeach()
endfunction()

function(headroom_bundle_fonts root)
  set(fonts "${root}/share/headroom/fonts")
  file(MAKE_DIRECTORY "${fonts}")
  file(WRITE "${fonts}/fonts.conf" "<?xml version=\"1.0\"?>
<!DOCTYPE fontconfig SYSTEM \"fonts.dtd\">
<fontconfig>
  <dir>/usr/share/fonts</dir>
  <cachedir prefix=\"xdg\">fontconfig</cachedir>
</fontconfig>
")
  foreach(name Inter-Regular Inter-Medium Inter-SemiBold Inter-Bold Inter-Italic DejaVuSans)
    file(GLOB_RECURSE found "/usr/share/fonts/*/${name}.[ot]tf")
    if(NOT found)
      message(FATAL_ERROR " the font ${name} was not found; install fonts-inter and fonts-dejavu-core")
    endif()
    list(GET found 0 font)
    file(COPY "${font}" DESTINATION "${fonts}")
    headroom_copy_licence("${font}" "${root}/share/doc/headroom/libraries")
  endforeach()
endfunction()

set(root "${CPACK_TEMPORARY_INSTALL_DIRECTORY}")
if(CPACK_GENERATOR STREQUAL "DEB")
  headroom_pack_documents("${root}/usr")
elseif(CPACK_GENERATOR STREQUAL "TGZ")
  headroom_bundle("${root}")
  if(CPACK_HEADROOM_STUDIO)
    headroom_bundle_fonts("${root}")
  endif()
endif()

# cpack reads this before it makes a package: what depends on the kind of package.

if(CPACK_HEADROOM_MARCH STREQUAL "native")
  message(FATAL_ERROR " HEADROOM_MARCH=native makes programs that run on this processor only; "
                      "make packages with cmake --workflow --preset package")
endif()

# What the programs need is needed, what only a module needs (MPI) is recommended.
function(headroom_debian_dependencies)
  set(work "${CPACK_PACKAGE_DIRECTORY}/shlibdeps")
  file(MAKE_DIRECTORY "${work}/debian")
  file(WRITE "${work}/debian/control" "Source: headroom\n\nPackage: headroom\nArchitecture: any\n")
  set(asked -dDepends "-e${CPACK_HEADROOM_BIN}/headroom")
  if(CPACK_HEADROOM_STUDIO)
    list(APPEND asked "-e${CPACK_HEADROOM_BIN}/headroom-studio")
  endif()
  if(EXISTS "${CPACK_HEADROOM_BIN}/headroom-mpi.so")
    list(APPEND asked -dRecommends "-e${CPACK_HEADROOM_BIN}/headroom-mpi.so")
  endif()
  execute_process(COMMAND dpkg-shlibdeps -O ${asked} WORKING_DIRECTORY "${work}"
                  OUTPUT_VARIABLE said RESULT_VARIABLE status)
  file(REMOVE_RECURSE "${work}")
  if(NOT status EQUAL 0)
    message(FATAL_ERROR " dpkg-shlibdeps failed; is dpkg-dev installed?")
  endif()
  foreach(kind Depends Recommends)
    string(REGEX MATCH "shlibs:${kind}=([^\n]*)" found "${said}")
    set(${kind} "${CMAKE_MATCH_1}")
  endforeach()
  if(CPACK_HEADROOM_STUDIO)
    string(APPEND Depends ", libgl1")  # the canvases load it at run time
    string(APPEND Recommends ", fonts-inter, libgl1-mesa-dri, shared-mime-info")
  endif()
  string(REGEX REPLACE "^, " "" Recommends "${Recommends}")
  set(CPACK_DEBIAN_PACKAGE_DEPENDS "${Depends}" PARENT_SCOPE)
  set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "${Recommends}" PARENT_SCOPE)
endfunction()

if(CPACK_GENERATOR STREQUAL "DEB")
  headroom_debian_dependencies()
  set(CPACK_DEBIAN_PACKAGE_SUGGESTS "openmpi-bin, curl, unzip")
endif()

# What `cmake --install` puts where, and the packages that cpack makes of it. Programs lie in bin/, modules
# that they load in lib/headroom/, everything else in share/: app/program_files.cpp finds them from the program,
# wherever the whole was put. In the relocatable tar lib/headroom/ also holds the libraries.

function(headroom_install_programs)
  set(programs headroom)
  if(HEADROOM_STUDIO)
    list(APPEND programs headroom-studio)
  endif()
  install(TARGETS ${programs} RUNTIME DESTINATION bin)
  # The old kind of RPATH also holds for the libraries of libraries.
  foreach(program IN LISTS programs)
    set_target_properties(${program} PROPERTIES INSTALL_RPATH "$ORIGIN/../lib/headroom")
    target_link_options(${program} PRIVATE -Wl,--disable-new-dtags)
  endforeach()
  foreach(module IN LISTS headroom_modules)
    if(TARGET ${module})
      set_target_properties(${module} PROPERTIES INSTALL_RPATH "$ORIGIN")
      install(TARGETS ${module} LIBRARY DESTINATION lib/headroom
              PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
    endif()
  endforeach()
endfunction()

function(headroom_install_resources)
  set(from "${CMAKE_SOURCE_DIR}/resources")
  install(DIRECTORY "${from}/data" "${from}/demo" "${from}/studies" "${from}/surgery" "${from}/uptraining"
          DESTINATION share/headroom
          PATTERN runs EXCLUDE PATTERN figures EXCLUDE)
  install(FILES "${from}/package/copyright" "${CMAKE_SOURCE_DIR}/README.md"
          "${CMAKE_SOURCE_DIR}/CHANGELOG.md" "${CMAKE_SOURCE_DIR}/CITATION.cff"
          DESTINATION share/doc/headroom)
  install(FILES "${CMAKE_SOURCE_DIR}/LICENSE" DESTINATION share/headroom)
  install(FILES "${CMAKE_SOURCE_DIR}/core/config/KEYS.md" DESTINATION share/doc/headroom)
  if(HEADROOM_STUDIO)
    install(FILES "${from}/icons/headroom.svg" DESTINATION share/icons/hicolor/scalable/apps)
    install(FILES "${from}/package/org.headroom.Studio.desktop" DESTINATION share/applications)
    install(FILES "${from}/package/org.headroom.Studio.metainfo.xml" DESTINATION share/metainfo)
    install(FILES "${from}/package/headroom.xml" DESTINATION share/mime/packages)
  endif()
endfunction()

# Manual pages and completions are made by the program itself, of the definitions of its commands.
function(headroom_install_help)
  install(CODE "
    set(headroom \"${CMAKE_BINARY_DIR}/bin/headroom\")
    set(share \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/share\")
    execute_process(COMMAND \"\${headroom}\" man --out \"\${share}/man/man1\" COMMAND_ERROR_IS_FATAL ANY)
    foreach(place bash:bash-completion/completions/headroom zsh:zsh/vendor-completions/_headroom
            fish:fish/vendor_completions.d/headroom.fish)
      string(REGEX MATCH \"^([a-z]+):(.*)\" place \"\${place}\")
      set(file \"\${CMAKE_MATCH_2}\")
      execute_process(COMMAND \"\${headroom}\" completion \${CMAKE_MATCH_1} OUTPUT_VARIABLE script
                      COMMAND_ERROR_IS_FATAL ANY)
      file(WRITE \"\${share}/\${file}\" \"\${script}\")
    endforeach()")
endfunction()

headroom_install_programs()
headroom_install_resources()
headroom_install_help()

set(CPACK_PACKAGE_NAME headroom)
set(CPACK_PACKAGE_VENDOR "the Headroom authors")
set(CPACK_PACKAGE_CONTACT "the Headroom authors <headroom@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "studio for people who study Transformer attention")
set(CPACK_PACKAGE_DESCRIPTION_FILE "${CMAKE_SOURCE_DIR}/resources/package/description.txt")
set(CPACK_RESOURCE_FILE_LICENSE "${CMAKE_SOURCE_DIR}/LICENSE")
set(CPACK_GENERATOR "DEB;TGZ")
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_DIRECTORY "${CMAKE_BINARY_DIR}/packages")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
# Read for each kind of package before its files are installed, and after.
set(CPACK_PROJECT_CONFIG_FILE "${CMAKE_SOURCE_DIR}/cmake/HeadroomPackage.cmake")
set(CPACK_PRE_BUILD_SCRIPTS "${CMAKE_SOURCE_DIR}/cmake/FinishPackage.cmake")
set(CPACK_HEADROOM_BIN "${CMAKE_BINARY_DIR}/bin")
set(CPACK_HEADROOM_MARCH "${HEADROOM_MARCH}")
set(CPACK_HEADROOM_STUDIO "${HEADROOM_STUDIO}")
set(CPACK_HEADROOM_QT_PLUGINS "${QT6_INSTALL_PREFIX}/${QT6_INSTALL_PLUGINS}")
include(CPack)

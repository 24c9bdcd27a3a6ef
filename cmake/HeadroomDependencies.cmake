# Every library that the project uses, found once. All are packaged for Debian 12 and Ubuntu 24.04.

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(HDF5 REQUIRED COMPONENTS C)

# oneDNN's own CMake package asks for OpenCL headers that the CPU does not need, so look directly.
find_path(DNNL_INCLUDE_DIR oneapi/dnnl/dnnl.h REQUIRED)
find_library(DNNL_LIBRARY dnnl REQUIRED)
add_library(DNNL::dnnl UNKNOWN IMPORTED)
set_target_properties(DNNL::dnnl PROPERTIES IMPORTED_LOCATION "${DNNL_LIBRARY}"
                      INTERFACE_INCLUDE_DIRECTORIES "${DNNL_INCLUDE_DIR}")

pkg_check_modules(PCRE2 REQUIRED IMPORTED_TARGET libpcre2-8)
find_package(ZLIB REQUIRED)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
find_package(PNG REQUIRED)
find_package(JPEG REQUIRED)

set(MPI_CXX_SKIP_MPICXX ON)  # the C interface alone
find_package(MPI QUIET COMPONENTS CXX)  # optional: several processes on one run

# Optional, and in no Debian package: Apache Arrow, which reads Parquet. CMAKE_PREFIX_PATH says where.
find_path(ARROW_INCLUDE_DIR parquet/arrow/reader.h PATH_SUFFIXES include)
find_library(ARROW_LIBRARY arrow PATH_SUFFIXES .)
find_library(PARQUET_LIBRARY parquet PATH_SUFFIXES .)
mark_as_advanced(ARROW_INCLUDE_DIR ARROW_LIBRARY PARQUET_LIBRARY)
if(ARROW_INCLUDE_DIR AND ARROW_LIBRARY AND PARQUET_LIBRARY)
  set(ARROW_FOUND TRUE)
endif()

if(HEADROOM_CUDA)
  include(HeadroomCuda)
endif()

if(HEADROOM_STUDIO)
  find_package(Qt6 6.4 REQUIRED COMPONENTS Core Gui Widgets OpenGL OpenGLWidgets PrintSupport Svg)
  find_package(QCustomPlotQt6 REQUIRED)
  pkg_check_modules(IMGUI REQUIRED IMPORTED_TARGET imgui)
endif()

if(HEADROOM_TESTS)
  find_package(GTest REQUIRED)
  include(GoogleTest)
  if(HEADROOM_STUDIO)
    find_package(Qt6 6.4 REQUIRED COMPONENTS Test)
  endif()
endif()

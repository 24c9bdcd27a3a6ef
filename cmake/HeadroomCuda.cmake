# Looks for a CUDA toolkit; without one the build goes on and CMAKE_CUDA_COMPILER stays empty.
include(CheckLanguage)
if(NOT DEFINED ENV{CUDACXX} AND EXISTS /usr/local/cuda/bin/nvcc)
  set(ENV{CUDACXX} /usr/local/cuda/bin/nvcc)  # where it is installed, and often not on PATH
endif()
check_language(CUDA)
if(NOT CMAKE_CUDA_COMPILER)
  return()
endif()
set(CMAKE_CUDA_ARCHITECTURES "${HEADROOM_CUDA_ARCHITECTURES}")
if(HEADROOM_CCACHE)
  set(CMAKE_CUDA_COMPILER_LAUNCHER "${CMAKE_CXX_COMPILER_LAUNCHER}")
endif()
enable_language(CUDA)
if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)  # CMake 3.25 does not know nvcc's C++20
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
endif()
set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_EXTENSIONS OFF)
find_package(CUDAToolkit 12 QUIET)  # an older one is as good as none

# Run by ctest: cmake -P. Which GPUs are chosen, and what is said about wrong ones.
cmake_minimum_required(VERSION 3.25)
include("${CMAKE_CURRENT_LIST_DIR}/../../cmake/CudaArchitectures.cmake")

function(expect wanted known answer complaint)
  headroom_choose_cuda_architectures("${wanted}" "${known}" chosen problem)
  if(NOT problem MATCHES "${complaint}" OR (problem AND NOT complaint))
    message(FATAL_ERROR "\"${wanted}\": said \"${problem}\", not \"${complaint}\"")
  endif()
  if(NOT problem AND NOT chosen STREQUAL answer)
    message(FATAL_ERROR "\"${wanted}\": chose \"${chosen}\", not \"${answer}\"")
  endif()
endfunction()

# Stands for the machine.
function(headroom_find_gpus out)
  set(${out} "${gpus_here}" PARENT_SCOPE)
endfunction()

set(known 75 80 86 87 89 90 100 103)
set(gpus_here "")
expect("" "${known}" "80-virtual" "")
set(gpus_here 90 90)
expect("" "${known}" "90-real" "")
set(gpus_here 75)  # too old: the program says so when it is asked for the device
expect("" "${known}" "80-virtual" "")
set(gpus_here 120)  # newer than the compiler
expect("" "${known}" "80-virtual" "")

expect("80;90-real;100f" "${known}" "80;90-real;100f" "")
expect("native" "${known}" "native" "")
expect("90a-real" "${known}" "90a-real" "")
expect("80-virtual" "" "80-virtual" "")  # a compiler that does not tell
expect("sm_90" "${known}" "" "\"sm_90\" is no GPU; use numbers")
expect("9.0" "${known}" "" "\"9.0\" is no GPU")
expect("80;75" "${known}" "" "75 is too old")
expect("130" "${known}" "" "does not know 130; it knows 75, 80")

headroom_split_cuda_architectures("80;100f-real;103f" plain flags)
set(expected --generate-code=arch=compute_100f,code=[sm_100f]
             --generate-code=arch=compute_103f,code=[compute_103f,sm_103f])
if(NOT plain STREQUAL 80 OR NOT flags STREQUAL expected)
  message(FATAL_ERROR "split into \"${plain}\" and \"${flags}\"")
endif()

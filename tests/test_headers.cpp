// Carries the headers that the tests of a room read precompiled (tests/CMakeLists.txt).

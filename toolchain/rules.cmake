# The few rules every folder's CMakeLists uses. A *pure* library knows nothing of Seastar (its headers are not even on the
# search path); a *reactor* library does. Sources and headers are listed by name.

find_package(Threads REQUIRED)
find_package(GTest REQUIRED)
find_package(fmt REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(simdjson REQUIRED)
find_package(Arrow REQUIRED)
find_package(ArrowCompute REQUIRED)
find_package(Boost CONFIG REQUIRED COMPONENTS program_options)
pkg_check_modules(re2 REQUIRED IMPORTED_TARGET re2)
pkg_check_modules(zstd REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(xxhash REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(llhttp REQUIRED IMPORTED_TARGET libllhttp)
pkg_check_modules(gnutls REQUIRED IMPORTED_TARGET gnutls)
pkg_check_modules(zlib REQUIRED IMPORTED_TARGET zlib)
if(NOT DOWNTICK_SANITIZE)
  find_package(Seastar REQUIRED)
  add_library(downtick_seastar INTERFACE)
  target_link_libraries(downtick_seastar INTERFACE Seastar::seastar)
  target_include_directories(downtick_seastar SYSTEM INTERFACE /opt/seastar/include)
endif()

# -pthread everywhere: some libraries ask for it, and a precompiled header must be compiled with the flags of its users.
add_compile_options(-pthread -Wall -Wextra -Werror -Wno-missing-field-initializers -march=x86-64-v2 -fno-omit-frame-pointer)
add_compile_options($<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess> "$<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>")
if(DOWNTICK_SANITIZE)
  add_compile_options(-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all -O1)
  add_link_options(-fsanitize=address,undefined)
endif()

# Programs find the toolchain root's loader and libraries by themselves, so that they run on the host as they are.
# DT_RPATH, not RUNPATH: it also holds for the libraries' own needs.
add_link_options(
  -Wl,--dynamic-linker=$ENV{DOWNTICK_ROOT}/usr/lib64/ld-linux-x86-64.so.2 -Wl,--disable-new-dtags
  -Wl,-rpath,$ENV{DOWNTICK_ROOT}/usr/lib/x86_64-linux-gnu)
if(NOT DOWNTICK_SANITIZE)
  add_link_options(-fuse-ld=lld -no-pie)
endif()

# Every header must compile alone: one small translation unit each, built by the target header_check. Where a source includes its own
# header first, that source is the check, if it is compiled by itself (./dev lint). Headers of reactor code are compiled as their sources are, behind the precompiled header of
# Seastar's core: reading that anew for each took five minutes.
add_custom_target(header_check)
function(_check_headers name)
  if(DOWNTICK_SANITIZE OR NOT ARGN)
    return()
  endif()
  set(stubs)
  foreach(header IN LISTS ARGN)
    set(stub ${CMAKE_CURRENT_BINARY_DIR}/header_check/${header}.cc)
    file(CONFIGURE OUTPUT ${stub} CONTENT "#include \"${CMAKE_CURRENT_SOURCE_DIR}/${header}\"\n")
    list(APPEND stubs ${stub})
  endforeach()
  add_library(${name}_header_check OBJECT EXCLUDE_FROM_ALL ${stubs})
  target_link_libraries(${name}_header_check PRIVATE ${name})
  add_dependencies(header_check ${name}_header_check)
endfunction()

# Takes those out of the list that their own source includes first.
function(_drop_checked_headers headers)
  set(left)
  foreach(header IN LISTS ${headers})
    string(REGEX REPLACE "\\.hh$" ".cc" source ${header})
    set(first)
    if(source IN_LIST ARGN)
      file(STRINGS ${source} first REGEX "^#include" LIMIT_COUNT 1)
    endif()
    if(NOT first MATCHES "/${header}\"$")
      list(APPEND left ${header})
    endif()
  endforeach()
  set(${headers} ${left} PARENT_SCOPE)
endfunction()

# Several sources of a library are compiled as one: most of a compiler's time goes into headers, and into templates that all of them
# use. So no two sources of a library may give the same name to things of their own. The preset `apart` compiles them one by one, for
# ./dev lint and for those who change one file again and again.
option(DOWNTICK_JOIN_SOURCES "compile several sources of a library as one" ON)
function(_join_sources name count)
  if(DOWNTICK_JOIN_SOURCES)
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${count} UNITY_BUILD_RELOCATABLE ON)
    # Lambdas of our own functions; the warning is for those that a header would bring into several programs' parts.
    target_compile_options(${name} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  endif()
endfunction()

# pure_library(NAME SOURCES a.cc... HEADERS a.hh... LINK other...)
function(pure_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;HEADERS;LINK" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES})
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PUBLIC ${arg_LINK})
  _join_sources(${name} 8)
  _drop_checked_headers(arg_HEADERS ${arg_SOURCES})
  _check_headers(${name} ${arg_HEADERS})
endfunction()

# reactor_library(NAME SOURCES a.cc... HEADERS a.hh... LINK other...): shares one precompiled header of Seastar's core
function(reactor_library name)
  if(DOWNTICK_SANITIZE)
    return()
  endif()
  cmake_parse_arguments(arg "" "" "SOURCES;HEADERS;LINK" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES})
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PUBLIC downtick_seastar ${arg_LINK})
  _use_seastar_pch(${name})
  _join_sources(${name} 6)
  _drop_checked_headers(arg_HEADERS ${arg_SOURCES})
  _check_headers(${name} ${arg_HEADERS})
  if(TARGET ${name}_header_check)
    _use_seastar_pch(${name}_header_check)
  endif()
endfunction()

# Headers that many include, compiled once. `library` has the flags of those who use them.
function(_use_precompiled name pch library)
  if(NOT TARGET ${pch})
    set(stub ${PROJECT_BINARY_DIR}/${pch}.cc)
    file(CONFIGURE OUTPUT ${stub} CONTENT "")
    add_library(${pch} OBJECT ${stub})
    target_link_libraries(${pch} PUBLIC ${library})
    list(TRANSFORM ARGN PREPEND ${PROJECT_SOURCE_DIR}/toolchain/)
    target_precompile_headers(${pch} PRIVATE ${ARGN})
    # No two compilations make the same bytes of it, so that the compiler cache would miss everything in a new clone. It is to look at
    # this instead (CCACHE_PCH_EXTSUM): what goes in, and the root, whose name is a hash of all its packages.
    get_filename_component(root "$ENV{DOWNTICK_ROOT}" NAME)
    set(sum ${root})
    foreach(header IN LISTS ARGN)
      file(SHA256 ${header} hash)
      string(APPEND sum " ${hash}")
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
    endforeach()
    foreach(made IN ITEMS gch pch) # GNU's and clang's
      file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${pch}.dir/cmake_pch.hxx.${made}.sum CONTENT "${sum}")
    endforeach()
  endif()
  target_precompile_headers(${name} REUSE_FROM ${pch})
endfunction()

function(_use_seastar_pch name)
  _use_precompiled(${name} seastar_pch downtick_seastar seastar_pch.hh)
endfunction()

# Tests are compiled more often than they run: the code that they test is optimised, they are not, or little where they share inline
# functions with Seastar.
add_library(unit_test_flags INTERFACE)
target_link_libraries(unit_test_flags INTERFACE GTest::gmock fmt::fmt)
add_library(reactor_test_flags INTERFACE)
target_compile_options(reactor_test_flags INTERFACE -O1)
if(NOT DOWNTICK_SANITIZE)
  target_compile_options(unit_test_flags INTERFACE -O0)
endif()

# unit_test(NAME SOURCES ... LINK ...): a plain GoogleTest program, also built under the sanitizers
function(unit_test name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LINK} GTest::gtest_main unit_test_flags)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  _use_precompiled(${name} unit_test_pch unit_test_flags gtest_pch.hh)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS unit TIMEOUT 600)
endfunction()

# reactor_test(NAME SOURCES ... LINK ... [SHARDS 1 2]): GoogleTest inside the reactor, once for each number of shards
function(reactor_test name)
  if(DOWNTICK_SANITIZE)
    return()
  endif()
  cmake_parse_arguments(arg "" "" "SOURCES;LINK;SHARDS" ${ARGN})
  if(NOT arg_SHARDS)
    set(arg_SHARDS 1 2)
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LINK} reactor_test_main reactor_test_flags)
  _use_precompiled(${name} reactor_test_pch "reactor_test_main;reactor_test_flags" seastar_pch.hh gtest_pch.hh)
  foreach(shards IN LISTS arg_SHARDS)
    add_test(NAME ${name}.${shards} COMMAND ${name} --smp ${shards})
    set_tests_properties(${name}.${shards} PROPERTIES LABELS reactor TIMEOUT 600)
  endforeach()
endfunction()

# fuzz_target(NAME LINK ...): tests/fuzz/NAME_fuzz.cc; replayed over its corpus by the tests, run longer by ./dev fuzz
function(fuzz_target name)
  if(NOT DOWNTICK_SANITIZE)
    return()
  endif()
  cmake_parse_arguments(arg "" "" "LINK" ${ARGN})
  add_executable(${name}_fuzz ${name}_fuzz.cc)
  set_target_properties(${name}_fuzz PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
  target_link_libraries(${name}_fuzz PRIVATE ${arg_LINK})
  target_link_options(${name}_fuzz PRIVATE -fsanitize=fuzzer)
  # A replay of what is kept, then a short fixed-seed run: enough to notice a broken target, not a search. What it finds goes
  # into the first folder, never into the tree.
  set(found ${PROJECT_BINARY_DIR}/found/${name})
  file(MAKE_DIRECTORY ${found})
  add_test(NAME fuzz.${name} COMMAND ${name}_fuzz -runs=20000 -max_total_time=30 -seed=1 -max_len=4096 ${found} ${CMAKE_CURRENT_SOURCE_DIR}/corpus/${name})
  set_tests_properties(fuzz.${name} PROPERTIES LABELS fuzz TIMEOUT 300)
endfunction()

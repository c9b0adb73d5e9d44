# SPDX-License-Identifier: GPL-3.0-or-later
# One interface target, lectern_options, that every target of the project links: language, warnings, sanitizers, hardening.
add_library(lectern_options INTERFACE)
target_include_directories(lectern_options INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/generated)
target_compile_definitions(lectern_options INTERFACE _GNU_SOURCE LECTERN_VERSION="${PROJECT_VERSION}")
target_compile_options(lectern_options INTERFACE
  -std=gnu11 -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wformat=2 -Wvla)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(LECTERN_WERROR)
  target_compile_options(lectern_options INTERFACE -Werror)
endif()

# A target with the property LECTERN_NOT_SANITIZED is built without.
if(LECTERN_SANITIZE STREQUAL "address")
  set(flags -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
elseif(LECTERN_SANITIZE STREQUAL "thread")
  set(flags -fsanitize=thread -fno-omit-frame-pointer)
endif()
if(LECTERN_FUZZ)
  list(APPEND flags -fsanitize=fuzzer-no-link,address,undefined -fno-omit-frame-pointer)
endif()
if(LECTERN_COVERAGE)
  list(APPEND flags --coverage -fprofile-update=atomic) # counters of several threads
endif()
if(flags)
  set(flags $<$<NOT:$<BOOL:$<TARGET_PROPERTY:LECTERN_NOT_SANITIZED>>>:${flags}>)
  target_compile_options(lectern_options INTERFACE "${flags}")
  target_link_options(lectern_options INTERFACE "${flags}")
endif()

if(CMAKE_BUILD_TYPE STREQUAL "Release")
  target_compile_definitions(lectern_options INTERFACE _FORTIFY_SOURCE=2)
  # Nobody replaces our functions at link time: calls within a file may be inlined although it is -fPIC.
  target_compile_options(lectern_options INTERFACE -fstack-protector-strong -fno-semantic-interposition)
  target_link_options(lectern_options INTERFACE -Wl,-z,relro,-z,now)
endif()

# lectern_room(NAME LINKS...): a static library of every .c file in the current folder.
function(lectern_room name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.c)
  if(NOT sources)
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE lectern_options ${ARGN})
    return()
  endif()
  add_library(${name} STATIC ${sources})
  target_link_libraries(${name} PUBLIC lectern_options ${ARGN})
endfunction()

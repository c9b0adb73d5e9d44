# SPDX-License-Identifier: GPL-3.0-or-later
# Fails if FILE needs a symbol of a newer libc than that of the pinned Python, which loads it.
execute_process(COMMAND ${OBJDUMP} -T ${FILE} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "GLIBC_2\\.[0-9]+" versions "${symbols}")
foreach(version IN LISTS versions)
  string(REPLACE "GLIBC_" "" number ${version})
  if(number VERSION_GREATER 2.36)
    message(FATAL_ERROR "${FILE} needs ${version}; the Python of the sandbox has 2.36")
  endif()
endforeach()

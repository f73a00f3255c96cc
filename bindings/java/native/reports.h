/* SPDX-License-Identifier: Apache-2.0 */
/* Reports of the ordering checker on their way to Java. */
#ifndef GPUSTREAM_JAVA_REPORTS_H
#define GPUSTREAM_JAVA_REPORTS_H

#include "gates.h"

/* Address of the function for gs_set_check_callback(); its argument is a gs_java_argument(). It leaves a note of kind
   GS_JAVA_REPORTED with the address of the text and behind it the JSON, each with its NUL, which gs_java_free() ends. What
   Java does not get is written to stderr. */
GS_JAVA_API uint64_t gs_java_report_function(void);

#endif

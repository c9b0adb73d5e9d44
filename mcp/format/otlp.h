/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A task of mcp/agent as OTLP JSON (opentelemetry-proto 1, ExportTraceServiceRequest), for programs
 * that draw traces: one span for the task, and one below it for each request to a model and each
 * execution. The names are those of OpenTelemetry's semantic conventions for generative AI
 * (https://github.com/open-telemetry/semantic-conventions-genai v0.1.0, model spans and agent
 * spans; the same in semantic-conventions 1.41.0), and of Lectern where they have none (lectern.*).
 * Pure.
 */
#ifndef LECTERN_FORMAT_OTLP_H
#define LECTERN_FORMAT_OTLP_H

#include <jansson.h>

#include "helpers/base/buf.h"

/* task: the object of store_task_read. */
void otlp_write(const json_t *task, struct buf *to);

#endif

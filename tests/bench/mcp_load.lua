-- SPDX-License-Identifier: GPL-3.0-or-later
-- What bench_mcp.py has wrk send: one message again and again, its id "ID" replaced by a number that no request under way has.
-- Arguments: the message, then each header as NAME VALUE.

local requests, turn = {}, 0
local IDS = 1024

function init(args)
  local headers = { ["Content-Type"] = "application/json", ["Accept"] = "application/json, text/event-stream" }
  for i = 2, #args, 2 do
    headers[args[i]] = args[i + 1]
  end
  for id = 1, IDS do
    requests[id] = wrk.format("POST", nil, headers, (args[1]:gsub('"ID"', tostring(id), 1)))
  end
end

function request()
  turn = turn % IDS + 1
  return requests[turn]
end

function done(summary, latency, _)
  local errors = summary.errors
  io.write(string.format('RESULT {"requests": %d, "seconds": %.6f, "bad": %d, "p50_ms": %.3f, "p99_ms": %.3f}\n', summary.requests,
    summary.duration / 1e6, errors.status + errors.connect + errors.read + errors.write + errors.timeout,
    latency:percentile(50) / 1e3, latency:percentile(99) / 1e3))
end

-- SPDX-License-Identifier: GPL-3.0-or-later
-- What bench_store.py has wrk ask for. Arguments: reads or writes, the session's id, how many nodes and components of each it has.

local kind, sid, nodes, components
local turn = 0

function init(args)
  kind, sid, nodes, components = args[1], args[2], tonumber(args[3]), tonumber(args[4])
  math.randomseed(os.time() + tonumber(tostring({}):sub(8), 16) % 100000)
end

-- As an editor's page asks: mostly the components of one node, sometimes a list.
local function read()
  local path = "/session/" .. sid
  if turn % 20 == 0 then
    path = path .. "/nodes"
  elseif turn % 20 == 10 then
    path = path .. "/relationships"
  else
    path = path .. string.format("/nodes/B%03d/components", math.random(nodes))
  end
  return wrk.format("GET", path)
end

-- One component's text, never the same twice.
local function write()
  local order = math.random(components)
  local path = string.format("/session/%s/nodes/B%03d/components/%d", sid, math.random(nodes), order)
  local body = string.format('{"type":"paragraph","order":%d,"parameters":{"text":"%s %d %d"},"confidence":0.9}', order,
    string.rep("words of a paragraph ", 10), turn, math.random(1000000000))
  return wrk.format("PUT", path, { ["Content-Type"] = "application/json" }, body)
end

function request()
  turn = turn + 1
  return kind == "reads" and read() or write()
end

function done(summary, latency, _)
  local errors = summary.errors
  io.write(string.format('RESULT {"requests": %d, "seconds": %.6f, "bad": %d, "p50_ms": %.3f, "p99_ms": %.3f}\n', summary.requests,
    summary.duration / 1e6, errors.status + errors.connect + errors.read + errors.write + errors.timeout,
    latency:percentile(50) / 1e3, latency:percentile(99) / 1e3))
end

-- Posts one file again and again, and counts the answers by what they say. Arguments: FILE CONTENT-TYPE.
local threads = {}

function setup(thread)
  table.insert(threads, thread)
end

function init(arguments)
  local file = assert(io.open(arguments[1], "rb"))
  wrk.body = file:read("*a")
  file:close()
  wrk.method = "POST"
  wrk.headers["Content-Type"] = arguments[2]
  scored, turned_away, others = 0, 0, 0
end

function response(status, headers)
  local retry = headers["retry-after"] or headers["Retry-After"]
  if status == 200 then
    scored = scored + 1
  elseif status == 503 and retry then
    turned_away = turned_away + 1
  else
    others = others + 1
  end
end

function done(summary, latency)
  local sums = {scored = 0, turned_away = 0, others = 0}
  for _, thread in ipairs(threads) do
    for name in pairs(sums) do
      sums[name] = sums[name] + thread:get(name)
    end
  end
  local errors = summary.errors
  io.write(string.format("RESULT %d %d %d %d %f %f\n", sums.scored, sums.turned_away, sums.others,
    errors.connect + errors.read + errors.write + errors.timeout, summary.duration / 1e6, latency:percentile(99) / 1e6))
end

-- What wrk sends. Arguments, in this order:
-- kind, seed, body, file of paths (one a line), path of the POST, mean pause of each connection in milliseconds, first animal
-- Kinds: `get` the URL; `paths` drawn at random; `create`, a POST of the body; `order`, a POST for each animal from the first;
-- `mixed`, 95 % `get` and 5 % `create`.

function init(args)
  local kind, seed, body, file, createPath, pauseMilliseconds, petId = unpack(args)
  math.randomseed(tonumber(seed))
  local get = wrk.format('GET')
  wrk.headers['Content-Type'] = 'application/json'
  local create = wrk.format('POST', createPath, nil, body)
  local longest = 2 * tonumber(pauseMilliseconds)
  if longest > 0 then
    delay = function() return math.random(0, longest) end
  end
  if kind == 'get' then
    request = function() return get end
  elseif kind == 'create' then
    request = function() return create end
  elseif kind == 'order' then
    -- JSON allows spaces before the number. So all bodies have one length, and only the body changes.
    local order = '{"petId":%16d}'
    local nextId = tonumber(petId)
    local head = wrk.format('POST', createPath, nil, order:format(0)):match('^(.*\r\n\r\n)')
    request = function()
      local body = order:format(nextId)
      nextId = nextId + 1
      return head .. body
    end
  elseif kind == 'mixed' then
    request = function() return math.random() < 0.05 and create or get end
  else
    local paths = {}
    for line in io.lines(file) do paths[#paths + 1] = line end
    -- Only the path changes. Formatting every request would cost the load more than the server.
    local rest = get:match('^GET [^ ]* (.*)$')
    request = function() return 'GET ' .. paths[math.random(#paths)] .. ' ' .. rest end
  end
end

-- Prints the result of a run as one line that a program can read. Times are microseconds.
function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    'RESULT {"requests":%d,"durationMicroseconds":%d,"p50Microseconds":%d,"p99Microseconds":%d,"longestMicroseconds":%d,"failedRequests":%d}\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99), latency.max,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end

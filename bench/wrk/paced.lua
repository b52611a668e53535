-- The same POST again and again, from each connection after a rest of random length.
-- arguments: body, mean rest in milliseconds, seed
dofile(debug.getinfo(1, 'S').source:match('^@(.*/)') .. 'report.lua')

function init(args)
  math.randomseed(tonumber(args[3]))
  wrk.method = 'POST'
  wrk.headers['Content-Type'] = 'application/json'
  wrk.body = args[1]
  local longest = 2 * tonumber(args[2])
  delay = function() return math.random(0, longest) end
end

-- GETs of paths drawn at random from a file with one path a line.
-- arguments: file, seed
dofile(debug.getinfo(1, 'S').source:match('^@(.*/)') .. 'report.lua')

function init(args)
  math.randomseed(tonumber(args[2]))
  local paths = {}
  for line in io.lines(args[1]) do paths[#paths + 1] = line end
  -- Formatting a request anew each time would cost the load more than the server: only the path changes.
  local before, after = wrk.format('GET', '/PATH'):match('^(.*)/PATH(.*)$')
  request = function()
    return before .. paths[math.random(#paths)] .. after
  end
end

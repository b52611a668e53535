-- At random, 95 % the GET of the URL and 5 % a POST.
-- arguments: body, path of the POST, seed
dofile(debug.getinfo(1, 'S').source:match('^@(.*/)') .. 'report.lua')

function init(args)
  math.randomseed(tonumber(args[3]))
  local list = wrk.format('GET')
  wrk.headers['Content-Type'] = 'application/json'
  local create = wrk.format('POST', args[2], nil, args[1])
  request = function()
    if math.random() < 0.05 then return create end
    return list
  end
end

-- The same GET again and again. With an If-None-Match header it is the revalidation of a page.
dofile(debug.getinfo(1, 'S').source:match('^@(.*/)') .. 'report.lua')

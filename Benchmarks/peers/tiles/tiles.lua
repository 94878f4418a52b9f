-- Random tiles of 256 pixels of a 20000 x 15000 image at full resolution, for wrk.
-- SERVER is "viewport" or "iip"; IMAGE is the identifier, or the path for iipsrv.
local image, server = os.getenv("IMAGE"), os.getenv("SERVER")
local seed = 0
function setup(thread)
  seed = seed + 1
  thread:set("seed", seed)
end
function init()
  math.randomseed(seed * 7919)
end
function request()
  local column, row = math.random(0, 77), math.random(0, 57)
  if server == "iip" then
    -- Level 7 of 20000 x 15000 in tiles of 256 is full resolution; a row has 79 tiles.
    return wrk.format("GET", "/fcgi-bin/iipsrv.fcgi?FIF=" .. image .. "&JTL=7," .. (row * 79 + column))
  end
  return wrk.format("GET", string.format("/iiif/3/%s/%d,%d,256,256/256,256/0/default.jpg", image, column * 256, row * 256))
end
local failed = 0
function response(status) if status ~= 200 then failed = failed + 1 end end
function done(summary, latency)
  io.write(string.format('{"tiles":%.0f,"p50":%.2f,"p99":%.2f,"errors":%d}\n',
    summary.requests / (summary.duration / 1e6), latency:percentile(50) / 1000, latency:percentile(99) / 1000,
    summary.errors.status + summary.errors.connect + summary.errors.read + summary.errors.timeout))
end

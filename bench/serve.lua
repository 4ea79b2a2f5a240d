-- Requests for wrk: the file in QPUCC_BODY, posted to the path of the URL. With QPUCC_FRESH each one differs from all others
-- (a comment in it says which it is), so that no cache knows it.
local file = assert(io.open(os.getenv("QPUCC_BODY")))
local body = file:read("a")
file:close()
local fresh, number = os.getenv("QPUCC_FRESH"), 0
if fresh == "" then fresh = nil end
local threads = 0

function setup(thread)
    thread:set("id", threads)
    threads = threads + 1
end

function request()
    local text = body
    if fresh then
        number = number + 1
        text = body:gsub("@FRESH@", string.format("%d.%d.%s", id, number, fresh))
    end
    return wrk.format("POST", nil, {["Content-Type"] = "application/json", ["Accept"] = "application/json"}, text)
end

function done(summary, latency)
    local errors = summary.errors
    io.write(string.format("RESULT %.1f %.3f %.3f %.3f %d\n", summary.requests / summary.duration * 1e6, latency:percentile(50) / 1e3,
        latency:percentile(99) / 1e3, latency.max / 1e3, errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end

-- Prints the end of a run as one line that a program can read. Times are microseconds.
function done(summary, latency, requests)
  local errors = summary.errors
  io.write(string.format(
    'RESULT {"requests":%d,"durationMicroseconds":%d,"latencyP50Microseconds":%d,"latencyP99Microseconds":%d,"latencyMaxMicroseconds":%d,"failedRequests":%d}\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99), latency.max,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end

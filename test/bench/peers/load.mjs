// Sends requests to a server of this machine with autocannon and prints the time of each response.
// Its stdin is JSON: {url, headers, connections, requests: [{method, path, body}]}. Each request is sent once.
import { text } from 'node:stream/consumers'
import autocannon from 'autocannon'

const { url, headers, connections, requests } = JSON.parse(await text(process.stdin))
if (new URL(url).hostname !== '127.0.0.1') throw new Error('only servers of this machine')

let sent = 0
let began = 0
let ended = 0
let bytes = 0
const times = []
const statuses = {}
const instance = autocannon({
  url,
  connections: Math.min(connections, requests.length),
  amount: requests.length,
  timeout: 600,
  requests: [
    {
      setupRequest(request) {
        began ||= performance.now()
        const { method = 'GET', path, body } = requests[sent++ % requests.length]
        return {
          ...request,
          method,
          path,
          headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
          ...(body && { body: JSON.stringify(body) }),
        }
      },
    },
  ],
})
instance.on('response', (_client, status, size, ms) => {
  ended = performance.now()
  times.push(ms)
  statuses[status] = (statuses[status] ?? 0) + 1
  bytes += size
})
const { errors } = await instance
// the measured time ends with the last response, because autocannon itself ends only at the next full second
process.stdout.write(JSON.stringify({ elapsedMs: ended - began, times, statuses, bytes, errors }))

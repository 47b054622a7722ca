// Serves the examples of an OpenAPI document with Prism, like the command line of Prism but without its log. Argument:
// the document.
import { once } from 'node:events'
import { createServer } from 'node:net'
import { createSingleProcessPrism } from '@stoplight/prism-cli/dist/util/createServer.js'

const free = createServer().listen(0, '127.0.0.1')
await once(free, 'listening')
const { port } = free.address()
free.close()
await once(free, 'close')
await createSingleProcessPrism({
  document: process.argv[2],
  host: '127.0.0.1',
  port,
  dynamic: false,
  ignoreExamples: false,
  cors: false,
  errors: false,
  verboseLevel: 'fatal',
})
process.send(port)

// Sends the bytes of a file for every request, from memory, with node:http. Argument: the file.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

const content = readFileSync(process.argv[2])
const headers = { 'content-type': 'application/json; charset=utf-8', 'content-length': content.length }
const server = createServer((_request, response) => response.writeHead(200, headers).end(content))
server.listen(0, '127.0.0.1', () => process.send(server.address().port))

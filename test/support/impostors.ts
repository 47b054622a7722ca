import { createServer as createWebServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { createServer as createSocketServer, type Server, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'
import { makeCertificate } from './certificate.ts'

/** Who may answer where the service should, and by which word of the catalogue an operator learns it. */
export const impostors = {
  'takes the connection and never answers': 'network.timeout',
  'hangs up on everybody': 'network.interrupted',
  'speaks something else': 'network.interrupted',
  'sends to a login page': 'network.not_the_service',
  'shows its page for everything': 'network.not_the_service',
  'wants a login to the network (511)': 'network.not_the_service',
  'is a proxy that wants a password': 'network.not_the_service',
  'is a web server without such a page': 'network.not_the_service',
  'is a web server that knows plain words only': 'network.not_the_service',
} as const
export type Impostor = keyof typeof impostors

const pages: Partial<Record<Impostor, RequestListener>> = {
  'sends to a login page': (_, response) =>
    void response.writeHead(302, { location: 'http://login.hotel.example/' }).end(),
  'shows its page for everything': (_, response) =>
    void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Welcome to the hotel</html>'),
  'wants a login to the network (511)': (_, response) =>
    void response.writeHead(511, { 'content-type': 'text/html' }).end('<html>Log in to the network</html>'),
  'is a proxy that wants a password': (_, response) =>
    void response.writeHead(407, { 'proxy-authenticate': 'Basic realm="x"' }).end(),
  'is a web server without such a page': (_, response) =>
    void response.writeHead(404, { 'content-type': 'text/html' }).end('<html><h1>404</h1></html>'),
  'is a web server that knows plain words only': (_, response) =>
    void response.writeHead(404, { 'content-type': 'text/plain' }).end('404 page not found'),
}

export interface Listening {
  readonly port: number
  stop(): Promise<void>
}

/** Listens at the port of 127.0.0.1; 0: any. */
export function impersonate(impostor: Impostor, port: number): Promise<Listening> {
  const page = pages[impostor]
  if (page) return listen(createWebServer(page), port)
  return listen(
    createSocketServer((socket) => {
      socket.on('error', () => undefined)
      if (impostor === 'hangs up on everybody') socket.once('data', () => socket.resetAndDestroy())
      else if (impostor === 'speaks something else') socket.end('220 mail.example ESMTP\r\n')
      else socket.resume()
    }),
    port,
  )
}

/** An encrypted server whose certificate is another's. */
export function impersonateEncrypted(): Promise<Listening> {
  const answer: RequestListener = (_, response) => void response.end('{}')
  return listen(createTlsServer(makeCertificate('somebody.else.example'), answer), 0)
}

async function listen(server: Server, port: number): Promise<Listening> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      for (const socket of sockets) socket.destroy()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

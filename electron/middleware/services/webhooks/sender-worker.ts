import { createHmac } from 'node:crypto'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP } from 'node:net'
import { finished } from 'node:stream/promises'
import { createSecureContext, rootCertificates } from 'node:tls'
import { parentPort, workerData } from 'node:worker_threads'
import { clientTls } from '#kit/client-tls.ts'
import { limitAnswer } from '#kit/limit-answer.ts'
import { GuardedAgent, TlsBudget } from './guarded-agent.ts'
import {
  codeOf,
  type FromSender,
  Refused,
  type SenderData,
  type SenderOrder,
  type SendOrder,
} from './sender-thread.ts'

/**
 * Entry of the thread that sends notifications to their receivers (sender-thread.ts). A hostile receiver can keep a
 * thread busy for a second with one handshake, so no connection to a receiver runs in the thread of the calls.
 */

/**
 * The size of a response body from which `limitAnswer` derives its limits. A response within these limits (about 200 kB
 * in all) is read to its end, so that its connection can be reused. At a larger response the connection is closed.
 */
const mostAnswerBytes = 64 * 1024
/** Size in bytes of the pieces in which a notification is written. */
const pieceBytes = 64 * 1024
/** If at least this number of TLS budgets (one for each customer) exists, unused budgets are removed. */
const manyBudgets = 1000

const { webhookCa, mostConnections } = workerData as SenderData
const secureContext = createSecureContext(
  webhookCa === null ? clientTls : { ...clientTls, ca: [...rootCertificates, webhookCa] },
)

/** The budgets of the customers, by id. */
const budgets = new Map<string, TlsBudget>()
/** The agents of the webhooks, by id. */
const agents = new Map<string, GuardedAgent>()
/** The running attempts, by id. */
const running = new Map<number, AbortController>()

parentPort?.on('message', (order: SenderOrder) => {
  switch (order.kind) {
    case 'send':
      void send(order)
      return
    case 'abort':
      running.get(order.id)?.abort()
      return
    case 'keep':
      keepAtMost(order.webhookId, order.count)
      return
    case 'rest':
      agents.get(order.webhookId)?.destroy()
      agents.delete(order.webhookId)
      return
  }
})

tell({ kind: 'ready' })

function tell(message: FromSender): void {
  parentPort?.postMessage(message)
}

async function send(order: SendOrder): Promise<void> {
  const attempt = new AbortController()
  running.set(order.id, attempt)
  try {
    const status = await sendToAny(order, attempt.signal)
    tell({ kind: 'end', id: order.id, end: { status, failure: null } })
  } catch (error) {
    tell({ kind: 'end', id: order.id, end: { status: null, failure: codeOf(error) } })
  }
  running.delete(order.id)
}

/**
 * Closes the idle connections that were used least recently, because the address of the receiver may have changed since
 * they were opened.
 */
function keepAtMost(webhookId: string, count: number): void {
  const agent = agents.get(webhookId)
  const free = Object.values(agent?.freeSockets ?? {}).flatMap((sockets) => sockets ?? [])
  const used = Object.values(agent?.sockets ?? {}).flatMap((sockets) => sockets ?? [])
  const kept = Math.max(0, count - used.length)
  for (const socket of free.slice(0, Math.max(0, free.length - kept))) socket.destroy()
}

/** Sends the notification to the first address that accepts a connection. Returns the status of the response. */
async function sendToAny(order: SendOrder, signal: AbortSignal): Promise<number> {
  const { addresses, secret, content } = order
  const signature = createHmac('sha256', secret).update(content).digest('base64')
  const headers = { ...order.headers, 'x-hmac-sha256': signature }
  for (const [index, address] of addresses.entries()) {
    try {
      return await sendTo(address, { ...order, headers }, signal)
    } catch (error) {
      const isLast = index === addresses.length - 1
      if (isLast || signal.aborted || !neverConnected.has(codeOf(error))) throw error
    }
  }
  throw new Refused('no_address')
}

/**
 * Sends the notification to one address, and returns the status of the response. Repeats the request on a new
 * connection if the receiver has closed the reused connection.
 */
async function sendTo(address: string, order: SendOrder, signal: AbortSignal): Promise<number> {
  for (;;) {
    const request = httpsRequest({
      ...target(address, order),
      method: 'POST',
      headers: order.headers,
      signal,
    })
    // ignores errors of a connection after its response, because the status of the response is already known
    request.on('error', () => undefined)
    limitAnswer(request, mostAnswerBytes)
    try {
      writeContent(request, order.content)
      const response = await answerTo(request)
      const status = response.statusCode ?? 0
      // a receiver may send its response before it has read the notification; then it has accepted the notification
      // only if it reads the rest
      if (status >= 200 && status < 300) await untilWritten(request)
      tell({ kind: 'status', id: order.id, status })
      response.resume()
      // `limitAnswer` reads the response to its end; its status is valid even if the rest of the response fails
      await finished(response).catch(() => undefined)
      // after a status below 200 the connection is closed, because the rest of the response would delay the next
      // response
      if (status < 200) request.socket?.destroy()
      return status
    } catch (error) {
      const wasClosed = request.reusedSocket && ['ECONNRESET', 'EPIPE'].includes(codeOf(error))
      if (!wasClosed || signal.aborted) throw error
    } finally {
      // A connection is closed here if the request was not written completely, or if the connection cannot be used
      // again. Node would close it only after the receiver has read everything, without a time limit.
      if (!request.writableFinished || !request.shouldKeepAlive) request.destroy()
    }
  }
}

/** Waits until the whole request is written. Rejects if its connection closes before. */
async function untilWritten(request: ClientRequest): Promise<void> {
  if (request.writableFinished) return
  if (request.destroyed) throw new Refused('closed')
  const { promise, resolve, reject } = Promise.withResolvers<undefined>()
  request.on('finish', resolve)
  request.on('close', () => {
    reject(new Refused('closed'))
  })
  await promise
}

/**
 * Returns the options of a connection to an IP address of the receiver. The receiver's certificate must be valid for
 * its host name. A connection is reused only for the same address and name.
 */
function target(address: string, order: SendOrder): object {
  const { hostname, port, pathname, search } = new URL(order.url)
  return {
    agent: agentOf(order),
    host: address,
    port: port === '' ? 443 : Number(port),
    path: pathname + search,
    servername: isIP(hostname) > 0 || hostname.startsWith('[') ? '' : hostname.replace(/\.$/, ''),
    secureContext,
  }
}

function agentOf({ webhookId, customerId }: SendOrder): GuardedAgent {
  const known = agents.get(webhookId)
  if (known) return known
  if (budgets.size >= manyBudgets) for (const [id, budget] of budgets) if (budget.isFull()) budgets.delete(id)
  const budget = budgets.get(customerId) ?? new TlsBudget()
  budgets.set(customerId, budget)
  const options = {
    keepAlive: true,
    maxSockets: mostConnections,
    maxFreeSockets: mostConnections,
    // `maxSockets` limits the connections to one address, and `maxTotalSockets` those to all addresses together;
    // further attempts wait
    maxTotalSockets: 4 * mostConnections,
  }
  const agent = new GuardedAgent(budget, options)
  agents.set(webhookId, agent)
  return agent
}

/**
 * Returns the response to a request, and pauses it. If the response ended before the request is written, Node would
 * ignore the abort signal of the request and might close the connection too early. Throws if the connection fails, if
 * it ends without a response, or if the receiver switches protocols, because Node then emits neither `response` nor
 * `error`.
 */
function answerTo(request: ClientRequest): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  request.on('upgrade', (_answer, socket) => {
    socket.destroy()
    reject(new Refused('protocol_switched'))
  })
  request.on('response', (response) => {
    response.pause()
    resolve(response)
  })
  request.on('error', reject)
  // `close` comes after `response` and `error`: if one of them occurred, the promise is already settled
  request.on('close', () => {
    reject(new Refused('closed'))
  })
  return promise
}

/**
 * Writes the notification in pieces: otherwise the whole notification would be in the connection's buffer while the
 * receiver does not read. The next piece waits for the end of the write, because Node emits no `drain` after the
 * response has arrived.
 */
function writeContent(request: ClientRequest, { buffer, byteOffset, byteLength }: Uint8Array): void {
  const content = Buffer.from(buffer, byteOffset, byteLength)
  const writeFrom = (at: number): void => {
    const next = at + pieceBytes
    const piece = content.subarray(at, next)
    if (next >= content.length) request.end(piece)
    else
      request.write(piece, (error) => {
        if (!error) writeFrom(next)
      })
  }
  writeFrom(0)
}

const neverConnected: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
])

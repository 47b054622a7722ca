import http from 'node:http'
import https from 'node:https'
import { BlockList, isIP, isIPv6, type LookupFunction } from 'node:net'
import { clientTls } from '#kit/client-tls.ts'
import { limitAnswer, tooLarge } from '#kit/limit-answer.ts'
import { addressMs, allowedLookup, lookupOption, nameMs } from '#kit/name-lookups.ts'
import { decodeIpp, encodeIpp } from './ipp-codec.ts'
import {
  groupsOf,
  groupTags,
  type IppAttribute,
  type IppAttributes,
  type IppGroup,
  type IppMessage,
  words,
} from './ipp-message.ts'
import { lookUpPrinter } from './printer-names.ts'

/** Address of an IPP printer or print server. */
export interface IppAddress {
  /** The address as the operator entered it. Requests contain this form. */
  readonly uri: string
  readonly isSecure: boolean
  readonly host: string
  readonly port: number
  readonly path: string
  /**
   * Resolves the name of the host, if only some addresses are allowed.
   */
  readonly lookup?: LookupFunction
}

export interface IppTimeouts {
  /** Timeout for the connection, which begins after the look-up of the host name. */
  readonly connectMs: number
  /** Timeout for sending the next piece of a document. */
  readonly stallMs: number
  /** Timeout for sending a whole request, because a printer may read each piece slowly. */
  readonly sendMs: number
  /** Timeout for the whole response, from the end of the request. */
  readonly answerMs: number
}

/**
 * The outcome of a request. `documentLeft` false: the desk passed no byte of the document to the system, so no byte can
 * have reached the printer. True: a part of the document may have reached the printer.
 */
export type IppReply =
  | { readonly kind: 'answered'; readonly message: IppMessage }
  | { readonly kind: 'failed'; readonly cause: string; readonly documentLeft: boolean }

const standardPort = 631
const chunkBytes = 16 * 1024
/**
 * Maximum length of a response, in bytes. Usual responses have a few kilobytes; a list of jobs or media has several
 * hundred kilobytes.
 */
const largestAnswerBytes = 1024 * 1024

/**
 * Parses an address `ipp://host[:631]/path` or `ipps://…`; null for any other text. An address with credentials is not
 * accepted.
 */
export function ippAddress(uri: string): IppAddress | null {
  const url = URL.parse(uri)
  const port = url?.port ? Number(url.port) : standardPort
  if (!url || (url.protocol !== 'ipp:' && url.protocol !== 'ipps:')) return null
  if (url.hostname === '' || url.username !== '' || url.password !== '') return null
  if (port < 1 || port > 65_535) return null
  return {
    uri,
    isSecure: url.protocol === 'ipps:',
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port,
    path: url.pathname === '' ? '/' : url.pathname,
  }
}

const tlsPort = 443
/** The lowest port at which ipp-usb offers the USB printers of this computer. */
const firstUsbPort = 60_000
/** The cause of a failure if the name of a printer's host resolves to no allowed address. */
const notFollowed = 'not_followed'

const loopback = networks('127.0.0.0/8', '::1/128')
const privateNetworks = networks(
  ...['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16', 'fc00::/7', 'fe80::/10'],
)

function networks(...all: readonly string[]): BlockList {
  const list = new BlockList()
  for (const one of all) {
    const [start = '', bits] = one.split('/')
    list.addSubnet(start, Number(bits), isIPv6(start) ? 'ipv6' : 'ipv4')
  }
  return list
}

function isIn(list: BlockList, address: string): boolean {
  const [bare = ''] = address.split('%', 1)
  return list.check(bare, isIPv6(bare) ? 'ipv6' : 'ipv4')
}

/** Whether a printer or a queue is at this computer, by its address. */
export function isOnThisComputer({ host }: IppAddress): boolean {
  return host.toLowerCase() === 'localhost' || (isIP(host) !== 0 && isIn(loopback, host))
}

/**
 * Returns the address of the printer behind a queue, from the queue's `device-uri`; null: do not query it. A malicious
 * queue could use its response to direct the desk to any service of any computer. Therefore only these addresses are
 * allowed: the host and port of the queue; and a usual port (631, for ipps also 443) of the queue's host or of a
 * private or link-local address. For a queue of this computer, the usual ports of this computer are also allowed, with
 * the ports of ipp-usb. Only ipp and ipps are used: a printer behind `socket:`, `lpd:` or `usb:` is never queried.
 */
export function printerBehind(queue: IppAddress, deviceUri: string): IppAddress | null {
  const device = ippAddress(deviceUri)
  if (!device) return null
  const isSameHost = device.host.toLowerCase() === queue.host.toLowerCase()
  if (isSameHost && device.port === queue.port) return device
  const isQueueHere = isOnThisComputer(queue)
  const isUsbPort = isQueueHere && isOnThisComputer(device) && device.port >= firstUsbPort
  const isUsualPort = device.port === standardPort || (device.isSecure && device.port === tlsPort)
  if (!isUsualPort && !isUsbPort) return null
  if (isSameHost) return device
  const isAllowed = (address: string): boolean =>
    isIn(privateNetworks, address) || (isQueueHere && isIn(loopback, address))
  if (isIP(device.host) !== 0) return isAllowed(device.host) ? device : null
  return { ...device, lookup: allowedLookup(isAllowed, notFollowed, lookUpPrinter) }
}

/**
 * Sends one request over a new connection; a document follows after the request. Never rejects, never repeats the
 * request, follows no redirect, sends no credentials. Causes: `connect_timeout`, `stalled`, `silent`, `certificate`,
 * `not_allowed`, `no_queue`, `needs_tls`, `busy`, `not_ipp`, `not_followed`, or an error code of the system
 * (ECONNREFUSED, ECONNRESET, …).
 */
export function callIpp(
  address: IppAddress,
  question: IppMessage,
  timeouts: IppTimeouts,
  document: Uint8Array | null = null,
): Promise<IppReply> {
  const { promise, resolve } = Promise.withResolvers<IppReply>()
  const head = encodeIpp(question)
  const length = head.length + (document?.length ?? 0)
  const request = (address.isSecure ? https : http).request({
    ...(address.isSecure && clientTls),
    ...{ host: address.host, port: address.port, path: address.path, method: 'POST' },
    // an option of the socket, which the types of a request do not contain
    ...{ autoSelectFamilyAttemptTimeout: addressMs },
    lookup: address.lookup ?? lookupOption(lookUpPrinter),
    // uses no agent, because an agent with persistent connections would send a request again if the connection was
    // stale
    agent: false,
    headers: { 'content-type': 'application/ipp', 'content-length': length },
  })
  let documentLeft = false
  // True once the response has arrived or the connection has failed. The response can arrive before the printer has
  // read the whole request; the rest of the request is then not sent.
  let isOver = false
  let timer: NodeJS.Timeout | undefined
  const settle = (reply: IppReply): void => {
    isOver = true
    clearTimeout(timer)
    resolve(reply)
    request.destroy()
  }
  const fail = (cause: string): void => {
    settle({ kind: 'failed', cause, documentLeft })
  }
  const arm = (cause: string, timeoutMs: number): void => {
    clearTimeout(timer)
    timer = setTimeout(fail, timeoutMs, cause)
  }
  let sendUntil = 0
  const write = (bytes: Uint8Array): Promise<void> => {
    arm('stalled', Math.max(0, Math.min(timeouts.stallMs, sendUntil - performance.now())))
    // an error needs no handling here, because the request reports it by an event
    return new Promise((done) => request.write(bytes, () => done()))
  }
  const send = async (): Promise<void> => {
    sendUntil = performance.now() + timeouts.sendMs
    await write(head)
    for (let from = 0; document && from < document.length && !isOver; from += chunkBytes) {
      documentLeft = true
      await write(document.subarray(from, from + chunkBytes))
    }
    if (isOver) return
    arm('silent', timeouts.answerMs)
    request.end()
  }

  arm('connect_timeout', isIP(address.host) === 0 ? nameMs : timeouts.connectMs)
  limitAnswer(request, largestAnswerBytes)
  request.on('error', (error) => fail(causeOf(error)))
  request.on('response', (response) => {
    isOver = true
    // the timeout of the response begins at the end of the request, or now if the response arrives before the end of
    // the request
    if (!request.writableEnded) arm('silent', timeouts.answerMs)
    readAnswer(response, settle, fail)
  })
  request.on('socket', (socket) => {
    socket.once('lookup', () => {
      if (!isOver) arm('connect_timeout', timeouts.connectMs)
    })
    socket.once(address.isSecure ? 'secureConnect' : 'connect', () => void send())
  })
  return promise
}

function readAnswer(
  response: http.IncomingMessage,
  settle: (reply: IppReply) => void,
  fail: (cause: string) => void,
): void {
  const { statusCode = 0, headers } = response
  if (statusCode !== 200) {
    fail(httpCauses[statusCode] ?? 'not_ipp')
    return
  }
  if (!/^application\/ipp\b/i.test(headers['content-type'] ?? '')) {
    fail('not_ipp')
    return
  }
  const pieces: Uint8Array[] = []
  let total = 0
  response.on('data', (piece: Uint8Array) => {
    total += piece.length
    if (total > largestAnswerBytes) fail('not_ipp')
    else pieces.push(piece)
  })
  response.on('error', (error) => {
    fail(causeOf(error))
  })
  response.on('end', () => {
    const message = decodeIpp(Buffer.concat(pieces))
    if (message) settle({ kind: 'answered', message })
    else fail('not_ipp')
  })
}

const httpCauses: Partial<Record<number, string>> = {
  401: 'not_allowed',
  403: 'not_allowed',
  404: 'no_queue',
  426: 'needs_tls',
  503: 'busy',
}

function causeOf(error: Error): string {
  const code = 'code' in error ? String(error.code) : 'unknown'
  if (/^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_CERT_)/.test(code)) return 'certificate'
  return code === tooLarge || /^(HPE_|EPROTO$|ERR_SSL_)/.test(code) ? 'not_ipp' : code
}

/** Codes of operations (RFC 8011, 5.4.15). The operations of CUPS begin at 0x4000. */
export const operations = {
  printJob: 0x02,
  createJob: 0x05,
  sendDocument: 0x06,
  cancelJob: 0x08,
  getJobAttributes: 0x09,
  getJobs: 0x0a,
  getPrinterAttributes: 0x0b,
  cupsGetPrinters: 0x4002,
} as const

interface IppQuestion {
  readonly operation: number
  /** Attributes in addition to those of every request. */
  readonly attributes?: readonly IppAttribute[]
  readonly jobAttributes?: readonly IppAttribute[]
  readonly document?: Uint8Array
}

/** The outcome of an operation: done; declined by the printer or queue with a reason; or failed without a response. */
export type IppAnswer =
  | { readonly kind: 'done'; readonly message: IppMessage }
  | { readonly kind: 'declined'; readonly status: number; readonly cause: string }
  | { readonly kind: 'failed'; readonly cause: string; readonly documentLeft: boolean }

/** Sends requests to one printer or queue under the desk's user name. */
export interface IppSession {
  ask(question: IppQuestion): Promise<IppAnswer>
}

/** The user name of the desk's requests, under which a printer or a queue stores the desk's jobs. */
const userName = 'scandesk'
const firstError = 0x0400

export function ippSession(address: IppAddress, timeouts: IppTimeouts): IppSession {
  let lastId = 0
  return {
    async ask({ operation, attributes = [], jobAttributes = [], document }) {
      const groups: IppGroup[] = [
        {
          tag: groupTags.operation,
          attributes: [
            // every request must begin with these attributes in this order (RFC 8011, 4.1.4)
            words('charset', 'attributes-charset', 'utf-8'),
            words('language', 'attributes-natural-language', 'en'),
            words('uri', 'printer-uri', address.uri),
            words('name', 'requesting-user-name', userName),
            ...attributes,
          ],
        },
      ]
      if (jobAttributes.length > 0) groups.push({ tag: groupTags.job, attributes: jobAttributes })
      const message = { code: operation, id: ++lastId, groups }
      const reply = await callIpp(address, message, timeouts, document)
      if (reply.kind === 'failed') return reply
      const status = reply.message.code
      if (status < firstError) return { kind: 'done', message: reply.message }
      return { kind: 'declined', status, cause: ippCauses[status] ?? `ipp_${status.toString(16)}` }
    },
  }
}

/** The cause that the desk reports for each status code of a response (RFC 8011, appendix B). */
const ippCauses: Partial<Record<number, string>> = {
  0x0401: 'not_allowed',
  0x0402: 'not_allowed',
  0x0403: 'not_allowed',
  0x0406: 'no_queue',
  0x040a: 'format_unsupported',
  0x0503: 'busy',
  0x0504: 'error',
  0x0505: 'busy',
  0x0506: 'not_accepting',
  0x0507: 'busy',
}

/**
 * Status codes with which the printer reports that it has not accepted the document, so no part of it was printed. Any
 * other error code may be sent in the middle of a job.
 */
export const notTaken: ReadonlySet<number> = new Set([
  ...[0x0400, 0x0401, 0x0402, 0x0403, 0x0404, 0x0406, 0x0408, 0x040a, 0x040b, 0x040d],
  ...[0x0501, 0x0503, 0x0505, 0x0506, 0x0507],
])

/**
 * Status codes with which the printer refuses a document because of its size, its format or its number of pages. The
 * printer may accept other documents. 0x040b is about the number of pages (`job-impressions`), because no request
 * contains `ipp-attribute-fidelity`: without it a printer ignores or replaces the attributes of a job that it does not
 * support (RFC 8011, 4.1.7).
 */
const documentRefused: ReadonlySet<number> = new Set([0x0408, 0x040a, 0x040b])
const badRequest = 0x0400
const firstServerError = 0x0500

/**
 * Whether the printer refused an operation because of the document. `perhaps`: the printer returned another error of
 * the client. Printers use such a status, for example 0x0400 or 0x0404, also for a document that they cannot print.
 * `isAfterJob`: the printer has already accepted the attributes of the job, so a bad request can only be due to the
 * document.
 */
export function refusesDocument(answer: IppAnswer, isAfterJob = false): boolean | 'perhaps' {
  if (answer.kind !== 'declined') return false
  if (documentRefused.has(answer.status) || (isAfterJob && answer.status === badRequest)) return true
  return answer.status < firstServerError && 'perhaps'
}

/** Returns the attributes of the only printer or job in a response. */
export function onlyGroup(answer: IppAnswer, tag: number): IppAttributes | undefined {
  return answer.kind === 'done' ? groupsOf(answer.message, tag)[0] : undefined
}

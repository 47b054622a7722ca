import { chromium, type BrowserContext, type Page } from '@playwright/test'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findChromium } from '../../electron/launch/packages.mjs'

// Every way in which a script in a page could send data out, each with its own listener on loopback. The same probes
// also run in a plain Chromium page without restrictions, to show that they reach their listeners there.

/** The target of a probe: the address of a listener that only this probe uses. */
export interface Target {
  readonly host: string
  /** The address as a URL: `http://host/probe`. */
  readonly url: string
}

export interface WayOut {
  readonly name: string
  /** The transport of the probe: a TCP connection, also for HTTP and WebSocket, or UDP packets. */
  readonly over: 'tcp' | 'udp'
  /**
   * Runs in the page. The page receives the source text of the function, so the function may use only its argument and
   * the globals of the page.
   */
  readonly run: (to: Target) => unknown
}

const load = (name: string, run: (to: Target) => unknown): WayOut => ({ name, over: 'tcp', run })

const requests: WayOut[] = [
  load('fetch', ({ url }) => fetch(url, { mode: 'no-cors' })),
  load('fetch with keepalive', ({ url }) =>
    fetch(url, { mode: 'no-cors', method: 'POST', body: 'x', keepalive: true }),
  ),
  load('XMLHttpRequest', ({ url }) => {
    const request = new XMLHttpRequest()
    request.open('POST', url)
    request.send('x')
  }),
  load('sendBeacon', ({ url }) => navigator.sendBeacon(url, 'x')),
  load('EventSource', ({ url }) => void new EventSource(url)),
  load('WebSocket', ({ host }) => void new WebSocket(`ws://${host}/`)),
  load('WebSocketStream', ({ host }) => {
    const Stream: unknown = Reflect.get(globalThis, 'WebSocketStream')
    // Some versions of Chromium do not have the API WebSocketStream.
    if (typeof Stream === 'function') Reflect.construct(Stream, [`ws://${host}/`])
    else new WebSocket(`ws://${host}/`)
  }),
  {
    name: 'WebTransport',
    over: 'udp',
    run: async ({ host }) => new WebTransport(`https://${host}/`).ready,
  },
  load('a module import', ({ url }) => import(/* @vite-ignore */ url)),
  load('a font', ({ url }) => new FontFace('probe', `url(${url})`).load()),
]

const elements: WayOut[] = [
  load('an image', ({ url }) => {
    new Image().src = url
  }),
  load('an image in SVG', ({ url }) => {
    const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
    const image = document.createElementNS('http://www.w3.org/2000/svg', 'image')
    image.setAttribute('href', url)
    svg.append(image)
    document.body.append(svg)
  }),
  load('a video', ({ url }) => {
    document.createElement('video').src = url
  }),
  load('the poster of a video', ({ url }) => {
    const video = document.createElement('video')
    document.body.append(video)
    video.poster = url
  }),
  load('a style sheet', ({ url }) => {
    const link = document.createElement('link')
    link.rel = 'stylesheet'
    link.href = url
    document.head.append(link)
  }),
  load('@import in a style element', ({ url }) => {
    const style = document.createElement('style')
    style.textContent = `@import url(${url});`
    document.head.append(style)
  }),
  load('a background image', ({ url }) => {
    document.body.style.backgroundImage = `url(${url})`
  }),
  load('an object', ({ url }) => {
    const element = document.createElement('object')
    element.data = url
    document.body.append(element)
  }),
  load('an embed', ({ url }) => {
    const element = document.createElement('embed')
    element.src = url
    document.body.append(element)
  }),
  ...['preload', 'modulepreload', 'prefetch', 'preconnect'].map((rel) => ({
    name: `<link rel=${rel}>`,
    over: 'tcp' as const,
    // The page runs only the source text of this function, so the function cannot use the variable `rel`. The fragment
    // of the URL (`#…`) contains its value.
    run: ({ url }: Target): void => {
      const link = document.createElement('link')
      link.rel = new URL(url).hash.slice(1)
      if (link.rel === 'preload') link.as = 'image'
      link.href = url
      document.head.append(link)
    },
  })),
]

const navigations: WayOut[] = [
  load('a frame', ({ url }) => {
    const frame = document.createElement('iframe')
    frame.src = url
    document.body.append(frame)
  }),
  load('an image in a srcdoc frame', ({ url }) => {
    const frame = document.createElement('iframe')
    document.body.append(frame)
    const inner = frame.contentDocument
    if (!inner) return
    const image = inner.createElement('img')
    inner.body.append(image)
    image.src = url
  }),
  load('a fetch of an empty frame', ({ url }) => {
    const frame = document.createElement('iframe')
    document.body.append(frame)
    void frame.contentWindow?.fetch(url, { mode: 'no-cors' }).catch(() => undefined)
  }),
  load('a form', ({ url }) => {
    const form = document.createElement('form')
    form.method = 'post'
    form.action = url
    document.body.append(form)
    form.submit()
  }),
  load('a form into a frame', ({ url }) => {
    const frame = document.createElement('iframe')
    frame.name = 'probe'
    const form = document.createElement('form')
    form.action = url
    form.target = 'probe'
    document.body.append(frame, form)
    form.submit()
  }),
  load('the ping of a link', ({ url }) => {
    const link = document.createElement('a')
    link.href = '#here'
    link.setAttribute('ping', url)
    document.body.append(link)
    link.click()
  }),
  load('a download', ({ url }) => {
    const link = document.createElement('a')
    link.href = url
    link.download = 'probe'
    document.body.append(link)
    link.click()
  }),
  load('location', ({ url }) => {
    location.href = url
  }),
  load('a refresh', ({ url }) => {
    const meta = document.createElement('meta')
    meta.httpEquiv = 'refresh'
    meta.content = `0;url=${url}`
    document.head.append(meta)
  }),
  load('window.open', ({ url }) => void window.open(url)),
]

/**
 * Starts ICE, the connection set-up of WebRTC, with an address that a page can choose: of a server or of a candidate.
 * The fragment of the URL selects the kind of the server or candidate (`how`), and whether ICE starts in the page or in
 * a new frame (`where`).
 */
async function startIce({ host, url }: Target): Promise<void> {
  const [how = '', where = ''] = new URL(url).hash.slice(1).split(',')
  const frame = document.createElement('iframe')
  if (where === 'srcdoc') frame.srcdoc = '<p>probe</p>'
  if (where !== 'page') document.body.append(frame)
  if (where === 'srcdoc') await new Promise((resolve) => frame.addEventListener('load', resolve))
  const realm: typeof globalThis =
    where === 'page' ? window : ((frame.contentWindow ?? window) as typeof window)
  const servers: Record<string, string> = {
    stun: `stun:${host}`,
    turn: `turn:${host}?transport=udp`,
    'turn-tcp': `turn:${host}?transport=tcp`,
    'turns-tcp': `turns:${host}?transport=tcp`,
  }
  const urls = servers[how]
  const peer = new realm.RTCPeerConnection(
    urls === undefined ? {} : { iceServers: [{ urls, username: 'name', credential: 'word' }] },
  )
  peer.createDataChannel('probe')
  await peer.setLocalDescription(await peer.createOffer())
  if (urls !== undefined) return
  const other = new realm.RTCPeerConnection()
  await other.setRemoteDescription(peer.localDescription ?? { type: 'offer', sdp: '' })
  const answer = await other.createAnswer()
  await peer.setRemoteDescription(answer)
  const [address = '', port = ''] = host.split(':')
  const kind =
    how === 'peer-tcp'
      ? `tcp 1 ${address} ${port} typ host tcptype passive`
      : `udp 1 ${address} ${port} typ host`
  await peer.addIceCandidate({ candidate: `candidate:1 1 ${kind}`, sdpMLineIndex: 0 })
}

const iceKinds = [
  ['stun', 'udp'],
  ['turn', 'udp'],
  ['turn-tcp', 'tcp'],
  ['turns-tcp', 'tcp'],
  ['peer-udp', 'udp'],
  ['peer-tcp', 'tcp'],
] as const

const webRtc: WayOut[] = iceKinds.flatMap(([how, over]) =>
  ['page', 'about:blank', 'srcdoc'].map((where) => ({ name: `WebRTC ${how},${where}`, over, run: startIce })),
)

export const waysOut: readonly WayOut[] = [...requests, ...elements, ...webRtc, ...navigations]

/** The listener for one entry of `waysOut`. It counts arriving connections, or arriving packets with any content. */
export interface Listener {
  readonly way: WayOut
  readonly target: Target
  arrived(): number
}

/** Opens a listener for each entry of `waysOut`. The caller closes the listeners. */
export async function listenForAll(): Promise<{ listeners: Listener[]; close: () => void }> {
  const opened = await Promise.all(waysOut.map(listenFor))
  return {
    listeners: opened.map(({ listener }) => listener),
    close: () => opened.forEach(({ close }) => close()),
  }
}

async function listenFor(way: WayOut): Promise<{ listener: Listener; close: () => void }> {
  let count = 0
  const arrive = (): void => void count++
  const server = way.over === 'tcp' ? tcpListener(arrive) : udpListener(arrive)
  await once(server, 'listening')
  const host = hostOf(server.address())
  // The fragment of the URL (`#…`) selects the link relation or the WebRTC connection that `way.run` uses.
  const fragment = /(?:rel=|WebRTC )([^>]+)/.exec(way.name)?.[1] ?? ''
  const target = { host, url: `http://${host}/probe${fragment === '' ? '' : `#${fragment}`}` }
  return { listener: { way, target, arrived: () => count }, close: () => void server.close() }
}

function tcpListener(arrive: () => void): Server {
  return createServer((connection) => {
    arrive()
    connection.on('error', () => undefined)
    // Sends a response, so that no page in plain Chromium waits.
    connection.end('HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n')
  }).listen(0, '127.0.0.1')
}

function udpListener(arrive: () => void): Socket {
  const socket = createSocket('udp4')
  socket.on('message', arrive)
  socket.bind(0, '127.0.0.1')
  return socket
}

/**
 * Milliseconds that the test waits for the probes (attempts to send data out of a page), both in plain Chromium and in
 * the desk. In plain Chromium all probes arrive within this time.
 */
const settleMs = 2000

/**
 * Runs every probe in one page, as a script in the page would, and ignores errors of probes. Returns after the time for
 * the probes.
 */
export async function tryAll(page: Page, listeners: readonly Listener[]): Promise<void> {
  for (const { way, target } of listeners) await tryOne(page, way, target)
  await page.waitForTimeout(settleMs)
}

/** Does not wait for the end of the probe, because a probe whose connection is blocked may never end. */
async function tryOne(page: Page, way: WayOut, target: Target): Promise<void> {
  const source = `{ const probe = ${way.run.toString()}; Promise.resolve().then(() => probe(${JSON.stringify(target)})).catch(() => undefined); 0 }`
  // Ignores the error of a page that navigates away during the evaluation, because its probe has run.
  await page.evaluate(source).catch(() => undefined)
}

/** Calls `use` with plain Chromium, which has a new profile and no restrictions except `switches`, and a page URL. */
async function withPlainChromium<T>(
  switches: readonly string[],
  use: (context: BrowserContext, origin: string) => Promise<T>,
): Promise<T> {
  const server = createHttpServer((_request, response) => {
    response.setHeader('content-type', 'text/html')
    response.end('<!doctype html><title>Control</title>')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const profile = mkdtempSync(join(tmpdir(), 'scandesk-control-'))
  const executablePath = findChromium()
  const context = await chromium.launchPersistentContext(profile, {
    ...(executablePath !== null && { executablePath }),
    ...(process.getuid?.() === 0 && { chromiumSandbox: false }),
    args: [...switches],
    // Playwright must not pass `--disable-background-networking`, because this argument prevents Chromium from opening
    // connections ahead of a request.
    ignoreDefaultArgs: ['--disable-background-networking'],
  })
  try {
    return await use(context, `http://${hostOf(server.address())}/`)
  } finally {
    await context.close()
    server.closeAllConnections()
    server.close()
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
  }
}

/**
 * Tries each entry of `waysOut` in its own page of plain Chromium. Returns the names of those that reach their
 * listener.
 */
export function waysFromPlainPage(listeners: readonly Listener[]): Promise<string[]> {
  return withPlainChromium([], async (context, origin) => {
    for (const { way, target } of listeners) {
      const page = await context.newPage()
      await page.goto(origin)
      await tryOne(page, way, target)
    }
    await context.pages()[0]?.waitForTimeout(settleMs)
    return arrivals(listeners)
  })
}

/** Whether plain Chromium with these switches looks up the name that a page gives in `<link rel=dns-prefetch>`. */
export async function looksUpPrefetchedName(switches: readonly string[]): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'scandesk-net-log-'))
  const file = join(folder, 'net.json')
  await withPlainChromium([...switches, `--log-net-log=${file}`], async (context, origin) => {
    const page = await context.newPage()
    await page.goto(origin)
    await page.evaluate(addDnsPrefetch)
    await page.waitForTimeout(settleMs)
  })
  const log = readNetLog(file)
  rmSync(folder, { recursive: true, force: true })
  return log.some(({ type, text }) => type === 'HOST_RESOLVER_MANAGER_JOB' && text.includes(prefetchedName))
}

const prefetchedName = 'prefetched.scandesk.test'

/** Adds a link that makes Chromium look up a name. Runs in the page. */
function addDnsPrefetch(): void {
  const link = document.createElement('link')
  link.rel = 'dns-prefetch'
  link.href = 'http://prefetched.scandesk.test/'
  document.head.append(link)
}

export interface NetEvent {
  /** Chromium's name of the event, such as `TCP_CONNECT_ATTEMPT`. */
  readonly type: string
  readonly text: string
}

interface NetLogFile {
  constants: { logEventTypes: Record<string, number> }
  events: { type: number; params?: unknown }[]
}

/** Returns the events that Chromium wrote to the file of `--log-net-log`. Call it after Chromium has ended. */
export function readNetLog(file: string): NetEvent[] {
  const { constants, events } = JSON.parse(readFileSync(file, 'utf8')) as NetLogFile
  const types = new Map(Object.entries(constants.logEventTypes).map(([name, type]) => [type, name]))
  return events.map(({ type, params }) => ({
    type: types.get(type) ?? '',
    text: JSON.stringify(params ?? {}),
  }))
}

/** Returns the names of the probes that arrived. */
export function arrivals(listeners: readonly Listener[]): string[] {
  return listeners.filter((listener) => listener.arrived() > 0).map(({ way }) => way.name)
}

function hostOf(address: AddressInfo | string | null): string {
  return `127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
}

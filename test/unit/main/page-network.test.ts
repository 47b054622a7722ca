import type { CommandLine } from 'electron'
import { describe, expect, it } from 'vitest'
import {
  closeNetwork,
  devServerOf,
  mayRequest,
  networkSwitches,
} from '../../../electron/main/page-network.ts'

/** An implementation of Electron’s app.commandLine with a map. */
function commandLineWith(given: Record<string, string> = {}): {
  switches: Map<string, string>
  line: CommandLine
} {
  const switches = new Map(Object.entries(given))
  const line = {
    appendSwitch: (name: string, value = '') => void switches.set(name, value),
    appendArgument: () => undefined,
    hasSwitch: (name: string) => switches.has(name),
    getSwitchValue: (name: string) => switches.get(name) ?? '',
    removeSwitch: (name: string) => void switches.delete(name),
  }
  return { switches, line }
}

describe('closeNetwork()', () => {
  it('sends every request of the page to a proxy that does not exist, even a request to this computer', () => {
    const { switches, line } = commandLineWith()
    expect(closeNetwork(line, null)).toEqual({ mode: 'system' })
    expect(Object.fromEntries(switches)).toMatchObject({
      'proxy-server': 'http://nowhere.invalid:1',
      'proxy-bypass-list': '<-loopback>',
      'host-resolver-rules': 'MAP nowhere.invalid ~NOTFOUND',
      'webrtc-ip-handling-policy': 'disable_non_proxied_udp',
      'blink-settings': 'dnsPrefetchingEnabled=false',
    })
  })

  it.each([
    [{ 'no-proxy-server': '' }, { mode: 'direct' }],
    [{ 'proxy-auto-detect': '' }, { mode: 'auto_detect' }],
    [{ 'proxy-pac-url': 'http://x/pac' }, { mode: 'pac_script', pacScript: 'http://x/pac' }],
    [
      { 'proxy-server': 'corp:3128', 'proxy-bypass-list': '*.corp' },
      { mode: 'fixed_servers', proxyRules: 'corp:3128', proxyBypassRules: '*.corp' },
    ],
  ])(
    'for the switches %o returns the proxy %o for the main process, and gives the page a proxy that does not exist',
    (given, expected) => {
      const { switches, line } = commandLineWith(given)
      expect(closeNetwork(line, null)).toEqual(expected)
      expect(switches.get('proxy-server')).toBe('http://nowhere.invalid:1')
      for (const name of ['no-proxy-server', 'proxy-auto-detect', 'proxy-pac-url'])
        expect(switches.has(name)).toBe(false)
    },
  )

  it('excludes only the development server from the proxy of the page', () => {
    const bypass = networkSwitches('http://localhost:5173').find(([name]) => name === 'proxy-bypass-list')
    expect(bypass?.[1]).toBe('<-loopback>;localhost:5173')
  })
})

describe('devServerOf()', () => {
  it('returns null in an installed app, and for a missing or wrong address', () => {
    expect(devServerOf(true, 'http://localhost:5173/')).toBeNull()
    expect(devServerOf(false, undefined)).toBeNull()
    expect(devServerOf(false, 'nonsense')).toBeNull()
    expect(devServerOf(false, 'http://localhost:5173/index.html')).toBe('http://localhost:5173')
  })
})

const foreign = [
  'http://localhost:5174/',
  'https://localhost:5173/',
  'http://u@127.0.0.1:5173/',
  'wss://localhost:5173/',
  'https://example.com/',
  'ws://127.0.0.1:1/',
  'ftp://example.com/',
  'file:///etc/passwd',
  'data:text/html,x',
  'blob:app://desk/1',
  'app://other/',
  'app://u@desk/',
  'chrome://version',
  'nonsense',
]

describe('mayRequest()', () => {
  it.each([...foreign, 'http://localhost:5173/', 'devtools://devtools/x'])(
    'refuses %s in an installed app',
    (url) => {
      expect(mayRequest(url, null)).toBe(false)
    },
  )

  it('allows requests for the app’s own files', () => {
    expect(mayRequest('app://desk/index.html', null)).toBe(true)
  })

  it('allows the development server and the developer tools in development, but no foreign address', () => {
    const devServer = 'http://localhost:5173'
    const allowed = [
      'http://localhost:5173/@vite/client',
      'ws://localhost:5173/?token=1',
      'devtools://devtools/x',
    ]
    for (const url of allowed) expect(mayRequest(url, devServer), url).toBe(true)
    for (const url of foreign) expect(mayRequest(url, devServer), url).toBe(false)
  })
})

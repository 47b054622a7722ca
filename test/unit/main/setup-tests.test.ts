import { createServer, type RequestListener } from 'node:http'
import { createServer as createSocketServer, type AddressInfo, type Server } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { createPrinter } from '#printing/printer-kinds.ts'
import { plainLayout, type PrinterSettings, type PrinterTest } from '#shared/bridge/printer-views.ts'
import { testConnection } from '#remote/connection-test.ts'
import { ok } from '#shared/errors/result.ts'
import { connectionTest, type ConnectionTest } from '#shared/bridge/views.ts'
import { testLimit, testPrinter, toldOfConnection } from '../../../electron/main/setup-tests.ts'
import { zplOptions } from '#support/zpl-options.ts'

const ends: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  ends.push(() => new Promise((resolve) => server.close(resolve)))
  return (server.address() as AddressInfo).port
}

/** Opens a port that accepts connections and stores the received bytes. */
async function listener(): Promise<{ port: number; heard: () => string; closed: () => number }> {
  const heard: Buffer[] = []
  let closed = 0
  const port = await listen(
    createSocketServer((socket) => {
      socket.on('data', (bytes) => heard.push(bytes))
      socket.on('error', () => undefined)
      socket.on('close', () => (closed += 1))
      socket.on('end', () => socket.end())
    }),
  )
  return { port, heard: () => Buffer.concat(heard).toString('latin1'), closed: () => closed }
}

const raw = (kind: 'zpl' | 'escpos', port: number): PrinterSettings => {
  const at = { host: '127.0.0.1', port, dpi: 203 } as const
  if (kind === 'escpos') return { kind, ...at, paperMm: 80 }
  return { kind, ...at, ...zplOptions, widthMm: 104 }
}
const ipp = (uri: string): PrinterSettings => ({ kind: 'ipp', uri, media: 'iso_a4_210x297mm', dpi: 203 })

function ask(settings: PrinterSettings, saved: readonly PrinterSettings[] = []): Promise<PrinterTest> {
  const printers = saved.map((one, at) => ({
    id: String(at),
    title: 'Saved',
    settings: one,
    layout: plainLayout,
  }))
  return testPrinter(settings, printers, (entry) => createPrinter(entry, '/nowhere'))
}
const unreachable = { state: 'refused', failure: { params: { cause: 'unreachable' } } }

describe('a test of a printer that is not set up', () => {
  it.each(['zpl', 'escpos'] as const)(
    'reports for %s that the port is reachable, and writes nothing to the port',
    async (kind) => {
      const { port, heard, closed } = await listener()
      expect(await ask(raw(kind, port))).toEqual({ state: 'reached', failure: null })
      await expect.poll(closed).toBe(1)
      expect(heard()).toBe('')
    },
  )

  it('reports the same result for a refused port, a web server, a wrong path and a wrong device file', async () => {
    const posts: string[] = []
    const web: RequestListener = (request, response) => {
      posts.push(request.url ?? '')
      response.writeHead(request.url === '/ipp/secret' ? 403 : 200).end('page')
    }
    const port = await listen(createServer(web))
    const at = (path: string): PrinterSettings => ipp(`ipp://127.0.0.1:${String(port)}${path}`)
    for (const settings of [
      raw('zpl', 1),
      ipp('ipp://127.0.0.1:1/ipp/print'),
      ...['/admin/delete', '/', '/ipp/print/../../admin', '/printers/a/b', '/printers/%2e%2e%2fadmin'].map(
        at,
      ),
      ...['/ipp/print', '/ipp/secret'].map(at),
    ])
      expect(await ask(settings)).toMatchObject(unreachable)
    const device = { ...raw('zpl', 9100), host: '', device: '/dev/null' } as PrinterSettings
    expect(await ask(device)).toMatchObject(unreachable)
    expect(posts).toEqual(['/ipp/print', '/ipp/secret'])
  })
})

describe('a test of a printer that is set up', () => {
  it('queries its state only in the printer language that is set up', async () => {
    const { port, heard } = await listener()
    expect(await ask(raw('escpos', port), [raw('zpl', port)])).toMatchObject({ state: 'reached' })
    expect(heard()).toBe('')
    await ask(raw('zpl', port), [raw('zpl', port)])
    expect(heard()).toContain('~HS')
    expect(await ask(raw('zpl', 1), [raw('zpl', 1)])).toMatchObject({
      failure: { params: { cause: 'ECONNREFUSED' } },
    })
  })
})

describe('the limit of set-up tests', () => {
  it('allows ten tests in a minute; the refusal of the next test contains the seconds to wait', async () => {
    let now = 0
    let runs = 0
    const limit = testLimit(() => now)
    const one = (): ReturnType<typeof limit.run> => limit.run(() => Promise.resolve(ok((runs += 1))))
    for (let test = 0; test < 10; test++, now += 1_000) expect(await one()).toMatchObject({ ok: true })
    for (const seconds of [50, 50])
      expect(await one()).toEqual({ ok: false, error: { code: 'setup.too_many_tests', params: { seconds } } })
    expect(runs).toBe(10)
    now = 60_000
    expect(await one()).toMatchObject({ ok: true })
    expect(await one()).toMatchObject({ ok: false })
  })
})

describe('a connection test over plain http', () => {
  const test = async (baseUrl: string, saved: readonly string[] = []): Promise<ConnectionTest> => {
    const draft = { name: 'n', baseUrl, wmsCode: 'W', customerCode: 'C', documentHosts: '' }
    const told = toldOfConnection(await testConnection(draft), baseUrl, saved)
    expect(connectionTest.parse(told)).toEqual(told)
    return told
  }
  const web = async (status: number, message: string | null): Promise<string> => {
    const body = message === null ? '<html>' : JSON.stringify({ message })
    const port = await listen(createServer((_, response) => response.writeHead(status).end(body)))
    return `http://127.0.0.1:${String(port)}`
  }

  it('reports the same result for a closed port and for a web server that is no service', async () => {
    const tests = [
      await test('http://127.0.0.1:1'),
      await test(await web(200, null)),
      await test(await web(403, 'no')),
      await test(await web(500, null)),
    ]
    for (const { steps, problem, tookMs } of tests) {
      expect({ steps, tookMs, code: problem?.code }).toEqual({
        steps: { ...tests[0]?.steps, port: 'not_told', service: 'failed' },
        tookMs: 0,
        code: 'unreachable',
      })
      expect(Object.keys(problem?.params ?? {})).toEqual(['host', 'port'])
    }
  })

  it('reports no problem if a service responds, and an unknown WMS code if the service refuses this code', async () => {
    expect((await test(await web(401, 'Invalid credentials.'))).problem).toBeNull()
    expect((await test(await web(400, 'Invalid WMS.'))).problem?.code).toBe('wms_unknown')
  })

  it('reports every detail if a station with the address is set up', async () => {
    const address = await web(500, null)
    expect((await test(address, [address])).problem?.code).toBe('server_error')
  })
})

describe('a connection test over https', () => {
  it('reports every detail even if no station with the address is set up', async () => {
    const baseUrl = 'https://127.0.0.1:1'
    const draft = { name: 'n', baseUrl, wmsCode: 'W', customerCode: 'C', documentHosts: '' }
    const whole = await testConnection(draft)
    expect(whole.problem?.code).toBe('port_refused')
    expect(toldOfConnection(whole, baseUrl, [])).toBe(whole)
  })
})

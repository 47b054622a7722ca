import { beforeEach, describe, expect, it } from 'vitest'
import { plainLayout, type PrinterEntry, type PrinterSettings } from '#shared/bridge/printer-views.ts'
import { fail, ok } from '#shared/errors/result.ts'
import { pcSettings } from '#support/pc-settings.ts'
import { zplOptions } from '#support/zpl-options.ts'
import { hostOf, printerAddress, serviceAddress } from '../../../electron/main/addresses.ts'
import { type AddressQuestion, ConfirmedAddresses } from '../../../electron/main/confirmed-addresses.ts'
import { readSettings } from '../../../electron/main/settings-schema.ts'
import { Stations } from '../../../electron/main/stations.ts'

const zpl = (host: string, device?: string): PrinterSettings => ({
  ...{ kind: 'zpl', host, port: 9100, widthMm: 104, dpi: 203, ...zplOptions },
  ...(device === undefined ? {} : { device }),
})
const ipp = (uri: string): PrinterSettings => ({ kind: 'ipp', uri, media: 'iso_a4_210x297mm', dpi: 203 })
const entry = (settings: PrinterSettings): PrinterEntry => ({
  ...{ id: 'one', title: 'One', settings, layout: plainLayout },
})
const draft = (baseUrl: string, customerCode = 'C'): Parameters<Stations['save']>[0] => ({
  ...{ name: 'Dock', baseUrl, wmsCode: 'W', customerCode, documentHosts: '' },
})

let settings: ReturnType<typeof pcSettings>
let asked: AddressQuestion[]
let answer: (isConfirmed: boolean) => void
let nowMs: number
let addresses: ConfirmedAddresses

/**
 * Creates `addresses`, which asks a person to confirm each new address. Each question is answered at once with
 * `isConfirmed`; if `isConfirmed` is null, the question stays open until the test calls `answer`.
 */
function start(isConfirmed: boolean | null): void {
  addresses = new ConfirmedAddresses({
    settings,
    ticks: () => nowMs,
    ask: (question) => {
      asked.push(question)
      return isConfirmed === null
        ? new Promise((resolve) => (answer = resolve))
        : Promise.resolve(isConfirmed)
    },
  })
}

beforeEach(() => {
  settings = pcSettings()
  asked = []
  nowMs = 0
  start(true)
})

const site = 'https://wms.example.com'
const notConfirmed = (host: string): unknown => fail('setup.not_confirmed', { host })

describe('the address of a service', () => {
  it('leads to one question for all its paths, and the question names its host and port', async () => {
    expect(await addresses.confirmService('https://wms.example.com/eu')).toEqual(ok(undefined))
    expect(await addresses.confirmService(site)).toEqual(ok(undefined))
    expect(asked).toEqual([{ use: 'service', host: 'wms.example.com:443' }])
    expect(settings.read().confirmedAddresses).toEqual(['https://wms.example.com:443'])
  })

  it('needs a separate confirmation for each scheme, host name and port', async () => {
    for (const url of [site, `${site}:8443`, 'http://127.0.0.1:80', 'https://127.0.0.1', `${site}.`])
      await addresses.confirmService(url)
    expect(asked.map(({ host }) => host)).toEqual([
      ...['wms.example.com:443', 'wms.example.com:8443', '127.0.0.1:80', '127.0.0.1:443'],
      'wms.example.com.:443',
    ])
  })

  it('needs no question for the embedded middleware', async () => {
    expect(await addresses.confirmService('embedded:')).toEqual(ok(undefined))
    expect(asked).toEqual([])
  })

  it('is not stored after a cancelled question, and is asked about again', async () => {
    start(false)
    expect(await addresses.confirmService(site)).toEqual(notConfirmed('wms.example.com:443'))
    expect(await addresses.confirmService(site)).toEqual(notConfirmed('wms.example.com:443'))
    expect(asked).toHaveLength(2)
    expect(settings.read().confirmedAddresses).toEqual([])
  })

  it('is removed from the confirmed addresses with the last station that uses it, and not earlier', async () => {
    const stations = new Stations(settings)
    const [one, other] = [stations.save(draft(site)), stations.save(draft(site, 'D'))]
    await addresses.confirmService(site)
    for (const [left, saved] of [one, other].entries()) {
      stations.remove(saved.ok ? saved.value.id : '')
      addresses.forgetUnused()
      expect(settings.read().confirmedAddresses).toHaveLength(1 - left)
    }
    await addresses.confirmService(site)
    expect(asked).toHaveLength(2)
  })

  it('is removed from the confirmed addresses if no station uses it when the next address is confirmed', async () => {
    new Stations(settings).save(draft('https://kept.example'))
    for (const url of ['https://kept.example', 'https://typo.example', site])
      await addresses.confirmService(url)
    expect(settings.read().confirmedAddresses).toEqual([
      ...['https://kept.example:443', 'https://wms.example.com:443'],
    ])
  })
})

describe('the questions about new addresses', () => {
  it('are shown one at a time: a call with the shown address shares the answer, a call with a different one is refused', async () => {
    start(null)
    const first = addresses.confirmService(site)
    const same = addresses.confirmService(`${site}/eu`)
    expect(await addresses.confirmService('https://other.example')).toEqual(
      fail('setup.question_open', { host: 'wms.example.com:443' }),
    )
    answer(true)
    expect([await first, await same]).toEqual([ok(undefined), ok(undefined)])
    expect(asked).toHaveLength(1)
    void addresses.confirmService('https://other.example')
    expect(asked).toHaveLength(2)
  })

  it('are not shown for a minute after three were cancelled within a minute', async () => {
    start(false)
    for (const at of [0, 61_000, 90_000, 100_000]) {
      nowMs = at
      expect(await addresses.confirmService(site)).toEqual(notConfirmed('wms.example.com:443'))
    }
    nowMs = 130_000
    expect(await addresses.confirmService(site)).toEqual(fail('setup.too_many_questions', { seconds: 30 }))
    expect(asked).toHaveLength(4)
    nowMs = 160_000
    await addresses.confirmService(site)
    expect(asked).toHaveLength(5)
  })

  it('do not block later questions if the dialog fails', async () => {
    const broken = new ConfirmedAddresses({ settings, ask: () => Promise.reject(new Error('no display')) })
    await expect(broken.confirmService(site)).rejects.toThrow('no display')
    await expect(broken.confirmService('https://other.example')).rejects.toThrow('no display')
    expect(settings.read().confirmedAddresses).toEqual([])
  })
})

describe('confirmPrinters()', () => {
  it('asks about the address of a printer on the network, and not of a printer on this computer', async () => {
    const own = [
      ...[zpl('localhost'), zpl('127.0.0.1'), zpl('::1'), zpl('', '/dev/usb/lp0'), { kind: 'folder' }],
      ipp('ipp://localhost/printers/label'),
    ] as PrinterSettings[]
    expect(await addresses.confirmPrinters(own.map(entry))).toEqual(ok(undefined))
    expect(asked).toEqual([])
    const far = [zpl('10.0.0.9'), ipp('ipps://printer.example/ipp/print'), zpl('10.0.0.9')]
    expect(await addresses.confirmPrinters(far.map(entry))).toEqual(ok(undefined))
    expect(asked).toEqual([
      { use: 'printer', host: '10.0.0.9:9100' },
      { use: 'printer', host: 'printer.example:631' },
    ])
  })

  it('stores no printer’s address if the question about one of several printers is cancelled', async () => {
    start(false)
    const list = [zpl('10.0.0.9'), zpl('10.0.0.10')].map(entry)
    expect(await addresses.confirmPrinters(list)).toEqual(notConfirmed('10.0.0.9:9100'))
    expect(settings.read().confirmedAddresses).toEqual([])
  })

  it('does not confirm the address of a service, even if a confirmed printer has the same host and port', async () => {
    await addresses.confirmPrinters([entry(zpl('10.0.0.9'))])
    await addresses.confirmService('https://10.0.0.9:9100')
    expect(asked).toHaveLength(2)
  })
})

describe('the question about an address', () => {
  it.each([
    ['https://xn--mller-kva.example:8443/x', 'xn--mller-kva.example:8443'],
    ['https://[2001:db8::1]', '[2001:db8::1]:443'],
  ])('shows the host and port of the service %s as %s', (url, host) => {
    expect(hostOf(serviceAddress(url) ?? '')).toBe(host)
  })

  it.each([
    ['Müller.example', 'xn--mller-kva.example:9100'],
    ['FE80::1', '[fe80::1]:9100'],
    ['0177.0.0.1', '0177.0.0.1:9100'],
    ['LOCALHOST.example', 'localhost.example:9100'],
    ['your own printer\n', 'your%20own%20printer%0A:9100'],
    ['\ud800', '%EF%BF%BD:9100'],
    ['127.1.1.999', '127.1.1.999:9100'],
    ['127.999.9.9', '127.999.9.9:9100'],
    ['localhost/.other.example', 'localhost%2F.other.example:9100'],
    ['[::1]/.other.example', '%5B%3A%3A1%5D%2F.other.example:9100'],
    ['print.example/.other.example', 'print.example%2F.other.example:9100'],
    ['fe80::1%print.example', 'fe80%3A%3A1%25print.example:9100'],
  ])('shows the host of a printer in ASCII without spaces: %j', (host, shown) => {
    expect(hostOf(printerAddress(zpl(host)) ?? '')).toBe(shown)
  })
})

describe('the address of a printer', () => {
  it.each(['localhost', 'LocalHost', '127.0.0.1', '127.255.255.254', '::1'])(
    'needs no question if its host is %s',
    (host) => {
      expect(printerAddress(zpl(host))).toBeNull()
    },
  )

  it('needs a question if its IPP host only resembles an address of this computer', () => {
    expect(printerAddress(ipp('ipp://127.1.1.999/ipp/print'))).toBe('ipp://127.1.1.999:631')
  })
})

describe('the list of confirmed addresses in the settings', () => {
  it('is empty when it is missing or cannot be read, so that main asks again', () => {
    const stored = { stations: [{ id: 'a', ...draft(site) }], printers: [entry(zpl('10.0.0.9'))] }
    for (const confirmedAddresses of [undefined, [], 'all', null])
      expect(
        readSettings(JSON.stringify({ ...stored, confirmedAddresses })).settings.confirmedAddresses,
      ).toEqual([])
  })
})

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { getLocale, overwriteGetLocale } from '#messages/runtime.js'
import type { ProvisioningView } from '#shared/bridge/setup-views.ts'
import { languageCodes } from '#shared/domain/languages.ts'
import { pcSettings } from '#support/pc-settings.ts'
import { provisioningWords } from '#place/provisioning-words.ts'
import { findProvisioning, machineFile } from '../../../electron/main/provisioning-file.ts'
import { provision } from '../../../electron/main/provisioning.ts'
import type { SettingsStore } from '../../../electron/main/settings.ts'
import { Stations } from '../../../electron/main/stations.ts'

const now = Date.parse('2026-03-01T12:00:00Z')
const station = { name: 'Dock', baseUrl: 'https://wms.example.com', wmsCode: 'LIVE', customerCode: 'ACME' }
const printer = { id: 'folder', title: 'Scans', settings: { kind: 'folder' } }
const route = { paper: 'return_label', size: 'label', printerId: 'folder' }

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'scandesk-provision-'))
  file = join(folder, 'scandesk.provision.json')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function apply(settings: SettingsStore, content: unknown, at = now): ProvisioningView {
  const isRaw = typeof content === 'string' || content instanceof Uint8Array
  writeFileSync(file, isRaw ? content : JSON.stringify(content))
  return provision(settings, findProvisioning(file), () => at)
}
const wordsOf = ({ problems }: ProvisioningView): string[] => problems.map(provisioningWords)

describe('the addresses of a set-up file', () => {
  const zpl = {
    ...{ kind: 'zpl', host: 'Printer.example', port: 9100, dpi: 203, widthMm: 104, media: 'label' },
    ...{ darkness: null, inchesPerSecond: null, graphics: 'z64' },
  }

  it('are confirmed when the file is applied; an unconfirmed address of a station that is not in the file stays unconfirmed', () => {
    const settings = pcSettings()
    new Stations(settings).save({ ...station, baseUrl: 'https://page.example', documentHosts: '' })
    apply(settings, { stations: [station], printers: [{ id: 'p', title: 'P', settings: zpl }] })
    expect(settings.read().confirmedAddresses).toEqual([
      ...['https://wms.example.com:443', 'raw://printer.example:9100'],
    ])
  })

  it('are not confirmed if the file is refused', () => {
    const settings = pcSettings()
    expect(apply(settings, { stations: [station], printer: [] }).state).toBe('wrong')
    expect(settings.read().confirmedAddresses).toEqual([])
  })
})

describe('the provisioning file of the README', () => {
  it('is applied unchanged', () => {
    const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8')
    const example = /^## Provisioning$[^]*?^```json\n([^]*?)^```$/m.exec(readme)?.[1] ?? ''
    const settings = pcSettings()
    expect(apply(settings, example)).toEqual({
      file,
      state: 'applied',
      problems: [],
      at: '2026-03-01T12:00:00.000Z',
    })
    const { language, keepDays, printers, routes } = settings.read()
    expect({ language, keepDays }).toEqual({ language: 'nl', keepDays: 90 })
    expect(printers.map(({ settings: { kind } }) => kind)).toEqual(['zpl', 'ipp'])
    const stations = new Stations(settings)
    expect(stations.current()).toMatchObject({ name: 'Returns 1', environment: 'production' })
    expect(routes[stations.current().id]).toHaveLength(3)
    // the example in the README must contain every top-level field that a provisioning file may have, except `logLevel`
    expect(Object.keys(JSON.parse(example) as object).toSorted()).toEqual([
      'keepDays',
      'language',
      'printers',
      'routes',
      'scanners',
      'stations',
    ])
    expect(settings.read().scanners).toMatchObject([
      { title: 'Scanner at the belt', isOn: true, settings: { baudRate: 9600, ending: 'line' } },
    ])
  })
})

describe('a provisioning file', () => {
  it('replaces the scanners of this PC, and is refused if two of its scanners have the same port', () => {
    const settings = pcSettings()
    const scanner = (id: string, path: string): object => ({
      id,
      title: id,
      settings: { path, baudRate: 9600 },
    })
    expect(apply(settings, { scanners: [scanner('a', 'COM1'), scanner('b', 'COM2')] }).state).toBe('applied')
    expect(apply(settings, { scanners: [scanner('c', 'COM3')] }).state).toBe('applied')
    expect(settings.read().scanners.map(({ id }) => id)).toEqual(['c'])
    expect(wordsOf(apply(settings, { scanners: [scanner('a', 'COM1'), scanner('b', 'com1')] }))).toEqual([
      'Scanners: “b” and “a” have the same id or the same port. Each must be there once.',
    ])
    expect(apply(settings, { keepDays: 60 }).state).toBe('applied')
    expect(settings.read().scanners.map(({ id }) => id)).toEqual(['c'])
  })

  it('is applied only once until its content changes, so that later changes on this PC stay', () => {
    const settings = pcSettings()
    const content = { language: 'nl', keepDays: 60 }
    expect(apply(settings, content)).toMatchObject({ state: 'applied' })
    settings.update({ keepDays: 365 })
    expect(apply(settings, content, now + 1)).toMatchObject({
      state: 'applied',
      at: '2026-03-01T12:00:00.000Z',
    })
    expect(settings.read()).toMatchObject({ language: 'nl', keepDays: 365 })
    expect(apply(settings, { keepDays: 30 }, now + 1_000)).toMatchObject({ at: '2026-03-01T12:00:01.000Z' })
    expect(settings.read()).toMatchObject({ language: 'nl', keepDays: 30 })
  })

  it('sets the command secret of a station', () => {
    const settings = pcSettings()
    const secretOf = (): unknown => {
      const [first] = settings.read().stations
      return first?.commandSecret
    }
    expect(apply(settings, { stations: [{ ...station, commandSecret: ' 7k2qx ' }] }).state).toBe('applied')
    const given = { text: '7K2QX', madeAt: '2026-03-01T12:00:00.000Z', isProvisioned: true }
    expect(secretOf()).toEqual(given)
    const again = { stations: [{ ...station, name: 'Gate', commandSecret: '7K2QX' }] }
    expect(apply(settings, again, now + 1_000).state).toBe('applied')
    expect(secretOf()).toEqual(given)
    expect(apply(settings, { stations: [station] }, now + 2_000).state).toBe('applied')
    expect(secretOf()).toEqual({ ...given, isProvisioned: false })
    expect(wordsOf(apply(settings, { stations: [{ ...station, commandSecret: 'OIL01' }] }))).toEqual([
      'Station 1 “Dock”: “commandSecret” must be five characters of 0-9 and A-Z, without I, L, O and U.',
    ])
    expect(secretOf()).toEqual({ ...given, isProvisioned: false })
  })

  it('adds its stations and replaces the printers; a station that existed gets the new name and keeps its id', () => {
    const settings = pcSettings()
    const stations = new Stations(settings)
    const old = stations.save({ ...station, customerCode: 'OLD', name: 'Old', documentHosts: '' })
    const same = stations.save({ ...station, name: 'Before', documentHosts: '' })
    if (!old.ok || !same.ok) throw new Error('not saved')
    stations.use(old.value.id)
    const routes = { Dock: [route], Old: [route], Sandbox: [route] }
    const added = { ...station, customerCode: 'NEW', name: 'New' }
    expect(apply(settings, { stations: [station, added], printers: [printer], routes })).toMatchObject({
      state: 'applied',
    })
    expect(stations.list().map(({ id, name }) => [id, name])).toEqual([
      ['sandbox', 'Sandbox'],
      [old.value.id, 'Old'],
      [same.value.id, 'Dock'],
      [expect.any(String), 'New'],
    ])
    // the station that the operator chose is still the current one
    expect(stations.current().id).toBe(old.value.id)
    expect(Object.keys(settings.read().routes).toSorted()).toEqual(
      [old.value.id, same.value.id, 'sandbox'].toSorted(),
    )
    expect(settings.read().printers).toMatchObject([{ title: 'Scans', layout: { turn: 'auto' } }])
  })

  const wrongMedia = {
    id: 'a4',
    title: 'Office',
    settings: { kind: 'ipp', uri: 'ipp://a', media: 1, dpi: 5 },
  }
  const zebra = { kind: 'zpl', host: '', port: 9100, widthMm: 104, dpi: 203, media: 'label' }
  const zpl = { ...zebra, darkness: 99, inchesPerSecond: null, graphics: 'z64' }
  it.each<[string, unknown, string[]]>([
    [
      'JSON that breaks off',
      '{\n  "language":',
      [
        'Line 2, column 14: the file is not valid JSON. A comma, a quote or a bracket is missing or too many here or just before.',
      ],
    ],
    ['bytes that are no text', Buffer.from([0x22, 0xff, 0x22]), ['The file is not text in UTF-8.']],
    ['a list', [], ['The file must hold one object, from an opening to a closing brace.']],
    [
      'a misspelt name',
      { keepDay: 30 },
      [
        '“keepDay” is not a name that is known here. Known are: language, logLevel, keepDays, stations, printers, scanners, routes.',
      ],
    ],
    [
      'a secret',
      { stations: [{ ...station, password: 'x' }] },
      [
        'Station 1 “Dock”: “password” is not a name that is known here. Known are: name, baseUrl, wmsCode, customerCode, documentHosts, commandSecret.',
      ],
    ],
    [
      'a name of another kind of printer',
      { printers: [{ ...printer, settings: { kind: 'folder', host: 'x' } }] },
      ['Printer 1 “Scans”: “settings.host” is not a name that is known here. Known are: kind.'],
    ],
    [
      'values out of their limits',
      { language: 'xx', keepDays: 0 },
      [
        `“language” must be one of ${languageCodes.join(', ')}.`,
        '“keepDays” must be a whole number from 7 to 730.',
      ],
    ],
    ['no printer', { printers: [] }, ['“printers” must be a list of 1 to 20 entries.']],
    [
      'a kind of printer that is not known',
      { printers: [{ ...printer, settings: { kind: 'fax' } }] },
      ['Printer 1 “Scans”: “settings.kind” must be one of folder, escpos, zpl, ipp, windows.'],
    ],
    [
      'paper and resolution that are not known',
      { printers: [wrongMedia] },
      [
        'Printer 1 “Office”: “settings.media” must be a paper name such as iso_a4_210x297mm, or widthMm and heightMm in braces.',
        'Printer 1 “Office”: “settings.dpi” must be one of 203, 300.',
      ],
    ],
    [
      'a darkness that may be null',
      { printers: [{ id: 'z', title: 'Zebra', settings: { ...zpl, host: 'z' } }] },
      ['Printer 1 “Zebra”: “settings.darkness” must be a whole number from 0 to 30, or null.'],
    ],
    [
      'a printer without an address',
      { printers: [{ id: 'z', title: 'Zebra', settings: { ...zpl, darkness: null } }] },
      [
        'Printer 1 “Zebra”: “host” is empty. It must be the address of the printer, or “device” must name its device file.',
      ],
    ],
    [
      'a scanner without an end text',
      { scanners: [{ id: 'a', title: 'Belt', settings: { path: 'COM1', baudRate: 9600, ending: 'text' } }] },
      ['Scanner 1 “Belt”: “endText” must not be empty where “ending” is “text”.'],
    ],
    [
      'one printer twice',
      { printers: [printer, { ...printer, id: 'b', title: 'B' }] },
      ['Printers: “B” and “Scans” have the same id or are the same device. Each must be there once.'],
    ],
    [
      'a server without https, whose routes are not wrong for that',
      { stations: [{ ...station, baseUrl: 'http://wms.example.com' }], routes: { Dock: [] } },
      [
        'Station 1 “Dock”: the address (“baseUrl”) must begin with https:// (http:// is allowed for this PC only).',
      ],
    ],
    [
      'a station twice',
      { stations: [station, { ...station, name: 'Gate' }] },
      ['Station 2 “Gate”: it has the same address, WMS code and customer code as station 1.'],
    ],
    [
      'a name twice',
      { stations: [station, { ...station, customerCode: 'B' }] },
      ['Station 2 “Dock”: “name” is already the name of station 1.'],
    ],
    [
      'hosts and codes that cannot be',
      {
        stations: [
          { ...station, customerCode: 'É' },
          { ...station, documentHosts: '10.0.0.1' },
        ],
      },
      [
        'Station 1 “Dock”: “customerCode” has a character that no such code can have, such as an accented letter: É.',
        'Station 2 “Dock”: “documentHosts” must be host names such as files.example.com, separated by commas. “10.0.0.1” is not a host name.',
      ],
    ],
    [
      'routes of no station',
      { routes: { Nowhere: [] } },
      ['Routes of “Nowhere”: neither the file nor this PC has a station of this name.'],
    ],
    [
      'routes to no printer, and twice',
      { routes: { Sandbox: [{ ...route, printerId: 'gone' }, route] } },
      [
        'Routes of “Sandbox”, route 1: “printerId” must be the id of a printer. There is no printer “gone”.',
        'Routes of “Sandbox”, route 2: the same paper and size are in the list before it.',
      ],
    ],
  ])('is refused as a whole, with a sentence for each fault: %s', (_, content, sentences) => {
    const settings = pcSettings()
    const before = settings.read()
    const isFields =
      typeof content === 'object' &&
      content !== null &&
      !Array.isArray(content) &&
      !(content instanceof Uint8Array)
    const wrong = isFields ? { language: 'nl', ...content } : content
    const view = apply(settings, wrong)
    expect(view).toMatchObject({ file, state: 'wrong', at: null })
    expect(wordsOf(view)).toEqual(sentences)
    const { refused, ...after } = settings.read()
    expect({ ...after, refused: null }).toEqual(before)
    expect(refused).toMatchObject({ file, isAcknowledged: false })
    // a refused file is reported at every start, and is applied after it was corrected
    expect(apply(settings, wrong)).toEqual(view)
    expect(apply(settings, { language: 'nl' })).toMatchObject({ state: 'applied' })
    expect(settings.read().refused).toBeNull()
  })

  it('has its faults described in Dutch as well', () => {
    const before = getLocale
    overwriteGetLocale(() => 'nl')
    expect(wordsOf(apply(pcSettings(), { keepDays: 0 }))).toEqual([
      '“keepDays” moet een geheel getal van 7 tot en met 730 zijn.',
    ])
    overwriteGetLocale(before)
  })

  it('is refused with a result that contains the time at which an earlier file was applied', () => {
    const settings = pcSettings()
    apply(settings, { keepDays: 30 })
    expect(apply(settings, { keepDays: 'x' })).toMatchObject({
      state: 'wrong',
      at: '2026-03-01T12:00:00.000Z',
    })
    expect(settings.read().keepDays).toBe(30)
  })

  it('is accepted if it starts with a byte order mark', () => {
    expect(apply(pcSettings(), '\uFEFF{"keepDays": 30}')).toMatchObject({ state: 'applied' })
  })

  it('is refused if it is a folder, larger than 1 MB, or named on the command line but missing', () => {
    const none = { file: null, state: 'none', problems: [], at: null }
    expect(provision(pcSettings(), findProvisioning(null, file))).toEqual(none)
    const missing = provision(pcSettings(), findProvisioning(file, '/nowhere'))
    expect(missing).toMatchObject({ file, state: 'wrong' })
    expect(wordsOf(missing)).toEqual(['The file is not there.'])
    expect(wordsOf(provision(pcSettings(), findProvisioning(folder)))).toEqual(['It is not a file.'])
    writeFileSync(file, `{"keepDays": 30}${' '.repeat(2 << 20)}`)
    expect(wordsOf(provision(pcSettings(), findProvisioning(file)))).toEqual([
      'The file is larger than 1 MB.',
    ])
  })

  it('is expected on each system in a folder where only an administrator can write', () => {
    expect(machineFile('linux')).toBe('/etc/scandesk/scandesk.provision.json')
    expect(machineFile('darwin')).toBe('/Library/Application Support/Scandesk/scandesk.provision.json')
    expect(machineFile('win32', 'D:\\Data')).toBe('D:\\Data\\Scandesk\\scandesk.provision.json')
    expect(machineFile('win32', undefined)).toMatch(/\\Scandesk\\scandesk\.provision\.json$/)
  })
})

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ProvisioningView } from '#shared/bridge/views.ts'
import { pcSettings } from '#support/pc-settings.ts'
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
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  return provision(settings, findProvisioning(file), () => at)
}
const pathsOf = ({ problems }: ProvisioningView): string[] => problems.map(({ path }) => path)

describe('the provisioning file of the README', () => {
  it('is taken as it stands there', () => {
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
    // it shows every part that a file may have
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
  it('puts scanners in the place of those that are here, each on a port of its own', () => {
    const settings = pcSettings()
    const scanner = (id: string, path: string): object => ({
      id,
      title: id,
      settings: { path, baudRate: 9600 },
    })
    expect(apply(settings, { scanners: [scanner('a', 'COM1'), scanner('b', 'COM2')] }).state).toBe('applied')
    expect(apply(settings, { scanners: [scanner('c', 'COM3')] }).state).toBe('applied')
    expect(settings.read().scanners.map(({ id }) => id)).toEqual(['c'])
    expect(pathsOf(apply(settings, { scanners: [scanner('a', 'COM1'), scanner('b', 'com1')] }))).toEqual([
      'scanners',
    ])
    expect(apply(settings, { keepDays: 60 }).state).toBe('applied')
    expect(settings.read().scanners.map(({ id }) => id)).toEqual(['c'])
  })

  it('is taken once, so that what somebody changes here stays, until it says something else', () => {
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

  it('adds stations and replaces printers; a station that is there keeps its id', () => {
    const settings = pcSettings()
    const stations = new Stations(settings)
    const old = stations.save({ ...station, customerCode: 'OLD', name: 'Old', documentHosts: '' })
    const same = stations.save({ ...station, name: 'Before', documentHosts: '' })
    if (!old.ok || !same.ok) throw new Error('not saved')
    stations.use(old.value.id)
    const routes = { Dock: [route], Old: [route], Sandbox: [route] }
    expect(apply(settings, { stations: [station], printers: [printer], routes })).toMatchObject({
      state: 'applied',
    })
    expect(stations.list().map(({ id, name }) => [id, name])).toEqual([
      ['sandbox', 'Sandbox'],
      [old.value.id, 'Old'],
      [same.value.id, 'Dock'],
    ])
    // the operator's own choice
    expect(stations.current().id).toBe(old.value.id)
    expect(Object.keys(settings.read().routes).toSorted()).toEqual(
      [old.value.id, same.value.id, 'sandbox'].toSorted(),
    )
    expect(settings.read().printers).toMatchObject([{ title: 'Scans', layout: { turn: 'auto' } }])
  })

  it.each<[string, unknown, string[]]>([
    ['no JSON', '{"language":', ['']],
    ['bytes that are no text', '\uD800', ['']],
    ['a list', [], ['']],
    ['a misspelt word', { keepDay: 30 }, ['keepDay']],
    ['a secret', { stations: [{ ...station, password: 'x' }] }, ['stations.0.password']],
    [
      'a word of another printer',
      { printers: [{ ...printer, settings: { kind: 'folder', host: 'x' } }] },
      ['printers.0.settings.host'],
    ],
    ['wrong values', { language: 'fr', keepDays: 0 }, ['language', 'keepDays']],
    ['no printer', { printers: [] }, ['printers']],
    [
      'a kind of printer that is not known',
      { printers: [{ ...printer, settings: { kind: 'fax' } }] },
      ['printers.0.settings.kind'],
    ],
    ['one printer twice', { printers: [printer, { ...printer, id: 'b' }] }, ['printers']],
    ['an insecure server', { stations: [{ ...station, baseUrl: 'http://wms.example.com' }] }, ['stations.0']],
    ['a station twice', { stations: [station, { ...station, name: 'Gate' }] }, ['stations.1']],
    ['a name twice', { stations: [station, { ...station, customerCode: 'B' }] }, ['stations.1.name']],
    ['routes of no station', { routes: { Nowhere: [] } }, ['routes.Nowhere']],
    [
      'routes to no printer, and twice',
      { routes: { Sandbox: [{ ...route, printerId: 'gone' }, route] } },
      ['routes.Sandbox.0', 'routes.Sandbox.1'],
    ],
  ])('is taken whole or not at all: %s', (_, content, paths) => {
    const settings = pcSettings()
    const before = settings.read()
    const good = typeof content === 'object' && content !== null && !Array.isArray(content)
    const wrong = good ? { language: 'nl', ...content } : content
    const view = apply(settings, wrong)
    expect(view).toMatchObject({ file, state: 'wrong', at: null })
    expect(pathsOf(view)).toEqual(paths)
    expect(view.problems.every(({ message }) => message.length > 3)).toBe(true)
    expect(settings.read()).toEqual(before)
    // it is told again at every start, and taken when it is right
    expect(apply(settings, wrong)).toEqual(view)
    expect(apply(settings, { language: 'nl' })).toMatchObject({ state: 'applied' })
  })

  it('that went wrong still says when one was taken last', () => {
    const settings = pcSettings()
    apply(settings, { keepDays: 30 })
    expect(apply(settings, { keepDays: 'x' })).toMatchObject({
      state: 'wrong',
      at: '2026-03-01T12:00:00.000Z',
    })
    expect(settings.read().keepDays).toBe(30)
  })

  it('may begin with a byte order mark', () => {
    expect(apply(pcSettings(), '\uFEFF{"keepDays": 30}')).toMatchObject({ state: 'applied' })
  })

  it('that cannot be read is told, and one that is nowhere is none', () => {
    const none = { file: null, state: 'none', problems: [], at: null }
    expect(provision(pcSettings(), findProvisioning(null, file))).toEqual(none)
    const missing = provision(pcSettings(), findProvisioning(file, '/nowhere'))
    expect(missing).toMatchObject({ file, state: 'wrong', problems: [{ path: '' }] })
    expect(provision(pcSettings(), findProvisioning(folder))).toMatchObject({ file: folder, state: 'wrong' })
    writeFileSync(file, `{"keepDays": 30}${' '.repeat(2 << 20)}`)
    expect(provision(pcSettings(), findProvisioning(file))).toMatchObject({ state: 'wrong' })
    writeFileSync(file, '{"keepDays": 30}')
    expect(provision(pcSettings(), findProvisioning(null, file))).toMatchObject({ file, state: 'applied' })
  })

  it('of the machine lies where only its administrator writes', () => {
    expect(machineFile('linux')).toBe('/etc/scandesk/scandesk.provision.json')
    expect(machineFile('darwin')).toBe('/Library/Application Support/Scandesk/scandesk.provision.json')
    expect(machineFile('win32', 'D:\\Data')).toBe('D:\\Data\\Scandesk\\scandesk.provision.json')
    expect(machineFile('win32', undefined)).toMatch(/\\Scandesk\\scandesk\.provision\.json$/)
  })
})

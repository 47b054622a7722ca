import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { count, seed } from '#support/counts.ts'
import { settingsSuite } from './settings.ts'

let folder: string
let faults: unknown[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'scandesk-settings-'))
  faults = []
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

const write = (text: string): void => writeFileSync(join(folder, 'settings.json'), text)
const stored = (name = 'settings.json'): string => readFileSync(join(folder, name), 'utf8')

// With this variable set, the module `electron` exports a path even if Electron is not installed. So electron-store
// finds no app and uses the given folder.
process.env['ELECTRON_OVERRIDE_DIST_PATH'] ??= new URL('../electron-stand-in', import.meta.url).pathname

async function open() {
  const { openSettings } = await import('../../electron/main/settings.ts')
  return openSettings(folder, (error) => faults.push(error))
}

describe('openSettings() in the suite `settings`', () => {
  it('opens every damaged settings file and loses no readable value', async () => {
    const report = await settingsSuite({ count: count(80, 500), seed })
    expect(report).toMatchObject({
      passed: true,
      figures: { crashes: 0, lostStations: 0, lostPrinters: 0, notKept: 0, notSet: 0 },
    })
  })
})

describe('settings.json', () => {
  it('is created with defaults if it is missing, and keeps the changes that follow', async () => {
    const settings = await open()
    expect(settings.read()).toMatchObject({
      stations: [],
      printers: [{ id: 'folder', settings: { kind: 'folder' } }],
      sandboxPort: null,
    })
    settings.update({ language: 'nl' })
    settings.update({ sandboxPort: 4010 })
    settings.update({ language: undefined })
    expect(JSON.parse(stored())).toMatchObject({ sandboxPort: 4010 })
    expect((await open()).read()).toMatchObject({ sandboxPort: 4010 })
    expect((await open()).read().language).toBeUndefined()
    expect(readdirSync(folder)).toEqual(['settings.json'])
    expect(faults).toEqual([])
  })

  it('is copied to the next free settings.json.<number>.bak each time it is found damaged at a start', async () => {
    for (const text of ['{"a":', 'not json', '[1]']) {
      write(text)
      await open()
    }
    expect(readdirSync(folder).toSorted()).toEqual([
      'settings.json',
      'settings.json.1.bak',
      'settings.json.2.bak',
      'settings.json.3.bak',
    ])
    expect(stored('settings.json.1.bak')).toBe('{"a":')
    expect(stored('settings.json.3.bak')).toBe('[1]')
  })

  it('does not count as damaged if it has fields of a newer version, and keeps these fields', async () => {
    write(JSON.stringify({ colour: { dark: true }, sandboxPort: 1 }))
    const settings = await open()
    settings.update({ sandboxPort: 2 })
    expect(JSON.parse(stored())).toMatchObject({ colour: { dark: true }, sandboxPort: 2 })
    expect(readdirSync(folder)).toEqual(['settings.json'])
  })

  it('that is damaged while the app runs is written again with all values at the next change', async () => {
    const settings = await open()
    settings.update({ language: 'nl', sandboxPort: 1 })
    write('{"language":')
    settings.update({ sandboxPort: 2 })
    expect((await open()).read()).toMatchObject({ language: 'nl', sandboxPort: 2 })
  })

  it('that cannot be written leads to a report of the failure, and the app uses the changed settings until it ends', async () => {
    rmSync(folder, { recursive: true })
    writeFileSync(folder, 'a file where the folder was')
    const settings = await open()
    settings.update({ sandboxPort: 7 })
    expect(settings.read().sandboxPort).toBe(7)
    expect(faults.length).toBeGreaterThan(0)
  })
})

describe('lost settings', () => {
  const station = {
    id: 'dock',
    name: 'Dock',
    baseUrl: 'https://wms.example.com',
    wmsCode: 'LIVE',
    customerCode: 'ACME',
    documentHosts: '',
  }
  const whole = { stations: [station], currentStationId: 'dock', keepDays: 30, sandboxPort: 4010 }

  it.each<[string, string]>([
    ['cut in half', JSON.stringify(whole).slice(0, 60)],
    ['empty', ''],
    ['no object', '[]'],
  ])('are reported at two starts as a loss of all settings if settings.json is %s', async (_, text) => {
    write(text)
    const { lost } = (await open()).read()
    expect(lost).toMatchObject({ extent: 'all', copy: 'settings.json.1.bak', restoredBy: null })
    expect(lost?.parts).toContain('stations')
    expect((await open()).read().lost).toEqual(lost)
  })

  it.each<[string, unknown, string[]]>([
    ['a station', { stations: [station, { id: 'gate' }] }, ['stations']],
    ['the station in use', { stations: [{ id: 'dock' }] }, ['stations', 'current_station']],
    ['the choice of a station', { currentStationId: 7 }, ['current_station']],
    ['a choice that leads nowhere', { currentStationId: 'gone' }, ['current_station']],
    ['printers and the days', { printers: [{ id: 'x' }], keepDays: 'x' }, ['printers', 'keepDays']],
  ])('are reported by name if only %s cannot be read', async (_, change, parts) => {
    write(JSON.stringify({ ...whole, ...(change as object) }))
    expect((await open()).read().lost).toMatchObject({ extent: 'part', parts, copy: 'settings.json.1.bak' })
  })

  it.each<[string, unknown]>([
    ['a port of the sandbox', { sandboxPort: 'x' }],
    ['a language', { language: 'fr' }],
    ['a login', { secrets: { 'refresh x': 7 } }],
  ])(
    'are not reported if only the value of %s is invalid, because the app or the operator sets it again',
    async (_, change) => {
      write(JSON.stringify({ ...whole, ...(change as object) }))
      expect((await open()).read().lost).toBeNull()
    },
  )

  it.each<[string, string | null]>([
    ['there is no settings.json', null],
    ['settings.json is an empty object', '{}'],
  ])('are reported at two starts on a PC that has a desk.db if %s', async (_, text) => {
    if (text !== null) write(text)
    writeFileSync(join(folder, 'desk.db'), '')
    expect((await open()).read().lost).toMatchObject({ extent: 'missing', copy: null })
    expect((await open()).read().lost).toMatchObject({ extent: 'missing' })
  })

  it('are not reported on a new PC, where the first start writes settings.json before desk.db', async () => {
    expect((await open()).read().lost).toBeNull()
    writeFileSync(join(folder, 'desk.db'), '')
    expect((await open()).read().lost).toBeNull()
  })

  it('are reported together after two starts with damaged settings, with the name of the newest copy', async () => {
    write(JSON.stringify({ ...whole, printers: [{ id: 'x' }] }))
    await open()
    write(JSON.stringify({ ...(JSON.parse(stored()) as object), stations: [{ id: 'dock' }] }))
    expect((await open()).read().lost).toMatchObject({
      extent: 'part',
      parts: ['stations', 'current_station', 'printers'],
      copy: 'settings.json.2.bak',
    })
  })
})

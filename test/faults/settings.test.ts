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

// outside of Electron the module `electron` is a path: electron-store then knows no app and takes the folder it is given
process.env['ELECTRON_OVERRIDE_DIST_PATH'] ??= new URL('../electron-stand-in', import.meta.url).pathname

async function open() {
  const { openSettings } = await import('../../electron/main/settings.ts')
  return openSettings(folder, (error) => faults.push(error))
}

describe('the suite settings', () => {
  it('opens every broken file, and loses nothing that could be read', async () => {
    const report = await settingsSuite({ count: count(80, 500), seed })
    expect(report).toMatchObject({
      passed: true,
      figures: { crashes: 0, lostStations: 0, lostPrinters: 0, notKept: 0, notSet: 0 },
    })
  })
})

describe('settings.json', () => {
  it('is opened with defaults where there is none, and keeps what is set', async () => {
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

  it('is copied under the next number each time that it is broken', async () => {
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

  it('leaves what a newer version wrote, and is not copied for it', async () => {
    write(JSON.stringify({ colour: { dark: true }, sandboxPort: 1 }))
    const settings = await open()
    settings.update({ sandboxPort: 2 })
    expect(JSON.parse(stored())).toMatchObject({ colour: { dark: true }, sandboxPort: 2 })
    expect(readdirSync(folder)).toEqual(['settings.json'])
  })

  it('that somebody broke while the app runs is written whole at the next change', async () => {
    const settings = await open()
    settings.update({ language: 'nl', sandboxPort: 1 })
    write('{"language":')
    settings.update({ sandboxPort: 2 })
    expect((await open()).read()).toMatchObject({ language: 'nl', sandboxPort: 2 })
  })

  it('that cannot be written holds until the app ends, and says so', async () => {
    rmSync(folder, { recursive: true })
    writeFileSync(folder, 'a file where the folder was')
    const settings = await open()
    settings.update({ sandboxPort: 7 })
    expect(settings.read().sandboxPort).toBe(7)
    expect(faults.length).toBeGreaterThan(0)
  })
})

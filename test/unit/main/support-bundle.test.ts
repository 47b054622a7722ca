import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { strFromU8, unzipSync } from 'fflate'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { holdSettings } from '../../../electron/main/app-settings.ts'
import {
  bundleFiles,
  type BundleSources,
  countsOf,
  saveBundle,
  savedBundles,
  settingsOf,
} from '../../../electron/main/support-bundle.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { standardSpace } from '#kit/disk-space.ts'
import { openSqlite } from '#kit/open-sqlite.ts'
import { callLogInto } from '#support/call-log.ts'
import { sampleSpeed } from '#support/memory-desk/speed.ts'
import { sampleStatus } from '#support/memory-desk/station.ts'
import { pcSettings } from '#support/pc-settings.ts'

const nowMs = Date.parse('2026-11-21T14:07:00Z')
const canary = 'c4n4ry'

/**
 * Settings that contain the canary in every typed text and every secret, except the codes of the station. The command
 * secret contains the first five letters of the canary.
 */
const settings = pcSettings({
  language: 'nl',
  stations: [
    {
      ...{ id: 'st-1', name: `Desk of ${canary}`, wmsCode: 'LIVE', customerCode: 'ACME' },
      baseUrl: `https://${canary}:${canary}@wms.example.com/${canary}?token=${canary}`,
      documentHosts: `${canary}.example.com`,
      commandSecret: { text: 'C4N4R', madeAt: '2026-01-01T00:00:00.000Z', isProvisioned: false },
    },
  ],
  currentStationId: 'st-1',
  printers: [
    {
      ...{ id: 'p-1', title: `Printer of ${canary}`, layout: { turn: 'auto', offsetXMm: 0, offsetYMm: 0 } },
      settings: {
        ...{
          kind: 'ipp',
          uri: `ipp://${canary}:${canary}@printer/${canary}`,
          media: 'iso_a4_210x297mm',
          dpi: 300,
        },
      },
    },
    {
      ...{ id: 'p-2', title: canary, layout: { turn: 'auto', offsetXMm: 0, offsetYMm: 0 } },
      settings: { kind: 'escpos', host: canary, port: 9100, paperMm: 80, dpi: 203 },
    },
  ],
  routes: { 'st-1': [{ paper: 'sheet', size: 'page', printerId: 'p-2' }] },
  scanners: [
    {
      ...{ id: canary, title: canary, isOn: true },
      settings: {
        ...{
          path: `/dev/${canary}`,
          baudRate: 9600,
          dataBits: 8,
          parity: 'none',
          stopBits: 1,
          ending: 'line',
        },
        ...{ endText: '', prefix: '', suffix: '', pauseMs: 100 },
      },
    },
  ],
  refused: { file: `/home/${canary}/setup.json`, key: canary, isAcknowledged: false },
  secrets: { [`refresh:${canary}`]: canary },
})
const held = holdSettings(settings, {}, 'en')

let dataDir: string
let sources: BundleSources

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'scandesk-bundle-'))
  const log = callLogInto()
  log.failed('article.stock', failure('network.offline', { cause: 'ECONNREFUSED', host: canary }))
  sources = {
    ...{ dataDir, version: '1.2.3', engine: 'Electron 1' },
    settings: () => settings.read(),
    held: () => held.read(),
    status: () => sampleStatus(nowMs),
    failures: () => log.last,
    logFault: () => null,
    speed: () => sampleSpeed(nowMs),
  }
  mkdirSync(join(dataDir, 'logs'))
  writeFileSync(join(dataDir, 'logs', 'desk.log'), 'newest\n')
  writeFileSync(join(dataDir, 'logs', 'desk.log.1'), 'older\n'.repeat(100_000))
  // this file is not a part of the log, so it must not be in the bundle
  writeFileSync(join(dataDir, 'logs', 'notes.txt'), canary)
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

const unzip = (file: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(unzipSync(readFileSync(file))).map(([name, bytes]) => [name, strFromU8(bytes)]),
  )

describe('the settings of a support bundle', () => {
  it('contain no typed names, no addresses of devices and no secrets', () => {
    const told = settingsOf(settings.read(), held.read())
    expect(JSON.stringify(told)).not.toMatch(/c4n4r/i)
    expect(told).toEqual({
      ...{ language: 'nl', logLevel: 'info', keepDays: 180 },
      stations: [
        {
          ...{ environment: 'production', server: 'https://wms.example.com' },
          ...{ wmsCode: 'LIVE', customerCode: 'ACME', hasDocumentHosts: true, hasCommandSecret: true },
          isInUse: true,
          routes: [{ paper: 'sheet', size: 'page', printer: 2 }],
        },
      ],
      printers: [
        {
          ...{ kind: 'ipp', media: 'iso_a4_210x297mm', dpi: 300 },
          layout: { turn: 'auto', offsetXMm: 0, offsetYMm: 0 },
        },
        {
          ...{ kind: 'escpos', by: 'network', paperMm: 80, dpi: 203 },
          layout: { turn: 'auto', offsetXMm: 0, offsetYMm: 0 },
        },
      ],
      scanners: [{ isOn: true, baudRate: 9600, dataBits: 8, parity: 'none', stopBits: 1, ending: 'line' }],
      isCalibrated: false,
      setUpFile: { appliedAt: null, isRefused: true },
      lost: null,
      keptLogins: 1,
    })
  })
})

describe('the counts of a support bundle', () => {
  it('contain the numbers of rows and files, and the number of waiting writes only while a desk is open', async () => {
    const database = openSqlite(join(dataDir, 'desk.db'), 'precious')
    database.exec(`CREATE TABLE scans (raw TEXT) STRICT; INSERT INTO scans VALUES ('${canary}'), ('b')`)
    const counts = await countsOf(sources)
    expect(counts).toMatchObject({
      rows: { scans: 2 },
      waiting: { writes: 0, unsent: { waiting: 0, asking: 0 } },
      kept: { shipments: 400, labels: 36 },
      files: { logs: { files: 3 }, 'desk.db': { files: 1 } },
      logFault: null,
      speed: {
        rows: [
          { kind: 'sound', count: 1_284, figures: { p50Ms: 11.6, p95Ms: 27.3 } },
          { kind: 'card', count: 1_197 },
          { kind: 'label', count: 203 },
        ],
      },
    })
    expect(JSON.stringify(counts)).not.toContain(canary)
    expect(await countsOf({ ...sources, status: () => null })).toMatchObject({
      ...{ line: null, waiting: null, kept: null, rows: { scans: 2 } },
    })
    database.close()
  })

  it.skipIf(process.platform === 'win32')(
    'include the files of a folder that is a link in the data folder, but follow no links inside that folder',
    async () => {
      mkdirSync(join(dataDir, 'other'))
      symlinkSync('other', join(dataDir, 'labels'))
      for (const name of ['a.pdf', 'b.pdf']) writeFileSync(join(dataDir, 'labels', name), 'four')
      // a link to its own folder: if links were followed, the system would refuse the path only after 40 repetitions;
      // two such links would lead to 2^40 paths
      symlinkSync('.', join(dataDir, 'labels', 'back'))
      const { files } = (await countsOf(sources)) as {
        files: Record<string, { files: number; bytes: number }>
      }
      expect(files['labels']).toEqual({ files: 3, bytes: 9 })
    },
  )

  it('contain no numbers of rows if the database cannot be read', async () => {
    writeFileSync(join(dataDir, 'desk.db'), 'no database')
    expect(await countsOf(sources)).toMatchObject({ rows: null })
  })
})

describe('a support bundle', () => {
  it('contains exactly the files that bundleFiles() lists, and no personal data', async () => {
    const listed = await bundleFiles(sources)
    const content = unzip(await saveBundle(sources, nowMs))
    expect(Object.keys(content)).toEqual(listed.map(({ name }) => name))
    expect(Object.keys(content)).toEqual([
      ...['versions.json', 'settings.json', 'counts.json', 'errors.json', 'logs/desk.log', 'logs/desk.log.1'],
    ])
    expect(content['logs/desk.log']).toBe('newest\n')
    expect(content['logs/desk.log.1']).toHaveLength(600_000)
    for (const { name, kind, bytes } of listed)
      if (kind === 'log' || kind === 'errors') expect(content[name], name).toHaveLength(bytes)
    expect(JSON.parse(content['versions.json'] ?? '')).toMatchObject({ scandesk: '1.2.3' })
    expect(JSON.parse(content['errors.json'] ?? '')).toEqual([
      {
        ...{ at: '1970-01-01T00:00:00.000Z', channel: 'article.stock', code: 'network.offline' },
        ...{ facts: { cause: 'ECONNREFUSED' }, count: 1 },
      },
    ])
    expect(Object.values(content).join('')).not.toContain(canary)
  })

  it('is a file that only this account can read, and is removed when five newer bundles exist', async () => {
    const folder = join(dataDir, 'support')
    mkdirSync(folder)
    writeFileSync(join(folder, 'of-somebody.zip'), '')
    for (let n = 0; n < 7; n++) await saveBundle(sources, nowMs + n * 1_000)
    const saved = await savedBundles(dataDir)
    expect(saved.map(({ at }) => at)).toEqual(
      [6, 5, 4, 3, 2].map((n) => new Date(nowMs + n * 1_000).toISOString()),
    )
    expect(readdirSync(folder)).toHaveLength(6)
    if (process.platform !== 'win32')
      for (const { name } of saved) expect(statSync(join(folder, name)).mode & 0o777, name).toBe(0o600)
  })

  it('is saved after the temporary file of an interrupted save is removed, but no other file', async () => {
    const folder = join(dataDir, 'support')
    mkdirSync(folder)
    const uuid = '0f9d1c62-8a3d-4f55-9c1e-0d5f1f3a7b01'
    const old = ['scandesk-support-20261120T140700000Z.zip', 'other.zip'].map((name) => `${name}.${uuid}.tmp`)
    const running = `scandesk-support-20261121T140659000Z.zip.${uuid}.tmp`
    for (const name of [...old, running]) {
      writeFileSync(join(folder, name), '')
      const writtenS = nowMs / 1000 - (name === running ? 1 : 86_400)
      utimesSync(join(folder, name), writtenS, writtenS)
    }
    const saved = await saveBundle(sources, nowMs)
    expect(readdirSync(folder).toSorted()).toEqual([basename(saved), old[1], running].toSorted())
  })

  it('leaves no file if it cannot be saved', async () => {
    writeFileSync(join(dataDir, 'support'), '')
    await expect(saveBundle(sources, nowMs)).rejects.toThrow('EEXIST')
    rmSync(join(dataDir, 'support'))
    const full = { ...standardSpace, freeBytes: () => standardSpace.leastFree }
    await expect(saveBundle(sources, nowMs, full)).rejects.toMatchObject({
      failure: { code: 'store.full', params: { cause: 'ENOSPC' } },
    })
    const broken = { ...sources, failures: (): never => expect.unreachable() }
    await expect(saveBundle(broken, nowMs)).rejects.toThrow()
    expect(readdirSync(join(dataDir, 'support'))).toEqual([])
  })
})

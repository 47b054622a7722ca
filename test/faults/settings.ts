import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { z } from 'zod'
import type { Suite } from './suite-report.ts'

const electronFolder = new URL('../electron-stand-in', import.meta.url).pathname

/** Settings of a desk in use: two stations, two printers, routes, a stored login. */
const good = {
  language: 'nl',
  stations: [station('dock', 'https://wms.example.com'), station('gate', 'https://wms.example.com/eu')],
  currentStationId: 'gate',
  printers: [
    printer('dock', { kind: 'escpos', host: '10.0.0.9', port: 9100, paperMm: 80, dpi: 203 }),
    printer('folder', { kind: 'folder' }),
  ],
  routes: { gate: [{ paper: 'return_label', size: 'label', printerId: 'dock' }] },
  provisioned: { hash: 'a0', at: '2026-03-01T12:00:00.000Z' },
  keepDays: 30,
  sandboxPort: 4010,
  secrets: { 'refresh x': 'c2VjcmV0' },
}

function station(id: string, baseUrl: string): Record<string, string> {
  return { id, name: id, baseUrl, wmsCode: 'LIVE', customerCode: id, documentHosts: '' }
}

function printer(id: string, settings: Record<string, unknown>): Record<string, unknown> {
  return { id, title: id, settings, layout: { turn: 'auto', offsetXMm: 0, offsetYMm: 0 } }
}

/**
 * One way to damage a settings file. `stations` and `printers`: the ids that must remain; null or omitted: the ids are
 * not compared.
 */
interface Breakage {
  readonly kind: string
  readonly stations: readonly string[] | null
  readonly printers?: readonly string[]
  apply(file: string): void
}

const bothStations = ['dock', 'gate']
const bothPrinters = ['dock', 'folder']

/** Opens damaged settings files with electron-store itself, changes a setting, and opens them again. */
export const settingsSuite: Suite = async ({ count, seed }) => {
  // With ELECTRON_OVERRIDE_DIST_PATH set, the module `electron` exports a path even if Electron is not installed.
  process.env['ELECTRON_OVERRIDE_DIST_PATH'] ??= electronFolder
  const { openSettings } = await import('../../electron/main/settings.ts')
  const breakages = fc.sample(breakage(), { numRuns: count ?? 500, seed })
  const figures = { files: 0, crashes: 0, lostStations: 0, lostPrinters: 0, notKept: 0, notSet: 0 }
  const kinds: Record<string, number> = {}
  for (const one of breakages) {
    const folder = mkdtempSync(join(tmpdir(), 'scandesk-settings-'))
    const file = join(folder, 'settings.json')
    try {
      one.apply(file)
      const before = contentOf(file)
      figures.files++
      kinds[one.kind] = (kinds[one.kind] ?? 0) + 1
      const settings = openSettings(folder, () => undefined)
      const ids = settings.read().stations.map(({ id }) => id)
      if (one.stations && one.stations.join() !== ids.join()) figures.lostStations++
      const printers = settings.read().printers.map(({ id }) => id)
      // Even if the damaged file has no readable printer, the desk must still have a printer.
      if (printers.length === 0 || (one.printers && one.printers.join() !== printers.join()))
        figures.lostPrinters++
      settings.update({ sandboxPort: 5001 })
      if (!isKept(before, folder)) figures.notKept++
      const again = openSettings(folder, () => undefined).read()
      if (again.sandboxPort !== 5001 || again.stations.length !== ids.length) figures.notSet++
    } catch {
      figures.crashes++
    } finally {
      if (existsSync(folder)) chmodSync(folder, 0o700)
      rmSync(folder, { recursive: true, force: true })
    }
  }
  const { files, ...wrong } = figures
  const passed = files > 0 && Object.values(wrong).every((number) => number === 0)
  return { suite: 'settings', passed, figures: { ...figures, ...kinds, seed } }
}

/**
 * Whether the content of the damaged settings.json was kept. It was kept if the present settings.json has each of its
 * values, or if a copy has the same content. If `before` is null, the damaged file could not be read, and it was kept
 * if there is exactly one copy.
 */
function isKept(before: string | null, folder: string): boolean {
  const copies = readdirSync(folder).filter((name) => name.endsWith('.bak'))
  if (before === null) return copies.length === 1
  if (copies.some((name) => contentOf(join(folder, name)) === before)) return true
  const fields = fieldsOf(before) ?? { isNoObject: true }
  // `sandboxPort` is not compared, because the suite changed it.
  const rest = Object.fromEntries(Object.entries(fields).filter(([key]) => key !== 'sandboxPort'))
  return holds(fieldsOf(contentOf(join(folder, 'settings.json')) ?? ''), rest)
}

function fieldsOf(content: string): Record<string, unknown> | null {
  try {
    return z
      .record(z.string(), z.unknown())
      .parse(JSON.parse(Buffer.from(content, 'latin1').toString('utf8')))
  } catch {
    return null
  }
}

function holds(whole: unknown, part: unknown): boolean {
  if (typeof part !== 'object' || part === null) return whole === part
  if (typeof whole !== 'object' || whole === null) return false
  const fields = new Map(Object.entries(whole))
  return Object.entries(part).every(([key, value]) => fields.has(key) && holds(fields.get(key), value))
}

/** Returns null if the path cannot be read as a file. */
function contentOf(file: string): string | null {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return null
  }
}

const text = (value: unknown): string => JSON.stringify(value, null, '\t')
const write =
  (content: string | Buffer) =>
  (file: string): void =>
    writeFileSync(file, content)

function breakage(): fc.Arbitrary<Breakage> {
  const whole = text(good)
  const spoilt = (kind: string, arbitrary: fc.Arbitrary<string | Buffer>): fc.Arbitrary<Breakage> =>
    arbitrary.map((content) => ({ kind, stations: null, apply: write(content) }))
  const at = fc.nat({ max: whole.length - 2 })
  return fc.oneof(
    spoilt(
      'truncated',
      at.map((length) => whole.slice(0, length)),
    ),
    spoilt(
      'garbage',
      fc.uint8Array({ minLength: 1, maxLength: 400 }).map((bytes) => Buffer.from(bytes)),
    ),
    spoilt(
      'bytes flipped',
      fc.array(fc.tuple(at, fc.nat({ max: 255 })), { minLength: 1, maxLength: 20 }).map((flips) => {
        const bytes = Buffer.from(whole)
        for (const [index, byte] of flips) bytes[index] = byte
        return bytes
      }),
    ),
    spoilt(
      'NUL',
      at.map((index) => `${whole.slice(0, index)}${'\0'.repeat(50)}${whole.slice(index)}`),
    ),
    spoilt('no object', fc.constantFrom('', 'null', '[]', '7', '"x"', 'true', '\n', '{}{}')),
    spoilt('other JSON', fc.json({ maxDepth: 4 })),
    wrongValues(),
    wrongStation(),
    wrongPrinter(),
    deepValue(),
    inThePlace(),
  )
}

/**
 * Sets one or more settings, but not `stations`, to the same value. For most settings the type of this value is wrong.
 */
function wrongValues(): fc.Arbitrary<Breakage> {
  const keys = Object.keys(good).filter((key) => key !== 'stations')
  const wrong = fc.constantFrom<unknown>(-1, 'x', [], {}, true, { kind: 'x' }, [[]], 1e300)
  return fc
    .tuple(fc.subarray(keys, { minLength: 1 }), wrong)
    .map(([broken, value]) => ({ ...good, ...Object.fromEntries(broken.map((key) => [key, value])) }))
    .map((fields) => ({
      kind: 'wrong values',
      stations: bothStations,

      apply: write(text(fields)),
    }))
}

/** An unreadable station before, between or after the readable stations. */
function wrongStation(): fc.Arbitrary<Breakage> {
  const bad = fc.constantFrom<unknown>(null, 7, 'x', {}, [], { ...good.stations[0], name: 7 }, { id: 'only' })
  return fc.tuple(bad, fc.nat({ max: 2 })).map(([row, index]) => ({
    kind: 'wrong station',
    stations: bothStations,
    apply: write(text({ ...good, stations: good.stations.toSpliced(index, 0, row as never) })),
  }))
}

/** A list of printers with one more entry, which is unreadable or repeats the id of a printer. */
function wrongPrinter(): fc.Arbitrary<Breakage> {
  const bad = fc.constantFrom<unknown>(
    null,
    7,
    'x',
    {},
    [],
    { ...good.printers[0], layout: 7 },
    { id: 'only' },
  )
  return fc.tuple(bad, fc.nat({ max: 2 })).map(([row, index]) => ({
    kind: 'wrong printer',
    stations: bothStations,
    printers: bothPrinters,
    apply: write(text({ ...good, printers: good.printers.toSpliced(index, 0, row as never) })),
  }))
}

/** A deeply nested value under an unknown name or in a setting. */
function deepValue(): fc.Arbitrary<Breakage> {
  return fc
    .tuple(fc.constantFrom(50, 2_000, 100_000), fc.constantFrom('x', 'printers', 'routes', '__proto__'))
    .map(([depth, key]) => ({
      kind: 'nested',
      stations: bothStations,
      apply: write(`${text(good).slice(0, -1)},"${key}":${'['.repeat(depth)}${']'.repeat(depth)}}`),
    }))
}

/**
 * Replaces the settings file by one of three things: something that cannot be read as settings (such as a folder or
 * random bytes), a settings file without read or write permission, or a settings file that begins with a byte order
 * mark.
 */
function inThePlace(): fc.Arbitrary<Breakage> {
  const places: Record<string, (file: string) => void> = {
    'a folder': (file) => {
      mkdirSync(file)
      writeFileSync(join(file, 'inside'), 'x')
    },
    'a link to nothing': (file) => symlinkSync(`${file}.nowhere`, file),
    'a link to itself': (file) => symlinkSync(file, file),
    'a file without the right to read': (file) => writeFileSync(file, text(good), { mode: 0 }),
    'a file without the right to write': (file) => writeFileSync(file, text(good), { mode: 0o400 }),
    'a huge file': (file) => writeFileSync(file, Buffer.alloc(5 * 1024 * 1024, '[')),
    'random bytes': (file) => writeFileSync(file, randomBytes(64 * 1024)),
    'a byte order mark': (file) => writeFileSync(file, `\uFEFF${text(good)}`),
  }
  return fc.constantFrom(...Object.entries(places)).map(([kind, apply]) => ({ kind, stations: null, apply }))
}

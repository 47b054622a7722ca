import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { lstat, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { arch, release, totalmem } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Zip, ZipDeflate } from 'fflate'
import { missingSpace, type SpaceLimits, standardSpace } from '#kit/disk-space.ts'
import { makeFolder, syncFolder } from '#kit/durable-files.ts'
import { privateFile } from '#kit/private-files.ts'
import { deskPaths, timeFromName, timeInName } from '#local/desk-paths.ts'
import { careFor } from '#local/file-care.ts'
import { type PcSettings, pcSettingNames } from '#shared/bridge/pc-settings.ts'
import type { PrinterKind, PrinterSettings, SettingsOf } from '#shared/bridge/printer-views.ts'
import type { SerialSettings } from '#shared/bridge/scanner-views.ts'
import type { SpeedView } from '#shared/bridge/speed-views.ts'
import type { BundleKind, SupportView } from '#shared/bridge/support-views.ts'
import type { DeskStatus } from '#shared/bridge/views.ts'
import { environmentOf } from '#shared/domain/scope.ts'
import { CataloguedError } from '#shared/errors/result.ts'
import type { LoggedFailure } from './ipc/call-log.ts'
import { logFileNames } from './log-file.ts'
import type { Settings } from './settings-schema.ts'

/**
 * The support bundle: a zip file that a user sends to support. Its files about settings and data contain a fixed list
 * of fields, so a new field of a station or a device is not in the bundle until it is added here. Only the settings in
 * `pcSettings` and the layouts of printers are included completely. The bundle contains no secret and no name of a
 * person; SECURITY.md lists its content.
 */
export interface BundleSources {
  readonly dataDir: string
  readonly version: string
  readonly engine: string
  readonly settings: () => Settings
  /** Returns the settings of this PC that apply now. */
  readonly held: () => PcSettings
  /** Returns the status of the desk; null while no desk runs. */
  readonly status: () => DeskStatus | null
  readonly failures: () => readonly LoggedFailure[]
  readonly logFault: () => string | null
  readonly speed: () => SpeedView
}

const mostBundles = 5
const prefix = 'scandesk-support-'

interface BundleFile {
  readonly kind: BundleKind
  readonly name: string
  readonly bytes: number
  /** The file's content in portions. The portions of a log file are read from the disk when they are needed. */
  readonly content: () => AsyncIterable<Uint8Array> | Iterable<Uint8Array>
}

/** Returns the files that a support bundle would contain now. */
export async function bundleFiles(sources: BundleSources): Promise<BundleFile[]> {
  const texts: [BundleKind, unknown][] = [
    ['versions', versionsOf(sources)],
    ['settings', settingsOf(sources.settings(), sources.held())],
    ['counts', await countsOf(sources)],
    ['errors', sources.failures()],
  ]
  const written = texts.map(([kind, value]) => {
    const bytes = Buffer.from(`${JSON.stringify(value, null, 2)}\n`)
    return { kind, name: `${kind}.json`, bytes: bytes.length, content: () => [bytes] }
  })
  return [...written, ...(await logFiles(sources.dataDir))]
}

async function logFiles(dataDir: string): Promise<BundleFile[]> {
  const found: BundleFile[] = []
  for (const name of logFileNames) {
    const file = join(dataDir, 'logs', name)
    const size = (await stat(file).catch(() => null))?.size
    if (size === undefined) continue
    found.push({ kind: 'log', name: `logs/${name}`, bytes: size, content: () => readLog(file) })
  }
  return found
}

/**
 * Reads a log file. A missing file is no error: either the log has renamed it meanwhile, and the bundle contains it
 * under its new name, or the log has deleted it as the oldest file.
 */
async function* readLog(file: string): AsyncIterable<Uint8Array> {
  try {
    for await (const portion of createReadStream(file)) if (portion instanceof Uint8Array) yield portion
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
  }
}

function versionsOf({ version, engine }: Pick<BundleSources, 'version' | 'engine'>): object {
  const { electron, chrome, node, v8 } = process.versions
  return {
    ...{ scandesk: version, engine, electron, chrome, node, v8 },
    ...{ platform: process.platform, arch: arch(), system: release() },
    memoryMiB: Math.round(totalmem() / 1024 ** 2),
    upMinutes: Math.round(process.uptime() / 60),
    at: new Date().toISOString(),
  }
}

/**
 * For each setting of a device, whether the bundle contains it. The compiler requires an entry for each setting, so a
 * new setting cannot be forgotten.
 */
type Choice<S> = Readonly<Record<keyof S, boolean>>

const scannerFields: Choice<SerialSettings> = {
  path: false,
  baudRate: true,
  dataBits: true,
  parity: true,
  stopBits: true,
  ending: true,
  endText: false,
  prefix: false,
  suffix: false,
  pauseMs: false,
}

/**
 * For each kind of printer, the settings that the bundle contains. The bundle also contains the kind of the printer. In
 * place of the printer's address it contains whether the printer is a device of this PC.
 */
const printerFields: { readonly [K in PrinterKind]: Choice<Omit<SettingsOf<K>, 'kind'>> } = {
  folder: {},
  escpos: { host: false, port: false, device: false, paperMm: true, dpi: true },
  zpl: {
    ...{ host: false, port: false, device: false },
    ...{ widthMm: true, dpi: true, media: true, darkness: true, inchesPerSecond: true, graphics: true },
  },
  ipp: { uri: false, media: true, dpi: true },
  windows: { queue: false, media: true, dpi: true },
}

/** Returns those settings that have `true` in the table, in the order of the table. */
function chosen(choice: Readonly<Record<string, boolean>>, settings: object): object {
  const values = new Map<string, unknown>(Object.entries(settings))
  const names = Object.keys(choice).filter((name) => choice[name])
  return Object.fromEntries(names.map((name) => [name, values.get(name)]))
}

/**
 * Returns the settings for the support bundle. Names that a person typed, addresses of devices, and secrets are left
 * out.
 */
export function settingsOf(settings: Settings, held: PcSettings): object {
  const { stations, currentStationId, printers, routes, scanners, provisioned, refused, lost } = settings
  const placeOf = (id: string): number | null => {
    const at = printers.findIndex((one) => one.id === id)
    return at < 0 ? null : at + 1
  }
  return {
    ...Object.fromEntries(pcSettingNames.map((name) => [name, held[name]])),
    stations: stations.map((station) => ({
      environment: environmentOf(station),
      server: originOf(station.baseUrl),
      wmsCode: station.wmsCode,
      customerCode: station.customerCode,
      hasDocumentHosts: station.documentHosts !== '',
      hasCommandSecret: station.commandSecret !== null,
      isInUse: station.id === currentStationId,
      routes: (routes[station.id] ?? []).map(({ paper, size, printerId }) => ({
        ...{ paper, size },
        printer: placeOf(printerId),
      })),
    })),
    printers: printers.map((entry) => ({ ...printerOf(entry.settings), layout: entry.layout })),
    scanners: scanners.map((entry) => ({ isOn: entry.isOn, ...chosen(scannerFields, entry.settings) })),
    isCalibrated: settings.scannerProfile !== null,
    setUpFile: { appliedAt: provisioned?.at ?? null, isRefused: refused !== null },
    lost: lost && { at: lost.at, extent: lost.extent, parts: lost.parts },
    keptLogins: Object.keys(settings.secrets).length,
  }
}

function originOf(baseUrl: string): string | null {
  return URL.canParse(baseUrl) ? new URL(baseUrl).origin : null
}

function printerOf(settings: PrinterSettings): object {
  const { kind } = settings
  const by = 'host' in settings ? { by: wayOf(settings) } : {}
  return { kind, ...by, ...chosen(printerFields[kind], settings) }
}

function wayOf({ device }: { readonly device?: string | undefined }): 'network' | 'device' {
  return device === undefined ? 'network' : 'device'
}

/**
 * Returns states and numbers: the numbers of waiting commands and prints, of rows and of files, and the durations of
 * scans and labels on this day.
 */
export async function countsOf({ dataDir, status, logFault, speed }: BundleSources): Promise<object> {
  const now = status()
  const { unsent, index, catalogue } = now ?? {}
  return {
    line: now && { state: now.line.state, since: now.line.since, code: now.line.failure?.code ?? null },
    waiting: now && {
      writes: now.waitingWrites.length,
      refusedWrites: now.refusedWrites.length,
      unsent,
      prints:
        now.waitingPrints.length + (now.morePrints ? now.morePrints.asking + now.morePrints.waiting : 0),
      notices: now.notices,
    },
    kept: now && {
      ...{ shipments: index?.shipments, labels: index?.labels, syncedAt: index?.syncedAt },
      ...{ catalogue: catalogue?.state, variants: catalogue?.variants, asOf: catalogue?.asOf },
    },
    printer: now && { state: now.printer.state, code: now.printer.failure?.code ?? null },
    // `rows` is null if desk.db does not exist or is larger than 200 MiB, or if SQLite cannot read it
    rows: await careFor({ do: 'count', file: deskPaths(dataDir).database }).catch(() => null),
    files: await sizesOf(dataDir),
    logFault: logFault(),
    speed: speed(),
  }
}

const measured = [
  ...['desk.db', 'desk.db-wal', 'recent.db', 'recent.db-wal', 'settings.json', 'catalogue', 'journal'],
  ...['backups', 'vault', 'labels', 'sandbox', 'logs', 'support'],
]

/**
 * Returns the number of files and of bytes for each file or folder of the data directory that `measured` names. Missing
 * files and folders are left out.
 */
async function sizesOf(dataDir: string): Promise<Record<string, { files: number; bytes: number }>> {
  const found: Record<string, { files: number; bytes: number }> = {}
  for (const name of measured) {
    const size = await measure(join(dataDir, name), stat)
    if (size) found[name] = size
  }
  return found
}

/**
 * Returns the number of files and of bytes at a path; null if there is nothing. `look` is `stat` for a name at the top
 * of the data directory, because the name may be a link to a folder that the operator chose. In deeper folders it is
 * `lstat`, so that a link counts as a file: otherwise a link to a folder above it would cause an endless walk.
 */
async function measure(path: string, look: typeof stat): Promise<{ files: number; bytes: number } | null> {
  const stats = await look(path).catch(() => null)
  if (!stats) return null
  if (!stats.isDirectory()) return { files: 1, bytes: stats.size }
  const sum = { files: 0, bytes: 0 }
  for (const name of await readdir(path).catch(() => [])) {
    const { files = 0, bytes = 0 } = (await measure(join(path, name), lstat)) ?? {}
    sum.files += files
    sum.bytes += bytes
  }
  return sum
}

/**
 * Saves a complete bundle that only this account can read, and returns its path. Only the newest five bundles are kept.
 * The bundle is packed in portions, so that the main process can do other work between two portions. On an error
 * nothing is saved: the system's error is thrown, or CataloguedError `store.full` if the disk is full.
 */
export async function saveBundle(
  sources: BundleSources,
  now: number,
  space: SpaceLimits = standardSpace,
): Promise<string> {
  const folder = supportFolder(sources.dataDir)
  makeFolder(folder)
  await removeInterrupted(folder, now)
  const files = await bundleFiles(sources)
  // the unpacked size is an upper limit for the size of the bundle
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  if (missingSpace(space, folder, bytes) > 0) throw new CataloguedError('store.full', { cause: 'ENOSPC' })
  const file = join(folder, `${prefix}${timeInName(now)}.zip`)
  const temporary = `${file}.${randomUUID()}.tmp`
  try {
    const handle = await open(temporary, 'wx', privateFile)
    try {
      for await (const portion of zipped(files)) await handle.writeFile(portion)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(temporary, file)
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined)
    throw error
  }
  syncFolder(folder)
  for (const { name } of (await savedBundles(sources.dataDir)).slice(mostBundles))
    await rm(join(folder, name), { force: true })
  return file
}

/** The name of a bundle while it is being saved. */
const temporaryName = /^scandesk-support-\d{8}T\d{9}Z\.zip\.[0-9a-f-]{36}\.tmp$/
/** A temporary file that was not written for this time, in milliseconds, belongs to no save that still runs. */
const interruptedMs = 3600_000

/** Removes the temporary files of saves that a kill of the app interrupted. Other files in the folder stay. */
async function removeInterrupted(folder: string, now: number): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!temporaryName.test(name)) continue
    const stats = await lstat(join(folder, name)).catch(() => null)
    if (stats?.isFile() && now - stats.mtimeMs > interruptedMs)
      await rm(join(folder, name), { force: true }).catch(() => undefined)
  }
}

async function* zipped(files: readonly BundleFile[]): AsyncIterable<Uint8Array> {
  let ready: Uint8Array[] = []
  let fault: Error | null = null
  const zip = new Zip((error, portion) => {
    if (error) fault = error
    else ready.push(portion)
  })
  const taken = (): Uint8Array[] => {
    if (fault) throw fault
    const portions = ready
    ready = []
    return portions
  }
  for (const { name, content } of files) {
    const entry = new ZipDeflate(name)
    zip.add(entry)
    for await (const portion of content()) {
      entry.push(portion)
      yield* taken()
      await nextTurn()
    }
    entry.push(new Uint8Array(), true)
  }
  zip.end()
  yield* taken()
}

export function supportFolder(dataDir: string): string {
  return join(dataDir, 'support')
}

/** Returns the saved bundles, newest first. */
export async function savedBundles(dataDir: string): Promise<NonNullable<SupportView['saved']>[]> {
  const folder = supportFolder(dataDir)
  const found: NonNullable<SupportView['saved']>[] = []
  for (const name of await readdir(folder).catch(() => [])) {
    const at = name.startsWith(prefix) && name.endsWith('.zip') ? timeFromName(name) : null
    const stats = at === null ? null : await stat(join(folder, name)).catch(() => null)
    if (at !== null && stats) found.push({ name, at: new Date(at).toISOString(), bytes: stats.size })
  }
  return found.toSorted((a, b) => b.name.localeCompare(a.name))
}

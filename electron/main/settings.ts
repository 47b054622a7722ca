import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import Store from 'electron-store'
import { privateFile } from '#kit/private-files.ts'
import { lostParts, type SettingsLoss } from '#shared/bridge/setup-views.ts'
import { readAtMost } from './provisioning-file.ts'
import { readSettings, type Settings } from './settings-schema.ts'

export interface SettingsStore {
  read(): Settings
  /**
   * Changes settings, and stores them before it returns. Equal settings are not written again. A change is dropped and
   * reported to `onFault` if it would make the file too large for the next start.
   */
  update(change: Partial<Settings>): void
}

/**
 * Maximum size of settings.json in bytes, for reading and for writing. Usual settings have a few kilobytes; a larger
 * file would only slow every start.
 */
const largestBytes = 4 * 1024 * 1024

/**
 * Opens `<dataDir>/settings.json`. Each unreadable value is replaced with its default. Before such a replacement the
 * file is copied to `settings.json.1.bak` (or the next free number), because electron-store would erase the unreadable
 * value without a message. The field `lost` of the settings contains the lost parts. If the file cannot be written,
 * `onFault` gets the error, and the changes stay in memory; the next change writes them too. `now` in milliseconds
 * since 1970. Never throws.
 */
export function openSettings(
  dataDir: string,
  onFault: (error: unknown) => void,
  now: () => number = Date.now,
): SettingsStore {
  const file = join(dataDir, 'settings.json')
  const attempt = <T>(step: () => T): T | null => {
    try {
      return step()
    } catch (error) {
      onFault(error)
      return null
    }
  }
  const found = attempt(() => readText(file, attempt)) ?? { text: null, isThere: false, aside: null }
  const read = readSettings(found.text)
  const isBroken = found.text !== null && !read.isWhole
  const copied = isBroken ? attempt(() => backUp(file, copyWhole)) : found.aside
  const loss = lossOf(found, read, existsSync(join(dataDir, 'desk.db')))
  const lost = loss
    ? withLoss(read.settings.lost, {
        ...loss,
        copy: copied === null ? null : basename(copied),
        at: new Date(now()).toISOString(),
      })
    : read.settings.lost
  const settings = { ...read.settings, lost }
  // a broken file that could not be copied is not overwritten
  const isOurs = !isBroken || copied !== null
  // a new file is written at once, because a start that finds a database but no settings file reports lost settings
  const isNews = isBroken || loss !== null || found.text === null
  const store = isOurs ? attempt(() => openStore(dataDir)) : null
  /** The text of the last successful read or write; null after a failed one. */
  let stored = found.text
  const write = (values: Stored, text: string): void => {
    if (!store || text === stored) return
    stored = attempt(() => {
      writeWhole(store, values, text)
      return text
    })
  }
  if (isNews) {
    const all = { ...read.others, ...settings }
    write(all, toText(all))
  }
  let current = settings
  return {
    read: () => current,
    update(change) {
      const next = { ...current, ...change }
      // writes all values, because another program may have damaged the file meanwhile
      const all = { ...read.others, ...next }
      const text = toText(all)
      if (Buffer.byteLength(text) > largestBytes) {
        onFault(new Error('the change would make the settings file too large'))
        return
      }
      current = next
      write(all, text)
    },
  }
}

/**
 * Returns which settings were lost, or null if no settings were lost. `hasDesk`: a desk has already worked with this
 * data directory.
 */
function lossOf(
  { text, isThere }: FoundText,
  { lost, isNew }: ReturnType<typeof readSettings>,
  hasDesk: boolean,
): Pick<SettingsLoss, 'extent' | 'parts'> | null {
  if (lost === null || (isThere && text === null)) return { extent: 'all', parts: [...lostParts] }
  if (lost.length > 0) return { extent: 'part', parts: [...lost] }
  return isNew && hasDesk ? { extent: 'missing', parts: [...lostParts] } : null
}

/** Combines the loss found at this start with an unsettled loss of an earlier start. */
function withLoss(
  before: SettingsLoss | null,
  { extent, parts, copy, at }: Omit<SettingsLoss, 'restoredBy'>,
): SettingsLoss {
  const all = new Set([...(before?.parts ?? []), ...parts])
  return {
    at,
    // if only a part of the settings is lost now, the extent of the earlier loss is kept, because that loss was at
    // least as large
    extent: before && extent === 'part' ? before.extent : extent,
    parts: lostParts.filter((part) => all.has(part)),
    copy: copy ?? before?.copy ?? null,
    restoredBy: null,
  }
}

type Stored = Record<string, unknown>

/** Returns the text that electron-store writes. */
function toText(values: Stored): string {
  return JSON.stringify(values, null, '\t')
}

function openStore(cwd: string): Store<Stored> {
  return new Store<Stored>({
    cwd,
    name: 'settings',
    clearInvalidConfig: true,
    configFileMode: privateFile,
  })
}

/**
 * Writes the settings file. `text`: the values as text. Throws the system's error and leaves the file unchanged if the
 * disk is full or the file is locked. To detect this, it first writes the text to a trial file, and opens the settings
 * file for writing. Without this check, electron-store would replace the file with the part of the text that fits on
 * the disk. It would also repeat a failed write for a second, in which this thread does nothing else.
 */
function writeWhole(store: Store<Stored>, values: Stored, text: string): void {
  const trial = `${store.path}.trial`
  try {
    writeFileSync(trial, text, { flush: true, mode: privateFile })
  } finally {
    rmSync(trial, { force: true })
  }
  if (existsSync(store.path)) checkUnlocked(store.path)
  store.store = values
}

function checkUnlocked(file: string): void {
  try {
    closeSync(openSync(file, 'r+'))
  } catch (error) {
    // a read-only file is an error only on Windows, because other systems can replace a read-only file
    const isReadOnly = error instanceof Error && 'code' in error && error.code === 'EACCES'
    if (!isReadOnly || process.platform === 'win32') throw error
  }
}

interface FoundText {
  /** The text of the settings file; null: there is no readable file. */
  readonly text: string | null
  readonly isThere: boolean
  /** The new path of an unreadable file that was moved; null: no file was moved. */
  readonly aside: string | null
}

/**
 * Reads the text of the settings file, which may be a link to a file. If it is not a regular file, has more than
 * `largestBytes` or cannot be read, the file or the link is moved unchanged to another name.
 */
function readText(file: string, attempt: <T>(step: () => T) => T | null): FoundText {
  if (!lstatSync(file, { throwIfNoEntry: false })) return { text: null, isThere: false, aside: null }
  const text = attempt(() => {
    // checks the kind of the file before the opening too, because the opening of a pipe waits until another process
    // opens its other end
    checked(file, statSync(file))
    const opened = openSync(file, 'r')
    try {
      return Buffer.from(readAtMost(opened, checked(file, fstatSync(opened)).size)).toString('utf8')
    } finally {
      closeSync(opened)
    }
  })
  const aside = text === null ? attempt(() => backUp(file, renameSync)) : null
  return { text, isThere: true, aside }
}

function checked(file: string, stats: Stats): Stats {
  if (!stats.isFile() || stats.size > largestBytes) throw new Error(`${file} is no settings file`)
  return stats
}

function copyWhole(from: string, to: string): void {
  copyFileSync(from, to, constants.COPYFILE_EXCL)
}

/**
 * Moves or copies a file to its name with the first free number, so that no earlier backup is overwritten. Returns the
 * new name.
 */
function backUp(file: string, move: (from: string, to: string) => void): string {
  let number = 1
  const name = (): string => `${file}.${number}.bak`
  while (lstatSync(name(), { throwIfNoEntry: false })) number++
  move(file, name())
  return name()
}

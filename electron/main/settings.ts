import { constants, copyFileSync, existsSync, lstatSync, readFileSync, renameSync } from 'node:fs'
import { basename, join } from 'node:path'
import Store from 'electron-store'
import { privateFile } from '#kit/private-files.ts'
import { lostParts, type SettingsLoss } from '#shared/bridge/setup-views.ts'
import { readSettings, type Settings } from './settings-schema.ts'

export interface SettingsStore {
  read(): Settings
  update(change: Partial<Settings>): void
}

/** Settings have a few kilobytes; reading more than this at every start helps nobody. */
const largestBytes = 4 * 1024 * 1024

/**
 * Opens `<dataDir>/settings.json`. What cannot be read of it falls back, value by value, and the file is copied to
 * `settings.json.1.bak` (or the next free number) first: electron-store would wipe it without a word. What was lost by
 * that stands in `lost`. A disk that refuses is told to `onFault`, and the settings hold until the app ends. `now` in
 * milliseconds since 1970. Never throws.
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
  // what could not be copied is not overwritten either
  const isOurs = !isBroken || copied !== null
  // a new file is written at once: a database without settings has lost them
  const isNews = isBroken || loss !== null || found.text === null
  const store = isOurs
    ? attempt(() => openStore(dataDir, isNews ? { ...read.others, ...settings } : null))
    : null
  let current = settings
  return {
    read: () => current,
    update(change) {
      current = { ...current, ...change }
      // all of it: somebody may have broken the file meanwhile
      if (store) attempt(() => (store.store = { ...read.others, ...current }))
    },
  }
}

/** What of the settings is gone, `hasDesk`: a desk has worked on this directory. Null: nothing is. */
function lossOf(
  { text, isThere }: FoundText,
  { lost, isNew }: ReturnType<typeof readSettings>,
  hasDesk: boolean,
): Pick<SettingsLoss, 'extent' | 'parts'> | null {
  if (lost === null || (isThere && text === null)) return { extent: 'all', parts: [...lostParts] }
  if (lost.length > 0) return { extent: 'part', parts: [...lost] }
  return isNew && hasDesk ? { extent: 'missing', parts: [...lostParts] } : null
}

/** What was found at a start, beside what an earlier start found and nobody settled. */
function withLoss(
  before: SettingsLoss | null,
  { extent, parts, copy, at }: Omit<SettingsLoss, 'restoredBy'>,
): SettingsLoss {
  const all = new Set([...(before?.parts ?? []), ...parts])
  return {
    at,
    // the greater loss names what may be gone
    extent: before && extent === 'part' ? before.extent : extent,
    parts: lostParts.filter((part) => all.has(part)),
    copy: copy ?? before?.copy ?? null,
    restoredBy: null,
  }
}

type Stored = Record<string, unknown>

/** `healed`: takes the place of what cannot be read. */
function openStore(cwd: string, healed: Stored | null): Store<Stored> {
  const store = new Store<Stored>({
    cwd,
    name: 'settings',
    clearInvalidConfig: true,
    configFileMode: privateFile,
  })
  if (healed) store.store = healed
  return store
}

interface FoundText {
  /** Null: there is none that can be read. */
  readonly text: string | null
  readonly isThere: boolean
  /** Where it was put, when it cannot be read. */
  readonly aside: string | null
}

/** What is no file, or far too large for one, or not ours to read, is put aside as it is. */
function readText(file: string, attempt: <T>(step: () => T) => T | null): FoundText {
  const stats = lstatSync(file, { throwIfNoEntry: false })
  if (!stats) return { text: null, isThere: false, aside: null }
  const text = attempt(() => {
    if (!stats.isSymbolicLink() && (!stats.isFile() || stats.size > largestBytes))
      throw new Error(`${file} is no settings file`)
    return readFileSync(file, 'utf8')
  })
  const aside = text === null ? attempt(() => backUp(file, renameSync)) : null
  return { text, isThere: true, aside }
}

function copyWhole(from: string, to: string): void {
  copyFileSync(from, to, constants.COPYFILE_EXCL)
}

/** Under the first free number, so that the next broken one does not take its place; its name is returned. */
function backUp(file: string, move: (from: string, to: string) => void): string {
  let number = 1
  const name = (): string => `${file}.${number}.bak`
  while (lstatSync(name(), { throwIfNoEntry: false })) number++
  move(file, name())
  return name()
}

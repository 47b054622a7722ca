import { constants, copyFileSync, lstatSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import Store from 'electron-store'
import { readSettings, type Settings } from './settings-schema.ts'

export interface SettingsStore {
  read(): Settings
  update(change: Partial<Settings>): void
}

/** Settings have a few kilobytes; reading more than this at every start helps nobody. */
const largestBytes = 4 * 1024 * 1024

/**
 * Opens `<dataDir>/settings.json`. What cannot be read of it falls back, value by value, and the file is copied to
 * `settings.json.1.bak` (or the next free number) first: electron-store would wipe it without a word. A disk that
 * refuses is told to `onFault`, and the settings hold until the app ends. Never throws.
 */
export function openSettings(dataDir: string, onFault: (error: unknown) => void): SettingsStore {
  const file = join(dataDir, 'settings.json')
  const attempt = <T>(step: () => T): T | null => {
    try {
      return step()
    } catch (error) {
      onFault(error)
      return null
    }
  }
  const text = attempt(() => readText(file))
  const { settings, others, isWhole } = readSettings(text)
  const isBroken = text !== null && !isWhole
  // what could not be copied is not overwritten either
  const isOurs = !isBroken || attempt(() => backUp(file, copyWhole)) !== null
  const healed = isBroken ? { ...others, ...settings } : null
  const store = isOurs ? attempt(() => openStore(dataDir, healed)) : null
  let current = settings
  return {
    read: () => current,
    update(change) {
      current = { ...current, ...change }
      // all of it: somebody may have broken the file meanwhile
      if (store) attempt(() => (store.store = { ...others, ...current }))
    },
  }
}

type Stored = Record<string, unknown>

/** `healed`: takes the place of what cannot be read. */
function openStore(cwd: string, healed: Stored | null): Store<Stored> {
  const store = new Store<Stored>({ cwd, name: 'settings', clearInvalidConfig: true })
  if (healed) store.store = healed
  return store
}

/** Null: there is none. What is no file, or far too large for one, or not ours to read, is put aside as it is. */
function readText(file: string): string | null {
  const stats = lstatSync(file, { throwIfNoEntry: false })
  if (!stats) return null
  try {
    if (!stats.isSymbolicLink() && (!stats.isFile() || stats.size > largestBytes))
      throw new Error(`${file} is no settings file`)
    return readFileSync(file, 'utf8')
  } catch (error) {
    backUp(file, renameSync)
    throw error
  }
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

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { shell } from 'electron'
import { systemFailure } from '#local/sqlite-failure.ts'
import type { shownLevels, SupportView } from '#shared/bridge/support-views.ts'
import { CataloguedError, fail, ok, type Result } from '#shared/errors/result.ts'
import { lastLines, type LogLine } from '../log-file.ts'
import {
  type BundleSources,
  bundleFiles,
  saveBundle,
  savedBundles,
  supportFolder,
} from '../support-bundle.ts'
import { OutwardLimit } from '../setup-tests.ts'
import type { Handlers } from './bind.ts'

/**
 * Milliseconds after a read of the SupportView (the log and the support bundles). Calls within this time get the same
 * value without another read.
 */
const keptMs = 3_000

/**
 * Creates the handlers of the domain `support`, which show the log and the support bundles and save a bundle. `now`:
 * milliseconds since 1970; `read` collects what the window shows: the log, the files of a new bundle and the last saved
 * bundle.
 */
export function supportHandlers(
  sources: BundleSources,
  now: () => number = Date.now,
  read: (sources: BundleSources) => Promise<SupportView> = contents,
): Handlers<'support'> {
  const { dataDir } = sources
  // reads are shared, because each measures every file of the data directory and counts the rows of desk.db
  const view = new SharedReading(() => read(sources), now)
  // Showing a folder and saving a bundle are limited, because a compromised page could fill the screen with windows of
  // the file manager, or keep the disk busy.
  const shows = new OutwardLimit()
  const saves = new OutwardLimit()
  // only one bundle is saved at a time, because main reads and packs megabytes for each bundle
  let saving: Promise<Result<SupportView>> | null = null
  const save = async (): Promise<Result<SupportView>> => {
    try {
      await saveBundle(sources, now())
    } catch (error) {
      return notSaved(error)
    }
    return ok(await view.readAgain())
  }
  return {
    contents: async () => ok(await view.read()),
    save: () => {
      saving ??= saves.run(save).finally(() => (saving = null))
      return saving
    },
    show: ({ what }) => shows.run(() => (what === 'logs' ? showLogs(dataDir) : showBundle(dataDir))),
  }
}

/** Runs one read at a time, shared by all callers. Calls within three seconds after the read get the same value. */
class SharedReading<T> {
  readonly #make: () => Promise<T>
  readonly #now: () => number
  #underWay: Promise<T> | null = null
  #kept: { readonly value: T; readonly at: number } | null = null

  constructor(make: () => Promise<T>, now: () => number) {
    this.#make = make
    this.#now = now
  }

  read(): Promise<T> {
    const ageMs = this.#kept === null ? Infinity : this.#now() - this.#kept.at
    // if the clock was set back, the age of the value is negative, and the value is read again
    if (this.#kept && ageMs >= 0 && ageMs < keptMs) return Promise.resolve(this.#kept.value)
    this.#underWay ??= this.#run().finally(() => (this.#underWay = null))
    return this.#underWay
  }

  /** Reads the value again, because a value that was read before a change does not contain the change. */
  async readAgain(): Promise<T> {
    await this.#underWay?.catch(() => undefined)
    this.#kept = null
    return this.read()
  }

  async #run(): Promise<T> {
    const value = await this.#make()
    this.#kept = { value, at: this.#now() }
    return value
  }
}

async function showLogs(dataDir: string): Promise<Result<undefined>> {
  const folder = join(dataDir, 'logs')
  if (!existsSync(folder)) return fail('support.not_shown', { cause: 'gone' })
  // `openPath` returns the system's error message, or an empty text after a success
  const problem = await shell.openPath(folder)
  return problem === '' ? ok(undefined) : fail('support.not_shown', { cause: 'refused' })
}

async function showBundle(dataDir: string): Promise<Result<undefined>> {
  const [newest] = await savedBundles(dataDir)
  if (!newest) return fail('support.not_shown', { cause: 'gone' })
  shell.showItemInFolder(join(supportFolder(dataDir), newest.name))
  return ok(undefined)
}

/**
 * Returns the failure for a bundle that could not be saved because of the disk. Throws the given error again if it has
 * another cause.
 */
function notSaved(error: unknown): Result<never> {
  const failure = systemFailure(error)
  if (!(failure instanceof CataloguedError)) throw error
  const { cause = '' } = failure.failure.params
  return fail('support.not_saved', { cause })
}

async function contents(sources: BundleSources): Promise<SupportView> {
  const { dataDir, logFault } = sources
  const files = await bundleFiles(sources)
  const [saved = null] = await savedBundles(dataDir)
  const log = readLog(dataDir)
  return {
    files: files.map(({ kind, name, bytes }) => ({ kind, name, bytes })),
    lines: log.lines.map(({ at, level, text }) => ({
      at: at === null ? null : new Date(at).toISOString(),
      level: shownLevel(level),
      text,
    })),
    logFault: logFault() ?? log.fault,
    saved,
    folder: supportFolder(dataDir),
  }
}

function readLog(dataDir: string): { lines: LogLine[]; fault: string | null } {
  try {
    return { lines: lastLines(dataDir), fault: null }
  } catch (error) {
    return { lines: [], fault: error instanceof Error && 'code' in error ? String(error.code) : 'unknown' }
  }
}

function shownLevel(level: number): (typeof shownLevels)[number] {
  if (level >= 50) return 'error'
  if (level >= 40) return 'warn'
  return level >= 30 ? 'info' : 'debug'
}

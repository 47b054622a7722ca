import type { ArgsOf } from '#shared/bridge/contract.ts'
import type { StorageView } from '#shared/bridge/storage-views.ts'
import type { Milliseconds } from '#shared/domain/instants.ts'
import { type Failure, failure } from '#shared/errors/catalogue.ts'
import { CataloguedError } from '#shared/errors/result.ts'
import { isoTime } from './view-parts.ts'
import type { ClockPort } from './ports/clock.ts'
import type { StorageStore } from './ports/store.ts'
import type { AgeClock } from './timing/age-clock.ts'

export interface StorageParts {
  readonly storage: StorageStore
  readonly clock: ClockPort
  readonly age: Pick<AgeClock, 'advance' | 'isInDoubt'>
  /** How many days finished records are kept (see DeskTuning). */
  readonly keepDays: number
  /**
   * Called with the number of days that an operator chose, so that the indexes keep no row for more than this number of
   * days.
   */
  readonly kept: (days: number) => void
  /** Reports that `failure` has changed. */
  readonly changed: () => void
  readonly backUpEveryMs: Milliseconds
  readonly onFault: (error: unknown) => void
}

const dayMs = 24 * 3600_000

/**
 * Copies desk.db periodically and when the desk closes. Purges records that are too old, at the start and once a day.
 */
export class Storage {
  readonly #parts: StorageParts
  #keepDays: number
  /**
   * Set when desk.db is known to be damaged. It stays until the end of the desk, because the next start restores the
   * file.
   */
  #damage: Failure | null = null
  #copyFailure: Failure | null = null
  /** Number of consecutive failures to make a copy of desk.db. */
  #failedCopies = 0
  #purgeFailure: Failure | null = null
  #cancel: (() => void)[] = []
  #isOver = false
  /**
   * Resolves when all copies and purges that were requested so far have ended. Copies and purges run one after another,
   * because they would block each other.
   */
  #last: Promise<void> = Promise.resolve()

  constructor(parts: StorageParts) {
    this.#parts = parts
    this.#keepDays = parts.keepDays
  }

  /**
   * The failure that the status shows. If desk.db is damaged, it is `store.damaged` until the end of the desk. After a
   * copy of desk.db has failed because the disk had no space, it is this failure until a copy succeeds; after two other
   * failures in a row it is `backup.failed`. Otherwise it is the failure of the last purge, if that purge could not
   * delete files. Otherwise it is null.
   */
  get failure(): Failure | null {
    return this.#damage ?? this.#copyFailure ?? this.#purgeFailure
  }

  async state(): Promise<StorageView> {
    const { backups, recovery, ...sizes } = await this.#parts.storage.facts()
    return {
      ...sizes,
      keepDays: this.#keepDays,
      backups: backups.map(({ name, at, bytes }) => ({ name, at: isoTime(at), bytes })),
      recovery: recovery && {
        at: isoTime(recovery.at),
        backupAt: recovery.backupAt === null ? null : isoTime(recovery.backupAt),
        replayed: recovery.replayed,
        putAside: recovery.putAside,
        wholeSince: recovery.wholeSince === null ? null : isoTime(recovery.wholeSince),
      },
    }
  }

  /**
   * Copies desk.db now. Throws the error of the store, because the operator who asked for the copy must see the
   * failure.
   */
  async backUp(): Promise<StorageView> {
    await this.#copy(() => this.#parts.storage.backUp(this.#parts.clock.now()))
    return this.state()
  }

  /**
   * From now on, keeps finished records, including existing ones, for `days` days. The caller stores the setting for
   * the next start.
   */
  async keep({ days }: ArgsOf<'storage', 'keep'>): Promise<StorageView> {
    this.#keepDays = days
    this.#parts.kept(days)
    await this.#purge()
    return this.state()
  }

  /**
   * Purges again after the service has responded, because an earlier purge may have been postponed when the service's
   * time was unknown.
   */
  lineIsBack(): void {
    if (this.#parts.age.isInDoubt) this.#quietly(() => this.#purge())
  }

  async recoveryRead(): Promise<StorageView> {
    await this.#parts.storage.recoveryRead()
    return this.state()
  }

  start(): void {
    const { storage, clock, backUpEveryMs } = this.#parts
    // shows a damage of desk.db at once, because the next copy would find it up to an hour later
    storage.onDamage(() => {
      this.#note(() => (this.#damage = failure('store.damaged')))
    })
    this.#quietly(() => this.#purge())
    this.#every(dayMs, () => this.#purge())
    this.#every(backUpEveryMs, () => this.#copy(() => storage.backUpIfChanged(clock.now())))
  }

  /** Rewrites desk.db if this is due, and makes the last copy. Call it after all other parts have stopped writing. */
  async close(): Promise<void> {
    this.#isOver = true
    for (const cancel of this.#cancel) cancel()
    const { storage, clock, onFault } = this.#parts
    await this.#inTurn(() => storage.rewriteIfDue()).catch(onFault)
    await this.#copy(() => storage.backUpIfChanged(clock.now())).catch(onFault)
  }

  #purge(): Promise<void> {
    const { storage, age, onFault } = this.#parts
    return this.#inTurn(async () => {
      const at = age.advance()
      if (at === null) return
      await this.#watched('purge', async () => {
        const kept = await storage.purge(at, this.#keepDays)
        this.#note(() => (this.#purgeFailure = kept))
        if (kept) onFault(new CataloguedError(kept.code, kept.params))
      })
    })
  }

  #copy(action: () => Promise<void>): Promise<void> {
    return this.#inTurn(() => this.#watched('copy', action))
  }

  /**
   * Runs an action that makes a copy of desk.db, and keeps the failure of the copy if it lasts. A purge also ends with
   * a copy, but may fail for another reason. A failure of a purge counts only if the copy had no space or desk.db is
   * damaged. The copy of the next hour shows whether copies fail for another reason.
   */
  async #watched(what: 'copy' | 'purge', action: () => Promise<void>): Promise<void> {
    try {
      await action()
      this.#failedCopies = 0
      this.#note(() => (this.#copyFailure = null))
    } catch (error) {
      const why = error instanceof CataloguedError ? error.failure : failure('internal.unexpected')
      if (why.code === 'store.damaged') this.#note(() => (this.#damage = why))
      else if (why.code === 'backup.low_disk') this.#note(() => (this.#copyFailure = why))
      // only a second failed copy is shown: a single failure may have a short cause, for example a virus scanner that
      // had the copy open
      else if (what === 'copy' && ++this.#failedCopies > 1)
        this.#note(() => (this.#copyFailure ??= failure('backup.failed', { cause: why.code, ...why.params })))
      throw error
    }
  }

  /** Sets a failure of the storage. If this changes the failure that the status shows, reports the change. */
  #note(set: () => void): void {
    const before = this.failure?.code
    set()
    if (this.failure?.code !== before) this.#parts.changed()
  }

  #every(everyMs: Milliseconds, action: () => Promise<void>): void {
    const again = (): void => {
      if (this.#isOver) return
      const cancel = this.#parts.clock.after(everyMs, () => {
        this.#cancel = this.#cancel.filter((one) => one !== cancel)
        this.#quietly(action)
        again()
      })
      this.#cancel.push(cancel)
    }
    again()
  }

  #quietly(action: () => Promise<void>): void {
    void action().catch(this.#parts.onFault)
  }

  #inTurn(action: () => Promise<void>): Promise<void> {
    const done = this.#last.then(action)
    this.#last = done.catch(() => undefined)
    return done
  }
}

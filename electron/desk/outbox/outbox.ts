import type { CommandId } from '#shared/domain/ids.ts'
import type { Instant, Milliseconds } from '#shared/domain/instants.ts'
import { failure, type Failure } from '#shared/errors/catalogue.ts'
import { type AttemptParts, Attempts } from './attempts.ts'
import type { CommandType } from './command-type.ts'
import { CommandWaits, type Pace } from './command-waits.ts'
import type { CommandRow } from '../ports/commands.ts'
import { type Due, mostAtOnce, Slots } from './slots.ts'
import { createPresses, createWorker, type Presses, type Worker } from '../timing/worker.ts'

/** The dependencies and callbacks of the outbox. */
export interface OutboxParts extends Omit<AttemptParts, 'waits' | 'holder' | 'isClosing'> {
  readonly types: ReadonlyMap<string, CommandType>
  /** How long an ambiguous write may still arrive, in milliseconds. */
  readonly quietMs: Milliseconds
  readonly pace: Pace
}

/**
 * Duration of the lease, in milliseconds. It is longer than any call to the service, so that no other process sends a
 * command that is being sent.
 */
const leaseMs = 120_000
/** Number of queued commands that the outbox reads at each step, of the oldest and of the newest ones. */
const mostRead = mostAtOnce * 8
/** Time between two tries to take the lease while another process has it, in milliseconds. */
const otherFlusherMs = 5_000

/** Why a command waits. A missing login, a lost connection and earlier commands are not covered by this type. */
export interface Outlook {
  readonly waitsFor: 'turn' | 'quiet_time' | 'service'
  /** When the command may continue, milliseconds since 1970. Null: now, or after an event. */
  readonly nextAt: Instant | null
}

/**
 * Decides when each command is sent, and when the desk looks for the effect of an attempt. The table in
 * shared/domain/command-state.ts has the states and their changes. A command is sent again only if it certainly did not
 * arrive, is repeatable, or an operator decides so (ARCHITECTURE.md, decision 4). Only one outbox at a time sends the
 * commands of a database: the one that holds the lease.
 */
export class Outbox {
  readonly #parts: OutboxParts
  readonly #holder = crypto.randomUUID()
  readonly #worker: Worker
  readonly #waits: CommandWaits
  readonly #attempts: Attempts
  readonly #presses: Presses
  /** Whether the next `#endPauses` also makes all looks due. */
  #wantsLooks = false
  readonly #slots = new Slots(() => this.kick())
  #holdsLease = false
  #closing = false

  constructor(parts: OutboxParts) {
    const { store, session, clock, line, quietMs, pace, moved, arrived, noticed, onFault } = parts
    this.#parts = parts
    this.#worker = createWorker(clock, () => this.#step(), onFault)
    this.#waits = new CommandWaits(clock, pace, quietMs, () => session.state().username)
    this.#presses = createPresses(clock, () => this.#endPauses(!this.#wantsLooks), onFault)
    this.#attempts = new Attempts({
      store,
      session,
      clock,
      line,
      waits: this.#waits,
      holder: this.#holder,
      isClosing: () => this.#closing,
      moved,
      arrived,
      noticed,
      onFault,
    })
    line.onBack(() => this.resume())
  }

  /**
   * Starts the outbox. Before it sends a command, it sets the state `unknown` for the commands that a crash
   * interrupted.
   */
  start(): void {
    this.#hold()
    this.kick()
  }

  /** Starts a check of which commands may be sent; returns before the check ends. */
  kick(): void {
    this.#worker.kick()
  }

  /**
   * Ends the pauses between attempts after an act of the operator, except those of writes that a firewall blocks. The
   * pauses are ended at most once in two seconds (see `Presses`).
   */
  retryNow(): void {
    // only a request that ends a pause counts towards the limit of `Presses`, so that a request without effect does not
    // delay the next request
    if (this.#wantsLooks || this.#waits.hasPauses) this.#presses.press()
    this.kick()
  }

  /** Ends all pauses and makes all looks due, because an operator asks for it. The limit of `retryNow` applies. */
  lookNow(): void {
    this.#wantsLooks = true
    this.retryNow()
  }

  /**
   * Makes all looks due now and ends all pauses, except those of writes that a firewall blocks, because the connection
   * or the session is back.
   */
  resume(): void {
    this.#wantsLooks = true
    this.#endPauses(true)
  }

  /**
   * Withdraws the questions about a role that the login lacked and has now. Call it after each change of the login or
   * of its roles. Never throws.
   */
  loginChanged(): void {
    const { session, types, onFault } = this.#parts
    if (this.#closing || !session.isSignedIn) return
    try {
      this.#attempts.withdrawRoleQuestions(types)
    } catch (error) {
      // only reports the error, because an error of the store, such as a full disk, must not make the login fail
      onFault(error)
    }
    this.kick()
  }

  /**
   * Sends this command or looks for its effect now, because the operator asks for it. A queued command is sent without
   * the additional checks for a command that has waited (`hasWaited`).
   */
  hurry(commandId: CommandId): void {
    this.#waits.checked(commandId)
    this.#waits.putFirst(commandId)
    this.#waits.lookNow(commandId)
    this.retryNow()
  }

  /**
   * Returns when the quiet time of an unknown command ends, in milliseconds since 1970. After this time the command can
   * no longer arrive. Null: the quiet time is over, or the outcome is known.
   */
  certainAt(command: Pick<CommandRow, 'id' | 'state' | 'endedAt'>): Instant | null {
    const leftMs = command.state === 'unknown' ? this.#waits.quietMs(command) : 0
    return leftMs > 0 ? this.#parts.clock.now() + leftMs : null
  }

  /** Returns why a queued or unknown command waits, and how long. */
  outlook(command: CommandRow): Outlook {
    const now = this.#parts.clock.now()
    const quietMs = this.#waits.quietMs(command)
    if (command.state === 'unknown') {
      const nextAt = now + this.#waits.nextLookMs(command)
      return { waitsFor: quietMs > 0 ? 'quiet_time' : 'service', nextAt }
    }
    if (command.state !== 'queued') return { waitsFor: 'turn', nextAt: null }
    if (quietMs > 0) return { waitsFor: 'quiet_time', nextAt: now + quietMs }
    const waitMs = Math.max(this.#waits.allPausedMs(), this.#waits.pausedMs(command.id))
    return waitMs > 0 ? { waitsFor: 'service', nextAt: now + waitMs } : { waitsFor: 'turn', nextAt: null }
  }

  /** Starts no more commands, waits for the calls under way, and releases the lease. */
  async close(): Promise<void> {
    this.#closing = true
    this.#presses.stop()
    await this.#worker.close()
    await this.#slots.ended()
    this.release()
  }

  /**
   * Releases the lease although a call may still be under way, because `close` did not end in time. After the call of
   * `close` no command can be sent any more. The next holder of the lease sets the state `unknown` for a command that
   * is being sent.
   */
  release(): void {
    if (this.#holdsLease) this.#parts.store.releaseLease(this.#holder)
    this.#holdsLease = false
  }

  #endPauses(keepsBlocked: boolean): void {
    if (this.#wantsLooks) this.#waits.lookNow()
    this.#wantsLooks = false
    this.#waits.endPauses(keepsBlocked)
    this.kick()
  }

  #hold(): boolean {
    const { store, clock } = this.#parts
    const held = store.holdLease(this.#holder, clock.now(), leaseMs)
    try {
      if (held && !this.#holdsLease) store.recover(this.#holder, clock.now())
    } catch (error) {
      // otherwise `release` would not release this lease, because the outbox does not use it yet
      store.releaseLease(this.#holder)
      throw error
    }
    this.#holdsLease = held
    return held
  }

  /**
   * Starts the commands that may be sent or looked up now. Returns the milliseconds until the next check; null: the
   * next check follows after an event.
   */
  #step(): number | null {
    if (!this.#hold()) return otherFlusherMs
    if (!this.#parts.session.isSignedIn) {
      this.#noteNoLogin()
      return null
    }
    const due: Due[] = []
    const waits = [this.#findLooks(due), this.#findQueued(due)]
    this.#slots.fill(due.sort((a, b) => this.#waits.compareTurns(a.id, b.id)))
    return waits.reduce((a, b) => (a === null ? b : b === null ? a : Math.min(a, b)))
  }

  /**
   * Stores the missing login as the reason why the first queued commands wait, so that the window shows this reason.
   */
  #noteNoLogin(): void {
    const isExpired = this.#parts.session.state().state === 'expired'
    const why = failure(isExpired ? 'session.expired' : 'session.signed_out')
    this.#noteUntried(why, (command) => command.failure?.code !== why.code)
  }

  /** Stores the lost connection as the reason why the first queued commands wait, unless they have a reason already. */
  #noteNoLine(): void {
    const { state, failure: why } = this.#parts.line.view()
    if (state === 'offline' && why) this.#noteUntried(why, (command) => command.failure === null)
  }

  #noteUntried(why: Failure, isNews: (command: CommandRow) => boolean): void {
    const { store, moved } = this.#parts
    for (const command of store.due(mostRead)) {
      if (this.#slots.isRunning(command.id) || !isNews(command)) continue
      store.noteFailure(command.id, why)
      moved(command.subject, null)
    }
  }

  /**
   * Adds to `found` the queued commands that may be sent now. Returns the milliseconds until the next one; null: there
   * is none.
   */
  #findQueued(found: Due[]): number | null {
    const { store } = this.#parts
    const offlineMs = this.#waits.allPausedMs()
    if (offlineMs > 0) {
      this.#noteNoLine()
      return offlineMs
    }
    let soonest: number | null = null
    // each command is the next one of its subject, so the commands may run in any order. The newest ones are read too,
    // because an operator waits for them
    const oldest = mostRead + this.#waits.stayedCount
    for (const command of store.due(oldest, this.#waits.first, mostRead)) {
      if (this.#slots.isRunning(command.id)) continue
      const waitMs = Math.max(this.#waits.quietMs(command), this.#waits.pausedMs(command.id))
      const isRepeated = !this.#waits.isFirst(command)
      const isAwaited = this.#waits.isAwaited(command)
      const run = (): Promise<void> =>
        this.#actOn(command.id, (stored, type) => this.#attempts.try(stored, type))
      if (waitMs > 0) soonest = Math.min(soonest ?? waitMs, waitMs)
      else found.push({ id: command.id, isRepeated, isAwaited, run })
    }
    return soonest
  }

  /**
   * Adds to `found` the commands whose look is due. Returns the milliseconds until the next look; null: there is none.
   */
  #findLooks(found: Due[]): number | null {
    let soonest: number | null = null
    const { store } = this.#parts
    for (const waiting of store.unknown()) {
      const waitMs = this.#waits.nextLookMs(waiting)
      if (this.#slots.isRunning(waiting.id)) continue
      const run = (): Promise<void> => {
        // notes the look before the command is read: a look whose command cannot be read would otherwise be repeated
        // without a pause
        this.#waits.looked(waiting)
        return this.#actOn(waiting.id, (command, type) => this.#attempts.look(command, type))
      }
      if (waitMs > 0) soonest = Math.min(soonest ?? waitMs, waitMs)
      else found.push({ id: waiting.id, isRepeated: true, isAwaited: false, run })
    }
    return soonest
  }

  /** Calls `act` with the command as it is stored now, or does nothing if it no longer exists. Never rejects. */
  async #actOn(id: CommandId, act: (command: CommandRow, type: CommandType) => Promise<void>): Promise<void> {
    try {
      const command = this.#parts.store.get(id)
      if (!command) return
      const type = this.#parts.types.get(command.type)
      if (!type) throw new Error(`no kind of write has the command type ${command.type}`)
      await act(command, type)
    } catch (error) {
      // without a pause the desk could repeat a failing attempt without end. `#findLooks` sets the pause before a
      // failing look is repeated
      this.#waits.pause(id)
      this.#parts.onFault(error)
    }
  }
}

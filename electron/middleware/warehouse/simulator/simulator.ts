import { setImmediate as breathe } from 'node:timers/promises'
import type { z } from 'zod'
import type { Logger } from '#kit/logger.ts'
import type { advanced } from '#shared/wire/warehouse.ts'
import {
  inboundsIn,
  lotsToPutAway,
  ordersIn,
  type ShipmentPlace,
  transfersIn,
  undecidedModifications,
  untrackedShipments,
  waitingOrders,
} from '../../data/warehouse-due.ts'
import { Refusal } from '../../services/refusal.ts'
import { type Lease, LeaseLost, type Leases } from '../../data/engine/coordination.ts'
import type { Floor } from './floor.ts'
import { sendBack, moveInbound, movingInbounds, putAway } from './goods-in.ts'
import { moveOrder, movingOrders, track, waitingForSomething } from './orders.ts'
import { decideModification, moveTransfer } from './decisions.ts'

/**
 * For each kind of resource, such as orders and inbounds: the number of resources that one step of the simulated
 * warehouse changed. `failures`: the number of changes that failed unexpectedly; the log contains the reasons.
 */
export type StepReport = Readonly<z.output<typeof advanced>['moved']>

/** The simulated warehouse (README.md has its rules). It runs only when it is called, and calls never overlap. */
export interface Simulator {
  /**
   * Moves each due resource once, at most `limit` resources of each kind. For orders the limit applies twice: to the
   * orders that wait for goods, for the delivery day or for the customer, and to all other orders.
   */
  readonly step: () => Promise<StepReport>
}

export interface SimulatorOptions extends Floor {
  readonly logger: Logger
  /**
   * Maximum number of resources of each kind that one step changes, for example to their next status; for orders, twice
   * as many.
   */
  readonly limit?: number
  /** The simulated warehouse creates a return of goods once in this number of calls of `step`. */
  readonly returnEvery?: number
}

/** The positions at which the next step continues. */
interface Progress {
  steps: number
  /**
   * The next step reads waiting orders with ids after this id; empty: the next step begins with the first waiting
   * order.
   */
  waiting: string
  /** If the search for a shipment without a return is unfinished: the last shipment that it has read. */
  returned: ShipmentPlace | null
  readonly failed: FailedMoves
}

/** Kinds of resources that a step of the simulated warehouse changes, for example to their next status. */
type Kind = 'orders' | 'shipments' | 'inbounds' | 'lots' | 'modifications' | 'transfers'

interface Move {
  /** The id of the resource. */
  readonly id: string
  /**
   * Makes the due change of the resource, for example its next status. Returns false if the resource must wait instead,
   * for example if an order lacks goods.
   */
  readonly run: () => Promise<boolean>
}

/** Maximum number of successive steps that leave out a resource after changes of this resource have failed. */
const longestPause = 255
/** Maximum number of resources in `FailedMoves`. */
const mostFailed = 2000

/**
 * The resources (such as orders and inbounds) whose last change by the simulator failed or was refused. Depending on
 * the kind, a step first changes the least recently changed or the oldest resources, so a resource that always fails
 * would take a place in every step. Therefore a resource is left out of 1 step after two failures in succession, of 3
 * steps after three failures, of 7 steps after four, and so on, up to `longestPause` steps.
 */
class FailedMoves {
  readonly #of = new Map<string, { readonly kind: Kind; readonly pause: number; readonly nextStep: number }>()

  /** Returns the ids of the resources of this kind that are left out of the step with the number `step`. */
  paused(kind: Kind, step: number): Set<string> {
    const found = new Set<string>()
    for (const [id, failed] of this.#of) if (failed.kind === kind && step < failed.nextStep) found.add(id)
    return found
  }

  add(kind: Kind, id: string, step: number): void {
    const known = this.#of.get(id)
    if (known === undefined && this.#of.size >= mostFailed) return
    const pause = known === undefined ? 0 : Math.min(longestPause, 2 * known.pause + 1)
    this.#of.set(id, { kind, pause, nextStep: step + 1 + pause })
  }

  delete(id: string): void {
    this.#of.delete(id)
  }

  /**
   * Forgets the resources whose failed change was not tried again within `longestPause` steps after its pause. These
   * resources were deleted, or a call of a client has changed them.
   */
  forgetOthers(step: number): void {
    for (const [id, { nextStep }] of this.#of) if (step > nextStep + longestPause) this.#of.delete(id)
  }
}

export function createSimulator(options: SimulatorOptions): Simulator {
  const { database, clock, port, logger, limit = 200, returnEvery = 20 } = options
  const floor: Floor = { database, clock, port }
  const progress: Progress = { steps: 0, waiting: '', returned: null, failed: new FailedMoves() }
  let last: Promise<unknown> = Promise.resolve()

  /** Runs calls one after the other, also when several callers call at the same time. */
  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = last.then(work)
    last = done.catch(() => undefined)
    return done
  }

  /**
   * Creates a return of a shipment that has none. The search for such a shipment continues where the search of the
   * previous step ended. Returns false if this step found none.
   */
  async function findReturn(): Promise<boolean> {
    const { moved, next } = await sendBack(floor, { before: progress.returned, limit })
    progress.returned = next
    return moved
  }

  async function step(): Promise<StepReport> {
    progress.steps += 1
    progress.failed.forgetOthers(progress.steps)
    const due = await findDue(floor, progress, limit)
    progress.waiting = due.next
    const isReturnDue = progress.steps % returnEvery === 0 || progress.returned !== null
    const report = { failures: 0 }
    const carryOut = async (kind: Kind): Promise<number> => {
      let moved = 0
      for (const { id, run } of due[kind]) {
        const outcome = await tryMove(run, logger)
        if (outcome === 'failed') report.failures += 1
        if (outcome === 'moved') moved += 1
        if (outcome === 'failed' || outcome === 'refused') progress.failed.add(kind, id, progress.steps)
        else progress.failed.delete(id)
      }
      return moved
    }
    const shipments = await carryOut('shipments')
    const inbounds = await carryOut('inbounds')
    const lots = await carryOut('lots')
    const modifications = await carryOut('modifications')
    const transfers = await carryOut('transfers')
    const orders = await carryOut('orders')
    const returned = isReturnDue ? await tryMove(findReturn, logger) : 'waits'
    if (returned === 'failed') report.failures += 1
    const returns = returned === 'moved' ? 1 : 0
    return { shipments, inbounds, lots, modifications, transfers, orders, returns, ...report }
  }

  return { step: () => inTurn(step) }
}

/** Finds all due resources before the first move, so that no resource moves twice in a step. */
async function findDue(
  floor: Floor,
  { steps, failed, waiting: after }: Progress,
  limit: number,
): Promise<Record<Kind, Move[]> & { next: string }> {
  const { database } = floor
  /**
   * Reads `limit` resources, and one more for each resource that this step leaves out (`FailedMoves`), so that the step
   * can still move `limit` resources.
   */
  async function due<Row extends { readonly id: string }>(
    kind: Kind,
    read: (most: number) => Promise<Row[]>,
    move: (floor: Floor, row: Row) => Promise<boolean>,
  ): Promise<Move[]> {
    const paused = failed.paused(kind, steps)
    const rows = await read(limit + paused.size)
    const wanted = rows.filter(({ id }) => !paused.has(id)).slice(0, limit)
    return wanted.map((row) => ({ id: row.id, run: () => move(floor, row) }))
  }

  const waiting = await waitingOrders(database, waitingForSomething, after, limit)
  return {
    // the step moves orders that wait for goods before new orders
    orders: [
      ...(await due('orders', () => Promise.resolve(waiting.orders), moveOrder)),
      ...(await due('orders', (most) => ordersIn(database, movingOrders, most), moveOrder)),
    ],
    shipments: await due('shipments', (most) => untrackedShipments(database, most), track),
    inbounds: await due('inbounds', (most) => inboundsIn(database, movingInbounds, most), moveInbound),
    lots: await due('lots', (most) => lotsToPutAway(database, most), putAway),
    modifications: await due(
      'modifications',
      (most) => undecidedModifications(database, most),
      decideModification,
    ),
    transfers: await due(
      'transfers',
      (most) => transfersIn(database, ['requested', 'processing'], most),
      moveTransfer,
    ),
    next: waiting.next,
  }
}

/**
 * Runs one action of the simulated warehouse, such as moving an order to its next status. Logs an unexpected failure.
 * Throws `LeaseLost`, which ends the step, because all further actions of the step would fail too.
 */
async function tryMove(
  run: () => Promise<boolean>,
  logger: Logger,
): Promise<'moved' | 'waits' | 'refused' | 'failed'> {
  try {
    return (await run()) ? 'moved' : 'waits'
  } catch (error) {
    // `WarehousePort` refuses the action if a client has changed the resource meanwhile; a later step reads the new
    // state
    if (error instanceof Refusal) return 'refused'
    if (error instanceof LeaseLost) throw error
    logger.error({ err: error }, 'the simulated warehouse could not move a resource')
    return 'failed'
  } finally {
    // lets waiting calls run, because SQLite works in this thread
    await breathe()
  }
}

/** The timer that runs the steps of the simulated warehouse. */
export interface Pace {
  /** Starts no further step. Resolves when no step is running. */
  stop(): Promise<void>
}

/**
 * The lease of the process whose timer runs the simulated warehouse. Each timer of another process tries to take it.
 */
const clockLease = 'warehouse clock'

/**
 * Runs a step repeatedly, while this process has the lease `clockLease`. Each step begins `paceMs` milliseconds after
 * the end of the previous step. The failure of a step is logged.
 */
export function keepPace(
  takeStep: () => Promise<unknown>,
  { paceMs, leases, logger }: { readonly paceMs: number; readonly leases: Leases; readonly logger: Logger },
): Pace {
  let timer: NodeJS.Timeout
  let underWay: Promise<void> | null = null
  let stopped = false
  let clock: Lease | null = null

  async function step(): Promise<void> {
    try {
      if (clock === null || clock.lost.aborted) clock = await leases.take(clockLease)
      const moved = clock === null ? null : await takeStep()
      if (moved !== null) logger.debug({ moved }, 'the simulated warehouse completed a step')
    } catch (error) {
      logger.error({ err: error }, 'a step of the simulated warehouse failed; the next step tries again')
    }
    if (!stopped) schedule()
  }

  function schedule(): void {
    timer = setTimeout(() => {
      underWay = step()
    }, paceMs)
    timer.unref()
  }

  schedule()
  return {
    async stop() {
      stopped = true
      clearTimeout(timer)
      await underWay
      await clock?.release()
    },
  }
}

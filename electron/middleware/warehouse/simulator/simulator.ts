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
import type { Lease, Leases } from '../../data/engine/coordination.ts'
import type { Floor } from './floor.ts'
import { sendBack, moveInbound, movingInbounds, putAway } from './goods-in.ts'
import { moveOrder, movingOrders, track, waitingForSomething } from './orders.ts'
import { decideModification, moveTransfer } from './decisions.ts'

/**
 * Number of resources of each kind that one step moved, and number of resources whose move failed unexpectedly
 * (logged).
 */
export type StepReport = Readonly<z.output<typeof advanced>['moved']>

/** The simulated warehouse (README.md has its rules). It runs only when it is called, and calls never overlap. */
export interface Simulator {
  /** Moves each due resource once, at most `limit` resources of each kind. */
  readonly step: () => Promise<StepReport>
}

export interface SimulatorOptions extends Floor {
  readonly logger: Logger
  /** Maximum number of resources of a kind that one step moves. */
  readonly limit?: number
  /** Number of steps between two returns. */
  readonly returnEvery?: number
}

/** The positions at which the next step continues. */
interface Progress {
  steps: number
  /** The id of the last order that waited. */
  waiting: string
  /** If the search for a shipment without a return is unfinished: the last shipment that it has read. */
  returned: ShipmentPlace | null
}

/** Moves a resource. Returns false if the resource has to wait. */
type Move = () => Promise<boolean>

export function createSimulator(options: SimulatorOptions): Simulator {
  const { database, clock, port, logger, limit = 200, returnEvery = 20 } = options
  const floor: Floor = { database, clock, port }
  const progress: Progress = { steps: 0, waiting: '', returned: null }
  let last: Promise<unknown> = Promise.resolve()

  /** Runs calls one after the other, also when several callers call at the same time. */
  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = last.then(work)
    last = done.catch(() => undefined)
    return done
  }

  /** Searches for a shipment to return, and continues where the search of the previous step ended. */
  async function findReturn(): Promise<boolean> {
    const { moved, next } = await sendBack(floor, { before: progress.returned, limit })
    progress.returned = next
    return moved
  }

  async function step(): Promise<StepReport> {
    progress.steps += 1
    const due = await findDue(floor, { limit, after: progress.waiting })
    progress.waiting = due.next
    const isReturnDue = progress.steps % returnEvery === 0 || progress.returned !== null
    const returns: Move[] = isReturnDue ? [findReturn] : []
    const report = { failures: 0 }
    const carryOut = (moves: readonly Move[]): Promise<number> => moveAll(moves, logger, report)
    return {
      shipments: await carryOut(due.shipments),
      inbounds: await carryOut(due.inbounds),
      lots: await carryOut(due.lots),
      modifications: await carryOut(due.modifications),
      transfers: await carryOut(due.transfers),
      orders: await carryOut(due.orders),
      returns: await carryOut(returns),
      failures: report.failures,
    }
  }

  return { step: () => inTurn(step) }
}

/** Finds all due resources before the first move, so that no resource moves twice in a step. */
async function findDue(
  floor: Floor,
  { limit, after }: { limit: number; after: string },
): Promise<
  Record<'orders' | 'shipments' | 'inbounds' | 'lots' | 'modifications' | 'transfers', Move[]> & {
    next: string
  }
> {
  const { database } = floor
  const moving = await ordersIn(database, movingOrders, limit)
  const waiting = await waitingOrders(database, waitingForSomething, after, limit)
  const shipments = await untrackedShipments(database, limit)
  const inbounds = await inboundsIn(database, movingInbounds, limit)
  const lots = await lotsToPutAway(database, limit)
  const modifications = await undecidedModifications(database, limit)
  const transfers = await transfersIn(database, ['requested', 'processing'], limit)
  return {
    // orders that wait for goods come before new ones
    orders: [...waiting.orders, ...moving].map((order) => () => moveOrder(floor, order)),
    shipments: shipments.map((shipment) => () => track(floor, shipment)),
    inbounds: inbounds.map((inbound) => () => moveInbound(floor, inbound)),
    lots: lots.map((lot) => () => putAway(floor, lot)),
    modifications: modifications.map((modification) => () => decideModification(floor, modification)),
    transfers: transfers.map((transfer) => () => moveTransfer(floor, transfer)),
    next: waiting.next,
  }
}

async function moveAll(
  moves: readonly Move[],
  logger: Logger,
  report: { failures: number },
): Promise<number> {
  let moved = 0
  for (const move of moves) {
    try {
      if (await move()) moved += 1
    } catch (error) {
      // refused because a client has changed the resource meanwhile; the next step reads the new state
      if (!(error instanceof Refusal)) {
        report.failures += 1
        logger.error({ err: error }, 'the simulated warehouse could not move a resource')
      }
    }
    // lets waiting calls run, because SQLite works in this thread
    await breathe()
  }
  return moved
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

/** Runs a step repeatedly, `paceMs` milliseconds after the end of the one before. The failure of a step is logged. */
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

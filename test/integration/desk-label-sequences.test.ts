import { labelIdOf } from '#support/ids.ts'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Desk } from '#desk/desk.ts'
import type { ReturnLabelView } from '#shared/bridge/label-views.ts'
import { count, seed } from '#support/counts.ts'
import { DeskBench, eventually, logIn } from '#support/desk-bench.ts'
import { anySender, byHand, byShipment } from '#support/label-wishes.ts'
import type { ScriptedLabel } from '#support/scripted-records.ts'
import { type Fault, ScriptedService } from '#support/scripted-service.ts'

/**
 * One step of a test: an action of an operator, unless a comment says otherwise. `which` selects the shipment or the
 * label of the action: it is an index into the existing ones, modulo their number.
 */
type Act =
  | { readonly do: 'make'; readonly which: number; readonly request: boolean; readonly changed: boolean }
  | { readonly do: 'by_hand'; readonly request: boolean }
  | { readonly do: 'patch'; readonly which: number; readonly city: string }
  | { readonly do: 'request' | 'cancel'; readonly which: number }
  /** An action at another desk. */
  | { readonly do: 'request_elsewhere' | 'cancel_elsewhere'; readonly which: number }
  /** Waits until the desk has completed its current work. */
  | { readonly do: 'wait' }

const which = fc.nat(5)
const acts: fc.Arbitrary<Act> = fc.oneof(
  fc.record({ do: fc.constant('make' as const), which, request: fc.boolean(), changed: fc.boolean() }),
  fc.record({ do: fc.constant('by_hand' as const), request: fc.boolean() }),
  fc.record({ do: fc.constant('patch' as const), which, city: fc.constantFrom('Breda', 'Goes', 'Assen') }),
  fc.record({ do: fc.constantFrom('request' as const, 'cancel' as const), which }),
  fc.record({ do: fc.constantFrom('request_elsewhere' as const, 'cancel_elsewhere' as const), which }),
  fc.record({ do: fc.constant('wait' as const) }),
)

/** Faults that delay a write only for a moment. */
const quickFaults: readonly Fault[] = [
  'reset_before',
  'reset_after',
  'truncated_after',
  'broken_json_after',
  'server_error_before',
  'server_error_after',
  'unexpected_417_after',
  'unauthorised',
]
const fault = fc.option(fc.constantFrom(...quickFaults), { nil: null, freq: 2 })

/** Waits until no write waits. Refused writes do not count, because they wait for the operator. */
async function settle(desk: Desk): Promise<void> {
  await eventually(() => desk.status().waitingWrites.length === 0)
}

/**
 * Requests the label as another desk does. The request is not counted in `requests`, because the desk's own request may
 * still arrive.
 */
function requestElsewhere(label: ScriptedLabel, world: ScriptedService): void {
  label.request(`${world.url}/file.pdf`)
  label.requests -= 1
}

async function perform(act: Act, desk: Desk, world: ScriptedService): Promise<void> {
  const pick = <T>(from: readonly T[], index: number): T | undefined => from[index % Math.max(1, from.length)]
  switch (act.do) {
    case 'make': {
      const sender = act.changed ? anySender : null
      const shipment = pick(world.shipments, act.which)
      if (shipment)
        await desk.returnLabel.make({
          mode: byShipment(shipment.id, { sender }),
          request: act.request,
          seen: null,
        })
      return
    }
    case 'by_hand':
      await desk.returnLabel.make({ mode: byHand(), request: act.request, seen: null })
      return
    case 'wait':
      await settle(desk)
      return
    case 'request_elsewhere':
    case 'cancel_elsewhere': {
      const label = pick(world.labels, act.which)
      if (!label || label.isCancelled || label.wire.url !== null) return
      if (act.do === 'cancel_elsewhere') label.isCancelled = true
      else requestElsewhere(label, world)
      return
    }
    default: {
      const id = pick(desk.returnLabel.recent(), act.which)?.id ?? labelIdOf('none')
      if (act.do === 'patch') await desk.returnLabel.patch({ id, sender: { city: act.city } })
      else if (act.do === 'request') await desk.returnLabel.request({ id })
      else await desk.returnLabel.cancel({ id })
    }
  }
}

/** Compares a label at the desk with the same label at the service. */
function expectTruth(view: ReturnLabelView, world: ScriptedService): void {
  const label = world.labels.find(({ wire }) => wire.id === view.serverId)
  if (!label) {
    expect(view).toMatchObject({ serverId: null, requested: false })
    expect(['rejected', 'discarded']).toContain(view.create)
    return
  }
  expect(view.requested).toBe(label.wire.url !== null)
  expect(label.requests).toBeLessThanOrEqual(1)
  if (view.cancel === 'done') expect(label.isCancelled).toBe(true)
  if (view.cancelled) expect(label.isCancelled).toBe(true)
  if (view.patch === 'done') expect(view.sender?.city).toBe(label.wire.sender_address?.city)
}

const runs = { numRuns: count(12, 300), seed }

/**
 * Time limits of calls. No fault of this test lasts until a time limit. On a busy machine, the short limits of
 * `quickOptions` would end a call without a fault, and the desk would ask its operator whether the write has arrived.
 */
const timeouts = { connectMs: 30_000, headersMs: 30_000, idleMs: 30_000, totalMs: 60_000 }

it(
  'after any sequence of actions a desk shows its labels as the service has them, each once',
  { timeout: 3_600_000 },
  async () => {
    const sequences = fc.record({
      plan: fc.array(acts, { minLength: 3, maxLength: 12 }),
      writes: fc.array(fault, { maxLength: 8 }),
      reads: fc.array(fault, { maxLength: 4 }),
    })
    await fc.assert(
      fc.asyncProperty(sequences, async ({ plan, writes, reads }) => {
        const bench = await DeskBench.create()
        const world = new ScriptedService()
        await world.start()
        try {
          const desk = await bench.open(() => world.url, { quietMs: 60, timeouts })
          await logIn(desk)
          await eventually(() => desk.status().index.shipments === world.shipments.length)
          const [restOfWrites, restOfReads] = [[...writes], [...reads]]
          world.script = ({ method, path }) => {
            if (!path.startsWith('/wms/return-labels')) return null
            return (method === 'GET' ? restOfReads : restOfWrites).shift() ?? null
          }
          for (const act of plan) await perform(act, desk, world)
          await settle(desk)
          // Opens the desk again with a clock that is a minute ahead. So it reads from the service again, and learns
          // only then of actions of other clients.
          world.script = () => null
          await bench.close(desk)
          const clock = { now: () => Date.now() + 60_000, ticks: () => performance.now() }
          const later = await bench.open(() => world.url, { clock, timeouts })
          await logIn(later)
          await eventually(() => {
            const seen = later.returnLabel.recent()
            for (const { id } of seen) later.returnLabel.get({ id })
            return seen.every(
              (view) =>
                view.cancelled ||
                view.serverId === null ||
                view.requested ===
                  (world.labels.find(({ wire }) => wire.id === view.serverId)?.wire.url !== null),
            )
          })
          const shown = later.returnLabel.recent()
          for (const view of shown) expectTruth(view, world)
          const servers = shown.flatMap((view) => view.serverId ?? [])
          expect(new Set(servers).size).toBe(servers.length)
          expect(world.labels.map(({ wire }) => wire.id).sort()).toEqual([...servers].sort())
        } finally {
          await bench.dispose()
          await world.stop()
        }
      }),
      runs,
    )
  },
)

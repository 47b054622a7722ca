import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { PrintDecision, PrintLine, PrintsView } from '#shared/bridge/print-views.ts'
import { fail, ok, type Result } from '#shared/errors/result.ts'
import type { MemoryCore } from './memory-core.ts'
import { choicesFor, samplePreview, withPrints } from './sample-prints.ts'
import { ago } from './sample-views.ts'

/** The paper as `world.prints` has it. Nothing is ever sent from here, and what is held stays held until it is released. */
export function printMethods(desk: MemoryCore): ScandeskBridge['print'] {
  const { world } = desk
  return {
    list: () => desk.call('print:list', () => ok(world.prints)),
    preview: ({ jobId }) => desk.call('print:preview', () => ok(world.previews[jobId] ?? samplePreview())),
    decide: ({ jobId, version, decision }) =>
      desk.call('print:decide', () => decide(desk, jobId, version, decision)),
  }
}

function decide(
  desk: MemoryCore,
  jobId: string,
  version: string,
  decision: PrintDecision,
): Result<PrintsView> {
  const { world } = desk
  const { open, notScanned } = world.prints
  const line = [...open, ...notScanned].find((one) => one.jobId === jobId)
  if (!line || line.version !== version || !line.choices.includes(decision.kind))
    return fail('queue.moved_on')
  world.printsDecided = [...world.printsDecided, { jobId, decision }]
  const lines = after(desk, line, decision)
  const isOpen = ({ state }: PrintLine): boolean => state !== 'confirmed' && state !== 'sent'
  const others = (list: readonly PrintLine[]): PrintLine[] => list.filter((one) => one.jobId !== jobId)
  const at = open.findIndex((one) => one.jobId === jobId)
  const waiting = lines.filter(isOpen)
  world.prints = {
    ...world.prints,
    // one that stays keeps its place
    open: at < 0 ? [...open, ...waiting] : others(open).toSpliced(at, 0, ...waiting),
    notScanned: [...lines.filter((one) => !isOpen(one)), ...others(notScanned)],
  }
  world.status = withPrints(world.status, world.prints)
  desk.emit('status', world.status)
  return ok(world.prints)
}

/** What the decided job became, and the one that it began. */
function after(desk: MemoryCore, line: PrintLine, decision: PrintDecision): PrintLine[] {
  const now = ago(desk.world.nowMs(), 0)
  const moved = (change: Partial<PrintLine>): PrintLine => {
    const changed = { ...line, version: `${line.version}+`, since: now, ...change }
    return { ...changed, choices: choicesFor(changed) }
  }
  const waiting = { state: 'queued', failure: null } as const
  switch (decision.kind) {
    case 'came_out':
      return [moved({ state: 'confirmed', failure: null })]
    case 'print_again': {
      const { reason } = decision
      const again = { ...waiting, jobId: desk.id('pj'), isReprint: true, reason, hold: null, createdAt: now }
      return line.state === 'unknown' ? [moved(again)] : [line, moved(again)]
    }
    case 'print_anyway':
      return [moved({ ...waiting, hold: null })]
    case 'place':
      return [moved({ placement: decision.placement })]
    case 'move':
      return [moved({ ...waiting, printer: decision.printer })]
    case 'retry':
      return [moved(waiting)]
    case 'give_up':
      return []
  }
}

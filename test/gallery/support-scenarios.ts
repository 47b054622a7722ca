import type { SupportView } from '#shared/bridge/support-views.ts'
import { failure } from '#shared/errors/catalogue.ts'
import type { MemoryWorld } from '#support/memory-desk/memory-core.ts'
import { memoryWorld } from '#support/memory-desk/memory-desk.ts'
import { sampleSupport } from '#support/memory-desk/support.ts'
import type { Scenario, Step } from './scenario.ts'

const toSupport: Step = { click: '.links button:nth-of-type(2)' }
const save: Step = { click: '.acts button' }

function withSupport(nowMs: number, change: Partial<SupportView> = {}): MemoryWorld {
  return { ...memoryWorld(() => nowMs), support: { ...sampleSupport(nowMs), ...change } }
}

/** The log of this computer, and the support bundle. */
export const supportScenarios: readonly Scenario[] = [
  {
    name: 'setup-support',
    world: (now) => withSupport(now),
    steps: [toSupport],
    sizes: 'both',
    narrow: true,
  },
  { name: 'setup-support-saved', world: (now) => withSupport(now), steps: [toSupport, save], narrow: true },
  {
    name: 'setup-support-saving',
    world: (now) => ({ ...withSupport(now), hanging: new Set(['support:save']) }),
    steps: [toSupport, save],
  },
  {
    name: 'setup-support-empty',
    world: (now) => withSupport(now, { lines: [], files: sampleSupport(now).files.slice(0, 4) }),
    steps: [toSupport],
  },
  {
    name: 'setup-support-failed',
    world: (now) => ({
      ...withSupport(now, { logFault: 'ENOSPC' }),
      failures: { 'support:save': failure('support.not_saved', { cause: 'ENOSPC' }) },
    }),
    steps: [toSupport, save],
    narrow: true,
  },
]

import { memoryWorld } from '#support/memory-desk/memory-desk.ts'
import { noSpeed, sampleSpeed } from '#support/memory-desk/speed.ts'
import type { Scenario, Step } from './scenario.ts'

const toSpeed: readonly Step[] = [
  { click: '.links button:first-of-type' },
  { click: '[data-part] [role=group] button:nth-of-type(5)' },
]

/** Screens that show how long the scans and labels of today took. */
export const speedScenarios: readonly Scenario[] = [
  {
    name: 'setup-speed',
    world: (now) => ({ ...memoryWorld(() => now), speed: sampleSpeed(now) }),
    steps: toSpeed,
    sizes: 'both',
    narrow: true,
  },
  {
    name: 'setup-speed-begun',
    world: (now) => ({
      ...memoryWorld(() => now),
      speed: {
        ...sampleSpeed(now),
        rows: [...sampleSpeed(now).rows.slice(0, 2), ...noSpeed(now).rows.slice(2)],
      },
    }),
    steps: toSpeed,
  },
  { name: 'setup-speed-empty', world: (now) => memoryWorld(() => now), steps: toSpeed, narrow: true },
]

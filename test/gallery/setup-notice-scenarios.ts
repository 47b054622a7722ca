import { memoryWorld } from '#support/memory-desk/memory-desk.ts'
import {
  brokenProvisioning,
  lostSettings,
  productionStation,
  wrongProvisioning,
} from '#support/memory-desk/station.ts'
import type { Scenario } from './scenario.ts'

/** A PC whose set-up file was refused, or whose settings were lost. */
export const setupNoticeScenarios: readonly Scenario[] = [
  {
    name: 'login-file-refused',
    world: (now) => ({
      ...memoryWorld(() => now),
      setupNotice: { refused: brokenProvisioning(), lost: null },
    }),
    narrow: true,
  },
  {
    name: 'login-settings-lost',
    world: (now) => ({
      ...memoryWorld(() => now),
      setupNotice: { refused: null, lost: lostSettings(now) },
    }),
    sizes: 'both',
  },
  {
    name: 'login-practise',
    world: (now) => ({
      ...memoryWorld(() => now),
      setupNotice: { refused: null, lost: lostSettings(now) },
    }),
    steps: [{ click: '[data-setup-notice] button:last-child' }],
  },
  {
    name: 'login-part-lost',
    world: (now) => ({
      ...memoryWorld(() => now),
      stations: [productionStation],
      currentStation: productionStation.id,
      setupNotice: {
        refused: wrongProvisioning(now),
        lost: lostSettings(now, { extent: 'part', parts: ['printers', 'routes'] }),
      },
    }),
    narrow: true,
  },
  {
    name: 'login-restored',
    world: (now) => ({
      ...memoryWorld(() => now),
      stations: [productionStation],
      currentStation: productionStation.id,
      setupNotice: {
        refused: null,
        lost: lostSettings(now, {
          parts: ['stations', 'routes', 'scanners', 'calibration'],
          restoredBy: '/etc/scandesk/scandesk.provision.json',
        }),
      },
    }),
  },
  {
    name: 'setup-settings-lost',
    world: (now) => ({
      ...memoryWorld(() => now),
      setupNotice: { refused: null, lost: lostSettings(now) },
    }),
    steps: [{ click: '[data-setup-notice] button:first-child' }],
  },
]

import { m } from '#messages/messages.js'
import { type ConnectionStep, connectionSteps, type ConnectionTest } from '#shared/bridge/views.ts'
import type { MemoryWorld } from '#support/memory-desk/memory-core.ts'
import { memoryWorld } from '#support/memory-desk/memory-desk.ts'
import { developmentStation, productionStation, sandboxStation } from '#support/memory-desk/station.ts'
import type { Scenario, Step } from './scenario.ts'

type Problem = NonNullable<ConnectionTest['problem']>

const testIt: Step = { click: 'form button[type=submit]' }

/** Opens the set-up and types a new station. */
function typed(baseUrl: string, wmsCode: string, customerCode: string, name: string): Step[] {
  return [
    { click: '.links button' },
    { type: { into: m.setup_base_url, text: baseUrl } },
    { type: { into: m.setup_wms_code, text: wmsCode } },
    { type: { into: m.setup_customer_code, text: customerCode } },
    { type: { into: m.setup_station_name, text: name } },
  ]
}

/** A connection test that fails at a step. */
function failing(nowMs: number, failed: ConnectionStep, problem: Problem): MemoryWorld {
  const at = connectionSteps.indexOf(failed)
  const state = (index: number): string => (index === at ? 'failed' : index < at ? 'passed' : 'not_reached')
  const steps = Object.fromEntries(connectionSteps.map((step, index) => [step, state(index)]))
  return {
    ...memoryWorld(() => nowMs),
    test: { steps: steps as ConnectionTest['steps'], problem, environment: null, tookMs: 312 },
  }
}

export const stationScenarios: readonly Scenario[] = [
  {
    name: 'setup',
    world: (now) => ({
      ...memoryWorld(() => now),
      stations: [sandboxStation, productionStation, developmentStation],
    }),
    steps: [{ click: '.links button' }],
    sizes: 'both',
  },
  {
    name: 'setup-remove',
    world: (now) => ({
      ...memoryWorld(() => now),
      stations: [sandboxStation, productionStation, developmentStation],
    }),
    steps: [
      { click: '.links button' },
      { click: `[data-station="${developmentStation.id}"] button:first-of-type` },
    ],
    narrow: true,
  },
  {
    name: 'setup-computer',
    world: (now) => memoryWorld(() => now),
    steps: [{ click: '.links button' }, { click: '[role=group] button:nth-of-type(4)' }],
    narrow: true,
  },
  {
    name: 'setup-leave',
    world: (now) => memoryWorld(() => now),
    steps: [
      { click: '.links button' },
      { type: { into: m.setup_base_url, text: 'https://middleware.example.com' } },
      {
        desk: (desk) => {
          desk.emit('closing', { waiting: 0, asking: 0 })
        },
      },
    ],
    narrow: true,
  },
  {
    name: 'setup-tested',
    world: (now) => memoryWorld(() => now),
    steps: [...typed('https://middleware.example.com', 'NLRTM', 'BERGENDAL', 'Retourbalie 2'), testIt],
    narrow: true,
  },
  {
    name: 'setup-failed',
    world: (now) =>
      failing(now, 'service', {
        code: 'redirected',
        params: {
          host: 'portal.hotel.example',
          port: 443,
          status: 302,
          target: 'https://login.hotel.example/welcome',
        },
      }),
    steps: [...typed('https://portal.hotel.example', 'NLRTM', 'BERGENDAL', 'Retourbalie 2'), testIt],
    narrow: true,
  },
  {
    name: 'setup-untrusted',
    world: (now) =>
      failing(now, 'tls', {
        code: 'certificate_untrusted',
        params: { host: 'wms.example.com', port: 443, cause: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' },
      }),
    steps: [...typed('https://wms.example.com', 'NLRTM', 'BERGENDAL', ''), testIt],
  },
  {
    name: 'setup-wrong-path',
    world: (now) =>
      failing(now, 'service', {
        code: 'no_service_at_path',
        params: {
          host: 'wms.example.com',
          port: 8443,
          status: 404,
          path: '/wms/wms/auth/login/',
          origin: 'https://wms.example.com:8443',
        },
      }),
    steps: [...typed('https://wms.example.com:8443/wms', 'NLRTM', 'BERGENDAL', ''), testIt],
  },
  {
    name: 'setup-wrong-fields',
    world: (now) => memoryWorld(() => now),
    steps: [
      ...typed('ftp://wms.example.com', '', 'ALDÉR', ''),
      { type: { into: m.setup_document_hosts, text: 'https://labels.example.com' } },
      { click: 'form .primary' },
    ],
    narrow: true,
  },
]

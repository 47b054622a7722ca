import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import {
  lostParts,
  type ProvisioningProblem,
  type ProvisioningView,
  type SettingsLoss,
} from '#shared/bridge/setup-views.ts'
import { pcSettings, setupSettingNames, setupSettings } from '#shared/bridge/pc-settings.ts'
import type { StorageView } from '#shared/bridge/storage-views.ts'
import type {
  AppInfo,
  CommandSecret,
  ConnectionTest,
  DeskStatus,
  SessionView,
  StationView,
} from '#shared/bridge/views.ts'
import { environmentOf } from '#shared/domain/scope.ts'
import { fail, ok, type Result } from '#shared/errors/result.ts'
import { roles, wireRole } from '#shared/wire/roles.ts'
import { sampleCatalogue } from './catalogue.ts'
import { ago, type MemoryCore } from './memory-core.ts'

export const sampleInfo: AppInfo = {
  version: '0.1.0',
  settings: setupSettings.parse(
    Object.fromEntries(setupSettingNames.map((name) => [name, pcSettings[name].standard('en')])),
  ),
  engine: 'memory',
  platform: 'linux',
  dataDir: '/nowhere',
  suggestedServer: null,
}

/** Returns a command secret with this text, created at a time in milliseconds since 1970. */
export function madeSecret(text: string, madeMs: number): CommandSecret {
  return { text, madeAt: new Date(madeMs).toISOString(), isProvisioned: false }
}

export const sandboxStation: StationView = {
  id: 'st-sandbox',
  name: 'Returns desk 2',
  baseUrl: 'embedded:',
  wmsCode: 'SANDBOX',
  customerCode: 'ACME',
  documentHosts: '',
  environment: 'sandbox',
  commandSecret: null,
  demoLogin: { username: 'anna', password: 'sandbox' },
}

export const productionStation: StationView = {
  id: 'st-production',
  name: 'Retourbalie Rotterdam-Noord',
  baseUrl: 'https://middleware.example.com',
  wmsCode: 'NLRTM',
  customerCode: 'BERGENDAL',
  documentHosts: '',
  environment: 'production',
  commandSecret: madeSecret('7K2QX', Date.UTC(2026, 8, 14, 7, 30)),
  demoLogin: null,
}

export const developmentStation: StationView = {
  ...productionStation,
  id: 'st-development',
  name: 'Test bench',
  baseUrl: 'https://dev.middleware.example.com',
  wmsCode: 'DEV',
  environment: 'development',
}

/** The result of a connection test without a failure. */
export const sampleConnection: ConnectionTest = {
  steps: {
    address: 'passed',
    name: 'passed',
    port: 'passed',
    tls: 'passed',
    service: 'passed',
    wms: 'passed',
    customer: 'at_login',
  },
  problem: null,
  environment: 'production',
  tookMs: 84,
}

export const signedOut: SessionView = {
  state: 'signed_out',
  username: null,
  roles: [],
  customer: null,
  keepsLogin: true,
}

export const signedIn: SessionView = {
  state: 'signed_in',
  username: 'anna',
  roles: roles.map(wireRole),
  customer: { code: 'ACME', name: 'Acme Outdoor' },
  keepsLogin: true,
}

/** The status of an idle desk that is online and has no waiting work. */
export function sampleStatus(nowMs: number): DeskStatus {
  return {
    line: { state: 'online', since: ago(nowMs, 134), failure: null },
    waitingWrites: [],
    refusedWrites: [],
    unsent: { waiting: 0, asking: 0, oldest: null },
    notices: 0,
    twice: null,
    decided: { disapproved: [], approved: null },
    waitingPrints: [],
    printer: { name: 'Zebra ZD421', title: 'Zebra ZD421', state: 'ready', failure: null, folder: null },
    index: {
      shipments: 400,
      labels: 36,
      reachesBackTo: ago(nowMs, 90 * 1440),
      syncedAt: ago(nowMs, 3),
      syncing: false,
    },
    catalogue: sampleCatalogue(nowMs),
    backup: null,
  }
}

const problem: Omit<ProvisioningProblem, 'code'> = {
  part: null,
  number: null,
  name: null,
  field: '',
  params: {},
  allowed: null,
}

/** A set-up file that is not valid JSON: the fault is in its fourth line. */
export function brokenProvisioning(): ProvisioningView {
  return {
    file: '/etc/scandesk/scandesk.provision.json',
    state: 'wrong',
    problems: [{ ...problem, code: 'not_json', params: { line: 4, column: 12 } }],
    at: null,
  }
}

export function lostSettings(nowMs: number, change: Partial<SettingsLoss> = {}): SettingsLoss {
  return {
    at: ago(nowMs, 3),
    extent: 'all',
    parts: [...lostParts],
    copy: 'settings.json.1.bak',
    restoredBy: null,
    ...change,
  }
}

export function wrongProvisioning(nowMs: number): ProvisioningView {
  return {
    file: '/etc/scandesk/scandesk.provision.json',
    state: 'wrong',
    problems: [
      {
        ...problem,
        code: 'wrong',
        part: 'printers',
        number: 1,
        name: 'Zebra at the dock',
        field: 'settings.port',
        allowed: { form: 'whole', min: 1, max: 65535, step: null, values: [], orNull: false },
      },
      {
        ...problem,
        code: 'unknown_name',
        part: 'printers',
        number: 2,
        field: 'tittle',
        params: { known: 'id, title, settings, layout' },
      },
      { ...problem, code: 'insecure_url', part: 'stations', number: 1, name: 'Returns 1', field: 'baseUrl' },
      { ...problem, code: 'no_station', part: 'routes', name: 'Returns 9' },
    ],
    at: ago(nowMs, 3),
  }
}

/** The storage of a computer with hourly backups, on which desk.db was never restored. */
export function sampleStorage(nowMs: number): StorageView {
  return {
    backups: Array.from({ length: 12 }, (_, i) => {
      const at = ago(nowMs, 24 + i * 60)
      return { name: `desk-${at.slice(0, 16).replace(':', '')}.db`, at, bytes: 1_240_000 - i * 9_400 }
    }),
    keepDays: 90,
    journalBytes: 412_300,
    documents: 36,
    documentBytes: 5_230_000,
    recovery: null,
  }
}

export function appMethods(desk: MemoryCore): ScandeskBridge['app'] {
  const { world } = desk
  return {
    info: () => desk.call('app:info', () => ok(world.info)),
    change: (change) =>
      desk.call('app:change', () => {
        const settings = setupSettings.parse({ ...world.info.settings, ...change })
        return ok((world.info = { ...world.info, settings }))
      }),
    close: () => desk.call('app:close', () => ok(undefined)),
    unsaved: () => desk.call('app:unsaved', () => ok(undefined)),
    provisioning: () => desk.call('app:provisioning', () => ok(world.provisioning)),
    setupNotice: () => desk.call('app:setupNotice', () => ok(world.setupNotice)),
    acknowledgeSetup: () =>
      desk.call('app:acknowledgeSetup', () => ok((world.setupNotice = { refused: null, lost: null }))),
  }
}

export function stationMethods(desk: MemoryCore): ScandeskBridge['station'] {
  const { world } = desk
  const current = (): Result<StationView> => {
    const found = world.stations.find(({ id }) => id === world.currentStation)
    return found ? ok(found) : fail('station.none')
  }
  return {
    list: () => desk.call('station:list', () => ok(world.stations)),
    current: () => desk.call('station:current', current),
    test: () => desk.call('station:test', () => ok(world.test)),
    save: (draft) =>
      desk.call('station:save', () => {
        const saved = {
          ...draft,
          id: desk.id('st'),
          environment: environmentOf(draft),
          demoLogin: null,
          commandSecret: madeSecret('K7Q2M', 0),
        }
        world.stations = [...world.stations, saved]
        return ok(saved)
      }),
    use: ({ id }) =>
      desk.call('station:use', () => {
        world.currentStation = id
        world.setupNotice = { refused: null, lost: null }
        desk.putSession(signedOut)
        return current()
      }),
    renewSecret: ({ id }) =>
      desk.call('station:renewSecret', () => {
        const commandSecret = madeSecret('3W8ZT', world.nowMs())
        world.stations = world.stations.map((one) => (one.id === id ? { ...one, commandSecret } : one))
        const renewed = world.stations.find((one) => one.id === id)
        return renewed ? ok(renewed) : fail('station.none')
      }),
    remove: ({ id }) =>
      desk.call('station:remove', () => ok((world.stations = world.stations.filter((s) => s.id !== id)))),
  }
}

export function sessionMethods(desk: MemoryCore): ScandeskBridge['session'] {
  const { world } = desk
  return {
    state: () => desk.call('session:state', () => ok(world.session)),
    login: ({ username }) =>
      desk.call('session:login', () => ok(desk.putSession({ ...world.loginAs, username }))),
    logout: () => desk.call('session:logout', () => ok(desk.putSession(signedOut))),
  }
}

export function storageMethods(desk: MemoryCore): ScandeskBridge['storage'] {
  const { world } = desk
  return {
    state: () => desk.call('storage:state', () => ok(world.storage)),
    backUp: () =>
      desk.call('storage:backUp', () => {
        const at = ago(world.nowMs(), 0)
        const backup = { name: `desk-${at.replaceAll(/[:.]/g, '')}.db`, at, bytes: 1_240_000 }
        return ok((world.storage = { ...world.storage, backups: [backup, ...world.storage.backups] }))
      }),
    keep: ({ days }) =>
      desk.call('storage:keep', () => ok((world.storage = { ...world.storage, keepDays: days }))),
    recoveryRead: () =>
      desk.call('storage:recoveryRead', () => ok((world.storage = { ...world.storage, recovery: null }))),
  }
}

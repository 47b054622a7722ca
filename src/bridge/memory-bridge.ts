import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { StationView } from '#shared/bridge/views.ts'
import { environmentOf } from '#shared/domain/scope.ts'
import { fail, ok, type Result } from '#shared/errors/result.ts'
import { MemoryCore } from './memory-core.ts'
import { articleMethods, catalogueMethods, storageMethods } from './memory-kept.ts'
import { labelMethods } from './memory-labels.ts'
import { paperMethods } from './memory-paper.ts'
import { printerMethods } from './memory-printers.ts'
import { printMethods } from './memory-prints.ts'
import { queueMethods } from './memory-queue.ts'
import { scannerMethods } from './memory-scanners.ts'
import { scanMethods } from './memory-scans.ts'
import { locationMethods, modificationMethods } from './memory-stock.ts'
import { memoryWorld, type MemoryWorld } from './memory-world.ts'
import { madeSecret, signedOut } from './sample-views.ts'

/** A desk in memory behind the real contract: for the gallery and for tests of state classes. */
export class MemoryDesk extends MemoryCore {
  readonly bridge: ScandeskBridge

  constructor(world: MemoryWorld = memoryWorld()) {
    super(world)
    this.bridge = {
      app: this.#app(),
      station: this.#station(),
      session: this.#session(),
      scan: scanMethods(this),
      scanner: scannerMethods(this),
      returnLabel: labelMethods(this),
      article: articleMethods(this),
      modification: modificationMethods(this),
      location: locationMethods(this),
      catalogue: catalogueMethods(this),
      printer: printerMethods(this),
      keyboardScanner: this.#keyboardScanner(),
      print: printMethods(this),
      paper: paperMethods(this),
      storage: storageMethods(this),
      queue: queueMethods(this),
      desk: this.#desk(),
      on: this.on,
    }
  }

  #app(): ScandeskBridge['app'] {
    const { world } = this
    return {
      info: () => this.call('app:info', () => ok(world.info)),
      setLanguage: ({ language }) =>
        this.call('app:setLanguage', () => ok((world.info = { ...world.info, language }))),
      close: () => this.call('app:close', () => ok(undefined)),
      unsaved: () => this.call('app:unsaved', () => ok(undefined)),
      provisioning: () => this.call('app:provisioning', () => ok(world.provisioning)),
      setupNotice: () => this.call('app:setupNotice', () => ok(world.setupNotice)),
      acknowledgeSetup: () =>
        this.call('app:acknowledgeSetup', () => ok((world.setupNotice = { refused: null, lost: null }))),
    }
  }

  #keyboardScanner(): ScandeskBridge['keyboardScanner'] {
    const { world } = this
    return {
      profile: () => this.call('keyboardScanner:profile', () => ok(world.scannerProfile)),
      save: ({ profile }) => this.call('keyboardScanner:save', () => ok((world.scannerProfile = profile))),
    }
  }

  #station(): ScandeskBridge['station'] {
    const { world } = this
    const current = (): Result<StationView> => {
      const found = world.stations.find(({ id }) => id === world.currentStation)
      return found ? ok(found) : fail('station.none')
    }
    return {
      list: () => this.call('station:list', () => ok(world.stations)),
      current: () => this.call('station:current', current),
      test: () => this.call('station:test', () => ok(world.test)),
      save: (draft) =>
        this.call('station:save', () => {
          const saved = {
            ...draft,
            id: this.id('st'),
            environment: environmentOf(draft),
            demoLogin: null,
            commandSecret: madeSecret('K7Q2M', 0),
          }
          world.stations = [...world.stations, saved]
          return ok(saved)
        }),
      use: ({ id }) =>
        this.call('station:use', () => {
          world.currentStation = id
          world.setupNotice = { refused: null, lost: null }
          this.putSession(signedOut)
          return current()
        }),
      renewSecret: ({ id }) =>
        this.call('station:renewSecret', () => {
          const commandSecret = madeSecret('3W8ZT', world.nowMs())
          world.stations = world.stations.map((one) => (one.id === id ? { ...one, commandSecret } : one))
          const renewed = world.stations.find((one) => one.id === id)
          return renewed ? ok(renewed) : fail('station.none')
        }),
      remove: ({ id }) =>
        this.call('station:remove', () => ok((world.stations = world.stations.filter((s) => s.id !== id)))),
    }
  }

  #session(): ScandeskBridge['session'] {
    const { world } = this
    return {
      state: () => this.call('session:state', () => ok(world.session)),
      login: ({ username }) =>
        this.call('session:login', () => ok(this.putSession({ ...world.loginAs, username }))),
      logout: () => this.call('session:logout', () => ok(this.putSession(signedOut))),
    }
  }

  #desk(): ScandeskBridge['desk'] {
    return { status: () => this.call('desk:status', () => ok(this.world.status)) }
  }
}

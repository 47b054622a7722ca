import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import { ok } from '#shared/errors/result.ts'
import { articleMethods, catalogueMethods, sampleKept, sampleMethods } from './catalogue.ts'
import { labelMethods } from './labels.ts'
import { MemoryCore, type MemoryWorld } from './memory-core.ts'
import { emptyDraft, locationMethods, modificationMethods, sampleLocationTypes } from './modifications.ts'
import { folderSetup, paperMethods, printerMethods } from './printers.ts'
import { printMethods, printsOf } from './prints.ts'
import { queueMethods } from './queue.ts'
import { keyboardScannerMethods, scannerMethods } from './scanners.ts'
import { scanMethods } from './scans.ts'
import { noSpeed, speedMethods } from './speed.ts'
import { sampleSupport, supportMethods } from './support.ts'
import {
  appMethods,
  sampleConnection,
  sampleInfo,
  sampleStatus,
  sampleStorage,
  sandboxStation,
  sessionMethods,
  signedIn,
  signedOut,
  stationMethods,
  storageMethods,
} from './station.ts'

export function memoryWorld(nowMs: () => number = Date.now): MemoryWorld {
  return {
    nowMs,
    info: sampleInfo,
    provisioning: { file: null, state: 'none', problems: [], at: null },
    setupNotice: { refused: null, lost: null },
    stations: [sandboxStation],
    currentStation: sandboxStation.id,
    session: signedOut,
    loginAs: signedIn,
    status: sampleStatus(nowMs()),
    shipments: [],
    recent: [],
    choices: [],
    test: sampleConnection,
    labels: [],
    looks: {},
    serviceLabels: [],
    methods: sampleMethods(nowMs()),
    labelDraft: null,
    scannerProfile: null,
    printerSetup: folderSetup,
    printerTest: { state: 'ready', failure: null },
    printQueues: { isThere: false, queues: [] },
    scanners: { scanners: [], live: [] },
    serialPorts: { isListed: true, ports: [] },
    heldScans: [],
    scanned: 0,
    prints: printsOf([]),
    previews: {},
    reprinted: [],
    printsDecided: [],
    paperOutcome: { kind: 'sent', file: null, failure: null },
    sheets: [],
    swap: null,
    variants: [],
    lots: {},
    stock: {},
    draft: emptyDraft,
    modifications: [],
    locations: [],
    locationImport: null,
    locationTypes: sampleLocationTypes(nowMs()),
    queue: { lines: [], notices: [] },
    decided: [],
    kept: sampleKept(nowMs()),
    storage: sampleStorage(nowMs()),
    support: sampleSupport(nowMs()),
    speed: noSpeed(nowMs()),
    failures: {},
    hanging: new Set(),
  }
}

/** The bridge of the window with data from `world` instead of main, for the gallery and for tests of state classes. */
export class MemoryDesk extends MemoryCore {
  readonly bridge: ScandeskBridge

  constructor(world: MemoryWorld = memoryWorld()) {
    super(world)
    this.bridge = {
      app: appMethods(this),
      station: stationMethods(this),
      session: sessionMethods(this),
      scan: scanMethods(this),
      scanner: scannerMethods(this),
      keyboardScanner: keyboardScannerMethods(this),
      returnLabel: labelMethods(this),
      article: articleMethods(this),
      catalogue: catalogueMethods(this),
      modification: modificationMethods(this),
      location: locationMethods(this),
      printer: printerMethods(this),
      print: printMethods(this),
      paper: paperMethods(this),
      queue: queueMethods(this),
      storage: storageMethods(this),
      support: supportMethods(this),
      speed: speedMethods(this),
      desk: { status: () => this.call('desk:status', () => ok(this.world.status)) },
      on: this.on,
    }
  }
}

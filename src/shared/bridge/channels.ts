/**
 * Names of all calls and events between the window and main. This file must not import zod, because the preload bundle
 * contains only the preload script and this file. The contract in contract.ts has the same groups and methods.
 */
export const channels = {
  app: ['info', 'change', 'close', 'unsaved', 'provisioning', 'setupNotice', 'acknowledgeSetup'],
  station: ['list', 'current', 'test', 'save', 'use', 'remove', 'renewSecret'],
  session: ['state', 'login', 'logout'],
  scan: ['submit', 'recent', 'lookup', 'choose', 'forget'],
  scanner: ['setup', 'save', 'ports', 'held', 'taken'],
  returnLabel: [
    'make',
    'look',
    'request',
    'patch',
    'cancel',
    'get',
    'open',
    'recent',
    'search',
    'reprint',
    'readDraft',
    'writeDraft',
  ],
  article: ['lots', 'stock', 'search', 'expiring'],
  modification: ['draft', 'change', 'undo', 'book', 'takeBack', 'get', 'recent'],
  location: ['list', 'import', 'name', 'forget', 'types'],
  catalogue: ['methods', 'sync', 'overview', 'keepLots', 'keepShipments'],
  printer: ['setup', 'save', 'test', 'discover'],
  keyboardScanner: ['profile', 'save'],
  print: ['list', 'preview', 'decide'],
  paper: ['testPage', 'sheet', 'sheetPdf'],
  queue: ['list', 'decide', 'edit', 'dismiss', 'dismissApproved'],
  storage: ['state', 'backUp', 'keep', 'recoveryRead'],
  support: ['contents', 'save', 'show'],
  speed: ['add', 'today'],
  desk: ['status'],
} as const

export type Domain = keyof typeof channels
export type MethodOf<D extends Domain> = (typeof channels)[D][number]

/** Events from main to the window. Each event contains a full state, never a difference. */
export const eventNames = [
  'status',
  'session',
  'returnLabel',
  'modification',
  'closing',
  'scanners',
  'heldScans',
] as const
export type EventName = (typeof eventNames)[number]

/** Returns the IPC channel of a call: `session:login`. */
export function channelName(domain: string, method: string): string {
  return `${domain}:${method}`
}

/** Returns the IPC channel of an event: `event:status`. */
export function eventChannel(event: EventName): string {
  return `event:${event}`
}

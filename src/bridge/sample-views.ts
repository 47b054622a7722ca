import type {
  AppInfo,
  DeskStatus,
  ReturnLabelView,
  SessionView,
  ShipmentView,
  StationView,
} from '#shared/bridge/views.ts'
import { roles, wireRole } from '#shared/wire/roles.ts'

/** `minutes` before `nowMs`, as views carry times. */
export function ago(nowMs: number, minutes: number): string {
  return new Date(nowMs - minutes * 60_000).toISOString()
}

export const sampleInfo: AppInfo = {
  version: '0.1.0',
  language: 'en',
  engine: 'memory',
  dataDir: '/nowhere',
  suggestedServer: null,
}

export const sandboxStation: StationView = {
  id: 'st-sandbox',
  name: 'Returns desk 2',
  baseUrl: 'embedded:',
  wmsCode: 'SANDBOX',
  customerCode: 'ACME',
  documentHosts: '',
  environment: 'sandbox',
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

/** A calm desk: online, nothing waiting. */
export function sampleStatus(nowMs: number): DeskStatus {
  return {
    line: { state: 'online', since: ago(nowMs, 134) },
    waitingWrites: [],
    waitingPrints: [],
    printer: { name: 'Zebra ZD421', state: 'ready', folder: null },
    index: { shipments: 400, reachesBackTo: ago(nowMs, 90 * 1440), syncedAt: ago(nowMs, 3), syncing: false },
  }
}

export function sampleShipment(nowMs: number): ShipmentView {
  return {
    id: 'sh-412',
    reference: 'SHP00000000412',
    orderReference: 'WEB-100412',
    createdAt: ago(nowMs, 9 * 1440),
    carrier: 'PostNL',
    methodDescription: 'Parcel Standard',
    recipient: {
      name: 'J. de Vries',
      street: 'Witte de Withstraat 64',
      place: '3012 BS Rotterdam',
      country: 'NL',
    },
    trackingCodes: ['3SABCD1234567'],
    lines: [
      {
        quantity: 1,
        name: 'Linen shirt blue M',
        articleCode: 'ART-12-BL-M',
        ean: '8712345678906',
        serialNumbers: [],
      },
      {
        quantity: 2,
        name: 'Sock grey 40-42',
        articleCode: 'SOCK-GR-40',
        ean: '8712345678913',
        serialNumbers: [],
      },
    ],
    asOf: ago(nowMs, 3),
  }
}

/** A label at its very start; spread over it what a state needs. */
export function sampleLabel(nowMs: number): ReturnLabelView {
  return {
    id: 'lb-1',
    serverId: null,
    shipmentId: 'sh-412',
    shipmentReference: 'SHP00000000412',
    externalReference: null,
    trackingCode: null,
    create: 'queued',
    request: 'queued',
    stored: false,
    print: null,
    failure: null,
    createdAt: ago(nowMs, 0),
  }
}

/** The same label at its end: printed, and the printer said so. */
export function printedLabel(nowMs: number): ReturnLabelView {
  return {
    ...sampleLabel(nowMs),
    serverId: 'f8a3',
    externalReference: 'RL-8841.R',
    trackingCode: '3SRETR7654321',
    create: 'done',
    request: 'done',
    stored: true,
    print: {
      id: 'pj-1',
      state: 'confirmed',
      printer: 'Zebra ZD421',
      file: null,
      isReprint: false,
      at: ago(nowMs, 0),
      failure: null,
    },
  }
}

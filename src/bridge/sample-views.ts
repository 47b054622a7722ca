import type { ShipmentView } from '#shared/bridge/scan-views.ts'
import type {
  AppInfo,
  CatalogueView,
  CommandSecret,
  ConnectionTest,
  DeskStatus,
  SessionView,
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
  platform: 'linux',
  dataDir: '/nowhere',
  suggestedServer: null,
}

/** A command secret that was made at random, at a moment in milliseconds since 1970. */
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

/** A test with nothing wrong. */
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

/** A calm desk: online, nothing waiting. */
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
  }
}

/** Articles up to date, nothing being read. */
export function sampleCatalogue(nowMs: number): CatalogueView {
  return {
    state: 'ready',
    variants: 1840,
    shippingMethods: 12,
    locationTypes: 5,
    asOf: ago(nowMs, 3),
    progress: null,
    skipped: 0,
    failure: null,
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
    sender: {
      addressed_to: 'J. de Vries',
      contact_person: null,
      street: 'Witte de Withstraat',
      street2: null,
      street_number: '64',
      street_number_addition: null,
      zipcode: '3012 BS',
      city: 'Rotterdam',
      country: 'NL',
      state: null,
      phone_number: null,
      mobile_number: null,
      fax_number: null,
      email_address: 'j.devries@example.com',
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

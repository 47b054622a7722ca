import { describe, expect, it } from 'vitest'
import { printerKinds } from '#shared/bridge/printer-views.ts'
import { readSettings } from '../../../electron/main/settings-schema.ts'

/**
 * A settings.json in the form of release 0.1.0, with every kind of entry. Computers have stored such files, so a value
 * of this file must never change, and no field may be added to its entries. If the schema of an entry gets a new field
 * without a default, the entry is unreadable, and the test below fails. For a new kind of printer, add an entry here,
 * in the form in which the first release with this kind stores it.
 */
const layout = { turn: 'auto', offsetXMm: 0, offsetYMm: 0 }
const stored = {
  language: 'nl',
  logLevel: 'debug',
  keepDays: 90,
  stations: [
    {
      id: 'st-1',
      name: 'Dock',
      baseUrl: 'https://wms.example.com',
      wmsCode: 'LIVE',
      customerCode: 'ACME',
      documentHosts: 'cdn.example.com',
      commandSecret: { text: '7K2QX', madeAt: '2026-03-01T12:00:00.000Z', isProvisioned: false },
    },
    {
      id: 'st-2',
      name: 'From a set-up file',
      baseUrl: 'http://127.0.0.1:8080',
      wmsCode: 'TEST',
      customerCode: 'ACME',
      documentHosts: '',
      commandSecret: null,
    },
  ],
  currentStationId: 'st-1',
  printers: [
    { id: 'folder', title: 'Label folder', settings: { kind: 'folder' }, layout },
    {
      id: 'pr-1',
      title: 'Receipts',
      settings: { kind: 'escpos', host: '10.0.0.7', port: 9100, paperMm: 104, dpi: 203 },
      layout,
    },
    {
      id: 'pr-2',
      title: 'Zebra',
      settings: {
        kind: 'zpl',
        host: '10.0.0.8',
        port: 9100,
        widthMm: 104,
        dpi: 300,
        media: 'label',
        darkness: null,
        inchesPerSecond: 4,
        graphics: 'z64',
      },
      layout: { turn: 90, offsetXMm: 1.5, offsetYMm: -2 },
    },
    {
      id: 'pr-3',
      title: 'Zebra on the cable',
      settings: {
        kind: 'zpl',
        host: '',
        port: 9100,
        device: '/dev/usb/lp0',
        widthMm: 104,
        dpi: 203,
        media: 'continuous',
        darkness: 12,
        inchesPerSecond: null,
        graphics: 'acs',
      },
      layout,
    },
    {
      id: 'pr-4',
      title: 'Queue',
      settings: {
        kind: 'ipp',
        uri: 'ipp://localhost/printers/label',
        media: 'na_index-4x6_4x6in',
        dpi: 203,
      },
      layout,
    },
    {
      id: 'pr-5',
      title: 'Printer in the network',
      settings: {
        kind: 'ipp',
        uri: 'ipps://10.0.0.9/ipp/print',
        media: { widthMm: 102, heightMm: 152 },
        dpi: 300,
      },
      layout,
    },
    {
      id: 'pr-6',
      title: 'Dymo',
      settings: { kind: 'windows', queue: 'DYMO 4XL', media: { widthMm: 102, heightMm: 152 }, dpi: 300 },
      layout,
    },
  ],
  routes: {
    'st-1': [
      { paper: 'return_label', size: 'label', printerId: 'pr-2' },
      { paper: 'sheet', size: 'page', printerId: 'pr-4' },
    ],
  },
  scannerProfile: {
    keys: { KeyA: 'a', 'S+KeyA': 'A', 'Backquote Space': '`' },
    prefix: ['F9'],
    suffix: [],
    terminator: 'Enter',
    gapMs: 12,
    sendsSeparator: true,
  },
  scanners: [
    {
      id: 'sc-1',
      title: 'Datalogic',
      isOn: true,
      settings: {
        path: '/dev/serial/by-id/usb-Datalogic',
        baudRate: 9600,
        dataBits: 8,
        parity: 'none',
        stopBits: 1,
        ending: 'line',
        endText: '',
        prefix: '',
        suffix: '',
        pauseMs: 100,
      },
    },
    {
      id: 'sc-2',
      title: 'Old one',
      isOn: false,
      settings: {
        path: 'COM3',
        baudRate: 1200,
        dataBits: 7,
        parity: 'even',
        stopBits: 2,
        ending: 'text',
        endText: '\u0003',
        prefix: '\u0002',
        suffix: 'x',
        pauseMs: 50,
      },
    },
  ],
  provisioned: { hash: 'a'.repeat(64), at: '2026-03-01T12:00:00.000Z' },
  refused: { file: '/etc/scandesk/scandesk.provision.json', key: 'b'.repeat(64), isAcknowledged: true },
  confirmedAddresses: ['https://wms.example.com'],
  lost: {
    at: '2026-03-01T12:00:00.000Z',
    extent: 'part',
    parts: ['printers', 'keepDays'],
    copy: 'settings.json.1.bak',
    restoredBy: null,
  },
  sandboxPort: 43_210,
  secrets: { 'refresh-token': 'AAAA' },
}

describe('the settings that an earlier release stored', () => {
  it('are read without a loss', () => {
    const { settings, isWhole, lost, others } = readSettings(JSON.stringify(stored))
    expect(settings).toMatchObject(stored)
    expect({ isWhole, lost, others }).toEqual({ isWhole: true, lost: [], others: {} })
  })

  it('contain an entry of every kind of printer', () => {
    const kinds = new Set(stored.printers.map(({ settings }) => settings.kind))
    expect([...kinds].toSorted()).toEqual(Object.keys(printerKinds).toSorted())
  })
})

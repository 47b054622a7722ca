import { beforeEach, describe, expect, it } from 'vitest'
import { type Hid, type HidDevice, hidOf } from '#scanner/hid-pos.ts'
import { HidScanners } from '#scanner/hid-scanners.svelte.ts'

/**
 * A stand-in for the browser's object of a HID device. It follows the specification, because no real device was
 * available.
 */
class FakeDevice extends EventTarget {
  opened = false
  isStuck = false
  opens = 0
  readonly productName: string
  readonly collections: HidDevice['collections']

  constructor(productName: string, usagePage = 0x8c) {
    super()
    this.productName = productName
    const items = [
      { usages: [0x01_003b], reportSize: 8, reportCount: 1 },
      { usages: [0x8c_00fb, 0x8c_00fc, 0x8c_00fd], reportSize: 8, reportCount: 3 },
      { usages: [0x8c_00fe], reportSize: 8, reportCount: 16 },
    ]
    this.collections = [{ usagePage, inputReports: [{ reportId: 2, items }] }]
  }

  async open(): Promise<void> {
    await Promise.resolve()
    if (this.isStuck) throw new Error('in use')
    this.opened = true
    this.opens += 1
  }

  async close(): Promise<void> {
    await Promise.resolve()
    this.opened = false
  }

  scan(text: string): void {
    const bytes = [text.length, ...Buffer.from(`]E0${text}`, 'latin1')]
    // the bytes of a report are a view into a larger buffer, as browsers deliver them
    const buffer = Uint8Array.from([
      99,
      ...bytes,
      ...Array.from({ length: 20 - bytes.length }, () => 0),
    ]).buffer
    this.dispatchEvent(
      Object.assign(new Event('inputreport'), { reportId: 2, data: new DataView(buffer, 1) }),
    )
  }
}

class FakeHid extends EventTarget {
  devices: FakeDevice[] = []

  getDevices(): Promise<FakeDevice[]> {
    return Promise.resolve(this.devices)
  }

  say(type: 'connect' | 'disconnect', device: FakeDevice): void {
    if (type === 'disconnect') device.opened = false
    this.dispatchEvent(Object.assign(new Event(type), { device }))
  }
}

let hid: FakeHid
let scanners: HidScanners
let scans: string[]

beforeEach(() => {
  hid = new FakeHid()
  scanners = new HidScanners()
  scans = []
})

async function start(): Promise<() => void> {
  const api: Hid | null = hidOf({ hid })
  const stop = scanners.start(api, (name, { raw }) => scans.push(`${name} ${raw}`))
  await settle()
  return stop
}

async function settle(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 0))
}

function states(): string[] {
  return scanners.list.map(({ id, name, state }) => `${String(id)} ${name} ${state}`)
}

describe('HID POS scanners', () => {
  it('are opened if they are connected; connected devices of other kinds are not opened', async () => {
    const [one, mouse] = [new FakeDevice('One'), new FakeDevice('Mouse', 1)]
    hid.devices = [one, mouse]
    await start()
    one.scan('8712')
    mouse.scan('no')
    expect(scans).toEqual(['One ]E08712'])
    expect([states(), mouse.opens]).toEqual([['1 One open'], 0])
    expect([scanners.lost, scanners.open]).toEqual([[], ['One']])
  })

  it('are reported as missing after they are unplugged, and are opened again after they are plugged in', async () => {
    const one = new FakeDevice('One')
    await start()
    hid.say('connect', one)
    await settle()
    one.scan('A')
    hid.say('disconnect', one)
    expect(states()).toEqual(['1 One unplugged'])
    expect(scanners.lost).toHaveLength(1)
    expect(scanners.open).toEqual([])
    const again = new FakeDevice('One')
    const other = new FakeDevice('Two')
    hid.say('connect', other)
    hid.say('connect', again)
    await settle()
    expect(states()).toEqual(['1 One open', '2 Two open'])
    again.scan('B')
    one.scan('of nobody')
    expect(scans).toEqual(['One ]E0A', 'One ]E0B'])
  })

  it('are reported as failed while another program has opened them', async () => {
    const stuck = new FakeDevice('One')
    stuck.isStuck = true
    hid.devices = [stuck]
    await start()
    expect(states()).toEqual(['1 One failed'])
  })

  it('of one model are listed separately if one of them cannot be opened', async () => {
    const [stuck, works] = [new FakeDevice('One'), new FakeDevice('One')]
    stuck.isStuck = true
    hid.devices = [stuck]
    await start()
    hid.say('connect', works)
    await settle()
    expect(states()).toEqual(['1 One failed', '2 One open'])
    hid.say('disconnect', stuck)
    expect([states(), scanners.open]).toEqual([['1 One unplugged', '2 One open'], ['One']])
  })

  it('are closed when listening stops, even if they are still being opened', async () => {
    const [one, late] = [new FakeDevice('One'), new FakeDevice('Late')]
    hid.devices = [one]
    const stop = await start()
    hid.say('connect', late)
    stop()
    await settle()
    one.scan('A')
    hid.say('connect', new FakeDevice('Never'))
    await settle()
    expect([one.opened, late.opened, scans, states()]).toEqual([false, false, [], ['1 One open']])
  })

  it('are not listed if the browser has no WebHID or refuses access to devices', async () => {
    expect(hidOf({})).toBeNull()
    scanners.start(hidOf({}), () => undefined)()
    hid.getDevices = () => Promise.reject(new Error('denied'))
    await start()
    expect(states()).toEqual([])
  })
})

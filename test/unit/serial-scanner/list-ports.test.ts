import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { listPorts } from '#serial-scanner/list-ports.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'scandesk-by-id-'))
})

afterEach(() => {
  rmSync(folder, { recursive: true })
})

describe('the list of serial ports', () => {
  it('contains ports with stable names first, and ports without a device last', async () => {
    const name = 'usb-Datalogic_ADC__Inc._Handheld_Scanner_S_N_G1-if00'
    writeFileSync(join(folder, name), '')
    const list = (): Promise<{ path: string; manufacturer?: string; friendlyName?: string }[]> =>
      Promise.resolve([
        { path: '/dev/ttyS0' },
        { path: '/dev/ttyACM0', manufacturer: 'Datalogic' },
        { path: 'COM3', manufacturer: 'FTDI', friendlyName: 'USB Serial Port (COM3)' },
      ])
    expect(await listPorts({ list, stableFolder: folder })).toEqual({
      isListed: true,
      ports: [
        { path: join(folder, name), title: 'Datalogic ADC Inc. Handheld Scanner S N G1', isStable: true },
        { path: '/dev/ttyACM0', title: 'Datalogic', isStable: false },
        { path: 'COM3', title: 'USB Serial Port (COM3)', isStable: false },
        { path: '/dev/ttyS0', title: '', isStable: false },
      ],
    })
  })

  it('contains ports found by their stable names if the system cannot list its ports', async () => {
    writeFileSync(join(folder, 'usb-Zebra_DS22-if00-port0'), '')
    const list = (): Promise<never> => Promise.reject(new Error('spawn udevadm ENOENT'))
    expect(await listPorts({ list, stableFolder: folder })).toEqual({
      isListed: false,
      ports: [{ path: join(folder, 'usb-Zebra_DS22-if00-port0'), title: 'Zebra DS22', isStable: true }],
    })
    expect(await listPorts({ list, stableFolder: join(folder, 'none') })).toEqual({
      isListed: false,
      ports: [],
    })
  })

  it('is returned on this computer, whatever ports the computer has', async () => {
    expect(Array.isArray((await listPorts()).ports)).toBe(true)
  })
})

import type { MessageBoxOptions } from 'electron'
import { beforeEach, expect, it, vi } from 'vitest'

let shown: unknown[][]
let response: number
let windows: object[]
vi.mock('electron', () => ({
  BrowserWindow: { getAllWindows: () => windows },
  dialog: {
    showMessageBox: (...args: unknown[]) => (shown.push(args), Promise.resolve({ response })),
  },
}))
// the modules are loaded again, because test files of one worker share modules and this file has its own electron mock
vi.resetModules()
const { askAboutAddress } = await import('../../../electron/main/address-dialog.ts')

beforeEach(() => {
  shown = []
  response = 0
  windows = [{}]
})

const options = (): MessageBoxOptions => shown[0]?.at(-1) as MessageBoxOptions
const service = { use: 'service', host: 'wms.example.com:443' } as const

it('the dialog about a new address names the host and the consequence, and is cancelled by Enter and Escape', async () => {
  expect(await askAboutAddress(service, 'en')).toBe(false)
  expect(shown[0]?.[0]).toBe(windows[0])
  expect(options()).toMatchObject({
    message: 'Connect this computer to a new server?',
    buttons: ['Cancel', 'Connect'],
    defaultId: 0,
    cancelId: 0,
  })
  expect(options().detail?.split('\n\n')).toEqual([
    'wms.example.com:443',
    expect.stringMatching(/^Logins, scans, labels and bookings will be sent to this server/),
  ])
})

it('the dialog about the new address of a printer is in the language of the desk', async () => {
  await askAboutAddress({ use: 'printer', host: '10.0.0.9:9100' }, 'nl')
  expect(options()).toMatchObject({
    message: 'Afdrukken op een nieuw adres?',
    buttons: ['Annuleren', 'Verbinden'],
  })
})

it('the dialog about a new address confirms only with its second button, even without a window', async () => {
  windows = []
  for (const [pressed, isConfirmed] of [
    [0, false],
    [1, true],
    [2, false],
    [-1, false],
  ] as const) {
    response = pressed
    expect(await askAboutAddress(service, 'en')).toBe(isConfirmed)
  }
  expect(shown[0]).toHaveLength(1)
})

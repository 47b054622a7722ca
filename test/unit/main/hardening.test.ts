import { expect, it, vi } from 'vitest'

vi.mock('electron', () => ({ app: {} }))
const { denyPermissions, mayUse } = await import('../../../electron/main/hardening.ts')

type Details = Parameters<typeof mayUse>[0]

function device(pages: readonly number[], change: Partial<Details> = {}): Details {
  const collections = pages.map((usagePage) => ({ usagePage, usage: 1 }))
  return {
    deviceType: 'hid',
    origin: 'app://desk/',
    device: { collections },
    ...change,
  } as unknown as Details
}

it.each([
  ['a scanner', device([0x8c]), true],
  ['a scanner with pages of its maker', device([0x8c, 0xff66]), true],
  ['a keyboard', device([0x01]), false],
  ['a scanner that is a keyboard, too', device([0x8c, 0x01]), false],
  ['a security key', device([0xf1d0]), false],
  ['a device of its maker alone', device([0xff00]), false],
  ['a device that describes nothing', device([]), false],
  ['a scanner asked for by another page', device([0x8c], { origin: 'https://example.com' }), false],
  ['a serial port', device([0x8c], { deviceType: 'serial' }), false],
  ['a USB device', { ...device([]), device: {} } as unknown as Details, false],
])('%s may be used by the page: %o', (_, details, expected) => {
  expect(mayUse(details)).toBe(expected)
})

it('refuses every permission but looking for HID devices, to everybody but the app', () => {
  const session = {
    setPermissionRequestHandler: vi.fn(),
    setPermissionCheckHandler: vi.fn(),
    setDevicePermissionHandler: vi.fn(),
  }
  denyPermissions(session as unknown as Parameters<typeof denyPermissions>[0])
  const check = session.setPermissionCheckHandler.mock.calls[0]?.[0] as (
    contents: null,
    permission: string,
    origin: string,
  ) => boolean
  expect(check(null, 'hid', 'app://desk/')).toBe(true)
  expect(check(null, 'hid', 'https://example.com/')).toBe(false)
  for (const permission of ['usb', 'serial', 'geolocation', 'media', 'clipboard-read', 'notifications'])
    expect(check(null, permission, 'app://desk/')).toBe(false)
  const request = session.setPermissionRequestHandler.mock.calls[0]?.[0] as (
    contents: null,
    permission: string,
    answer: (granted: boolean) => void,
  ) => void
  for (const permission of ['hid', 'serial', 'media']) {
    const answer = vi.fn()
    request(null, permission, answer)
    expect(answer.mock.calls).toEqual([[false]])
  }
  expect(session.setDevicePermissionHandler).toHaveBeenCalledWith(mayUse)
})

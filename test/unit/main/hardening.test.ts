import { EventEmitter } from 'node:events'
import { describe, expect, it, vi } from 'vitest'

const defaultSession = fakeSession()
const fromPartition = vi.fn()
vi.mock('electron', () => ({
  app: {},
  session: {
    get defaultSession() {
      return defaultSession
    },
    fromPartition: (...args: unknown[]) => fromPartition(...args) as unknown,
  },
}))
const { denyPermissions, hardenContents, mayUse, openPageSession, refuseRequests } =
  await import('../../../electron/main/hardening.ts')

type Details = Parameters<typeof mayUse>[0]

function fakeSession() {
  return Object.assign(new EventEmitter(), {
    setPermissionRequestHandler: vi.fn(),
    setPermissionCheckHandler: vi.fn(),
    setDevicePermissionHandler: vi.fn(),
    setSpellCheckerEnabled: vi.fn(),
    clearStorageData: vi.fn(() => Promise.resolve()),
    webRequest: { onBeforeRequest: vi.fn() },
  })
}

function device(pages: readonly number[], change: Partial<Details> = {}): Details {
  const collections = pages.map((usagePage) => ({ usagePage, usage: 1 }))
  return {
    deviceType: 'hid',
    origin: 'app://desk/',
    device: { collections },
    ...change,
  } as unknown as Details
}

describe('the hardening of the page', () => {
  it.each([
    ['a scanner', device([0x8c]), true],
    ['a scanner with usage pages of its manufacturer', device([0x8c, 0xff66]), true],
    ['a keyboard', device([0x01]), false],
    ['a scanner that is also a keyboard', device([0x8c, 0x01]), false],
    ['a security key', device([0xf1d0]), false],
    ['a device with only usage pages of its manufacturer', device([0xff00]), false],
    ['a device without usage pages', device([]), false],
    ['a scanner requested by another page', device([0x8c], { origin: 'https://example.com' }), false],
    ['a serial port', device([0x8c], { deviceType: 'serial' }), false],
    ['a USB device', { ...device([]), device: {} } as unknown as Details, false],
  ])(
    'lets only the app’s page use a device, and only an HID scanner that is not also a keyboard; here %s',
    (_, details, expected) => {
      expect(mayUse(details)).toBe(expected)
    },
  )

  it('refuses every permission except the list of HID devices, which only the page of the app gets', () => {
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

  it('cancels every download of a session, and every request except those for the app’s own files', () => {
    const onBeforeRequest = vi.fn()
    const setSpellCheckerEnabled = vi.fn()
    const session = Object.assign(new EventEmitter(), {
      webRequest: { onBeforeRequest },
      setSpellCheckerEnabled,
    })
    refuseRequests(session as unknown as Parameters<typeof refuseRequests>[0], null)
    const handler = onBeforeRequest.mock.calls[0]?.[0] as (
      details: { url: string },
      decide: (answer: object) => void,
    ) => void
    const decide = vi.fn()
    for (const url of ['app://desk/index.html', 'https://example.com/', 'ws://127.0.0.1/'])
      handler({ url }, decide)
    expect(decide.mock.calls).toEqual([[{ cancel: false }], [{ cancel: true }], [{ cancel: true }]])
    const preventDefault = vi.fn()
    session.emit('will-download', { preventDefault })
    expect(preventDefault).toHaveBeenCalledOnce()
    expect(setSpellCheckerEnabled).toHaveBeenCalledWith(false)
  })

  it('gives the window a session whose storage is in memory, and restricts this session and the default session, which it clears', () => {
    const page = fakeSession()
    fromPartition.mockReturnValue(page)
    expect(openPageSession(null, { warn: vi.fn() })).toBe(page)
    expect(defaultSession.clearStorageData).toHaveBeenCalledWith()
    const partition = String(fromPartition.mock.calls[0]?.[0])
    // the name of the page’s session is not empty, because Electron would return the default session, and does not
    // begin with `persist:`, because Electron would store it on the disk
    expect(partition).toMatch(/^(?!persist:)./)
    for (const each of [page, defaultSession]) {
      expect(each.setPermissionRequestHandler).toHaveBeenCalledOnce()
      expect(each.setPermissionCheckHandler).toHaveBeenCalledOnce()
      expect(each.setDevicePermissionHandler).toHaveBeenCalledWith(mayUse)
      expect(each.webRequest.onBeforeRequest).toHaveBeenCalledOnce()
      expect(each.listenerCount('will-download')).toBe(1)
    }
  })

  it('stops new windows, webviews, navigation of frames, navigation to other pages, and WebRTC over UDP outside the proxy', () => {
    const setWebRTCIPHandlingPolicy = vi.fn()
    const setWindowOpenHandler = vi.fn()
    const contents = Object.assign(new EventEmitter(), { setWebRTCIPHandlingPolicy, setWindowOpenHandler })
    hardenContents(contents as unknown as Parameters<typeof hardenContents>[0])
    const prevented = (name: string, details: object): boolean => {
      const preventDefault = vi.fn()
      contents.emit(name, { preventDefault, ...details })
      return preventDefault.mock.calls.length > 0
    }
    for (const name of ['will-navigate', 'will-redirect']) {
      expect(prevented(name, { url: 'https://example.com/' })).toBe(true)
      expect(prevented(name, { url: 'app://u@desk/' })).toBe(true)
      expect(prevented(name, { url: 'app://desk/' })).toBe(false)
    }
    expect(prevented('will-frame-navigate', { url: 'app://desk/', isMainFrame: false })).toBe(true)
    expect(prevented('will-frame-navigate', { url: 'app://desk/', isMainFrame: true })).toBe(false)
    expect(prevented('will-attach-webview', {})).toBe(true)
    expect(setWebRTCIPHandlingPolicy).toHaveBeenCalledWith('disable_non_proxied_udp')
    const open = setWindowOpenHandler.mock.calls[0]?.[0] as () => object
    expect(open()).toEqual({ action: 'deny' })
  })
})

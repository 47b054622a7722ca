import {
  app,
  session,
  type DevicePermissionHandlerHandlerDetails,
  type Session,
  type WebContents,
} from 'electron'
import type { Logger } from '#kit/logger.ts'
import { hidPosPage } from '#shared/domain/hid-pos.ts'
import { isAppUrl } from './app-files.ts'
import { mayRequest } from './page-network.ts'

/**
 * Refuses features that the desk does not use: navigation to foreign pages, navigation of frames, webviews and new
 * windows. WebRTC may not use UDP without a proxy (SECURITY.md).
 */
export function hardenContents(contents: WebContents): void {
  contents.on('will-navigate', (event) => {
    if (!isAppUrl(event.url)) event.preventDefault()
  })
  // no page of this app has frames, so every navigation of a frame is refused
  contents.on('will-frame-navigate', (event) => {
    if (!event.isMainFrame) event.preventDefault()
  })
  contents.on('will-redirect', (event) => {
    if (!isAppUrl(event.url)) event.preventDefault()
  })
  contents.on('will-attach-webview', (event) => event.preventDefault())
  // a link opens neither a window of this app nor a browser: no text on the screen comes from a source that is trusted
  // enough for openExternal
  contents.setWindowOpenHandler(() => ({ action: 'deny' }))
  contents.setWebRTCIPHandlingPolicy('disable_non_proxied_udp')
}

/**
 * Cancels every request of a page except requests for the app's own files. Also cancels every download, and disables
 * the spell checker, which downloads its dictionaries. `devServer`: see `mayRequest`.
 */
export function refuseRequests(session: Session, devServer: string | null): void {
  session.webRequest.onBeforeRequest(({ url }, decide) => decide({ cancel: !mayRequest(url, devServer) }))
  session.on('will-download', (event) => event.preventDefault())
  session.setSpellCheckerEnabled(false)
}

/**
 * Denies permissions, because Electron grants all of them if no handler is set. The page may list HID devices, but the
 * list contains only barcode scanners. A request for any other device fails, because `select-hid-device` has no
 * handler.
 */
export function denyPermissions(session: Session): void {
  session.setPermissionRequestHandler((_contents, _permission, answer) => answer(false))
  session.setPermissionCheckHandler(
    (_contents, permission, origin) => permission === 'hid' && isAppUrl(origin),
  )
  session.setDevicePermissionHandler(mayUse)
}

/** The first HID usage page of the range whose meaning manufacturers define (HID Usage Tables). */
const firstVendorPage = 0xff00

/**
 * Whether the page may use a HID device: only a scanner of the class HID POS that is not also a keyboard, a mouse, a
 * security key or another kind of device.
 */
export function mayUse({ deviceType, origin, device }: DevicePermissionHandlerHandlerDetails): boolean {
  if (deviceType !== 'hid' || !isAppUrl(origin) || !('collections' in device)) return false
  const pages = device.collections.map(({ usagePage }) => usagePage)
  return pages.includes(hidPosPage) && pages.every((page) => page === hidPosPage || page >= firstVendorPage)
}

/**
 * Returns the session of the window. Chromium keeps all storage of this session in memory, because its name does not
 * begin with `persist:`; so a hostile script of the page cannot fill the disk without a call of the bridge. No page
 * uses the default session, but it has the same restrictions. Its storage, which is on the disk, is cleared, because
 * earlier versions used it for the window. `devServer`: see `mayRequest`.
 */
export function openPageSession(devServer: string | null, logger: Pick<Logger, 'warn'>): Session {
  const page = session.fromPartition('page', { cache: false })
  for (const each of [page, session.defaultSession]) {
    denyPermissions(each)
    refuseRequests(each, devServer)
  }
  session.defaultSession
    .clearStorageData()
    .catch((error: unknown) => logger.warn({ err: error }, 'the stored data of pages cannot be cleared'))
  return page
}

/** Calls `hardenContents` for every page that Electron creates. */
export function hardenEverything(): void {
  app.on('web-contents-created', (_event, contents) => hardenContents(contents))
}

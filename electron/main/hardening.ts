import { app, type DevicePermissionHandlerHandlerDetails, type Session, type WebContents } from 'electron'
import { hidPosPage } from '#shared/domain/hid-pos.ts'
import { isAppUrl } from './app-files.ts'
import { mayRequest } from './page-network.ts'

/** Denies what a returns desk never needs: permissions, foreign pages, new windows, webviews (SECURITY.md). */
export function hardenContents(contents: WebContents): void {
  contents.on('will-navigate', (event) => {
    if (!isAppUrl(event.url)) event.preventDefault()
  })
  // no page of this app has frames
  contents.on('will-frame-navigate', (event) => {
    if (!event.isMainFrame) event.preventDefault()
  })
  contents.on('will-redirect', (event) => {
    if (!isAppUrl(event.url)) event.preventDefault()
  })
  contents.on('will-attach-webview', (event) => event.preventDefault())
  // nothing is opened outside either: no text on a screen is from a source trusted enough for openExternal
  contents.setWindowOpenHandler(() => ({ action: 'deny' }))
  contents.setWebRTCIPHandlingPolicy('disable_non_proxied_udp')
}

/**
 * Cancels every request of a page except those for the app's own files, every download, and the spell checker, which
 * downloads its dictionaries. `devServer`: see `mayRequest`.
 */
export function refuseRequests(session: Session, devServer: string | null): void {
  session.webRequest.onBeforeRequest(({ url }, decide) => decide({ cancel: !mayRequest(url, devServer) }))
  session.on('will-download', (event) => event.preventDefault())
  session.setSpellCheckerEnabled(false)
}

/**
 * Denies permissions, because Electron grants all of them without these handlers. The page may list HID devices, and
 * receives barcode scanners only. It cannot request another device: there is no handler for `select-hid-device`, so
 * such a request always fails.
 */
export function denyPermissions(session: Session): void {
  session.setPermissionRequestHandler((_contents, _permission, answer) => answer(false))
  session.setPermissionCheckHandler(
    (_contents, permission, origin) => permission === 'hid' && isAppUrl(origin),
  )
  session.setDevicePermissionHandler(mayUse)
}

/** Usage pages from here on are defined by makers (HID Usage Tables). */
const firstVendorPage = 0xff00

/**
 * Whether the page may use a device: scanners that use HID POS, unless the device also has another function, such as
 * that of a keyboard, a mouse or a security key.
 */
export function mayUse({ deviceType, origin, device }: DevicePermissionHandlerHandlerDetails): boolean {
  if (deviceType !== 'hid' || !isAppUrl(origin) || !('collections' in device)) return false
  const pages = device.collections.map(({ usagePage }) => usagePage)
  return pages.includes(hidPosPage) && pages.every((page) => page === hidPosPage || page >= firstVendorPage)
}

/** Applies the rules to every page that is created. */
export function hardenEverything(): void {
  app.on('web-contents-created', (_event, contents) => hardenContents(contents))
}

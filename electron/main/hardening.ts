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
  // nothing is opened outside either: no text on a screen comes from a source trusted enough for openExternal
  contents.setWindowOpenHandler(() => ({ action: 'deny' }))
  contents.setWebRTCIPHandlingPolicy('disable_non_proxied_udp')
}

/**
 * Cancels every request of a page but those to the app's own files, every download, and the spell checker, which fetches
 * its dictionaries from a server. `devServer`: see `mayRequest`.
 */
export function refuseRequests(session: Session, devServer: string | null): void {
  session.webRequest.onBeforeRequest(({ url }, decide) => decide({ cancel: !mayRequest(url, devServer) }))
  session.on('will-download', (event) => event.preventDefault())
  session.setSpellCheckerEnabled(false)
}

/**
 * Without these handlers Electron grants every permission. The page may look for HID devices, and is shown barcode scanners
 * alone; it can ask for none: nobody answers `select-hid-device`, so that request always ends with nothing.
 */
export function denyPermissions(session: Session): void {
  session.setPermissionRequestHandler((_contents, _permission, answer) => answer(false))
  session.setPermissionCheckHandler(
    (_contents, permission, origin) => permission === 'hid' && isAppUrl(origin),
  )
  session.setDevicePermissionHandler(mayUse)
}

/** Pages that makers define for themselves begin here (HID Usage Tables). */
const firstVendorPage = 0xff00

/** Whether the page may use a device: scanners that speak HID POS, unless they are a keyboard, mouse or key as well. */
export function mayUse({ deviceType, origin, device }: DevicePermissionHandlerHandlerDetails): boolean {
  if (deviceType !== 'hid' || !isAppUrl(origin) || !('collections' in device)) return false
  const pages = device.collections.map(({ usagePage }) => usagePage)
  return pages.includes(hidPosPage) && pages.every((page) => page === hidPosPage || page >= firstVendorPage)
}

/** Installs the rules on every page there will ever be. */
export function hardenEverything(): void {
  app.on('web-contents-created', (_event, contents) => hardenContents(contents))
}

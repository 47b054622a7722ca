import { app, type Session, type WebContents } from 'electron'
import { isAppUrl } from './app-files.ts'

/** Denies what a returns desk never needs: permissions, foreign pages, new windows, webviews (SECURITY.md). */
export function hardenContents(contents: WebContents): void {
  contents.on('will-navigate', (event) => {
    if (!isAppUrl(event.url)) event.preventDefault()
  })
  contents.on('will-redirect', (event) => {
    if (!isAppUrl(event.url)) event.preventDefault()
  })
  contents.on('will-attach-webview', (event) => event.preventDefault())
  // nothing is opened outside either: no text on a screen comes from a source trusted enough for openExternal
  contents.setWindowOpenHandler(() => ({ action: 'deny' }))
}

/** Without these two handlers Electron grants every permission. */
export function denyPermissions(session: Session): void {
  session.setPermissionRequestHandler((_contents, _permission, answer) => answer(false))
  session.setPermissionCheckHandler(() => false)
}

/** Installs the rules on every page there will ever be. */
export function hardenEverything(): void {
  app.on('web-contents-created', (_event, contents) => hardenContents(contents))
}

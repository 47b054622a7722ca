import { Menu } from 'electron'

/**
 * No menu on a returns desk: its accelerators (reload, zoom, developer tools) are keys that a scanner can send.
 * macOS needs an Edit menu for copy and paste to work at all.
 */
export function installMenu(platform: NodeJS.Platform): void {
  Menu.setApplicationMenu(
    platform === 'darwin' ? Menu.buildFromTemplate([{ role: 'appMenu' }, { role: 'editMenu' }]) : null,
  )
}

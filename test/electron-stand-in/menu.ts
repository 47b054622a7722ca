import type { Menu as ElectronMenu, MenuItemConstructorOptions } from 'electron'
import { app } from './app.ts'
import { BrowserWindow } from './browser-window.ts'
import { defineInert } from './inert.ts'

type Click = (item: MenuItem, window: BrowserWindow | null, event: unknown) => void

/** A menu item as the template describes it. The item is never drawn, and its accelerator has no effect. */
export class MenuItem {
  readonly id: string
  readonly role: string | undefined
  readonly type: string
  readonly accelerator: unknown
  readonly submenu: Menu | undefined
  label: string
  checked: boolean
  enabled: boolean
  visible: boolean
  readonly #click: Click | undefined

  constructor(options: MenuItemConstructorOptions) {
    const { submenu } = options
    this.id = options.id ?? ''
    this.role = options.role
    this.type = options.type ?? (submenu ? 'submenu' : 'normal')
    this.accelerator = options.accelerator ?? null
    this.label = options.label ?? options.role ?? ''
    this.checked = options.checked ?? false
    this.enabled = options.enabled ?? true
    this.visible = options.visible ?? true
    this.submenu = Array.isArray(submenu) ? Menu.buildFromTemplate(submenu) : undefined
    this.#click = options.click as Click | undefined
  }

  /** Performs the action of the item. Tests call it in place of the operator. */
  click(event: unknown = {}): void {
    if (this.type === 'checkbox') this.checked = !this.checked
    const window = BrowserWindow.getFocusedWindow()
    this.#click?.(this, window, event)
    if (this.role === 'quit') app.quit()
    if (this.role === 'close') window?.close()
    if (this.role === 'togglefullscreen') window?.setFullScreen(!window.isFullScreen())
  }
}

let applicationMenu: Menu | null = null

export class Menu {
  readonly items: MenuItem[] = []

  static buildFromTemplate(template: readonly (MenuItemConstructorOptions | MenuItem)[]): Menu {
    const menu = new Menu()
    for (const entry of template) menu.append(entry instanceof MenuItem ? entry : new MenuItem(entry))
    return menu
  }

  static setApplicationMenu(menu: Menu | null): void {
    applicationMenu = menu
  }

  static getApplicationMenu(): Menu | null {
    return applicationMenu
  }

  append(item: MenuItem): void {
    this.items.push(item)
  }

  insert(position: number, item: MenuItem): void {
    this.items.splice(position, 0, item)
  }

  getMenuItemById(id: string): MenuItem | null {
    for (const item of this.items) {
      const found = item.id === id ? item : item.submenu?.getMenuItemById(id)
      if (found) return found
    }
    return null
  }
}

defineInert<ElectronMenu>(Menu.prototype, 'Menu', { popup: undefined, closePopup: undefined })

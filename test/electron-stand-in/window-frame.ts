import type { BrowserWindowConstructorOptions, Rectangle } from 'electron'
import { app } from './app.ts'
import { createEvent } from './events.ts'
import { FiringEmitter } from './inert.ts'
import { workArea } from './screen.ts'
import { WindowState } from './window-state.ts'

const fires = [
  'ready-to-show show hide focus blur close closed resize resized move moved maximize unmaximize minimize restore',
  'enter-full-screen leave-full-screen page-title-updated',
].flatMap((line) => line.split(' '))

/** The outer part of a window: its title, position, size, modes and menu bar. */
export abstract class WindowFrame extends FiringEmitter {
  protected readonly state: WindowState

  constructor(options: BrowserWindowConstructorOptions) {
    super('BrowserWindow', fires)
    this.state = new WindowState(options, app.getName(), {
      emit: (event) => this.emit(event, createEvent({})),
      resize: (size) => this.resizePage(size),
    })
  }

  getTitle(): string {
    return this.state.title
  }

  setTitle(title: string): void {
    this.state.title = title
  }

  getBounds(): Rectangle {
    return this.state.bounds
  }

  getContentBounds(): Rectangle {
    return this.state.bounds
  }

  getNormalBounds(): Rectangle {
    return this.state.normalBounds
  }

  getSize(): number[] {
    return [this.state.bounds.width, this.state.bounds.height]
  }

  getContentSize(): number[] {
    return this.getSize()
  }

  getPosition(): number[] {
    return [this.state.bounds.x, this.state.bounds.y]
  }

  setBounds(bounds: Partial<Rectangle>): void {
    this.state.setBounds(bounds)
  }

  setSize(width: number, height: number): void {
    this.state.setBounds({ width, height })
  }

  setContentSize(width: number, height: number): void {
    this.state.setBounds({ width, height })
  }

  setPosition(x: number, y: number): void {
    this.state.setBounds({ x, y })
  }

  center(): void {
    const { width, height } = this.state.bounds
    this.setPosition(Math.round((workArea.width - width) / 2), Math.round((workArea.height - height) / 2))
  }

  getMinimumSize(): number[] {
    return [this.state.minimum.width, this.state.minimum.height]
  }

  setMinimumSize(width: number, height: number): void {
    this.state.minimum = { width, height }
  }

  maximize(): void {
    this.state.setMode('maximized', true)
  }

  unmaximize(): void {
    this.state.setMode('maximized', false)
  }

  isMaximized(): boolean {
    return this.state.is('maximized')
  }

  minimize(): void {
    this.state.setMode('minimized', true)
  }

  restore(): void {
    this.state.setMode(this.isMinimized() ? 'minimized' : 'maximized', false)
  }

  isMinimized(): boolean {
    return this.state.is('minimized')
  }

  setFullScreen(on: boolean): void {
    this.state.setMode('fullscreen', on)
  }

  isFullScreen(): boolean {
    return this.state.is('fullscreen')
  }

  setKiosk(on: boolean): void {
    this.state.kiosk = on
    this.state.setMode('fullscreen', on)
  }

  isKiosk(): boolean {
    return this.state.kiosk
  }

  setMenu(menu: unknown): void {
    this.state.menuBarVisible = menu !== null
  }

  removeMenu(): void {
    this.state.menuBarVisible = false
  }

  setMenuBarVisibility(visible: boolean): void {
    this.state.menuBarVisible = visible
  }

  isMenuBarVisible(): boolean {
    return this.state.menuBarVisible
  }

  protected abstract resizePage(size: { width: number; height: number }): void
}

import type { CrashReporter, PowerMonitor } from 'electron'
import { EventEmitter } from 'node:events'
import { createEvent } from './events.ts'
import { defineInert, FiringEmitter, useInert } from './inert.ts'

// Replacements for small modules of Electron: clipboard, notifications, power, crash reports and global shortcuts. They
// do not use the real desktop. Only the clipboard and the notifications keep what the app passes to them.

let copied = ''

/** A clipboard for text only, separate from the clipboard of the machine. */
export const clipboard = {
  readText: (): Promise<string> => Promise.resolve(copied),
  writeText: (text: string): Promise<void> => {
    copied = text
    return Promise.resolve()
  },
  clear: (): void => {
    copied = ''
  },
}

/** All notifications that were shown, in order. */
export const shown: { title: string; body: string }[] = []

export class Notification extends EventEmitter {
  title: string
  body: string

  constructor(options: { title?: string; body?: string } = {}) {
    super()
    this.title = options.title ?? ''
    this.body = options.body ?? ''
  }

  static isSupported(): boolean {
    return true
  }

  show(): void {
    shown.push({ title: this.title, body: this.body })
    this.emit('show', createEvent({}))
  }

  close(): void {
    this.emit('close', createEvent({}))
  }
}

/**
 * powerMonitor, which emits no event itself; a test can emit 'suspend' or 'resume' on it. In strict mode a listener
 * needs `powerMonitor.on` in STANDIN_INERT.
 */
export const powerMonitor = new FiringEmitter('powerMonitor', [])
defineInert<PowerMonitor>(powerMonitor, 'powerMonitor', {
  getCurrentThermalState: 'unknown',
  getSystemIdleState: 'active',
  getSystemIdleTime: 0,
  isOnBatteryPower: false,
})

export const crashReporter = {}
defineInert<CrashReporter>(crashReporter, 'crashReporter', {
  start: undefined,
  addExtraParameter: undefined,
  removeExtraParameter: undefined,
  getParameters: {},
  getLastCrashReport: null,
  getUploadedReports: [],
  getUploadToServer: false,
  setUploadToServer: undefined,
})

export const powerSaveBlocker = {
  start: (): number => {
    useInert('powerSaveBlocker.start')
    return 1
  },
  stop: (): boolean => true,
  isStarted: (): boolean => false,
}

export const globalShortcut = {
  register: (): boolean => {
    useInert('globalShortcut.register')
    return true
  },
  unregister: (): void => undefined,
  unregisterAll: (): void => undefined,
  isRegistered: (): boolean => false,
}

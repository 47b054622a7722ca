import { _electron, type ElectronApplication, type JSHandle, type Page } from 'playwright'
import type { BrowserWindow } from 'electron'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

// Starts the small app that tests the stand-in, which replaces Electron on machines without Electron's binary.
// ELECTRON_OVERRIDE_DIST_PATH is set once and applies to all launches of this process.

export const standIn = resolve('test/electron-stand-in')
export const probe = join(standIn, 'probe')
process.env['ELECTRON_OVERRIDE_DIST_PATH'] = standIn

interface Probe {
  version: string
  canRequireNode: boolean
  earlyFrame(): Promise<unknown>
  invoke(channel: string, value?: unknown): Promise<unknown>
  add(a: number, b: number): number
  twice(call: (value: number) => number): number
  pong(listener: (...values: unknown[]) => void): void
}

declare global {
  interface Window {
    probe: Probe
    violations: string[]
    keys: [key: string, code: string, timeStamp: number, isTrusted: boolean][]
    inlineRan?: boolean
    opened: Window | null
    moduleRan?: boolean
  }
}

export interface Log {
  second: unknown[]
  navigations: string[]
  windows: string[]
  permissions: string[]
  requests: string[]
  order: unknown[]
  safe: unknown
}

export interface Started {
  app: ElectronApplication
  page: Page
}

export async function launch(dataDir: string, env: Record<string, string> = {}): Promise<Started> {
  const app = await _electron.launch({
    args: [probe, `--data-dir=${dataDir}`, '--lang=nl'],
    cwd: tmpdir(),
    env: { ...process.env, STANDIN_STRICT: '1', STANDIN_INERT: 'powerMonitor.on', ...env },
  })
  const page = await app.firstWindow()
  await page.waitForURL(/^(?!about:)/)
  await page.waitForFunction(() => window.moduleRan === true)
  return { app, page }
}

export const readLog = (page: Page): Promise<Log> =>
  page.evaluate(() => window.probe.invoke('log')) as Promise<Log>

/** Returns the command line of a process. Empty if the process has ended, even if it was not reaped yet. */
export function commandOf(pid: number | string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

/**
 * Returns the ids of the running processes whose command line contains the folder. A zombie has an empty command line.
 */
export function processesOf(dataDir: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => {
      return commandOf(pid).includes(dataDir)
    })
}

/** Returns the window of the page, as an object of the main process. */
export async function windowOf({ app, page }: Started): Promise<JSHandle<BrowserWindow>> {
  return (await app.browserWindow(page)) as JSHandle<BrowserWindow>
}

/** Ends the processes that a failed test left running on the folder, and removes the folder. */
export function removeAll(dataDir: string): void {
  for (const pid of processesOf(dataDir)) {
    try {
      process.kill(Number(pid), 'SIGKILL')
    } catch {
      // the process has ended since its id was listed
    }
  }
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
}

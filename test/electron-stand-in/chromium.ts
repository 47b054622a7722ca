import { spawn, type ChildProcess } from 'node:child_process'
import { mkdirSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { findChromium } from '../../electron/launch/packages.mjs'
import { debug, environment } from './environment.ts'

/**
 * Switches that make Chromium behave like Electron, and that turn off background activity that would use the network or
 * change the timing of tests.
 */
const quiet = [
  '--autoplay-policy=no-user-gesture-required', // Electron uses this autoplay policy by default
  '--no-first-run',
  '--no-default-browser-check',
  '--no-pings',
  '--no-service-autorun',
  '--password-store=basic',
  '--disable-background-networking',
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-breakpad',
  '--disable-client-side-phishing-detection',
  '--disable-component-extensions-with-background-pages',
  '--disable-component-update',
  '--disable-default-apps',
  '--disable-dev-shm-usage',
  '--disable-domain-reliability',
  '--disable-field-trial-config',
  '--disable-popup-blocking',
  '--disable-renderer-backgrounding',
  '--disable-search-engine-choice-screen',
  '--disable-sync',
  '--metrics-recording-only',
]
const unwantedFeatures = [
  'HttpsUpgrades',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PreconnectToSearch',
  'Translate',
  // Turned off: the pop-ups of the address bar are pages of their own. No one sees them, but they need as much CPU time
  // as the rest of Chromium's start.
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxPopup',
]

export interface ChromiumOptions {
  /**
   * Whether the first window is an app window, without tabs and address bar. Chromium opens such a window at its start.
   */
  readonly hasAppWindow: boolean
}

/**
 * Merges the callers' --disable-features with the stand-in's, because Chromium reads only the last of these switches.
 */
function mergeFeatures(switches: readonly string[]): string[] {
  const prefix = '--disable-features='
  const features = switches
    .filter((entry) => entry.startsWith(prefix))
    .flatMap((entry) => entry.slice(prefix.length).split(','))
  const merged = new Set([...unwantedFeatures, ...features])
  return [...switches.filter((entry) => !entry.startsWith(prefix)), prefix + [...merged].join(',')]
}

/**
 * Chromium opens an app window (`--app`) only when Chromium itself starts. `--keep-alive-for-test` keeps Chromium
 * running after that window closes, because the app decides when to quit. Chromium ignores this flag if extensions are
 * disabled, so they stay enabled; a new profile has no extensions.
 */
export const appWindowUrl = 'data:,'
const appWindow = [`--app=${appWindowUrl}`, '--keep-alive-for-test']
const noWindow = ['--no-startup-window', '--disable-extensions']

function chromiumArguments(
  profileDir: string,
  switches: readonly string[],
  options: ChromiumOptions,
): string[] {
  const own = switches.filter((entry) => !entry.startsWith('--user-data-dir'))
  const windows = options.hasAppWindow ? appWindow : noWindow
  const given = [...quiet, ...windows, ...own, ...environment.switches]
  if (environment.headless) given.push('--headless=new', '--hide-scrollbars')
  if (process.getuid?.() === 0) given.push('--no-sandbox')
  return ['--remote-debugging-pipe', ...mergeFeatures(given), `--user-data-dir=${profileDir}`]
}

/**
 * Waits until no other Chromium uses the profile, because a new Chromium would pass its windows to the running one. The
 * Chromium of an app that was just killed needs a moment to notice the closed pipe and end.
 */
async function untilProfileIsFree(profileDir: string): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt++) {
    try {
      const holder = Number(readlinkSync(join(profileDir, 'SingletonLock')).split('-').at(-1))
      process.kill(holder, 0)
    } catch {
      return
    }
    await sleep(50)
  }
  throw new Error(`stand-in: another Chromium holds ${profileDir}`)
}

function findBinary(): string {
  const found = findChromium()
  if (found === null) {
    throw new Error("stand-in: no Chromium found; install Debian's chromium or set STANDIN_CHROMIUM")
  }
  return found
}

/**
 * Starts Chromium on a separate profile, controlled over fds 3 and 4. Chromium ends automatically when these close, so
 * it never outlives the app, however the app ends.
 */
export async function launchChromium(
  profileDir: string,
  switches: readonly string[],
  options: ChromiumOptions,
): Promise<ChildProcess> {
  const binary = findBinary()
  mkdirSync(profileDir, { recursive: true })
  await untilProfileIsFree(profileDir)
  const child = spawn(binary, chromiumArguments(profileDir, switches, options), {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    // Ctrl-C is sent to the whole process group. Chromium must not get it, because the app has to close its windows
    // itself.
    detached: true,
  })
  child.once('error', (error) => console.error(`stand-in: ${binary}: ${error.message}`))
  if (child.stderr) {
    createInterface({ input: child.stderr }).on('line', (line) => {
      // Playwright waits for a line of Chromium with one of these texts on the stderr of the app.
      if (/^DevTools listening|Unable to open X display/.test(line)) process.stderr.write(`${line}\n`)
      else if (!line.includes('ERROR:dbus/')) debug('chromium:', line)
    })
  }
  return child
}

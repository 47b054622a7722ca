import type { BrowserWindow, MessageBoxOptions } from 'electron'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'

let shown: unknown[][]
/** Closes the open dialog with the button at this position. */
let press: (button: number) => void
vi.mock('electron', () => ({
  dialog: {
    showMessageBox: async (...args: unknown[]) => {
      shown.push(args)
      const { signal, cancelId } = args.at(-1) as MessageBoxOptions
      const response = await new Promise((resolve) => {
        press = resolve
        signal?.addEventListener('abort', () => resolve(cancelId))
      })
      return { response }
    },
  },
}))
// the modules are loaded again, because test files of one worker share modules and this file has its own electron mock
vi.resetModules()
const { tellOfCrashes } = await import('../../../electron/main/crash-dialog.ts')

let isDestroyed: boolean
let wasShown: boolean
const window = {
  show: () => void (wasShown = true),
  isDestroyed: () => isDestroyed,
} as unknown as BrowserWindow

beforeEach(() => {
  vi.useFakeTimers()
  shown = []
  isDestroyed = false
  wasShown = false
})
afterEach(() => vi.useRealTimers())

const options = (): MessageBoxOptions => shown.at(-1)?.at(-1) as MessageBoxOptions

/** Presses the Enter key, as a scanner does after each code. */
async function scan(): Promise<void> {
  press(options().defaultId ?? 0)
  await vi.advanceTimersByTimeAsync(1_000)
}

it('the dialog about repeated crashes shows the window, says what to do, and can be closed by its signal', async () => {
  const loads = new AbortController()
  const told = tellOfCrashes(window, 'nl', loads.signal)
  expect(wasShown).toBe(true)
  expect(shown[0]?.[0]).toBe(window)
  expect(options()).toMatchObject({ message: 'Scandesk kan het scherm niet tonen', signal: loads.signal })
  expect(options().detail).toMatch(/Opgeslagen werk blijft bewaard/)
  loads.abort()
  await vi.advanceTimersByTimeAsync(1_000)
  await told
  expect(shown).toHaveLength(1)
})

it('the dialog about repeated crashes opens again after each scan, until a person presses its other button', async () => {
  const told = tellOfCrashes(window, 'en', new AbortController().signal)
  for (let scans = 1; scans <= 5; scans++) {
    await scan()
    expect(shown).toHaveLength(scans + 1)
  }
  expect(options().buttons).toEqual(['Keep this message', 'OK'])
  expect(options()).toMatchObject({ defaultId: 0, cancelId: 0 })
  press(1)
  await told
  await vi.advanceTimersByTimeAsync(1_000)
  expect(shown).toHaveLength(6)
})

it.each(['the page loads', 'the window is closed'])(
  'the dialog about repeated crashes does not open again if %s after a scan',
  async (event) => {
    const loads = new AbortController()
    const told = tellOfCrashes(window, 'en', loads.signal)
    press(0)
    if (event === 'the page loads') loads.abort()
    else isDestroyed = true
    await vi.advanceTimersByTimeAsync(1_000)
    await told
    expect(shown).toHaveLength(1)
  },
)

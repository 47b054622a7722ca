import type { MessageBoxOptions } from 'electron'
import { expect, it, vi } from 'vitest'

const shown: unknown[] = []
vi.mock('electron', () => ({
  dialog: {
    showMessageBox: (...args: unknown[]) => (shown.push(...args), Promise.resolve({ response: 0 })),
  },
}))
// test files of one worker share modules, but this file mocks electron in its own way
vi.resetModules()
const { tellOfCrashes } = await import('../../../electron/main/crash-dialog.ts')

it('the dialog about repeated crashes shows the window, says what to do, and can be closed by its signal', async () => {
  const { signal } = new AbortController()
  const window = { show: () => shown.push('show') }
  await tellOfCrashes(window as unknown as Parameters<typeof tellOfCrashes>[0], 'nl', signal)
  expect(shown.slice(0, 2)).toEqual(['show', window])
  const options = shown[2] as MessageBoxOptions
  expect(options).toMatchObject({ message: 'Scandesk kan het scherm niet tonen', signal })
  expect(options.detail).toMatch(/Opgeslagen werk blijft bewaard/)
})

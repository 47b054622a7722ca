import type { Display, Screen } from 'electron'
import { defineInert, FiringEmitter } from './inert.ts'

/** The only display, always the same, so that layouts and screenshots do not depend on the machine. */
export const workArea = { x: 0, y: 0, width: 1280, height: 800 } as const

const display = {
  id: 1,
  label: 'stand-in',
  scaleFactor: 1,
  rotation: 0,
  internal: true,
  bounds: { ...workArea },
  workArea: { ...workArea },
  size: { width: workArea.width, height: workArea.height },
  workAreaSize: { width: workArea.width, height: workArea.height },
} satisfies Partial<Display>

export const screen = Object.assign(new FiringEmitter('screen', []), {
  getPrimaryDisplay: () => display,
  getAllDisplays: () => [display],
  getDisplayMatching: () => display,
  getDisplayNearestPoint: () => display,
})

defineInert<Screen>(screen, 'screen', {
  getCursorScreenPoint: { x: 0, y: 0 },
})

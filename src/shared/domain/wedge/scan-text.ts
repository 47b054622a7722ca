import { hasKnownShape } from './known-shape.ts'
import { type ScannerProfile, strokeName } from './scanner-profile.ts'
import type { Stroke } from './stroke.ts'

/** Whose layout the scanner types by: the factory's, or this computer's. */
export type Layout = 'us' | 'host'

/** What a calibrated scanner sent, without its prefix and suffix. */
export function calibratedText(strokes: readonly Stroke[], profile: ScannerProfile): string {
  const { keys, prefix, suffix } = profile
  const names = strokes.map(strokeName)
  const from = startsWith(names, prefix) ? prefix.length : 0
  const to = names.length - (endsWith(names.slice(from), suffix) ? suffix.length : 0)
  let text = ''
  for (let i = from; i < to; i++) {
    const pair = i + 1 < to ? keys[`${names[i] ?? ''} ${names[i + 1] ?? ''}`] : undefined
    const stroke = strokes[i]
    text += pair ?? keys[names[i] ?? ''] ?? stroke?.us ?? stroke?.host ?? ''
    if (pair !== undefined) i++
  }
  return text
}

/** By the factory's layout, or by this computer's; a stroke that one of them has no character for takes the other's. */
export function textBy(layout: Layout, strokes: readonly Stroke[]): string {
  return strokes
    .map(({ us, host }) => (layout === 'us' ? us : host) ?? (layout === 'us' ? host : us) ?? '')
    .join('')
}

/**
 * The layout that a text shows by itself: only one of the readings is something that barcodes hold. Null where both
 * are, or neither is, or they do not differ.
 */
export function layoutShown(strokes: readonly Stroke[]): Layout | null {
  const us = textBy('us', strokes)
  const host = textBy('host', strokes)
  if (us === host) return null
  const shape = { us: hasKnownShape(us), host: hasKnownShape(host) }
  if (shape.us === shape.host) return null
  return shape.us ? 'us' : 'host'
}

/** Whether the names begin with all of `marks`; false for no marks. */
export function startsWith(names: readonly string[], marks: readonly string[]): boolean {
  return marks.length > 0 && marks.length <= names.length && marks.every((mark, i) => names[i] === mark)
}

function endsWith(names: readonly string[], marks: readonly string[]): boolean {
  return startsWith(names.slice(Math.max(0, names.length - marks.length)), marks)
}

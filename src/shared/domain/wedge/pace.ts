/** A longer pause ends whatever was being read. Wireless scanners hiccup by 100 ms and more. */
export const maxGapMs = 250
/** No hand keeps this pace over several keys; every USB scanner left on its defaults does. */
export const burstGapMs = 35
/** The slowest scanners, told from a typist by their even pace and by what they sent. */
export const slowGapMs = 100

export function gapsOf(characters: readonly { readonly timeStampMs: number }[]): number[] {
  return characters.slice(1).map((character, i) => character.timeStampMs - (characters[i]?.timeStampMs ?? 0))
}

/**
 * Where the scan begins in a field somebody was typing in: after the last pause that is long beside the pace of
 * what follows it. A pause inside a burst is a wireless hiccup, not a beginning.
 */
export function burstStart(gapsMs: readonly number[]): number {
  let sumMs = 0
  // of the gaps before the one that is looked at: counting them anew at each one would take the square of their number
  let quick = gapsMs.filter((gapMs) => gapMs <= burstGapMs).length
  for (let i = gapsMs.length - 1; i >= 0; i--) {
    const gapMs = gapsMs[i] ?? 0
    const seen = gapsMs.length - 1 - i
    const limitMs = Math.max(90, seen === 0 ? 0 : (4 * sumMs) / seen)
    if (gapMs <= burstGapMs) quick--
    // more than half of what stands before is a scanner's: its median is
    const isInBurst = i > 0 && quick > Math.floor(i / 2)
    if (gapMs > limitMs && !isInBurst) return i + 1
    sumMs += gapMs
  }
  return 0
}

/** A machine's pace: slowest and fastest gap within a quarter of the middle. Hands vary by half and more. */
export function isEven(gapsMs: readonly number[]): boolean {
  const middleMs = median(gapsMs)
  return gapsMs.every((gapMs) => Math.abs(gapMs - middleMs) <= middleMs / 4)
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

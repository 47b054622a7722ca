import type { Random } from './random.ts'

/** The next order number of each shop, in the way its shop software writes them. */
export interface OrderNumbers {
  fashion(): string
  outdoor(createdAt: string): string
}

/** `#NL-10482` counts on for ever, `2026-004512` carries the year; both skip orders that shipped elsewhere. */
export function makeOrderNumbers(random: Random): OrderNumbers {
  let fashion = 10_400
  let outdoor = 4_400
  return {
    fashion() {
      fashion += random.int(1, 4)
      return `#NL-${fashion}`
    },
    outdoor(createdAt) {
      outdoor += random.int(1, 3)
      return `${createdAt.slice(0, 4)}-${String(outdoor).padStart(6, '0')}`
    },
  }
}

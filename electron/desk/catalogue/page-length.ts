/**
 * Page lengths to ask for, the largest first: api.md names no maximum, and a service may refuse a long page with 400 or
 * give fewer rows than it was asked for.
 */
const lengths = [5000, 2000, 1000, 500, 250, 100, 50, 25, 10]

/** What is asked for first: the largest that our own middleware documents. */
export const standardLength = 1000

export function shorterThan(length: number): number | null {
  return lengths.find((one) => one < length) ?? null
}

export function longerThan(length: number): number | null {
  return lengths.findLast((one) => one > length) ?? null
}

/** Whether a service that refuses so may take a shorter page. */
export function isAboutLength(status: number): boolean {
  return status === 400 || status === 413 || status === 422
}

declare const meaning: unique symbol

/**
 * Moments and lengths of time have different types, so that the compiler refuses one in place of the other. A plain
 * number is assignable to both, and the result of a calculation is a plain number.
 */

/** A moment, in milliseconds since 1970-01-01 00:00 UTC. */
export type Instant = number & { readonly [meaning]?: 'instant' }

/** A length of time in milliseconds. */
export type Milliseconds = number & { readonly [meaning]?: 'milliseconds' }

/** A moment as ISO 8601 text, as the service writes it: `2026-11-22T09:30:00.000Z`. */
export type IsoInstant = string & { readonly [meaning]?: 'iso' }

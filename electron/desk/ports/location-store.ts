import type { Instant } from '#shared/domain/instants.ts'
export const locationSources = ['import', 'scan', 'modification'] as const
export type LocationSource = (typeof locationSources)[number]

export interface LocationRow {
  readonly id: string
  readonly code: string | null
  /** How the desk learned this location. */
  readonly source: LocationSource
  readonly seenAt: Instant
}

/** The result of an import: numbers of locations in the file. */
export interface ImportCount {
  readonly added: number
  readonly changed: number
  readonly unchanged: number
}

/**
 * The location book. The API has no list of locations, so the desk learns them. A code belongs to one location at most,
 * ignoring case and blanks.
 */
export interface LocationStore {
  /** Returns the locations in the order of their codes; locations without a code are last. */
  list(): LocationRow[]
  get(id: string): LocationRow | null
  /** Returns the location with this code; `key` in the form of normaliseCode. */
  byCode(key: string): LocationRow | null
  /**
   * Imports a file, which takes precedence: a code moves to the location that the file names, and is removed from any
   * other location. Writes a few locations at a time, so that the import does not block this thread. After an
   * interruption, the locations written so far stay. Null: nothing was changed, because the book would contain more
   * than `mostLocations` locations that operators added.
   */
  import(
    locations: readonly { readonly id: string; readonly code: string }[],
    at: Instant,
  ): Promise<ImportCount | null>
  /**
   * Learns a location. Adds the code only if the location has no code and no other location has this code. A code
   * longer than `longestLocationCode` is ignored. True if the location is new.
   */
  learn(location: { id: string; code: string | null; source: LocationSource }, at: Instant): boolean
  /** Gives a location a code. `taken`: another location has that code, and nothing was changed. */
  name(id: string, code: string): 'named' | 'taken' | 'unknown'
  forget(id: string): void
  /** Returns those of the given ids whose modifications were not read for their locations yet. */
  unread(serverIds: readonly string[]): string[]
  /** If more than ten thousand ids of read modifications are stored, removes all except the given ids. */
  keepRead(serverIds: readonly string[]): void
  /**
   * Stores the locations of one modification of the service, and that it was read, in one transaction. If the book then
   * has more than `mostLocations`, the locations that were seen longest ago are removed. A location that an operator
   * scanned, named or booked is never removed.
   */
  learnFromModification(
    serverId: string,
    locations: readonly { readonly id: string; readonly code: string | null }[],
    at: Instant,
  ): void
}

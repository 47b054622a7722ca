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

/** The result of an import. Each number counts locations of the file. */
export interface ImportCount {
  readonly added: number
  readonly changed: number
  readonly unchanged: number
}

/**
 * The location book. The API has no list of locations, so the desk learns them. No two locations have the same code,
 * ignoring case and blanks.
 */
export interface LocationStore {
  /**
   * Returns the locations in the order of their codes; locations without a code are last, in the order of their ids.
   * `after`: only the locations that follow this one. `most`: the maximum number of locations; all if it is left out.
   */
  list(after?: Pick<LocationRow, 'id' | 'code'> | null, most?: number): LocationRow[]
  get(id: string): LocationRow | null
  /** Returns the location with this code. `key`: the code in the form of normaliseCode. */
  byCode(key: string): LocationRow | null
  /**
   * Imports a file. The file takes precedence over the book: a code moves to the location that the file names. Writes a
   * few locations at a time, so that the import does not block this thread. If the import is interrupted, the locations
   * written so far stay. Returns null and changes nothing if the book would contain more than `mostLocations` locations
   * that operators added.
   */
  import(
    locations: readonly { readonly id: string; readonly code: string }[],
    at: Instant,
  ): Promise<ImportCount | null>
  /**
   * Learns a location. Adds the code only if the location has no code and no other location has this code. Ignores a
   * code that is longer than `longestLocationCode`. Returns whether the location is new.
   */
  learn(location: { id: string; code: string | null; source: LocationSource }, at: Instant): boolean
  /** Gives a location a code. Returns `taken` and changes nothing if another location has that code. */
  name(id: string, code: string): 'named' | 'taken' | 'unknown'
  forget(id: string): void
  /** Of the given ids of modifications, returns those whose locations the desk has not learned yet. */
  unread(serverIds: readonly string[]): string[]
  /**
   * Limits the stored ids of modifications whose locations were learned. If there are more than ten thousand, keeps
   * only the given ids.
   */
  keepRead(serverIds: readonly string[]): void
  /**
   * In one transaction, stores the locations of a modification and the fact that it was read. If the book then has more
   * than `mostLocations` locations, removes those that were seen longest ago. A location that an operator imported,
   * scanned, named or booked is never removed.
   */
  learnFromModification(
    serverId: string,
    locations: readonly { readonly id: string; readonly code: string | null }[],
    at: Instant,
  ): void
}

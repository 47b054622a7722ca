export const locationSources = ['import', 'scan', 'modification'] as const
export type LocationSource = (typeof locationSources)[number]

export interface LocationRow {
  readonly id: string
  readonly code: string | null
  /** What taught the desk this location. */
  readonly source: LocationSource
  readonly seenAt: number
}

/** How an import changed the book, counted by the file's locations. */
export interface ImportCount {
  readonly added: number
  readonly changed: number
  readonly unchanged: number
}

/**
 * The location book: the API has no list of locations, so it is learned. A code belongs to one location at most,
 * whatever its case and blanks.
 */
export interface LocationStore {
  /** By code, those without one last. */
  list(): LocationRow[]
  get(id: string): LocationRow | null
  /** `key` in the form of normaliseCode. */
  byCode(key: string): LocationRow | null
  /**
   * The file has the last word: a code moves to the location that the file gives it, and leaves any other. Writes a few
   * locations at a time, so that it never holds up this thread; cut short, it leaves the first of them. Null: the book would
   * have more than `mostLocations` that operators brought, and nothing was changed.
   */
  import(
    locations: readonly { readonly id: string; readonly code: string }[],
    at: number,
  ): Promise<ImportCount | null>
  /**
   * Learns a location. Adds the name only where the location has none and no other location has it; one that is longer than
   * `longestLocationCode` counts as none. True if it is new here.
   */
  learn(location: { id: string; code: string | null; source: LocationSource }, at: number): boolean
  /** `taken`: another location bears that code, and nothing was changed. */
  name(id: string, code: string): 'named' | 'taken' | 'unknown'
  forget(id: string): void
  /** Which of these modifications of the service (their ids) have not been read for their locations. */
  unread(serverIds: readonly string[]): string[]
  /** Of which modifications it is known that they were read: these, once there are more than ten thousand. */
  keepRead(serverIds: readonly string[]): void
  /**
   * What one modification of the service showed, and that it was read, at once. Where the book then has more than
   * `mostLocations`, those that modifications taught and no operator scanned, named or booked make room, the ones seen
   * longest ago first.
   */
  learnFromModification(
    serverId: string,
    locations: readonly { readonly id: string; readonly code: string | null }[],
    at: number,
  ): void
}

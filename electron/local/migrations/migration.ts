/** One step of a database's schema. Never edited once released: a change is the next file. */
export interface Migration {
  /** 1, 2, 3 without gaps: what `user_version` says afterwards. */
  readonly version: number
  readonly sql: string
}

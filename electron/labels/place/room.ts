/** What a label must fit on. */
export interface Room {
  /** Dots an inch of the printer. */
  readonly dpi: number
  readonly widthDots: number
  /** Infinite on a roll. */
  readonly heightDots: number
}

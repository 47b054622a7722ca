/** Towns with the start of their postcodes and streets, per country. `#` a digit, `@` a letter of the country's set. */
export interface CountryPlaces {
  readonly country: string
  readonly towns: readonly {
    readonly name: string
    readonly zips: readonly string[]
    readonly state?: string
  }[]
  readonly streets: readonly string[]
  readonly zipLetters: string
  /** Numbers set aside for films and books where the country has such a range. `#` a digit. */
  readonly mobile: string
  readonly floors: readonly string[]
  readonly additions: readonly string[]
}

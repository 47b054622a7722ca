/** `ipp://host[:port]/path` or ipps; no credentials. */
export const ippUri: RegExp = /^ipps?:\/\/(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::\d{1,5})?(?:\/[!-~]*)?$/

/** A name of a paper size that contains its dimensions (PWG 5101.1): `na_index-4x6_4x6in`, `iso_a6_105x148mm`. */
export const mediaName: RegExp =
  /^[a-z][a-z0-9]*_[a-z0-9.-]+_\d{1,4}(?:\.\d{1,4})?x\d{1,4}(?:\.\d{1,4})?(?:mm|in)$/

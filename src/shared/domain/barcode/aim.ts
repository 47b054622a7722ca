/** What a barcode is drawn in, as far as it matters for what its text means. */
export type Symbology =
  | 'code39'
  | 'code128'
  | 'data_matrix'
  | 'ean'
  | 'ean8'
  | 'itf'
  | 'codabar'
  | 'maxicode'
  | 'pdf417'
  | 'qr'
  | 'aztec'

export interface Identified {
  /** AIM identifier (ISO/IEC 15424) such as `]C1`; null: the scanner sends none. */
  readonly identifier: string | null
  /** Null: not said, or one that nothing here depends on. */
  readonly symbology: Symbology | null
  /** The message without its identifier. */
  readonly text: string
}

/** By the code letter of the identifier (ISO/IEC 15424, table 1). `X` is anything that has no letter of its own. */
const byLetter: Readonly<Record<string, Symbology>> = {
  A: 'code39',
  C: 'code128',
  d: 'data_matrix',
  E: 'ean',
  F: 'codabar',
  I: 'itf',
  L: 'pdf417',
  Q: 'qr',
  U: 'maxicode',
  z: 'aztec',
}

/** Takes the identifier off a scanned text. Its letters are told apart by case, so Caps Lock must not have touched it. */
export function identify(scanned: string): Identified {
  const identifier = /^\][A-Za-z][0-9A-Za-z]/.exec(scanned)?.[0] ?? null
  if (identifier === null) return { identifier, symbology: null, text: scanned }
  const symbology = identifier === ']E4' ? 'ean8' : (byLetter[identifier.charAt(1)] ?? null)
  return { identifier, symbology, text: scanned.slice(3) }
}

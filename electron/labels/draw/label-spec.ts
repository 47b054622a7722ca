/** `sheet` is A4 with the turned label in its upper half; `rotated` is a 4x6 inch label in landscape. */
export type LabelLayout = '4x6' | 'a6' | 'sheet' | 'rotated'

/** The address fields that are printed (API.md 1.13). `country` is ISO 3166-1 alpha-2. */
export interface LabelAddress {
  readonly addressedTo: string
  readonly contactPerson: string | null
  readonly street: string
  readonly street2: string | null
  readonly streetNumber: string
  readonly streetNumberAddition: string | null
  readonly zipcode: string
  readonly city: string
  readonly country: string
  readonly state: string | null
}

export interface LabelBrand {
  readonly name: string
  /** SVG path of the carrier's sign in a box of 100 by 100, filled in one colour. */
  readonly signPath: string
  /** `solid`: white on black; `open`: black on white. */
  readonly header: 'solid' | 'open'
}

/** The content of a return label. Texts may contain any character; only `trackingCode` must be printable ASCII. */
export interface LabelSpec {
  readonly layout: LabelLayout
  readonly brand: LabelBrand
  /** The carrier's shipping method. `mark`: the one to three characters in the large box. */
  readonly service: { readonly mark: string; readonly name: string }
  readonly routing: { readonly code: string; readonly detail: string }
  /** The exact content of the Code128 and of the QR code. */
  readonly trackingCode: string
  /** The tracking code in groups of characters, for people. */
  readonly trackingText: string
  readonly trackingUrl: string
  readonly reference: string
  readonly sender: LabelAddress
  readonly recipient: LabelAddress
  /**
   * The date that is printed (in UTC) and written into the metadata of the file. The current time is not used, so that
   * the same spec results in the same bytes.
   */
  readonly date: Date
  /** Whether to print SAMPLE on the label. It is set in the sandbox. */
  readonly sample: boolean
}

import { badgeBarcode } from '#shared/domain/badge.ts'
import { mod3736 } from '#shared/domain/carriers/tracking.ts'
import { gs1CheckDigit } from '#shared/domain/gtin.ts'
import { commandBarcode, commands } from '#shared/domain/commands.ts'
import type { ReturnLabel } from '#shared/wire/return-label.ts'
import type { Shipment } from '#shared/wire/shipment.ts'
import type { Variant } from '#shared/wire/variant.ts'
import { randomFrom } from './random.ts'
import { scriptedLabel, scriptedShipment } from './scripted-records.ts'
import { scriptedVariant } from './scripted-stock.ts'
import { smallId } from './small-id.ts'

/**
 * A text as a scanner sends it, and its expected meaning. `subjectId`: the id of the expected article, shipment or
 * location; null for every other outcome.
 */
export interface CorpusCode {
  readonly family: string
  readonly raw: string
  readonly kind: string
  readonly subjectId: string | null
  /** Further expected fields of the outcome. */
  readonly also?: object
}

/** Records of a service, locations of a desk, and codes to scan: codes of these records and locations, and others. */
export interface ScanCorpus {
  readonly variants: Variant[]
  readonly shipments: Shipment[]
  readonly labels: ReturnLabel[]
  readonly locations: { id: string; code: string }[]
  /** The id of a lot, by the id of its variant. */
  readonly lots: Map<string, string>
  readonly codes: CorpusCode[]
}

type Draw = (below: number) => number

/**
 * Returns the same corpus for the same seed. The families of codes alternate, so that each has about the same share for
 * any number of codes.
 */
export function makeScanCorpus(count: number, seed: number): ScanCorpus {
  const random = randomFrom(seed)
  const maker = new CorpusMaker((below) => Math.floor(random() * below))
  while (maker.corpus.codes.length < count) maker.next()
  return maker.corpus
}

const separator = '\u001D'
const withCheck = (digits: string): string => digits + String(gs1CheckDigit(digits))

class CorpusMaker {
  readonly corpus: ScanCorpus = {
    variants: [],
    shipments: [],
    labels: [],
    locations: [],
    lots: new Map(),
    codes: [],
  }
  readonly #draw: Draw
  readonly #used = new Set<string>()
  #turn = 0
  #id = 10_000

  readonly #families: readonly (() => void)[] = [
    () => {
      this.#ean()
    },
    () => {
      this.#short()
    },
    () => {
      this.#book()
    },
    () => {
      this.#ownCodes()
    },
    () => {
      this.#gs1()
    },
    () => {
      this.#parcel()
    },
    () => {
      this.#payload()
    },
    () => {
      this.#label()
    },
    () => {
      this.#location()
    },
    () => {
      this.#sign()
    },
    () => {
      this.#lot()
    },
    () => {
      this.#noise()
    },
    () => {
      this.#misread()
    },
    () => {
      this.#twice()
    },
  ]

  constructor(draw: Draw) {
    this.#draw = draw
  }

  next(): void {
    this.#families[this.#turn++ % this.#families.length]?.()
  }

  #ean(): void {
    const ean = withCheck(this.#fresh(12, '87'))
    const id = this.#variant({ ean })
    this.#add(
      'ean',
      this.#one([ean, `]E0${ean}`, `0${ean}`, ` ${ean} `, `]I10${ean}`, `]X0${ean}`]),
      'article',
      id,
    )
  }

  /** Family of short article numbers: UPC-A, UPC-E (the same number without some zeros) and EAN-8. */
  #short(): void {
    if (this.#draw(3) === 0) {
      const ean = withCheck(this.#fresh(7, '9'))
      this.#add('ean-8', this.#one([ean, `]E4${ean}`]), 'article', this.#variant({ ean }))
      return
    }
    const [ab, c, def] = [this.#digits(2), String(this.#draw(3)), this.#digits(3)]
    const upcA = withCheck(`0${ab}${c}0000${def}`)
    if (this.#used.has(upcA)) return
    this.#used.add(upcA)
    const id = this.#variant({ ean: this.#one([upcA, `0${upcA}`]) })
    const upcE = `0${ab}${def}${c}${upcA.slice(-1)}`
    this.#add('upc', this.#one([upcA, `]E0${upcA}`, `0${upcA}`, `]E0${upcE}`, upcE]), 'article', id)
  }

  #book(): void {
    const nine = this.#fresh(9, '3')
    const sum = Array.from(nine).reduce((all, digit, at) => all + (10 - at) * Number(digit), 0)
    const check = (11 - (sum % 11)) % 11
    const ten = nine + (check === 10 ? 'X' : String(check))
    const ean = withCheck(`978${nine}`)
    const isOld = this.#draw(2) === 0
    const id = this.#variant(isOld ? { sku: ten } : { ean })
    const hyphened = `${ten.slice(0, 1)}-${ten.slice(1, 5)}-${ten.slice(5, 9)}-${ten.slice(9)}`
    this.#add(
      'isbn',
      isOld ? this.#one([ten, ean, `]E0${ean}`]) : this.#one([ean, `ISBN ${ten}`, hyphened]),
      'article',
      id,
    )
  }

  #ownCodes(): void {
    const sku = `SK-${this.#fresh(6)}`
    const id = this.#variant({ sku })
    const code = this.corpus.variants.at(-1)?.article_code ?? ''
    this.#add(
      'own code',
      this.#one([sku, sku.toLowerCase(), code, `]C0${code}`, `]A0${sku}`, code.toLowerCase()]),
      'article',
      id,
    )
  }

  #gs1(): void {
    const gtin = `0${withCheck(this.#fresh(12, '54'))}`
    const id = this.#variant({ ean: gtin.slice(1) })
    const [lot, serial, month] = [
      `L${this.#digits(5)}`,
      this.#digits(6),
      String(1 + this.#draw(9)).padStart(2, '0'),
    ]
    const day = this.#one(['00', '15'])
    const last = new Date(Date.UTC(2028, Number(month), 0)).toISOString().slice(0, 10)
    const expiry = day === '00' ? last : `2028-${month}-15`
    const elements = `01${gtin}1728${month}${day}10${lot}${separator}21${serial}`
    const reversed = `10${lot}${separator}21${serial}${separator}1728${month}${day}01${gtin}`
    const link = `https://id.gs1.org/01/${gtin}/10/${lot}/21/${serial}?17=28${month}${day}`
    const raw = this.#one([
      `]C1${elements}`,
      `]d2${elements}`,
      `]Q3${reversed}`,
      separator + elements,
      link,
      `]Q1${link}`,
      `(01)${gtin}(17)28${month}${day}(10)${lot}(21)${serial}`,
      `(01) ${gtin} (10) ${lot} (21) ${serial} (17) 28${month}${day}`,
    ])
    this.#add('gs1', raw, 'article', id, { said: { lot, serial, expiry, problems: [] } })
  }

  #parcel(): void {
    const [code, printed] = this.#trackingCode()
    const number = `${this.#one(['WEB', 'NL'])}-${this.#fresh(7)}`
    const id = this.#shipment(code, this.#one([number, `#${number}`]))
    const { reference = '' } = this.corpus.shipments.at(-1) ?? {}
    const raw = this.#one([
      printed,
      code.toLowerCase(),
      code,
      `]C0${code}`,
      reference,
      reference.toLowerCase(),
      number,
      `#${number}`,
      number.toLowerCase(),
    ])
    this.#add('parcel', raw, 'shipment', id)
  }

  #trackingCode(): [string, string] {
    const digits = this.#fresh(14)
    const code = this.#one([
      `3SDEVC${digits.slice(0, 9)}`,
      `JVGL${digits}`,
      `JJD${digits}${this.#digits(3)}`,
      `1Z${this.#one(['5R8', 'A2X'])}${digits.slice(0, 13)}`,
      `RB${digits.slice(0, 9)}NL`,
      `H10${digits}123`,
      `3232${digits}${this.#digits(6)}`,
      `1505${digits.slice(0, 10)}`,
    ])
    return [code, code.replaceAll(/(.{4})/g, '$1 ').trim()]
  }

  /**
   * Family of codes that contain a tracking number in another form: in a longer code, in a URL, or with or without its
   * prefix or check character.
   */
  #payload(): void {
    const ten = this.#fresh(10)
    const dpd = `0998${ten}`
    const posted = `3SDEVC${ten.slice(0, 9)}`
    const sscc = withCheck(`0034043${ten}`)
    const usps = withCheck(`94001${ten}${this.#digits(6)}`)
    const ups = `1Z${this.#fresh(8)}`
    const [code, raw] = this.#oneOf([
      [dpd, `%0002132${dpd}327528`],
      [dpd + mod3736(dpd), `%0002132${dpd}327528`],
      [dpd, dpd + mod3736(dpd)],
      [posted, `https://post.example/t?b=${posted}&z=2132WT`],
      [posted, `${posted};2132WT;NL`],
      [ten, `https://sendung.post.example/?nr=${ten}`],
      [ten, `HTTPS://POST.EXAMPLE/TRACK/${ten}`],
      [`MC ${ten}`, `]Q1https://post.example/track/MC%20${ten}/`],
      [`MC-${ten}`, `www.post.example/parcels/mc-${ten}#status`],
      [sscc, `]C100${sscc}`],
      [sscc, `00${sscc}`],
      [`00${sscc}`, sscc],
      [usps, `42022153${usps}`],
      [usps, `]C142022153${separator}${usps}`],
      [
        ups,
        `[)>\u001E01${separator}96841706672${separator}840${separator}001${separator}${ups}${separator}UPSN${separator}12345E\u001E\u0004`,
      ],
    ] as const)
    this.#add('payload', raw, 'shipment', this.#shipment(code))
  }

  #label(): void {
    const number = ++this.#id
    const { wire } = scriptedLabel(number, { reference: `HAND-${String(number)}`, sender: noSender })
    const tracking_code = `3SRETR${this.#fresh(9)}`
    wire.url = 'https://service.example/label.pdf'
    wire.tracking_information = [{ label_code: null, tracking_code, tracking_url: null }]
    this.corpus.labels.push(wire)
    const raw = this.#one([tracking_code, tracking_code.toLowerCase(), `HAND-${String(number)}`])
    this.#add('return label', raw, 'return_label', null, { label: { serverId: wire.id } })
  }

  #location(): void {
    const id = smallId(++this.#id)
    const code = `R${this.#digits(2)}-${this.#fresh(4)}`
    this.corpus.locations.push({ id, code })
    this.#add('location', this.#one([code, code.toLowerCase(), `LOC|${code}|${id}`, id]), 'location', id)
  }

  #sign(): void {
    const name = `op${this.#fresh(4)}`
    const command = this.#oneOf(commands)
    const isBadge = this.#draw(2) === 0
    const text = isBadge ? badgeBarcode(name) : commandBarcode(command)
    const swapped = isBadge ? text.replace('SDUSR', 'sdusr').replace('op', 'OP') : text.toLowerCase()
    const raw = this.#one([text, swapped, `]C0${text}`])
    if (isBadge) this.#add('badge', raw, 'badge', null, { username: name })
    else this.#add('command', raw, 'command', null, { command })
  }

  #lot(): void {
    const id = this.#variant({})
    const lotId = smallId(++this.#id)
    this.corpus.lots.set(id, lotId)
    this.#add('lot', this.#one([lotId, lotId.toUpperCase()]), 'article', id, { said: { lotId } })
  }

  #noise(): void {
    const digits = this.#fresh(11)
    const raw = this.#one([
      `ORD${digits}`,
      `INB${digits}`,
      `MOD${digits}`,
      `?${digits}${separator}`,
      `#${digits} ünïcode`,
      `SDCMDNOTHING${digits}`,
      `https://shop.example/${digits}`,
      `https://shop.example/orders?ref=${digits}`,
      `(01)${digits}`,
      `WEB-${digits}`,
      `]C1${separator}${digits}`,
    ])
    this.#add('noise', raw, 'unknown', null, { misread: false })
  }

  /**
   * Family of codes that differ from the EAN-13 of an article in one digit. The desk must not find a record for them.
   */
  #misread(): void {
    const ean = withCheck(this.#fresh(12, '87'))
    this.#variant({ ean })
    const at = this.#draw(13)
    const wrong = ean.slice(0, at) + String((Number(ean[at]) + 1 + this.#draw(9)) % 10) + ean.slice(at + 1)
    this.#add('misread', this.#one([wrong, `]E0${wrong}`]), 'unknown', null, { misread: true })
  }

  /** Family of codes that are both an article code and the reference of an order. */
  #twice(): void {
    const code = `TW-${this.#fresh(6)}`
    this.#shipment(null, code)
    this.#variant({ article_code: code })
    this.#add('ambiguous', this.#one([code, code.toLowerCase()]), 'ambiguous', null, {
      candidates: [{ kind: 'shipment' }, { kind: 'article' }],
    })
  }

  #variant(over: Partial<Variant>): string {
    const number = ++this.#id
    const variant = { ...scriptedVariant(number), ...over }
    this.corpus.variants.push(variant)
    return variant.id
  }

  #shipment(tracking_code: string | null, order?: string): string {
    const number = ++this.#id
    const shipment = scriptedShipment(number, Date.UTC(2026, 0, 1) + number * 1_000)
    this.corpus.shipments.push({
      ...shipment,
      order_external_reference: order ?? `WEB-${String(number)}`,
      shipment_labels:
        tracking_code === null ? [] : [{ label_code: null, tracking_code, tracking_url: null }],
    })
    return shipment.id
  }

  #add(family: string, raw: string, kind: string, subjectId: string | null, also: object = {}): void {
    this.corpus.codes.push({ family, raw, kind, subjectId, also })
  }

  #digits(length: number): string {
    return Array.from({ length }, () => String(this.#draw(10))).join('')
  }

  /** Returns a random number of `length` digits that begins with `prefix` and that no earlier call returned. */
  #fresh(length: number, prefix = ''): string {
    for (;;) {
      const digits = prefix + this.#digits(length - prefix.length)
      if (this.#used.has(digits)) continue
      this.#used.add(digits)
      return digits
    }
  }

  #one(texts: readonly string[]): string {
    return texts[this.#draw(texts.length)] ?? ''
  }

  #oneOf<const T extends readonly unknown[]>(all: T): T[number] {
    return all[this.#draw(all.length)]
  }
}

const noSender = {
  addressed_to: 'A. Bakker',
  contact_person: null,
  street: 'Kade',
  street2: null,
  street_number: '1',
  street_number_addition: null,
  zipcode: '1011 AB',
  city: 'Amsterdam',
  country: 'NL',
  state: null,
  phone_number: null,
  mobile_number: null,
  fax_number: null,
  email_address: null,
}

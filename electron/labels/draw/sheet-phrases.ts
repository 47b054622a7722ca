/** What the A4 sheet says in one language. A step is a title and a sentence; there are four. */
export interface SheetPhrases {
  readonly title: string
  readonly steps: readonly (readonly [string, string])[]
  readonly reference: string
  readonly trackingCode: string
  readonly follow: string
  readonly note: string
  readonly sampleNote: string
}

const en: SheetPhrases = {
  title: 'How to send your parcel back',
  steps: [
    ['Pack', 'Put the goods back in their box, with the papers that came with them.'],
    ['Cut', 'Cut along the dashed line. Keep this half: it carries your tracking code.'],
    ['Stick', 'Cover older labels. Stick the label flat on the largest side, no tape across the bars.'],
    ['Hand in', 'Bring the parcel to any parcel point and keep the receipt until you have your refund.'],
  ],
  reference: 'Reference',
  trackingCode: 'Tracking code',
  follow: 'Follow your parcel',
  note: 'One label, one parcel: do not copy it.',
  sampleNote: 'SAMPLE: made in a sandbox, not for shipping.',
}

const nl: SheetPhrases = {
  title: 'Zo stuurt u uw pakket terug',
  steps: [
    ['Inpakken', 'Doe de artikelen terug in de doos, met de papieren die erbij zaten.'],
    ['Knippen', 'Knip langs de stippellijn. Bewaar deze helft: hier staat uw volgcode op.'],
    [
      'Plakken',
      'Dek oude labels af. Plak het label vlak op de grootste kant, zonder tape over de streepjes.',
    ],
    ['Inleveren', 'Breng het pakket naar een pakketpunt en bewaar het bewijs tot u uw geld terug hebt.'],
  ],
  reference: 'Referentie',
  trackingCode: 'Volgcode',
  follow: 'Volg uw pakket',
  note: 'Eén label, één pakket: niet kopiëren.',
  sampleNote: 'SAMPLE: gemaakt in een testomgeving, niet om te versturen.',
}

const de: SheetPhrases = {
  title: 'So senden Sie Ihr Paket zurück',
  steps: [
    ['Einpacken', 'Legen Sie die Ware mit den beiliegenden Papieren zurück in den Karton.'],
    [
      'Schneiden',
      'Schneiden Sie entlang der gestrichelten Linie. Diese Hälfte behalten: Sie trägt Ihre Sendungsnummer.',
    ],
    [
      'Aufkleben',
      'Alte Etiketten abdecken. Das Etikett glatt auf die größte Seite kleben, kein Band über die Striche.',
    ],
    ['Abgeben', 'Geben Sie das Paket an einer Paketstelle ab und behalten Sie den Beleg bis zur Erstattung.'],
  ],
  reference: 'Referenz',
  trackingCode: 'Sendungsnummer',
  follow: 'Paket verfolgen',
  note: 'Ein Etikett, ein Paket: bitte nicht kopieren.',
  sampleNote: 'SAMPLE: in einer Testumgebung erstellt, nicht zum Versand.',
}

const byCountry: ReadonlyMap<string, SheetPhrases> = new Map([
  ['NL', nl],
  ['BE', nl],
  ['DE', de],
])

/** The sheet's sentences for whoever sends from a country (ISO 3166-1 alpha-2); English where it is not known. */
export function sheetPhrases(country: string): SheetPhrases {
  return byCountry.get(country.trim().toUpperCase()) ?? en
}

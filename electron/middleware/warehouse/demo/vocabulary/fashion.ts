/** The fashion shop's assortment: garments with what they weigh, cost and are called by customs. */
export interface Garment {
  readonly name: string
  readonly short: string
  readonly hsTariffCode: string
  readonly weightGrams: number
  /** Euro. */
  readonly price: readonly [number, number]
  readonly sizes: 'letters' | 'jeans' | 'shoes' | 'one'
}

export const garments: readonly Garment[] = [
  {
    name: 'Jurk',
    short: 'JU',
    hsTariffCode: '6204420000',
    weightGrams: 420,
    price: [59, 159],
    sizes: 'letters',
  },
  {
    name: 'Blouse',
    short: 'BL',
    hsTariffCode: '6206400000',
    weightGrams: 190,
    price: [39, 89],
    sizes: 'letters',
  },
  {
    name: 'Linnen overhemd',
    short: 'OV',
    hsTariffCode: '6205909000',
    weightGrams: 260,
    price: [49, 99],
    sizes: 'letters',
  },
  {
    name: 'Trui van merinowol',
    short: 'TR',
    hsTariffCode: '6110113000',
    weightGrams: 380,
    price: [69, 139],
    sizes: 'letters',
  },
  {
    name: 'Vest',
    short: 'VE',
    hsTariffCode: '6110209900',
    weightGrams: 410,
    price: [59, 119],
    sizes: 'letters',
  },
  {
    name: 'Winterjas',
    short: 'WJ',
    hsTariffCode: '6202400000',
    weightGrams: 1450,
    price: [149, 329],
    sizes: 'letters',
  },
  {
    name: 'Regenjas',
    short: 'RJ',
    hsTariffCode: '6202300000',
    weightGrams: 780,
    price: [99, 199],
    sizes: 'letters',
  },
  {
    name: 'Spijkerbroek',
    short: 'SB',
    hsTariffCode: '6204623100',
    weightGrams: 690,
    price: [79, 149],
    sizes: 'jeans',
  },
  {
    name: 'Plooirok',
    short: 'RO',
    hsTariffCode: '6204530000',
    weightGrams: 330,
    price: [45, 95],
    sizes: 'letters',
  },
  {
    name: 'Enkellaars',
    short: 'LA',
    hsTariffCode: '6403911600',
    weightGrams: 1180,
    price: [119, 229],
    sizes: 'shoes',
  },
  {
    name: 'Sneaker',
    short: 'SN',
    hsTariffCode: '6404110000',
    weightGrams: 860,
    price: [79, 139],
    sizes: 'shoes',
  },
  { name: 'Sjaal', short: 'SJ', hsTariffCode: '6117100000', weightGrams: 160, price: [25, 69], sizes: 'one' },
  {
    name: 'Schoudertas',
    short: 'TA',
    hsTariffCode: '4202210000',
    weightGrams: 740,
    price: [69, 189],
    sizes: 'one',
  },
  { name: 'Muts', short: 'MU', hsTariffCode: '6505003000', weightGrams: 90, price: [19, 39], sizes: 'one' },
]

export const fashionModels: readonly string[] = [
  'Amélie',
  'Zoë',
  'Benoît',
  'Sjöberg',
  'Françoise',
  'Ravel',
  'Noémi',
  'Ursule',
  'Østerbro',
  'Liège',
  'Margaux',
  'Yvette',
  'Señora',
  'Klára',
  'Hélène',
  'Brønshøj',
  'Maarten',
  'Ottilie',
  'Perrault',
  'Żaneta',
  'Juliëtte',
  'Doré',
  'Wende',
  'Álvaro',
]

export const fashionColours: readonly (readonly [string, string])[] = [
  ['zwart', 'ZWA'],
  ['gebroken wit', 'WIT'],
  ['marine', 'MAR'],
  ['crème', 'CRE'],
  ['mosgroen', 'MOS'],
  ['roestbruin', 'ROE'],
  ['bordeauxrood', 'BOR'],
  ['lichtgrijs mêlee', 'GRM'],
  ['kobaltblauw', 'KOB'],
  ['oudroze', 'ROZ'],
]

export const sizeRuns: Readonly<Record<Garment['sizes'], readonly string[]>> = {
  letters: ['XS', 'S', 'M', 'L', 'XL', 'XXL'],
  jeans: ['W27 L32', 'W28 L32', 'W29 L32', 'W30 L32', 'W31 L34', 'W32 L34', 'W34 L34'],
  shoes: ['36', '37', '38', '39', '40', '41', '42', '43', '44'],
  one: [''],
}

/** What makes a name run on for a line and more, as shops fill their title field. */
export const fashionLongTails: readonly string[] = [
  'met uitneembare gewatteerde voering, verstelbare capuchon, verborgen binnenzakken en reflecterende biezen',
  'in Italiaans kamgaren met handgestikte knoopsgaten, parelmoeren knopen en een dubbele rij contrasterend stiksel',
  'van gerecyclede wol en biologisch katoen, voorgewassen, met deelbare tweewegrits en geribde boorden – limited edition',
]

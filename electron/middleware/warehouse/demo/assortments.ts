/** The fashion shop's assortment: garments with their weights, prices and customs descriptions. */
export interface Garment {
  readonly name: string
  readonly short: string
  readonly hsTariffCode: string
  readonly weightGrams: number
  /** Lowest and highest price in euro. */
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

/** Endings of very long names, like those in the title fields of real shops. */
export const fashionLongTails: readonly string[] = [
  'met uitneembare gewatteerde voering, verstelbare capuchon, verborgen binnenzakken en reflecterende biezen',
  'in Italiaans kamgaren met handgestikte knoopsgaten, parelmoeren knopen en een dubbele rij contrasterend stiksel',
  'van gerecyclede wol en biologisch katoen, voorgewassen, met deelbare tweewegrits en geribde boorden – limited edition',
]

/** The assortment of the outdoor and nutrition shop. */
export interface OutdoorLine {
  readonly name: string
  readonly short: string
  readonly hsTariffCode: string
  readonly weightGrams: number
  /** Lowest and highest price in euro. */
  readonly price: readonly [number, number]
  /** Name and code of each variant. */
  readonly options: readonly (readonly [string, string])[]
  readonly expirable?: boolean
  readonly usingSerialNumbers?: boolean
}

const flavours = [
  ['Vanille', 'VAN'],
  ['Chocolade', 'CHO'],
  ['Crème brûlée', 'CRB'],
  ['Açaí & bosbes', 'ACA'],
  ['Naturel', 'NAT'],
] as const
const litres = [
  ['18 L', '18L'],
  ['32 L', '32L'],
  ['48 L', '48L'],
  ['65 L', '65L'],
] as const
const shells = [
  ['petrol', 'PET'],
  ['antraciet', 'ANT'],
  ['oranje', 'ORA'],
  ['Fjällgrün', 'FJG'],
] as const
const single = [['', 'STD']] as const

export const outdoorLines: readonly OutdoorLine[] = [
  {
    name: 'Whey Isolaat 900 g',
    short: 'WH',
    hsTariffCode: '3502209000',
    weightGrams: 980,
    price: [27, 39],
    options: flavours,
    expirable: true,
  },
  {
    name: 'Haverreep 12 × 55 g',
    short: 'HR',
    hsTariffCode: '1904209100',
    weightGrams: 720,
    price: [15, 24],
    options: flavours,
    expirable: true,
  },
  {
    name: 'Isotone Sportdrank 1,5 kg',
    short: 'IS',
    hsTariffCode: '2106909200',
    weightGrams: 1580,
    price: [19, 29],
    options: flavours,
    expirable: true,
  },
  {
    name: 'Magnesiumcitraat 120 capsules',
    short: 'MG',
    hsTariffCode: '2106909808',
    weightGrams: 140,
    price: [14, 22],
    options: single,
    expirable: true,
  },
  {
    name: 'Omega-3 Algenolie 60 softgels',
    short: 'OM',
    hsTariffCode: '1517909990',
    weightGrams: 110,
    price: [18, 27],
    options: single,
    expirable: true,
  },
  {
    name: 'Trekkingmaaltijd Linsencurry',
    short: 'TM',
    hsTariffCode: '2104200000',
    weightGrams: 165,
    price: [7, 11],
    options: [
      ['1 portie', '1P'],
      ['2 porties', '2P'],
    ],
    expirable: true,
  },
  {
    name: 'Rugzak',
    short: 'RZ',
    hsTariffCode: '4202929190',
    weightGrams: 1350,
    price: [89, 239],
    options: litres,
  },
  {
    name: 'Donsslaapzak',
    short: 'SZ',
    hsTariffCode: '9404300000',
    weightGrams: 1120,
    price: [179, 399],
    options: [
      ['regular', 'REG'],
      ['long', 'LON'],
    ],
  },
  {
    name: 'Hardshelljack',
    short: 'HS',
    hsTariffCode: '6201400000',
    weightGrams: 510,
    price: [199, 379],
    options: shells,
  },
  {
    name: 'Tunneltent',
    short: 'TT',
    hsTariffCode: '6306220000',
    weightGrams: 3250,
    price: [289, 649],
    options: [
      ['2-persoons', '2P'],
      ['3-persoons', '3P'],
    ],
  },
  {
    name: 'Hoofdlamp',
    short: 'HL',
    hsTariffCode: '8513100000',
    weightGrams: 98,
    price: [39, 119],
    options: shells,
    usingSerialNumbers: true,
  },
  {
    name: 'GPS-horloge',
    short: 'GP',
    hsTariffCode: '8526912000',
    weightGrams: 61,
    price: [229, 549],
    options: [
      ['42 mm', '42'],
      ['47 mm', '47'],
    ],
    usingSerialNumbers: true,
  },
  {
    name: 'Lawinepieper',
    short: 'LP',
    hsTariffCode: '8526920090',
    weightGrams: 225,
    price: [249, 389],
    options: single,
    usingSerialNumbers: true,
  },
  {
    name: 'Isoleerfles',
    short: 'IF',
    hsTariffCode: '9617000000',
    weightGrams: 390,
    price: [24, 45],
    options: [
      ['0,5 L', '05L'],
      ['0,75 L', '07L'],
      ['1 L', '1L'],
    ],
  },
  {
    name: 'Trekkingstokken',
    short: 'TS',
    hsTariffCode: '6602000000',
    weightGrams: 480,
    price: [59, 139],
    options: single,
  },
]

export const outdoorModels: readonly string[] = [
  'Ruigpad One',
  'Fjällsjö',
  'Grödner',
  'Näbbevalley',
  'Séracs',
  'Höhenweg',
  'Waddenloper',
  'Puczacz',
  'Cañón',
  'Tête Noire',
  'Øvre',
  'Karwendel',
  'Veluwe',
  'Čierny',
  'Skåne',
]

export const outdoorLongTails: readonly string[] = [
  'met waterdichte ritsen, geventileerd rugpand met zestraps verstelling, geïntegreerde regenhoes en lussen voor stokken',
  'Testsieger-Edition inklusive Packsack, Reparaturset, zusätzlicher Zeltheringe und zweijähriger Garantieverlängerung',
]

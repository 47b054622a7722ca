import { toWinAnsi } from '#labels/draw/winansi.ts'
import type { WorldAddress } from '../world.ts'
import type { Random } from './random.ts'

/** Replaces each `#` by a random digit and each `@` by a random character of `letters`. */
function fillPattern(random: Random, pattern: string, letters: string): string {
  return pattern.replaceAll(/[#@]/g, (sign) =>
    sign === '#' ? random.digits(1) : letters.charAt(random.int(0, letters.length - 1)),
  )
}

function personOf(random: Random, country: string): string {
  const origin = random.chance(0.88) ? country : random.pick(Object.keys(people))
  const names = people[origin] ?? people['NL']
  if (!names) throw new RangeError(`no names for ${origin}`)
  return `${random.pick(names.given)} ${random.pick(names.family)}`
}

function emailOf(name: string): string {
  const plain = toWinAnsi(name)
    .normalize('NFD')
    .replaceAll(/\p{Mn}/gu, '')
    .toLowerCase()
  return `${plain.replaceAll(/[^a-z]+/g, '.').replaceAll(/^\.|\.$/g, '')}@mail.example`
}

function streetNumber(random: Random): string {
  return String(
    random.weighted([
      [random.int(1, 99), 6],
      [random.int(100, 420), 3],
      [random.int(1000, 2400), 0.3],
    ]),
  )
}

function place(
  random: Random,
  places: CountryPlaces,
): Pick<WorldAddress, 'zipcode' | 'city' | 'country' | 'state'> {
  const town = random.pick(places.towns)
  const zipcode = fillPattern(random, random.pick(town.zips), places.zipLetters)
  return { zipcode, city: town.name, country: places.country, state: town.state ?? null }
}

/** Returns the invented address of a buyer: usually a person, sometimes a company with a contact. */
export function makeAddress(random: Random): WorldAddress {
  const places = random.weighted(countries)
  const person = personOf(random, places.country)
  const company = random.chance(0.08)
  return {
    addressedTo: company ? random.pick(companies[places.country] ?? [person]) : person,
    contactPerson: company || random.chance(0.2) ? person : null,
    street: random.pick(places.streets),
    street2: random.chance(0.12) ? random.pick(places.floors) : null,
    streetNumber: streetNumber(random),
    streetNumberAddition: random.chance(0.18) ? random.pick(places.additions) : null,
    ...place(random, places),
    phoneNumber: null,
    mobileNumber: random.chance(0.6) ? fillPattern(random, places.mobile, '') : null,
    emailAddress: emailOf(person),
  }
}

/**
 * Towns of a country with patterns of their postcodes, and streets of the country. `#` stands for a digit, `@` for a
 * letter of the country's set.
 */
interface CountryPlaces {
  readonly country: string
  readonly towns: readonly {
    readonly name: string
    readonly zips: readonly string[]
    readonly state?: string
  }[]
  readonly streets: readonly string[]
  readonly zipLetters: string
  /**
   * Pattern of a mobile number. If the country reserves a range of numbers for films and books, the pattern is in this
   * range. `#` is a digit.
   */
  readonly mobile: string
  readonly floors: readonly string[]
  readonly additions: readonly string[]
}

const netherlands: CountryPlaces = {
  country: 'NL',
  towns: [
    { name: 'Amsterdam', zips: ['1011 @@', '1054 @@', '1079 @@', '1093 @@'] },
    { name: 'Utrecht', zips: ['3511 @@', '3572 @@', '3583 @@'] },
    { name: 'Rotterdam', zips: ['3012 @@', '3039 @@', '3062 @@'] },
    { name: "'s-Hertogenbosch", zips: ['5211 @@', '5223 @@'] },
    { name: 'Groningen', zips: ['9711 @@', '9725 @@'] },
    { name: 'Nijmegen', zips: ['6511 @@', '6531 @@'] },
    { name: 'Bergen op Zoom', zips: ['4611 @@'] },
    { name: 'Kollumerzwaag', zips: ['9298 @@'] },
    { name: 'Súdwest-Fryslân', zips: ['8601 @@'] },
  ],
  streets: [
    'Burgemeester van Tuyllkade',
    'Hoofdweg',
    'Lange Nieuwstraat',
    'Prins Hendrikkade',
    'Kerkstraat',
    'Jan van Galenstraat',
    'Anna Paulownaplein',
    'Laan van Meerdervoort',
    'Oude Gracht',
    'Zilverschoonstraat',
    'Churchill-laan',
    'Molenpad',
    'Professor Doctor Dorgelolaan',
    'Reigerstraat',
    'Gijsbrecht van Aemstelstraat',
    '1e Jacob van Campenstraat',
  ],
  zipLetters: 'ABCDEGHJKLMNPRSTVWXZ',
  mobile: '+31 6 0000 ####',
  floors: ['2e verdieping', 'Achterhuis', 'Bel bij de buren', 'Gebouw C'],
  additions: ['A', 'B', 'bis', 'hs', '2', 'II', '3 hoog'],
}

const belgium: CountryPlaces = {
  country: 'BE',
  towns: [
    { name: 'Antwerpen', zips: ['2000', '2018', '2060'] },
    { name: 'Gent', zips: ['9000', '9050'] },
    { name: 'Liège', zips: ['4000', '4020'] },
    { name: 'Brugge', zips: ['8000'] },
    { name: 'Louvain-la-Neuve', zips: ['1348'] },
    { name: 'Braine-l’Alleud', zips: ['1420'] },
  ],
  streets: [
    'Mechelsesteenweg',
    'Rue de la Régence',
    'Kortrijksepoortstraat',
    'Avenue Franklin Roosevelt',
    'Sint-Jacobsnieuwstraat',
    'Quai de la Dérivation',
    'Sleepstraat',
    'Grote Steenweg',
    "Chaussée d'Alsemberg",
  ],
  zipLetters: '',
  mobile: '+32 455 00 ## ##',
  floors: ['bus 4', 'bte 12', '1er étage', 'bus 0301'],
  additions: ['A', 'bus 2', 'B', 'C'],
}

const germany: CountryPlaces = {
  country: 'DE',
  towns: [
    { name: 'Berlin', zips: ['10178', '10435', '12047', '13353'] },
    { name: 'Köln', zips: ['50667', '50823', '51065'] },
    { name: 'München', zips: ['80331', '80799', '81541'] },
    { name: 'Hamburg', zips: ['20095', '22765'] },
    { name: 'Lübeck', zips: ['23552'] },
    { name: 'Mülheim an der Ruhr', zips: ['45468'] },
    { name: 'Schwäbisch Gmünd', zips: ['73525'] },
    { name: 'Görlitz', zips: ['02826'] },
  ],
  streets: [
    'Große Präsidentenstraße',
    'Schönhauser Allee',
    'Am Kümmerling',
    'Venloer Straße',
    'Königsallee',
    'Bürgermeister-Müller-Weg',
    'Lindenstraße',
    'Frühlingsgasse',
    'An der Alten Ziegelei',
    'Straße des 17. Juni',
    'Weißenburger Platz',
  ],
  zipLetters: '',
  mobile: '+49 171 3920 0##',
  floors: ['Hinterhaus, 3. OG', 'Seitenflügel links', 'bei Familie Groß', 'c/o Wohngemeinschaft Süd'],
  additions: ['a', 'b', 'c', '1/2'],
}

const france: CountryPlaces = {
  country: 'FR',
  towns: [
    { name: 'Paris', zips: ['75003', '75011', '75018', '75020'] },
    { name: 'Lyon', zips: ['69001', '69007'] },
    { name: 'Besançon', zips: ['25000'] },
    { name: 'Saint-Étienne', zips: ['42000', '42100'] },
    { name: 'Nîmes', zips: ['30900'] },
    { name: 'Vitry-le-François', zips: ['51300'] },
  ],
  streets: [
    'rue du Faubourg Saint-Antoine',
    'boulevard Voltaire',
    "allée de l'Église",
    'place Gaston Paillhou',
    'chemin des Écoliers',
    'avenue du Maréchal Foch',
    'rue des Bégonias',
    'quai Perrache',
    'impasse du Château-d’Eau',
  ],
  zipLetters: '',
  mobile: '+33 6 39 98 ## ##',
  floors: ['Bâtiment B, 4e étage', 'Appartement 12', 'Résidence Les Érables', 'Escalier C'],
  additions: ['bis', 'ter', 'A', 'B'],
}

const britain: CountryPlaces = {
  country: 'GB',
  towns: [
    { name: 'London', zips: ['E8 #@@', 'SW11 #@@', 'N16 #@@', 'EC1V #@@'] },
    { name: 'Leeds', zips: ['LS4 #@@', 'LS6 #@@'] },
    { name: 'Bristol', zips: ['BS3 #@@', 'BS16 #@@'] },
    { name: 'Edinburgh', zips: ['EH6 #@@', 'EH12 #@@'] },
    { name: 'Newcastle upon Tyne', zips: ['NE2 #@@'] },
    { name: 'Llanfairpwllgwyngyll', zips: ['LL61 #@@'] },
  ],
  streets: [
    'Kirkstall Road',
    'Queen’s Parade',
    'Mill Lane',
    'St. Andrew’s Crescent',
    'Church Walk',
    'Upper Tollington Park',
    'The Green',
    'Kingsland High Street',
    'Old Post Office Yard',
  ],
  zipLetters: 'ABDEFGHJLNPQRSTUWXYZ',
  mobile: '+44 7700 900###',
  floors: ['Flat 4, The Old Mill', 'Unit 7, Riverside Works', 'Basement Flat', 'First Floor'],
  additions: ['A', 'B', 'C'],
}

const america: CountryPlaces = {
  country: 'US',
  towns: [
    { name: 'Portland', zips: ['97202', '97214-30##'], state: 'OR' },
    { name: 'Brooklyn', zips: ['11201', '11215'], state: 'NY' },
    { name: 'San José', zips: ['95112'], state: 'CA' },
    { name: 'St. Paul', zips: ['55104-17##'], state: 'MN' },
    { name: 'Asheville', zips: ['28801'], state: 'NC' },
    { name: 'Winston-Salem', zips: ['27101'], state: 'NC' },
  ],
  streets: [
    'SE Hawthorne Blvd',
    'Flatbush Ave',
    'N 3rd St',
    'Martin Luther King Jr Dr',
    'Old Mill Rd',
    'W Summit Ave',
    'County Road 12',
  ],
  zipLetters: '',
  mobile: '+1 555 01##',
  floors: ['Apt 4B', 'Suite 210', 'Unit 3', 'Floor 2'],
  additions: ['A', 'B', '1/2'],
}

/** The six countries that the shops deliver to, with their weights in a random choice. */
const countries: readonly (readonly [CountryPlaces, number])[] = [
  [netherlands, 40],
  [belgium, 16],
  [germany, 20],
  [france, 10],
  [britain, 8],
  [america, 6],
]

/** Names of people by country. An address may have a name of another country, as in real towns. */
const people: Readonly<
  Record<string, { readonly given: readonly string[]; readonly family: readonly string[] }>
> = {
  NL: {
    given: [
      'Sanne',
      'Zoë',
      'Daniël',
      'Joost',
      'Fenna',
      'Noëlle',
      'Bram',
      'Meike',
      'Tjitske',
      'Ruben',
      'Anouk',
      'Sjoerd',
    ],
    family: [
      'de Vries',
      'van den Heuvel',
      'Jansen',
      'Bakker',
      'van der Meulen',
      'Dijkstra',
      'Özdemir',
      'Hoekstra',
      'Çelik',
      'ten Brink',
      'Muñoz-Visser',
      'El Amrani',
    ],
  },
  BE: {
    given: ['Lotte', 'Maël', 'Héloïse', 'Wout', 'Aurélie', 'Jef', 'Noémie', 'Thibault'],
    family: ['Peeters', 'Van den Broeck', 'Lefèvre', 'Claes', 'Dubois', 'De Smedt', 'Mertens', 'Lambrechts'],
  },
  DE: {
    given: [
      'Jürgen',
      'Käthe',
      'Lukas',
      'Änne',
      'Björn',
      'Friederike',
      'Łukasz',
      'Jörg',
      'Marie-Luise',
      'Emre',
    ],
    family: [
      'Müller',
      'Schröder',
      'Groß',
      'Weißhaupt',
      'Köhler',
      'Żółć',
      'Yıldız',
      'von der Au',
      'Schäfer',
      'Krüger',
      'Dvořák',
    ],
  },
  FR: {
    given: ['François', 'Élodie', 'Anaïs', 'Jérôme', 'Chloé', 'Maëlle', 'Zaïd', 'Benoît'],
    family: ['Lefebvre', 'Garçon', 'Hébert', 'de La Tour', 'Nguyễn', 'Rousseau', 'Béranger', 'Œuvrard'],
  },
  GB: {
    given: ['Siobhán', 'Oliver', 'Priya', 'Alastair', 'Megan', 'Tomasz', 'Niamh', 'Harriet'],
    family: [
      "O'Rourke",
      'Fotheringham',
      'Patel',
      'MacGregor',
      'Ashworth-Hale',
      'Wiśniewski',
      'Okonkwo',
      'Pritchard',
    ],
  },
  US: {
    given: ['José', 'Madison', 'Tyrone', 'Kaitlyn', 'Björk', 'Walter', 'Guadalupe', 'Hannah'],
    family: [
      'Hernández',
      'Miller',
      'Washington',
      'Kowalski',
      'Nguyen',
      'Castañeda',
      'Thompson III',
      'Lindqvist',
    ],
  },
}

/** Shops, clubs and other organisations that order as companies, by country. */
const companies: Readonly<Record<string, readonly string[]>> = {
  NL: [
    'Atelier Zonneveld B.V.',
    'Buro Noorderzon',
    'Sportvereniging De Lange Adem',
    'Stichting Natuurkampen voor Kinderen en Jongeren in Noord- en Midden-Nederland, afdeling Materiaal',
  ],
  BE: ['Klimzaal Het Steile Pad VZW', 'Boutique L’Écharpe Bleue SRL'],
  DE: ['Kletterhalle Steilwand GmbH & Co. KG', 'Bergsportfachgeschäft Hüttenzauber e.K.'],
  FR: ['Maison Hébert & Fils', 'Club Alpin des Vallées Hautes – section Matériel et Équipement'],
  GB: ['The Wool & Weather Company Ltd', 'St. Brannoc’s Hill Walking Society'],
  US: ['Trailhead & Daughters LLC', 'Camp Whispering Larch'],
}

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

/** The six countries that shops send to, with how often. */
export const countries: readonly (readonly [CountryPlaces, number])[] = [
  [netherlands, 40],
  [belgium, 16],
  [germany, 20],
  [france, 10],
  [britain, 8],
  [america, 6],
]

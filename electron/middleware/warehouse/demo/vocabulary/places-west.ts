import type { CountryPlaces } from './country-places.ts'

export const france: CountryPlaces = {
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

export const britain: CountryPlaces = {
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

export const america: CountryPlaces = {
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

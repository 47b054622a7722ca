import { toWinAnsi } from '#labels/draw/winansi.ts'
import type { WorldAddress } from '../world.ts'
import type { Random } from './random.ts'
import { type CountryPlaces, countries } from './vocabulary/places.ts'
import { companies, people } from './vocabulary/people.ts'

/** `#` becomes a digit, `@` one of the letters. */
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

/** Someone who ordered: mostly people at home, sometimes a company with a contact. All of them are invented. */
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

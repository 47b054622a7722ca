/** Names of people by the country they are common in; every parcel town has neighbours from elsewhere. */
export const people: Readonly<
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

/** Shops, schools and offices that buy as companies, by country. */
export const companies: Readonly<Record<string, readonly string[]>> = {
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

import type { WedgeKey } from '#shared/domain/wedge/stroke.ts'

/**
 * The keyboard layouts of the countries in which the desk is used: the characters of each key plain, with Shift, and
 * with AltGr.
 */
export const layoutNames = ['us', 'uk', 'de', 'fr', 'be', 'nl'] as const
export type LayoutName = (typeof layoutNames)[number]

/** The characters of a key. A trailing `*` marks a dead key; a space means no character. */
type Keys = Readonly<Record<string, string>>

const digitsOf = (row: string): Keys =>
  Object.fromEntries(row.split('  ').map((keys, i) => [`Digit${String((i + 1) % 10)}`, keys]))
const lettersOf = (order: string): Keys =>
  Object.fromEntries(
    Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ').map((code, i) => {
      const letter = order[i] ?? ''
      return [`Key${code}`, `${letter} ${letter.toUpperCase()}`]
    }),
  )
const qwerty = 'abcdefghijklmnopqrstuvwxyz'
const azerty = 'qbcdefghijkl,noparstuvzxyw'
const marks =
  'Backquote Minus Equal BracketLeft BracketRight Semicolon Quote Backslash IntlBackslash Comma Period Slash'
const marksOf = (rows: string): Keys => {
  const keys = rows.split('  ')
  return Object.fromEntries(marks.split(' ').map((code, i) => [code, keys[i] ?? '']))
}

/** The layouts. Each key is written as `plain shift altgr`, with two spaces between keys, in the order of `marks`. */
const layouts: Readonly<Record<LayoutName, Keys>> = {
  us: {
    ...lettersOf(qwerty),
    ...digitsOf('1 !  2 @  3 #  4 $  5 %  6 ^  7 &  8 *  9 (  0 )'),
    ...marksOf('` ~  - _  = +  [ {  ] }  ; :  \' "  \\ |  \\ |  , <  . >  / ?'),
  },
  uk: {
    ...lettersOf(qwerty),
    ...digitsOf('1 !  2 "  3 £  4 $ €  5 %  6 ^  7 &  8 *  9 (  0 )'),
    ...marksOf("` ¬  - _  = +  [ {  ] }  ; :  ' @  # ~  \\ |  , <  . >  / ?"),
  },
  de: {
    ...lettersOf('abcdefghijklmnopqrstuvwxzy'),
    ...digitsOf('1 !  2 " ²  3 § ³  4 $  5 %  6 &  7 / {  8 ( [  9 ) ]  0 = }'),
    ...marksOf("^* °  ß ? \\  ´* `*  ü Ü  + * ~  ö Ö  ä Ä  # '  < > |  , ;  . :  - _"),
    KeyQ: 'q Q @',
  },
  fr: {
    ...lettersOf(azerty),
    ...digitsOf('& 1  é 2 ~*  " 3 #  \' 4 {  ( 5 [  - 6 |  è 7 `*  _ 8 \\  ç 9 ^  à 0 @'),
    ...marksOf('²  ) ° ]  = + }  ^* ¨*  $ £ ¤  m M  ù %  * µ  < >  ; .  : /  ! §'),
    KeyM: ', ?',
  },
  be: {
    ...lettersOf(azerty),
    ...digitsOf('& 1 |  é 2 @  " 3 #  \' 4  ( 5  § 6 ^  è 7  ! 8  ç 9 {  à 0 }'),
    ...marksOf('² ³  ) °  - _  ^* ¨* [  $ * ]  m M  ù % ´*  µ £ `*  < > \\  ; .  : /  = + ~*'),
    KeyM: ', ?',
  },
  nl: {
    ...lettersOf(qwerty),
    ...digitsOf('1 ! ¹  2 " ²  3 # ³  4 $ ¼  5 % ½  6 & ¾  7 _ £  8 ( {  9 ) }  0 \''),
    ...marksOf('@ § ¬  / ? \\  ° ~*  ¨* ^*  * |  + ±  ´* `*  < >  ] [ ¦  , ;  . : ·  - ='),
  },
}

interface Press {
  readonly code: string
  readonly shift: boolean
  readonly altGraph: boolean
}

function typed(
  layout: LayoutName,
  { code, shift, altGraph }: Press,
): { text: string; isDead: boolean } | null {
  if (code === 'Space') return { text: ' ', isDead: false }
  const entry = (layouts[layout][code] ?? '').split(' ')[altGraph ? 2 : shift ? 1 : 0] ?? ''
  if (entry === '') return null
  return entry.length > 1 ? { text: entry[0] ?? '', isDead: true } : { text: entry, isDead: false }
}

/** Returns the key presses with which a scanner of this layout sends a character. Throws if the layout has none. */
export function pressesOf(layout: LayoutName, character: string): readonly Press[] {
  if (character === ' ') return [{ code: 'Space', shift: false, altGraph: false }]
  for (const code of Object.keys(layouts[layout])) {
    for (const [shift, altGraph] of [
      [false, false],
      [true, false],
      [false, true],
    ] as const) {
      const press = { code, shift, altGraph }
      const found = typed(layout, press)
      if (found?.text !== character) continue
      return found.isDead ? [press, { code: 'Space', shift: false, altGraph: false }] : [press]
    }
  }
  throw new Error(`no key of ${layout} types ${JSON.stringify(character)}`)
}

export const separatorForms = ['control', 'alt', 'f8'] as const
export type SeparatorForm = (typeof separatorForms)[number]

export interface Typist {
  /** The keyboard layout to which the scanner is set. */
  readonly scanner: LayoutName
  /** The keyboard layout of the computer that the scanner is connected to. */
  readonly host: LayoutName
  readonly capsLock: boolean
  readonly separator: SeparatorForm
}

type Sent = Omit<WedgeKey, 'timeStampMs' | 'field'>
const plain: Sent = {
  key: '',
  code: '',
  ctrl: false,
  alt: false,
  meta: false,
  altGraph: false,
  shift: false,
  capsLock: false,
  repeat: false,
  composing: false,
  hasTyped: false,
}

/**
 * Returns the keydown events that the browser receives when the scanner sends a text. `typist.separator`: whether the
 * scanner sends GS as F8, as Alt+029 or as Ctrl+].
 */
export function keysOf(text: string, typist: Typist): Sent[] {
  return Array.from(text).flatMap((character) =>
    character === '\x1d' ? separatorKeys(typist) : characterKeys(character, typist),
  )
}

function separatorKeys({ host, separator, capsLock }: Typist): Sent[] {
  if (separator === 'f8') return [{ ...plain, key: 'F8', code: 'F8', capsLock }]
  if (separator === 'alt') {
    const alt = { ...plain, key: 'Alt', code: 'AltLeft', alt: true, capsLock }
    return [alt, ...Array.from('029', (digit) => ({ ...alt, key: digit, code: `Numpad${digit}` }))]
  }
  const code = 'BracketRight'
  const key = typed(host, { code, shift: false, altGraph: false })?.text ?? ''
  return [{ ...plain, key, code, ctrl: true, capsLock }]
}

function characterKeys(character: string, { scanner, host, capsLock }: Typist): Sent[] {
  return pressesOf(scanner, character).map((press) => {
    const { code, shift, altGraph } = press
    // Caps Lock changes letters and, on French keyboards, also digits.
    const changes =
      capsLock && !altGraph && (code.startsWith('Key') || (host === 'fr' && code.startsWith('Digit')))
    const seen = typed(host, changes ? { ...press, shift: !shift } : press)
    const key = seen === null ? 'Unidentified' : seen.isDead ? 'Dead' : seen.text
    return { ...plain, key, code, shift, altGraph, capsLock }
  })
}

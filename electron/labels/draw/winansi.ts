import { withFewMarks } from '#shared/domain/text-forms.ts'

/** The 27 characters of WinAnsi (CP1252) that Latin-1 lacks. */
const winAnsiExtras = new Set('€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ')

/** Letters that Unicode does not decompose, and punctuation marks with an equivalent in WinAnsi. */
// prettier-ignore
const latin: Readonly<Record<string, string>> = {
  Ł: 'L', ł: 'l', Đ: 'D', đ: 'd', Ħ: 'H', ħ: 'h', ı: 'i', Ŧ: 'T', ŧ: 't', Ŋ: 'N', ŋ: 'n', ĸ: 'k',
  Ə: 'A', ə: 'a', Ɓ: 'B', Ɗ: 'D', Ɔ: 'O', ẞ: 'SS', ﬁ: 'fi', ﬂ: 'fl', '№': 'No.', '‐': '-', '‑': '-',
  '‒': '-', '―': '—', '′': "'", '″': '"', 'ʹ': "'", 'ʻ': '‘', 'ʼ': '’', '→': '>', '←': '<', '−': '-', '⁄': '/',
}

// prettier-ignore
const greek: Readonly<Record<string, string>> = {
  α: 'a', β: 'v', γ: 'g', δ: 'd', ε: 'e', ζ: 'z', η: 'i', θ: 'th', ι: 'i', κ: 'k', λ: 'l', μ: 'm',
  ν: 'n', ξ: 'x', ο: 'o', π: 'p', ρ: 'r', σ: 's', ς: 's', τ: 't', υ: 'y', φ: 'f', χ: 'ch', ψ: 'ps', ω: 'o',
}

// prettier-ignore
const cyrillic: Readonly<Record<string, string>> = {
  а: 'a', б: 'b', в: 'v', г: 'h', ґ: 'g', д: 'd', е: 'e', є: 'ie', ж: 'zh', з: 'z', и: 'y', і: 'i',
  к: 'k', л: 'l', м: 'm', н: 'n', о: 'o', п: 'p', р: 'r', с: 's', т: 't', у: 'u', ф: 'f', х: 'kh',
  ц: 'ts', ч: 'ch', ш: 'sh', щ: 'shch', ъ: '', ы: 'y', ь: '', э: 'e', ю: 'iu', я: 'ia', ђ: 'dj', ј: 'j',
  љ: 'lj', њ: 'nj', ћ: 'c', џ: 'dz',
}

const table = new Map([latin, greek, cyrillic].flatMap((part) => Object.entries(part)))

/**
 * Matches texts that need no conversion: Latin-1 words with single spaces between them. Most texts match, so this test
 * makes the conversion faster.
 */
const alreadyPrintable = /^[!-~¡-ÿ]+(?: [!-~¡-ÿ]+)*$/

function isWinAnsi(character: string): boolean {
  const code = character.codePointAt(0) ?? 0
  return (code >= 0x20 && code <= 0x7e) || (code >= 0xa0 && code <= 0xff) || winAnsiExtras.has(character)
}

function fromTable(character: string): string | undefined {
  const direct = table.get(character)
  if (direct !== undefined) return direct
  const lower = table.get(character.toLowerCase())
  return lower === undefined ? undefined : lower.charAt(0).toUpperCase() + lower.slice(1)
}

function replace(character: string): string {
  if (isWinAnsi(character)) return character
  const known = fromTable(character)
  if (known !== undefined) return known
  if (/\p{White_Space}|\p{Cc}/u.test(character)) return ' '
  // Removes emoji, joiners and variation selectors, because no address needs them.
  if (/\p{Extended_Pictographic}|\p{Emoji_Component}|\p{Mn}|\p{Cf}/u.test(character)) return ''
  return '?'
}

/**
 * Converts a text to WinAnsi, the character set of the standard PDF fonts: `Łukasz Żółć` becomes `Lukasz Zólc`. Accents
 * that WinAnsi lacks are removed, Greek and Cyrillic letters are transliterated, emoji are removed, and any other
 * character becomes `?`. Consecutive whitespace becomes one space. Never throws; converting a converted text changes
 * nothing.
 */
export function toWinAnsi(text: string): string {
  if (alreadyPrintable.test(text)) return text
  let out = ''
  for (const character of withFewMarks(text).normalize('NFC')) {
    if (isWinAnsi(character) || table.has(character)) out += replace(character)
    else for (const part of character.normalize('NFD')) out += replace(part)
  }
  return out.replaceAll(/\s+/g, ' ').trim()
}

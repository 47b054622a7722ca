import { searchWords } from '#shared/domain/article-search.ts'
import { foldText } from '#shared/domain/text-forms.ts'

export interface MatchPart {
  readonly text: string
  readonly isMatch: boolean
}

const isWordCharacter = /[\p{L}\p{N}]/u

/**
 * Splits a value into parts and marks the parts that match the typed words. As in the search, each typed word matches
 * the beginning of a word, in any order; accents and case are ignored. All parts joined together are equal to the
 * value.
 */
export function matchParts(value: string, typed: string): MatchPart[] {
  const { folded, starts } = foldByCharacter(value)
  const marked = new Set<number>()
  for (const word of searchWords(typed)) {
    for (const at of placesOf(folded, word)) {
      for (let i = at; i < at + word.length; i++) marked.add(starts[i] ?? 0)
    }
  }
  const characters = Array.from(value)
  return characters.reduce<MatchPart[]>((parts, character, i) => {
    const isMatch = marked.has(i)
    const last = parts.at(-1)
    if (last?.isMatch !== isMatch) return [...parts, { text: character, isMatch }]
    return [...parts.slice(0, -1), { text: last.text + character, isMatch }]
  }, [])
}

/**
 * Returns the value without accents and in lower case, and for each of its characters the index of the original
 * character.
 */
function foldByCharacter(value: string): { folded: string; starts: number[] } {
  const pieces = Array.from(value).map((character) => foldText(character).replaceAll('ς', 'σ'))
  return {
    folded: pieces.join(''),
    starts: pieces.flatMap((piece, i) => Array.from({ length: piece.length }, () => i)),
  }
}

function placesOf(folded: string, word: string): number[] {
  const places: number[] = []
  for (let at = folded.indexOf(word); at >= 0; at = folded.indexOf(word, at + 1)) {
    if (at === 0 || !isWordCharacter.test(folded[at - 1] ?? '')) places.push(at)
  }
  return places
}
